package org.stillwater.vdsm.wire;

/** The error codes with a meaning of their own for an engine (§2.4). Others are kept as numbers. */
public final class ErrorCode {
    public static final int PARSE_ERROR = -32700;
    public static final int INVALID_REQUEST = -32600;
    public static final int NO_SUCH_METHOD = -32601;
    public static final int INVALID_PARAMS = -32602;

    /** Any unexpected exception on the host, also one unknown id in {@code Host.dumpxmls}. */
    public static final int INTERNAL = -32603;

    public static final int METHOD_NOT_BOUND = -32604;
    public static final int NO_RESPONSE = -32605;

    public static final int NO_SUCH_VM = 1;
    public static final int VM_EXISTS = 4;
    public static final int BAD_VM_PARAMETERS = 9;

    /** The host is starting and does not know its VMs yet; every verb answers this. */
    public static final int RECOVERING = 99;

    public static final int GENERAL = 100;
    public static final int NOT_SPM = 654;

    /** The host's queue is full; try again later. */
    public static final int RESOURCE_EXHAUSTED = 1100;

    /** Made up by the engine: the connection failed, timed out or was lost. */
    public static final int NETWORK = 5022;

    private ErrorCode() {}
}
