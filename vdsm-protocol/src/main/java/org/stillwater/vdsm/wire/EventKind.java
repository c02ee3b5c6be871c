package org.stillwater.vdsm.wire;

/** Components and operations of event names (§4.2). */
public final class EventKind {
    public static final String VIRT = "virt";
    public static final String NET = "net";
    public static final String JOBS = "jobs";

    public static final String VM_STATUS = "VM_status";
    public static final String VM_MIGRATION_STATUS = "VM_migration_status";
    public static final String HOST_CONN = "host_conn";
    public static final String JOB_STATUS = "status";

    /** The id of events that are about the host as a whole. */
    public static final String NO_ID = "no_id";

    private EventKind() {}
}
