package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the engine finds out that its threads wait for their turn.
 *
 * @param enabled whether it does
 * @param interval time between two heart-beats
 * @param shortest a shorter wait is no stall
 * @param logged a stall of this length is an audit event and a line in the log, with the stack of
 *     what is before the work that waits
 */
@ConfigurationProperties("stillwater.stalls")
public record StallSettings(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("100ms") Duration interval,
        @DefaultValue("20ms") Duration shortest,
        @DefaultValue("1s") Duration logged) {

    public StallSettings {
        Checks.duration("stalls.interval", interval, Duration.ofMillis(10), Duration.ofSeconds(10));
        Checks.duration("stalls.shortest", shortest, Duration.ofMillis(1), Duration.ofSeconds(10));
        Checks.duration("stalls.logged", logged, Duration.ofMillis(10), Duration.ofMinutes(10));
    }
}
