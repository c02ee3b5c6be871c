package org.stillwater.core.analysis.host;

import java.time.Duration;

/**
 * Limits beyond which a host's numbers are reported (monitoring specification §3.3). The limits of
 * memory are the cluster's.
 *
 * @param cpuPercent CPU usage above this; 100 for never ({@code
 *     LogMaxCpuUsedThresholdInPercentage})
 * @param networkPercent rate of an interface above this; 100 for never ({@code
 *     LogMaxNetworkUsedThresholdInPercentage})
 * @param swapUsedPercent used swap space above this; 100 for never ({@code
 *     LogMaxSwapMemoryUsedThresholdInPercentage})
 * @param swapFreeMebibytes free swap space below this, less the tolerance; 0 for never ({@code
 *     LogSwapMemoryThresholdInMB})
 * @param diskWarningMebibytes free space of a local file system of at most this; −1 for never
 *     ({@code VdsLocalDisksLowFreeSpace})
 * @param diskErrorMebibytes the same, gravely ({@code VdsLocalDisksCriticallyLowFreeSpace})
 * @param clockDrift distance between the host's and the engine's clocks above this; zero for never
 *     ({@code HostTimeDriftInSec}, {@code EnableHostTimeDrift})
 */
public record HostLimits(
        int cpuPercent,
        int networkPercent,
        int swapUsedPercent,
        int swapFreeMebibytes,
        int diskWarningMebibytes,
        int diskErrorMebibytes,
        Duration clockDrift) {

    /** The documented defaults. */
    public static final HostLimits DEFAULT =
            new HostLimits(95, 95, 95, 1024, 100, 100, Duration.ofMinutes(5));

    public HostLimits {
        requirePercent(cpuPercent);
        requirePercent(networkPercent);
        requirePercent(swapUsedPercent);
        if (swapFreeMebibytes < 0 || diskWarningMebibytes < -1 || diskErrorMebibytes < -1) {
            throw new IllegalArgumentException("a limit of free space is not negative");
        }
        if (clockDrift.isNegative()) {
            throw new IllegalArgumentException("a distance of clocks is not negative");
        }
    }

    private static void requirePercent(int percent) {
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("a percentage is 0 to 100, not " + percent);
        }
    }
}
