package org.stillwater.monitoring.host;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Answer times of a host, which distinguish a slow host from one that does not answer. Written by
 * the host's thread, read by any; both hold the lock for a few instructions.
 *
 * <p>A host is slow while one of its last {@value #RECENT} answers took too long, which is about a
 * minute of cycles, or while a call has waited for too long already.
 */
final class AnswerTimes {

    private static final int RECENT = 8;
    private static final long NONE = -1;

    private final long slowNanos;

    // Guarded by this.
    private final long[] recent = new long[RECENT];
    private long answers;
    private long lastNanos = NONE;
    private boolean waits;
    private long waitsSinceNanos;
    private boolean slow;
    private long slowSinceNanos;

    /**
     * No answers yet.
     *
     * @param slow from which time on an answer is slow
     */
    AnswerTimes(Duration slow) {
        this.slowNanos = slow.toNanos();
    }

    /** The oldest call that waits was made at this time. */
    synchronized void waiting(long sinceNanos) {
        waits = true;
        waitsSinceNanos = sinceNanos;
    }

    /** No call waits. */
    synchronized void idle() {
        waits = false;
    }

    /** A call made at this time was answered now. */
    synchronized void answered(long askedNanos, long nowNanos) {
        lastNanos = nowNanos - askedNanos;
        recent[(int) (answers++ % RECENT)] = lastNanos;
        if (slowestNanos() < slowNanos) {
            slow = false;
        } else if (!slow) {
            slow = true;
            slowSinceNanos = askedNanos;
        }
    }

    private long slowestNanos() {
        long slowest = NONE;
        for (int i = 0; i < Math.min(answers, RECENT); i++) {
            slowest = Math.max(slowest, recent[i]);
        }
        return slowest;
    }

    /** Answer times at this moment. Any thread. */
    synchronized AnswerTime at(long nowNanos) {
        long waited = waits ? nowNanos - waitsSinceNanos : NONE;
        boolean waitsTooLong = waited >= slowNanos;
        long since = slow ? slowSinceNanos : waitsSinceNanos;
        return new AnswerTime(
                duration(lastNanos),
                duration(slowestNanos()),
                duration(waited),
                slow || waitsTooLong ? Duration.ofNanos(nowNanos - since) : null);
    }

    private static @Nullable Duration duration(long nanos) {
        return nanos < 0 ? null : Duration.ofNanos(nanos);
    }
}
