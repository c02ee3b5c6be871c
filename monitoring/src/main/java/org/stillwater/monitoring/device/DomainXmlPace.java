package org.stillwater.monitoring.device;

import org.stillwater.core.connection.HostFailure;

/**
 * The number of definitions in a call to a host, and the time of the call. One VM of a call can
 * spoil it for the others ({@code Host.dumpxmls} fails as a whole), so a refused call is repeated
 * in halves, down to single VMs. If calls for single VMs fail in a row the host cannot do it at
 * all: the calls become ever rarer. Used by the host's thread only.
 */
final class DomainXmlPace {

    private final int most;
    private final long firstNanos;
    private final long longestNanos;
    private int chunk;
    private int failuresInRow;
    private long untilNanos;

    /**
     * No request was sent yet.
     *
     * @param most most VMs in one call
     * @param firstNanos the first pause
     * @param longestNanos the longest pause
     */
    DomainXmlPace(int most, long firstNanos, long longestNanos) {
        this.most = most;
        this.firstNanos = firstNanos;
        this.longestNanos = longestNanos;
        this.chunk = most;
    }

    /** Whether a call to the host is allowed now. */
    boolean isDue(long nowNanos) {
        return failuresInRow < 2 || nowNanos - untilNanos >= 0;
    }

    /** VMs that the next call may name. */
    int chunk() {
        return chunk;
    }

    /** Whether calls fail for any VM. */
    boolean isBroken() {
        return failuresInRow > 1;
    }

    /** A call was answered. */
    void answered() {
        failuresInRow = 0;
        chunk = Math.min(most, chunk * 2);
    }

    /**
     * A call failed.
     *
     * @param vms number of its VMs
     * @return whether the call must be repeated with fewer VMs
     */
    boolean failed(int vms, HostFailure failure, long nowNanos) {
        chunk = Math.max(1, vms / 2);
        if (vms > 1 && failure instanceof HostFailure.Refused) {
            return true;
        }
        failuresInRow++;
        untilNanos =
                nowNanos
                        + FailedReads.doubled(
                                firstNanos, Math.max(0, failuresInRow - 2), longestNanos);
        return false;
    }

    /** The host was replaced, or its agent was restarted. */
    void reset() {
        failuresInRow = 0;
        chunk = most;
    }

    /** Whether a failure concerns the call, and not only the connection. */
    static boolean isOfTheCall(HostFailure failure) {
        return switch (failure) {
            case HostFailure.Unreachable _,
                    HostFailure.UnknownAddress _,
                    HostFailure.Untrusted _,
                    HostFailure.WrongCertificate _,
                    HostFailure.Recovering _ ->
                    false;
            case HostFailure.TimedOut _,
                    HostFailure.Overloaded _,
                    HostFailure.Refused _,
                    HostFailure.ProtocolViolation _ ->
                    true;
        };
    }
}
