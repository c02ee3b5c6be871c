package org.stillwater.vdsm.wire;

/** Verbs of VDSM's API that the engine calls or the simulator serves, as on the wire (§3.1). */
public final class Verb {
    public static final String GET_CAPABILITIES = "Host.getCapabilities";
    public static final String GET_HARDWARE_INFO = "Host.getHardwareInfo";
    public static final String GET_STATS = "Host.getStats";
    public static final String GET_ALL_VM_STATS = "Host.getAllVmStats";
    public static final String DUMPXMLS = "Host.dumpxmls";
    public static final String GET_VM_LIST = "Host.getVMList";
    public static final String GET_VM_FULL_LIST = "Host.getVMFullList";
    public static final String GET_ALL_TASKS_STATUSES = "Host.getAllTasksStatuses";
    public static final String GET_ALL_TASKS_INFO = "Host.getAllTasksInfo";
    public static final String GET_JOBS = "Host.getJobs";
    public static final String GET_STORAGE_DOMAINS = "Host.getStorageDomains";
    public static final String GET_STORAGE_REPO_STATS = "Host.getStorageRepoStats";
    public static final String GET_NETWORK_CAPABILITIES = "Host.getNetworkCapabilities";
    public static final String GET_NETWORK_STATISTICS = "Host.getNetworkStatistics";
    public static final String SET_MOM_POLICY_PARAMETERS = "Host.setMOMPolicyParameters";
    public static final String PING = "Host.ping";
    public static final String PING2 = "Host.ping2";
    public static final String CONFIRM_CONNECTIVITY = "Host.confirmConnectivity";

    public static final String VM_GET_STATS = "VM.getStats";
    public static final String VM_GET_INFO = "VM.getInfo";
    public static final String VM_CREATE = "VM.create";
    public static final String VM_DESTROY = "VM.destroy";
    public static final String VM_SHUTDOWN = "VM.shutdown";
    public static final String VM_RESET = "VM.reset";
    public static final String VM_PAUSE = "VM.pause";
    public static final String VM_CONT = "VM.cont";
    public static final String VM_HIBERNATE = "VM.hibernate";
    public static final String VM_MIGRATE = "VM.migrate";
    public static final String VM_GET_MIGRATION_STATUS = "VM.getMigrationStatus";
    public static final String VM_MIGRATE_CANCEL = "VM.migrateCancel";
    public static final String VM_SET_TICKET = "VM.setTicket";
    public static final String VM_UPDATE_DEVICE = "VM.updateDevice";
    public static final String VM_CHANGE_CD = "VM.changeCD";
    public static final String VM_HOTPLUG_NIC = "VM.hotplugNic";
    public static final String VM_HOTUNPLUG_NIC = "VM.hotunplugNic";
    public static final String VM_HOTPLUG_DISK = "VM.hotplugDisk";
    public static final String VM_HOTUNPLUG_DISK = "VM.hotunplugDisk";
    public static final String VM_GET_EXTERNAL_DATA = "VM.getExternalData";

    public static final String GET_SPM_STATUS = "StoragePool.getSpmStatus";

    private Verb() {}
}
