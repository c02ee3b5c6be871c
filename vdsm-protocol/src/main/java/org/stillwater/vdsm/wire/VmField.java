package org.stillwater.vdsm.wire;

/**
 * Members of a VM record in {@code Host.getAllVmStats}, {@code VM.getStats} and {@code VM_status}
 * events (§3.3, §4.4).
 */
public final class VmField {
    public static final String STATUS_TIME = "statusTime";
    public static final String STATUS = "status";
    public static final String VM_ID = "vmId";
    public static final String VM_NAME = "vmName";
    public static final String VM_TYPE = "vmType";
    public static final String KVM_ENABLE = "kvmEnable";
    public static final String ACPI_ENABLE = "acpiEnable";
    public static final String ELAPSED_TIME = "elapsedTime";
    public static final String MONITOR_RESPONSE = "monitorResponse";
    public static final String CLIENT_IP = "clientIp";
    public static final String TIME_OFFSET = "timeOffset";
    public static final String PAUSE_CODE = "pauseCode";
    public static final String MIGRATION_PROGRESS = "migrationProgress";
    public static final String CPU_USER = "cpuUser";
    public static final String CPU_SYS = "cpuSys";
    public static final String CPU_USAGE = "cpuUsage";
    public static final String CPU_ACTUAL = "cpuActual";
    public static final String NETWORK = "network";
    public static final String DISKS = "disks";
    public static final String BALLOON_INFO = "balloonInfo";
    public static final String VCPU_COUNT = "vcpuCount";
    public static final String IO_TUNE = "ioTune";
    public static final String MEMORY_STATS = "memoryStats";
    public static final String DISPLAY_INFO = "displayInfo";
    public static final String HASH = "hash";
    public static final String NVRAM_HASH = "nvramHash";
    public static final String TPM_HASH = "tpmHash";

    /** Member of {@code VM.getExternalData}: the data itself, a secret. */
    public static final String EXTERNAL_DATA = "_X_data";

    public static final String WATCHDOG_EVENT = "watchdogEvent";
    public static final String VCPU_USER_LIMIT = "vcpuUserLimit";
    public static final String VM_JOBS = "vmJobs";
    public static final String V_NODE_RUNTIME_INFO = "vNodeRuntimeInfo";
    public static final String VCPU_QUOTA = "vcpuQuota";
    public static final String VCPU_PERIOD = "vcpuPeriod";
    public static final String USERNAME = "username";
    public static final String SESSION = "session";
    public static final String MEM_USAGE = "memUsage";
    public static final String GUEST_CPU_COUNT = "guestCPUCount";
    public static final String APPS_LIST = "appsList";
    public static final String GUEST_IPS = "guestIPs";
    public static final String GUEST_FQDN = "guestFQDN";
    public static final String NET_IFACES = "netIfaces";
    public static final String GUEST_NAME = "guestName";
    public static final String GUEST_OS = "guestOs";
    public static final String GUEST_OS_INFO = "guestOsInfo";
    public static final String GUEST_TIMEZONE = "guestTimezone";
    public static final String DISKS_USAGE = "disksUsage";
    public static final String PCI_DEVICES = "pci_devices";
    public static final String GUEST_CONTAINERS = "guestContainers";
    public static final String LAST_LOGIN = "lastLogin";
    public static final String EXIT_CODE = "exitCode";
    public static final String EXIT_MESSAGE = "exitMessage";
    public static final String EXIT_REASON = "exitReason";
    public static final String NOTIFY_TIME = "notify_time";
    public static final String PROGRESS = "progress";
    public static final String POSTCOPY = "postcopy";
    public static final String DOWNTIME = "downtime";
    public static final String IOERROR = "ioerror";
    public static final String CDROM = "cdrom";

    private VmField() {}
}
