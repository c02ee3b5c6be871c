package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Samples for a data warehouse outside the engine.
 *
 * @param interval time between two dumps of the statistics of all VMs to the database, one batch
 *     each; 0 for never
 */
@ConfigurationProperties("stillwater.dwh")
public record DwhSettings(@DefaultValue("60s") Duration interval) {

    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration MOST = Duration.ofDays(1);

    public DwhSettings {
        Checks.require(
                interval.isZero()
                        || (interval.compareTo(LEAST) >= 0 && interval.compareTo(MOST) <= 0),
                "dwh.interval",
                "0 (never), or " + Checks.text(LEAST) + " to " + Checks.text(MOST),
                Checks.text(interval));
    }
}
