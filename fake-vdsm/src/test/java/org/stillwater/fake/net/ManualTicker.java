package org.stillwater.fake.net;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A clock that a test advances; tasks run on the thread that advances it. */
final class ManualTicker implements Ticker {

    private record Task(long at, long order, Runnable work) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::order));
    private long now;
    private long order;

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    @Override
    public synchronized Scheduled schedule(Duration delay, Runnable work) {
        Task task = new Task(now + delay.toNanos(), order++, work);
        tasks.add(task);
        notifyAll();
        return () -> {
            synchronized (this) {
                tasks.remove(task);
            }
        };
    }

    /** Lets time pass, and runs due tasks in order. */
    void advance(Duration time) {
        long end;
        synchronized (this) {
            end = now + time.toNanos();
        }
        while (true) {
            Task task;
            synchronized (this) {
                task = tasks.peek();
                if (task == null || task.at() > end) {
                    now = end;
                    return;
                }
                tasks.remove(task);
                now = Math.max(now, task.at());
            }
            task.work().run();
        }
    }

    /** Waits until something is scheduled this far ahead. */
    synchronized void awaitTaskIn(Duration delay) throws InterruptedException {
        while (tasks.stream().noneMatch(task -> task.at() == now + delay.toNanos())) {
            wait(20_000);
        }
    }

    /** Waits until something is scheduled between these two distances ahead. */
    synchronized void awaitTaskBetween(Duration least, Duration most) throws InterruptedException {
        while (tasks.stream()
                .noneMatch(task ->
                        task.at() >= now + least.toNanos() && task.at() <= now + most.toNanos())) {
            wait(20_000);
        }
    }

    @Override
    public synchronized void close() {
        tasks.clear();
    }
}
