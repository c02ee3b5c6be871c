package org.stillwater.vdsm.client;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.stillwater.core.time.EngineClock;

/** Clock and timers that a test moves; tasks run on the thread that moves them. */
final class VirtualTime implements EngineClock, Timers {
    private final class Task implements Timer {
        private final long dueNanos;
        private final Runnable action;

        Task(long dueNanos, Runnable action) {
            this.dueNanos = dueNanos;
            this.action = action;
        }

        @Override
        public void cancel() {
            synchronized (VirtualTime.this) {
                tasks.remove(this);
            }
        }
    }

    private final List<Task> tasks = new ArrayList<>();
    private long nowNanos;

    @Override
    public synchronized long nanoTime() {
        return nowNanos;
    }

    @Override
    public Instant now() {
        return Instant.EPOCH.plusNanos(nanoTime());
    }

    @Override
    public synchronized Timer after(Duration delay, Runnable task) {
        Task scheduled = new Task(nowNanos + delay.toNanos(), task);
        tasks.add(scheduled);
        return scheduled;
    }

    synchronized int pending() {
        return tasks.size();
    }

    /** How long until the next task is due. */
    synchronized Duration untilNext() {
        return Duration.ofNanos(
                tasks.stream().mapToLong(task -> task.dueNanos).min().orElseThrow() - nowNanos);
    }

    /** Whether there is one task, which is due in this time. */
    synchronized boolean awaitsOnly(Duration delay) {
        return tasks.size() == 1 && tasks.getFirst().dueNanos - nowNanos == delay.toNanos();
    }

    /** Moves time and runs due tasks in their order, each at its own time. */
    void advance(Duration duration) {
        long end = nanoTime() + duration.toNanos();
        while (true) {
            Task next = null;
            synchronized (this) {
                for (Task task : tasks) {
                    if (task.dueNanos <= end && (next == null || task.dueNanos < next.dueNanos)) {
                        next = task;
                    }
                }
                if (next == null) {
                    nowNanos = end;
                    return;
                }
                tasks.remove(next);
                nowNanos = Math.max(nowNanos, next.dueNanos);
            }
            next.action.run();
        }
    }
}
