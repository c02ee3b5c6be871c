package org.stillwater.vdsm.wire;

/** Members of {@code Host.getStats} (§3.5). */
public final class HostStatsField {
    public static final String CPU_LOAD = "cpuLoad";
    public static final String CPU_USER = "cpuUser";
    public static final String CPU_SYS = "cpuSys";
    public static final String CPU_IDLE = "cpuIdle";
    public static final String CPU_USER_VDSMD = "cpuUserVdsmd";
    public static final String CPU_SYS_VDSMD = "cpuSysVdsmd";
    public static final String ELAPSED_TIME = "elapsedTime";
    public static final String MEM_USED = "memUsed";
    public static final String MEM_FREE = "memFree";
    public static final String MEM_SHARED = "memShared";
    public static final String SWAP_TOTAL = "swapTotal";
    public static final String SWAP_FREE = "swapFree";
    public static final String ANON_HUGE_PAGES = "anonHugePages";
    public static final String HUGEPAGES = "hugepages";
    public static final String THP_STATE = "thpState";
    public static final String NETWORK = "network";
    public static final String RX_DROPPED = "rxDropped";
    public static final String TX_DROPPED = "txDropped";
    public static final String DISK_STATS = "diskStats";
    public static final String BOOT_TIME = "bootTime";
    public static final String NUMA_NODE_MEM_FREE = "numaNodeMemFree";
    public static final String CPU_STATISTICS = "cpuStatistics";
    public static final String V2V_JOBS = "v2vJobs";
    public static final String STORAGE_DOMAINS = "storageDomains";
    public static final String MULTIPATH_HEALTH = "multipathHealth";
    public static final String VM_COUNT = "vmCount";
    public static final String VM_ACTIVE = "vmActive";
    public static final String VM_MIGRATING = "vmMigrating";
    public static final String INCOMING_VM_MIGRATIONS = "incomingVmMigrations";
    public static final String OUTGOING_VM_MIGRATIONS = "outgoingVmMigrations";
    public static final String DATE_TIME = "dateTime";
    public static final String MOM_STATUS = "momStatus";
    public static final String KSM_STATE = "ksmState";
    public static final String KSM_PAGES = "ksmPages";
    public static final String KSM_MERGE_ACROSS_NODES = "ksmMergeAcrossNodes";
    public static final String KSM_CPU = "ksmCpu";
    public static final String NET_CONFIG_DIRTY = "netConfigDirty";
    public static final String HA_STATS = "haStats";
    public static final String HA_SCORE = "haScore";

    private HostStatsField() {}
}
