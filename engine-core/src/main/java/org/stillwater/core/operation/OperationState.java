package org.stillwater.core.operation;

import java.util.Map;
import org.stillwater.core.value.Coded;

/** How far an operation is. Codes of {@code operation.state}. */
public enum OperationState implements Coded {
    /** It is durable and has no effects yet. */
    QUEUED(0, "queued"),
    /** It is under way. */
    RUNNING(1, "running"),
    /** The request is fulfilled. */
    SUCCEEDED(2, "succeeded"),
    /** It is not, and will not be by this operation. */
    FAILED(3, "failed"),
    /** A user cancelled it in time. */
    CANCELLED(4, "cancelled");

    private static final Map<Integer, OperationState> BY_CODE = Coded.byCode(OperationState.class);

    private final int code;
    private final String label;

    OperationState(int code, String label) {
        this.code = code;
        this.label = label;
    }

    /**
     * The state with this database code.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static OperationState ofCode(int code) {
        OperationState state = BY_CODE.get(code);
        if (state == null) {
            throw new IllegalArgumentException("no state of an operation has code " + code);
        }
        return state;
    }

    @Override
    public int code() {
        return code;
    }

    /** Lower-case name used in REST answers and metrics. */
    public String label() {
        return label;
    }

    /** Whether it has ended. */
    public boolean isEnd() {
        return this == SUCCEEDED || this == FAILED || this == CANCELLED;
    }
}
