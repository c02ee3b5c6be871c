package org.stillwater.core.vm;

import java.util.Map;
import org.stillwater.core.value.Coded;

/** Cause of a transition of a VM or host. */
public enum BeliefCause implements Coded {
    /** The database, when the engine started. */
    DATABASE(0),
    /** A host runs a VM that was not known. */
    TAKEN_IN(1),
    /** A complete poll mentions the VM. */
    POLL(2),
    /** An event of a host about the VM. */
    EVENT(3),
    /** A complete poll does not mention the VM. */
    ABSENCE(4),
    /** A host answered a command that it does not have the VM. */
    GONE(5),
    /** The host no longer reports, or is not polled. */
    SILENCE(6),
    /** A command or operation. */
    COMMAND(7),
    /** A host's capabilities. */
    CAPABILITIES(8),
    /** A host's statistics. */
    STATISTICS(9),
    /** Another answer of a host. */
    ANSWER(10),
    /** A contact with a host that failed. */
    FAILURE(11),
    /** Time that passed. */
    TIME(12),
    /** An order of a person or an operation about a host. */
    ORDER(13),
    /** The rules of a host's cluster. */
    RULES(14);

    private static final Map<Integer, BeliefCause> BY_CODE = Coded.byCode(BeliefCause.class);

    private final int code;

    BeliefCause(int code) {
        this.code = code;
    }

    /** The cause of a code; {@link #DATABASE} for one of a newer engine. */
    public static BeliefCause ofCode(int code) {
        return BY_CODE.getOrDefault(code, DATABASE);
    }

    /** 0 to 15: rings in memory have four bits for it. */
    @Override
    public int code() {
        return code;
    }
}
