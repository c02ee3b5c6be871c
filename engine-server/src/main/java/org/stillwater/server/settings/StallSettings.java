package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Detection of stalls: threads or host reports of the engine that wait too long for their turn.
 *
 * @param enabled whether stalls are detected
 * @param interval time between two heart-beats
 * @param shortest a shorter wait is no stall
 * @param logged shortest stall that becomes an audit event and a line in the log, with the stack of
 *     the code that blocks the waiting work
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
