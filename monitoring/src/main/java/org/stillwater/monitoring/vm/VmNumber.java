package org.stillwater.monitoring.vm;

/** A number of a VM by the name under which readers know it; units are in the names. */
public enum VmNumber {
    CPU_USER("cpuUserPercent", StatisticsLayout.CPU_USER, true),
    CPU_SYSTEM("cpuSystemPercent", StatisticsLayout.CPU_SYSTEM, true),
    CPU_USAGE("usageCpuPercent", StatisticsLayout.CPU_USAGE, false),
    MEMORY_USAGE("usageMemoryPercent", StatisticsLayout.MEMORY_USAGE, false),
    NETWORK_USAGE("usageNetworkPercent", StatisticsLayout.NETWORK_USAGE, false),
    ELAPSED("elapsedSeconds", StatisticsLayout.ELAPSED, false),
    MEMORY_FREE("memoryFreeKibibytes", StatisticsLayout.MEMORY_FREE, false),
    MEMORY_UNUSED("memoryUnusedKibibytes", StatisticsLayout.MEMORY_UNUSED, false),
    MEMORY_BUFFERED("memoryBufferedKibibytes", StatisticsLayout.MEMORY_BUFFERED, false),
    MEMORY_CACHED("memoryCachedKibibytes", StatisticsLayout.MEMORY_CACHED, false),
    BALLOON_CURRENT("balloonCurrentKibibytes", StatisticsLayout.BALLOON_CURRENT, false),
    BALLOON_MAXIMUM("balloonMaximumKibibytes", StatisticsLayout.BALLOON_MAXIMUM, false),
    BALLOON_TARGET("balloonTargetKibibytes", StatisticsLayout.BALLOON_TARGET, false),
    BALLOON_MINIMUM("balloonMinimumKibibytes", StatisticsLayout.BALLOON_MINIMUM, false),
    MIGRATION_PROGRESS("migrationProgressPercent", StatisticsLayout.MIGRATION_PROGRESS, false);

    private final String label;
    final int at;
    private final boolean fraction;

    VmNumber(String label, int at, boolean fraction) {
        this.label = label;
        this.at = at;
        this.fraction = fraction;
    }

    /** The name in camel case, with the unit. */
    public String label() {
        return label;
    }

    /** Whether it has decimals; else it is whole. */
    public boolean isFraction() {
        return fraction;
    }
}
