package org.stillwater.fake.world;

import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plan of future steps in a world, by virtual time. Steps run one at a time, under the world's
 * lock, in the order of their times and then of their planning, so that a script has one outcome. A
 * clock that runs has one thread here, asleep until the next step; a clock stepped by hand has
 * none.
 */
final class EventSchedule implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EventSchedule.class);

    private final SimulationClock clock;
    private final ReentrantLock lock;
    private final Condition changed;
    private final PriorityQueue<Step> steps = new PriorityQueue<>();
    private long planned;
    private boolean closed;
    private @Nullable Thread thread;

    private record Step(long at, long order, Runnable action) implements Comparable<Step> {
        @Override
        public int compareTo(Step other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    EventSchedule(SimulationClock clock, ReentrantLock lock) {
        this.clock = clock;
        this.lock = lock;
        this.changed = lock.newCondition();
    }

    /** Starts the thread of a running clock. */
    void start() {
        if (!clock.isManual() && thread == null) {
            thread = Thread.ofPlatform().name("fake-agenda").daemon().start(this::follow);
        }
    }

    /** Plans a step; a time in the past runs it as soon as possible. */
    void at(long virtualMillis, Runnable action) {
        lock.lock();
        try {
            steps.add(new Step(virtualMillis, planned++, action));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Takes the clock to a time, stopping at every step on the way to run it. */
    void advanceTo(long target) {
        while (true) {
            lock.lock();
            try {
                Step next = steps.peek();
                if (next == null || next.at > target) {
                    clock.skipTo(target);
                    changed.signalAll();
                    return;
                }
                clock.skipTo(next.at);
                run(steps.remove());
            } finally {
                lock.unlock();
            }
        }
    }

    /** Steps still to come. */
    int size() {
        lock.lock();
        try {
            return steps.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            steps.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void follow() {
        try {
            while (true) {
                lock.lock();
                try {
                    if (closed) {
                        return;
                    }
                    Step next = steps.peek();
                    if (next == null) {
                        changed.await();
                        continue;
                    }
                    long wait = clock.nanosUntil(next.at);
                    if (wait > 0) {
                        long _ = changed.awaitNanos(wait);
                    } else {
                        run(steps.remove());
                    }
                } finally {
                    lock.unlock();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void run(Step step) {
        try {
            step.action.run();
        } catch (RuntimeException e) {
            LOG.warn("a planned step failed; the world goes on", e);
        }
    }
}
