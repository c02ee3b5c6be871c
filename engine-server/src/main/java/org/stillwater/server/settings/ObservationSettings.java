package org.stillwater.server.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How much detail meters and health tell.
 *
 * @param hostsWithOwnLag hosts that get a lag meter of their own, in the order they were added; the
 *     largest lag of all hosts is always told
 * @param namesInHealth host names that readiness lists per kind of trouble; the others are counted
 */
@ConfigurationProperties("stillwater.observation")
public record ObservationSettings(
        @DefaultValue("1000") int hostsWithOwnLag, @DefaultValue("5") int namesInHealth) {

    public ObservationSettings {
        Checks.number("observation.hosts-with-own-lag", hostsWithOwnLag, 0, 10_000);
        Checks.number("observation.names-in-health", namesInHealth, 1, 100);
    }
}
