package org.stillwater.monitoring.dwh;

import java.time.Duration;

/**
 * Intervals of the work for readers outside the engine.
 *
 * @param mode when statistics are dumped
 * @param idleAfter time after the last sign of a reader when the dump rests, with {@link
 *     DumpMode#AUTO}
 * @param dumpInterval time between two dumps of statistics, zero for never
 * @param heartbeatInterval time between two signs of life ({@code DwhHeartBeatInterval}), zero for
 *     never
 */
public record WarehouseSettings(
        DumpMode mode, Duration idleAfter, Duration dumpInterval, Duration heartbeatInterval) {

    /** The documented defaults: while a warehouse reads, a minute, and 15 s. */
    public static final WarehouseSettings DEFAULT =
            new WarehouseSettings(
                    DumpMode.AUTO,
                    Duration.ofMinutes(15),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(15));

    public WarehouseSettings {
        if (dumpInterval.isNegative() || heartbeatInterval.isNegative()) {
            throw new IllegalArgumentException(
                    "dumps and heartbeats come after a positive time, or never");
        }
    }

    /** The same with another interval between dumps. */
    public WarehouseSettings withDumpInterval(Duration interval) {
        return new WarehouseSettings(mode, idleAfter, interval, heartbeatInterval);
    }
}
