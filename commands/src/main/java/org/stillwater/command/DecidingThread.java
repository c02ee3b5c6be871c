package org.stillwater.command;

import java.time.Duration;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.port.EngineClock;
import org.stillwater.monitoring.observe.Complaints;

/**
 * The one thread that decides about operations: what comes from elsewhere waits in its mailbox,
 * what is to be done later in its timers. Without being started it does everything when it is
 * pumped.
 */
final class DecidingThread {

    /** How long it takes to end at the most. */
    static final Duration STOP_PATIENCE = Duration.ofSeconds(5);

    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private final EngineClock clock;
    private final Complaints complaints;
    private final BooleanSupplier turn;
    private final LongUnaryOperator untilNext;
    private final BooleanSupplier anyNews;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Queue<Runnable> mailbox = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private long timerNumber;
    private @Nullable Thread thread;
    private volatile boolean stopping;

    /**
     * A thread that is not started.
     *
     * @param turn does what gathered, messages included; whether there was anything
     * @param untilNext how many nanoseconds nothing else is due, given how many no timer is
     * @param anyNews whether there is something to do that is not in the mailbox
     */
    DecidingThread(
            EngineClock clock,
            Complaints complaints,
            BooleanSupplier turn,
            LongUnaryOperator untilNext,
            BooleanSupplier anyNews) {
        this.clock = clock;
        this.complaints = complaints;
        this.turn = turn;
        this.untilNext = untilNext;
        this.anyNews = anyNews;
    }

    /** Something to be done later. */
    private record Timer(long atNanos, long number, Runnable action) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            int byTime = Long.signum(atNanos - other.atNanos);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private void run() {
        try {
            while (!stopping) {
                try {
                    if (!turn.getAsBoolean()) {
                        await();
                    }
                } catch (RuntimeException e) {
                    complaints.about("a turn failed", e.toString(), e);
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // stopped
        }
    }

    private void await() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            Timer first = timers.peek();
            long wait = LONGEST_WAIT.toNanos();
            if (first != null) {
                wait = first.atNanos() - clock.nanoTime();
            }
            wait = untilNext.applyAsLong(wait);
            while (mailbox.isEmpty() && wait > 0 && !stopping && !anyNews.getAsBoolean()) {
                wait = news.awaitNanos(wait);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Hands something to the deciding thread. */
    void post(Runnable message) {
        mailbox.add(message);
        wake();
    }

    void wake() {
        lock.lock();
        try {
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    void guarded(Runnable message) {
        try {
            message.run();
        } catch (RuntimeException e) {
            // A bug in one operation must not cost the others.
            complaints.about("a command failed", e.toString(), e);
        }
    }

    void after(Duration delay, Runnable action) {
        timers.add(new Timer(clock.nanoTime() + delay.toNanos(), timerNumber++, action));
    }

    /** Does what was handed over, and what is due; whether there was anything. */
    boolean doMessages() {
        boolean any = false;
        Runnable message;
        while ((message = mailbox.poll()) != null) {
            any = true;
            guarded(message);
        }
        long now = clock.nanoTime();
        while (!timers.isEmpty() && Objects.requireNonNull(timers.peek()).atNanos() - now <= 0) {
            any = true;
            guarded(Objects.requireNonNull(timers.poll()).action());
        }
        return any;
    }

    /** Begins. */
    void start() {
        thread = Thread.ofVirtual().name("commands").start(this::run);
    }

    /** Whether it is to end. */
    boolean isStopping() {
        return stopping;
    }

    /** Ends, after the turn that is under way, or by an interrupt if that takes too long. */
    void stop() {
        stopping = true;
        wake();
        Thread deciding = thread;
        if (deciding != null) {
            try {
                if (!deciding.join(STOP_PATIENCE)) {
                    deciding.interrupt();
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt(); // the caller gives up waiting
            }
        }
    }
}
