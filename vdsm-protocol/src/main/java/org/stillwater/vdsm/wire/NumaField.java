package org.stillwater.vdsm.wire;

/**
 * Members of {@code numaNodes} (§3.4), {@code numaNodeMemFree} and {@code cpuStatistics} (§3.5).
 */
public final class NumaField {
    public static final String TOTAL_MEMORY = "totalMemory";
    public static final String CPUS = "cpus";
    public static final String HUGEPAGES = "hugepages";
    public static final String TOTAL_PAGES = "totalPages";
    public static final String FREE_PAGES = "freePages";
    public static final String MEM_FREE = "memFree";
    public static final String MEM_PERCENT = "memPercent";
    public static final String NODE_INDEX = "nodeIndex";
    public static final String CPU_USER = "cpuUser";
    public static final String CPU_SYS = "cpuSys";
    public static final String CPU_IDLE = "cpuIdle";

    private NumaField() {}
}
