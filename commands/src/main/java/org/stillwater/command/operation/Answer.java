package org.stillwater.command.operation;

import org.stillwater.core.operation.Operation;

/** Outcome of a request. */
public sealed interface Answer {

    /**
     * It will be done: it is durable.
     *
     * @param operation the operation
     */
    record Accepted(Operation operation) implements Answer {}

    /**
     * It will not.
     *
     * @param why kind of obstacle
     * @param reason one or two sentences for people
     */
    record Refused(Why why, String reason) implements Answer {}

    /** Kinds of obstacles. */
    enum Why {
        /** There is no such VM. */
        UNKNOWN,
        /** The VM's state does not allow it, or another operation is running on it. */
        CONFLICT,
        /** It makes no sense. */
        INVALID,
        /** Too much is under way; the request may be repeated. */
        TOO_MUCH,
        /** The database does not answer, or the engine stops; the request may be repeated. */
        UNAVAILABLE
    }
}
