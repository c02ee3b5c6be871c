package org.stillwater.core.connection;

/**
 * Codes of {@link HostFailure.Refused} by which commands are decided (protocol specification §2.4).
 */
public final class RefusalCode {
    /** The host does not know the VM. */
    public static final int NO_SUCH_VM = 1;

    /** The host knows the VM already, running or not yet removed. */
    public static final int VM_EXISTS = 4;

    /** The request needs a VM that runs. */
    public static final int VM_IS_DOWN = 6;

    /** The host does not accept the definition. */
    public static final int BAD_VM_PARAMETERS = 9;

    /** The source of a migration does not reach its destination. */
    public static final int NO_MIGRATION_PEER = 10;

    /** The migration cannot begin, or failed before its transfer began. */
    public static final int MIGRATION_FAILED = 12;

    /** The host has no such image of a CD. */
    public static final int NO_SUCH_CD = 13;

    /** The host has not enough memory. */
    public static final int OUT_OF_MEMORY = 14;

    /** Unexpected error; the VM's state does not allow the request. */
    public static final int UNEXPECTED = 16;

    /** The console's password was not set. */
    public static final int TICKET_FAILED = 18;

    /** The CD could not be changed. */
    public static final int CHANGE_CD_FAILED = 41;

    /** The VM could not be removed. */
    public static final int DESTROY_FAILED = 42;

    /** There is no migration to cancel, or it can no longer be cancelled ({@code migCancelErr}). */
    public static final int MIGRATION_NOT_IN_PROGRESS = 47;

    /** The VM migrates already. */
    public static final int MIGRATION_IN_PROGRESS = 51;

    /**
     * The destination takes no more migrations now. Hosts answer so to each other; to an engine
     * only if they began a migration and failed while the engine waited for the answer.
     */
    public static final int MIGRATION_LIMIT = 82;

    /** The storage domain has no such image. */
    public static final int NO_SUCH_IMAGE = 268;

    /** The storage domain has no such lease. */
    public static final int NO_SUCH_LEASE = 936;

    /** Another host manages the storage pool. */
    public static final int NOT_STORAGE_POOL_MANAGER = 654;

    /** The VM could not be reset. */
    public static final int RESET_FAILED = 90;

    /**
     * Another operation is under way with what the request is about, or no more of them are taken
     * now: the same request may succeed in a moment. XAPI's pools answer so; no host does.
     */
    public static final int BUSY = -1;

    /**
     * A client cancelled the request, so it is not to be repeated. XAPI's pools answer so about
     * their tasks; no host does.
     */
    public static final int CANCELLED = -2;

    /** The host knows no such verb (JSON-RPC's "method not found"). */
    public static final int NO_SUCH_VERB = -32_601;

    private RefusalCode() {}
}
