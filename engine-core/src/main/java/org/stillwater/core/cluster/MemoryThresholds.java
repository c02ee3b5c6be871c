package org.stillwater.core.cluster;

/**
 * When the memory of a cluster's hosts is scarce (monitoring specification §3.3): either of the two
 * is reported.
 *
 * @param leastFreeMebibytes less free memory than this is reported ({@code
 *     LogPhysicalMemoryThresholdInMB}), 0 for never
 * @param mostUsedPercent more used memory than this is reported ({@code
 *     LogMaxPhysicalMemoryUsedThresholdInPercentage}), 0–100; 100 for never
 */
public record MemoryThresholds(int leastFreeMebibytes, int mostUsedPercent) {

    /** The documented defaults. */
    public static final MemoryThresholds DEFAULT = new MemoryThresholds(1024, 95);

    public MemoryThresholds {
        if (leastFreeMebibytes < 0) {
            throw new IllegalArgumentException(
                    "free memory is 0 MiB or more, not " + leastFreeMebibytes);
        }
        if (mostUsedPercent < 0 || mostUsedPercent > 100) {
            throw new IllegalArgumentException(
                    "a share of used memory is 0 to 100 %, not " + mostUsedPercent);
        }
    }
}
