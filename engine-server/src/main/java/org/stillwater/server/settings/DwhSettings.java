package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Samples for a data warehouse outside the engine.
 *
 * @param dump when statistics are dumped to the database: {@code auto}, while a data warehouse
 *     reads its views of samples; {@code always}; {@code never}. While they are not, these views
 *     are empty
 * @param idleAfter with {@code auto}, time after the last sign of a reader when the dump stops
 * @param interval time between two dumps of the statistics of all VMs and hosts to the database,
 *     one batch each; 0 for never
 * @param heartbeatInterval time between two signs of life in the database, one row each ({@code
 *     DwhHeartBeatInterval}), which also look for readers; a data warehouse takes an engine without
 *     them for dead; while no warehouse reads, the longer one of both intervals counts; 0 for never
 */
@ConfigurationProperties("stillwater.dwh")
public record DwhSettings(
        @DefaultValue("auto") Dump dump,
        @DefaultValue("15m") Duration idleAfter,
        @DefaultValue("60s") Duration interval,
        @DefaultValue("15s") Duration heartbeatInterval) {

    /** When statistics are dumped. */
    public enum Dump {
        /** While a warehouse reads. */
        AUTO,
        /** Always. */
        ALWAYS,
        /** Never. */
        NEVER
    }

    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration MOST = Duration.ofDays(1);

    public DwhSettings {
        Checks.duration("dwh.idle-after", idleAfter, LEAST, MOST);
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
