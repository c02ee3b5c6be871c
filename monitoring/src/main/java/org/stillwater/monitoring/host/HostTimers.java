package org.stillwater.monitoring.host;

import java.util.Arrays;

/** Due times of one host's regular tasks. Used by the host's thread only. */
final class HostTimers {

    /** Regular tasks. */
    enum Timer {
        /** The connection is opened. */
        CONNECT,
        /** Statistics of the host and of its VMs (monitoring specification §3.2). */
        CYCLE,
        /** A host out of contact, or one that is being left, is checked. */
        REFRESH,
        /** A non-operational host is checked for fitness again (§3.8). */
        RECHECK
    }

    private static final long NEVER = Long.MAX_VALUE;

    private final long[] due = new long[Timer.values().length];
    private int set;

    HostTimers() {
        Arrays.fill(due, NEVER);
    }

    @SuppressWarnings("EnumOrdinal") // an index into an array of this process only
    private static int index(Timer timer) {
        return timer.ordinal();
    }

    boolean isSet(Timer timer) {
        return (set & 1 << index(timer)) != 0;
    }

    void set(Timer timer, long nanos) {
        due[index(timer)] = nanos;
        set |= 1 << index(timer);
    }

    /** Makes it due by this time, if it is set for later. */
    void bringForward(Timer timer, long nanos) {
        if (isSet(timer) && due[index(timer)] - nanos > 0) {
            set(timer, nanos);
        }
    }

    void cancel(Timer timer) {
        set &= ~(1 << index(timer));
    }

    /** Whether it is due; it is cancelled then. */
    boolean fire(Timer timer, long nowNanos) {
        if (!isSet(timer) || due[index(timer)] - nowNanos > 0) {
            return false;
        }
        cancel(timer);
        return true;
    }

    /** Time until the first is due; {@link Long#MAX_VALUE} when none is set. */
    long untilNext(long nowNanos) {
        long until = NEVER;
        for (int i = 0; i < due.length; i++) {
            if ((set & 1 << i) != 0) {
                until = Math.min(until, due[i] - nowNanos);
            }
        }
        return until;
    }
}
