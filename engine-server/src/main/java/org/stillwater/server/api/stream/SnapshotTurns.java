package org.stillwater.server.api.stream;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.stillwater.core.time.EngineClock;

/**
 * Readers of the whole fleet receive their snapshots in turn, in the order in which they came.
 *
 * <p>The feed keeps the newest changes only: seconds of a busy fleet. A hundred consoles that read
 * their snapshots side by side share the processor, so that each of them takes as long as all
 * together. They were too late for the changes since, began again, and never came to an end. In
 * turn, each snapshot takes a hundredth of the time, and readers of one turn share its parts (see
 * {@link SharedSnapshots}).
 *
 * <p>A slow connection does not hold up the others: after {@link #LONGEST}, the next reader begins
 * beside it. Thread-safe.
 */
final class SnapshotTurns {

    /** Much longer than a snapshot of 100 000 VMs takes a reader that reads. */
    static final Duration LONGEST = Duration.ofSeconds(2);

    private final EngineClock clock;
    private final int most;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** In the order of their begins; the bound of streams bounds both. Guarded by the lock. */
    private final Deque<Turn> begun = new ArrayDeque<>();

    private final Deque<Turn> waiting = new ArrayDeque<>(); // guarded by the lock

    /**
     * No reader yet.
     *
     * @param most turns at the same time
     */
    SnapshotTurns(EngineClock clock, int most) {
        this.clock = clock;
        this.most = most;
    }

    /** A place behind all readers that wait; to be closed when the snapshot is sent. */
    Turn lineUp() {
        lock.lock();
        try {
            Turn turn = new Turn();
            waiting.add(turn);
            return turn;
        } finally {
            lock.unlock();
        }
    }

    /** Ends turns that took too long; time until the next one does so. Under the lock. */
    private long endLongTurns() {
        long now = clock.nanoTime();
        for (Turn oldest = begun.peek(); oldest != null; oldest = begun.peek()) {
            long left = oldest.begunNanos + LONGEST.toNanos() - now;
            if (left > 0) {
                return left;
            }
            begun.remove();
        }
        return LONGEST.toNanos();
    }

    /** One reader's turn. Used by the reader's thread. */
    final class Turn implements AutoCloseable {

        private long begunNanos;

        private Turn() {}

        /**
         * Waits for the turn.
         *
         * @param patience how long at most
         * @return whether the reader may begin
         */
        boolean await(Duration patience) throws InterruptedException {
            long left = patience.toNanos();
            lock.lockInterruptibly();
            try {
                while (true) {
                    long untilNext = endLongTurns();
                    if (waiting.peek() == this && begun.size() < most) {
                        waiting.remove();
                        begunNanos = clock.nanoTime();
                        begun.add(this);
                        changed.signalAll(); // the next one may begin as well
                        return true;
                    }
                    if (left <= 0) {
                        return false;
                    }
                    long wait = Math.min(left, untilNext);
                    left -= wait - Math.max(0, changed.awaitNanos(wait));
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                if (begun.remove(this) || waiting.remove(this)) {
                    changed.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
