package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Samples for a data warehouse outside the engine.
 *
 * @param interval time between two dumps of the statistics of all VMs and hosts to the database,
 *     one batch each; 0 for never
 * @param heartbeatInterval time between two signs of life in the database, one row each ({@code
 *     DwhHeartBeatInterval}); a data warehouse takes an engine without them for dead; 0 for never
 */
@ConfigurationProperties("stillwater.dwh")
public record DwhSettings(
        @DefaultValue("60s") Duration interval, @DefaultValue("15s") Duration heartbeatInterval) {

    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration MOST = Duration.ofDays(1);

    public DwhSettings {
        require(interval, "dwh.interval");
        require(heartbeatInterval, "dwh.heartbeat-interval");
    }

    private static void require(Duration interval, String name) {
        Checks.require(
                interval.isZero()
                        || (interval.compareTo(LEAST) >= 0 && interval.compareTo(MOST) <= 0),
                name,
                "0 (never), or " + Checks.text(LEAST) + " to " + Checks.text(MOST),
                Checks.text(interval));
    }
}
