package org.stillwater.relay.agent;

import java.time.Duration;
import java.util.PriorityQueue;
import java.util.Queue;
import org.stillwater.testkit.VirtualClock;

/** A loop in virtual time on the test's thread. */
final class ManualLoop implements Loop {

    private final VirtualClock clock;
    private final Queue<Task> tasks = new PriorityQueue<>();
    private long order;

    private record Task(long atNanos, long order, Runnable work) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            long apart = atNanos - other.atNanos;
            return apart != 0 ? Long.signum(apart) : Long.compare(order, other.order);
        }
    }

    ManualLoop(VirtualClock clock) {
        this.clock = clock;
    }

    @Override
    public void execute(Runnable task) {
        after(Duration.ZERO, task);
    }

    @Override
    public void after(Duration delay, Runnable task) {
        tasks.add(new Task(clock.nanoTime() + delay.toNanos(), order++, task));
    }

    @Override
    public long nanoTime() {
        return clock.nanoTime();
    }

    /** Runs due tasks. */
    void run() {
        for (Task first = tasks.peek();
                first != null && first.atNanos() - clock.nanoTime() <= 0;
                first = tasks.peek()) {
            tasks.remove();
            first.work().run();
        }
    }

    /** Lets time pass, task by task. */
    void pass(Duration duration) {
        long end = clock.nanoTime() + duration.toNanos();
        run();
        for (Task first = tasks.peek();
                first != null && first.atNanos() - end <= 0;
                first = tasks.peek()) {
            clock.advance(Duration.ofNanos(first.atNanos() - clock.nanoTime()));
            run();
        }
        clock.advance(Duration.ofNanos(end - clock.nanoTime()));
    }
}
