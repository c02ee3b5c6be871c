package org.stillwater.server.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Level of detail of meters and health.
 *
 * @param hostsWithOwnLag hosts with their own lag meter, in the order of their addition; the
 *     largest lag of all hosts is always a meter
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
