package org.stillwater.core.operation;

/**
 * Why an operation failed.
 *
 * @param code one word for programs
 * @param reason one or two sentences for people: the event and, where known, the remedy
 */
public record OperationFailure(Code code, String reason) {

    /** Longest reason that is kept. */
    private static final int LONGEST_REASON = 4_000;

    public OperationFailure {
        if (reason.length() > LONGEST_REASON) {
            reason = reason.substring(0, LONGEST_REASON - 1) + "…";
        }
    }

    /** Kind of failure. */
    public enum Code {
        /** The VM or host is in a status in which this cannot be done. */
        ILLEGAL_STATE,
        /** The VM or host is no longer there. */
        GONE,
        /** No host will do. */
        NO_HOST,
        /** The host refused. */
        REFUSED,
        /** The host did not answer, or stopped responding, and its outcome is unknown. */
        HOST_LOST,
        /** It took longer than it may. */
        TIMED_OUT,
        /** The VM ended, or did not do as requested. */
        NOT_REACHED,
        /** Another operation had the right to do it. */
        OVERTAKEN,
        /** The request is impossible in any state. */
        INVALID,
        /** The engine was restarted, and data needed to continue was not durable. */
        INTERRUPTED,
        /** A fault of the engine's own. */
        INTERNAL;

        /** Lower-case name used in REST answers. */
        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }
}
