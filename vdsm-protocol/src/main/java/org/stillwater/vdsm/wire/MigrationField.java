package org.stillwater.vdsm.wire;

/** Members of the parameters of {@code VM.migrate} (§3.8). */
public final class MigrationField {
    public static final String VM_ID = "vmId";
    public static final String SOURCE = "src";
    public static final String DESTINATION = "dst";
    public static final String METHOD = "method";

    /** The value of {@link #METHOD} for a VM that runs. */
    public static final String ONLINE = "online";

    public static final String TUNNELED = "tunneled";

    /** Address of the destination on the migration network. */
    public static final String DESTINATION_ADDRESS = "dstqemu";

    public static final String AUTO_CONVERGE = "autoConverge";
    public static final String COMPRESSED = "compressed";
    public static final String ENCRYPTED = "encrypted";
    public static final String ABORT_ON_ERROR = "abortOnError";
    public static final String CONSOLE_ADDRESS = "consoleAddress";

    /** MiB/s. */
    public static final String MAX_BANDWIDTH = "maxBandwidth";

    public static final String ENABLE_GUEST_EVENTS = "enableGuestEvents";
    public static final String OUTGOING_LIMIT = "outgoingLimit";
    public static final String INCOMING_LIMIT = "incomingLimit";
    public static final String CONVERGENCE_SCHEDULE = "convergenceSchedule";
    public static final String INIT = "init";
    public static final String STALLING = "stalling";
    public static final String LIMIT = "limit";
    public static final String ACTION = "action";
    public static final String NAME = "name";
    public static final String PARAMS = "params";

    /** Number of connections. */
    public static final String PARALLEL = "parallel";

    public static final String ZERO_COPY = "zerocopy";
    public static final String CPU_SETS = "cpusets";
    public static final String NUMA_NODE_SETS = "numaNodesets";

    private MigrationField() {}
}
