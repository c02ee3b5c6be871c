package org.stillwater.monitoring.host;

import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;

/**
 * The calls to one host that wait for their answer: at most one of each kind, each with its own
 * deadline, so that a connection without an answer cannot prevent further calls. Used by the host's
 * thread only.
 */
final class HostCalls {

    /** Kinds of calls. */
    enum Call {
        CAPABILITIES("the reading of capabilities"),
        HARDWARE("the reading of hardware"),
        STATISTICS("the reading of statistics"),
        VMS("the poll");

        private final String label;

        Call(String label) {
            this.label = label;
        }
    }

    private static final Call[] CALLS = Call.values();
    private static final long NEVER = Long.MAX_VALUE;

    private final Duration deadline;
    private final AnswerTimes times;
    private final long[] numbers = new long[CALLS.length];
    private final long[] askedNanos = new long[CALLS.length];
    private long last;

    /**
     * No calls.
     *
     * @param deadline after which a call is abandoned
     * @param times receives the waiting times of calls
     */
    HostCalls(Duration deadline, AnswerTimes times) {
        this.deadline = deadline;
        this.times = times;
    }

    @SuppressWarnings("EnumOrdinal") // an index into arrays of this process only
    private static int index(Call call) {
        return call.ordinal();
    }

    /** Whether such a call waits for its answer. */
    boolean isPending(Call call) {
        return numbers[index(call)] != 0;
    }

    /** Records a call of this kind; returns the number that its answer must contain. */
    long asked(Call call, long nowNanos) {
        int index = index(call);
        numbers[index] = ++last;
        askedNanos[index] = nowNanos;
        tellWaiting(nowNanos);
        return last;
    }

    /** Takes an answer that came now; false if no caller still waits for it. */
    boolean arrived(Call call, long number, long nowNanos) {
        int index = index(call);
        if (numbers[index] != number) {
            return false;
        }
        numbers[index] = 0;
        times.answered(askedNanos[index], nowNanos);
        tellWaiting(nowNanos);
        return true;
    }

    private void tellWaiting(long nowNanos) {
        long longest = -1;
        for (int i = 0; i < numbers.length; i++) {
            if (numbers[i] != 0) {
                longest = Math.max(longest, nowNanos - askedNanos[i]);
            }
        }
        if (longest < 0) {
            times.idle();
        } else {
            times.waiting(nowNanos - longest);
        }
    }

    /** Forgets every call: the connection that they were made on is gone. */
    void forget() {
        Arrays.fill(numbers, 0);
        times.idle();
    }

    /** Abandons one call that waits for longer than the deadline; null for none. */
    HostFailure.@Nullable TimedOut giveUp(long nowNanos) {
        for (Call call : CALLS) {
            int index = index(call);
            long waits = nowNanos - askedNanos[index];
            if (numbers[index] != 0 && waits >= deadline.toNanos()) {
                numbers[index] = 0;
                tellWaiting(nowNanos);
                return new HostFailure.TimedOut(call.label, Duration.ofNanos(waits).toMillis());
            }
        }
        return null;
    }

    /** Time until the next deadline; {@link Long#MAX_VALUE} when no call waits. */
    long untilDeadline(long nowNanos) {
        long until = NEVER;
        for (int i = 0; i < numbers.length; i++) {
            if (numbers[i] != 0) {
                until = Math.min(until, askedNanos[i] + deadline.toNanos() - nowNanos);
            }
        }
        return until;
    }
}
