package org.stillwater.command;

import java.time.Duration;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Loop of the thread that decides about operations. Messages from other threads wait in its
 * mailbox, later tasks in its timers. A loop without a started thread runs everything when it is
 * pumped. A failure of a message, a timer or a turn does not affect the others.
 *
 * <p>Its mailbox is bounded in two ways. Requests are not taken while more than the set number of
 * messages wait ({@link #isBusy}). All other messages answer work that the engine itself has under
 * way, at most one message for each call of a host, task for the database, or piece of open work.
 * Their numbers are bounded, and each is accepted, because an operation waits for it. Repeated
 * messages, changes of VMs and progress of migrations, stay outside the mailbox; the newest of each
 * VM is kept.
 */
public final class CommandLoop {

    /** Longest time that it takes to end. */
    public static final Duration STOP_PATIENCE = Duration.ofSeconds(5);

    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private final EngineClock clock;
    private final int mostMessages;
    private final SupervisedWorker worker;
    private final Turn turn;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Queue<Runnable> mailbox = new ConcurrentLinkedQueue<>();
    private final AtomicInteger messages = new AtomicInteger();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private long timerNumber;
    private boolean idle;
    private volatile boolean stopping;

    /** Work of the thread besides its messages and timers. */
    public interface Turn {

        /** Processes the gathered work, messages included; returns whether there was any. */
        boolean turn();

        /** Nanoseconds until other work is due, given those until the next timer. */
        long untilNext(long timers);

        /** Whether there is something to do that is not in the mailbox. Any thread. */
        boolean anyNews();
    }

    /**
     * A thread that is not started.
     *
     * @param mostMessages waiting messages beyond which no request is taken
     */
    public CommandLoop(EngineClock clock, int mostMessages, Workers workers, Turn turn) {
        this.clock = clock;
        this.mostMessages = mostMessages;
        this.worker = workers.worker("commands", new Loop());
        this.turn = turn;
    }

    /** Something to be done later. */
    private record Timer(long atNanos, long number, Runnable action) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            int byTime = Long.signum(atNanos - other.atNanos);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    /** The thread's loop. */
    private final class Loop implements SupervisedWorker.Work {
        @Override
        public boolean await() throws InterruptedException {
            if (idle && !stopping) {
                idle = false; // an interrupt of the wait leads to a turn
                awaitNews();
            }
            return !stopping;
        }

        @Override
        public void perform() {
            idle = !turn.turn();
        }
    }

    private void awaitNews() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            Timer first = timers.peek();
            long wait = LONGEST_WAIT.toNanos();
            if (first != null) {
                wait = first.atNanos() - clock.nanoTime();
            }
            wait = turn.untilNext(wait);
            while (mailbox.isEmpty() && wait > 0 && !stopping && !turn.anyNews()) {
                wait = news.awaitNanos(wait);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Hands something to the deciding thread. */
    public void post(Runnable message) {
        messages.incrementAndGet();
        mailbox.add(message);
        wake();
    }

    /** Number of messages that wait. Any thread. */
    public int messages() {
        return messages.get();
    }

    /** Whether too many messages wait to take a request. Any thread. */
    public boolean isBusy() {
        return messages.get() >= mostMessages;
    }

    public void wake() {
        lock.lock();
        try {
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    /** A defect in one operation must not cost the others anything; whether there was none. */
    public boolean guarded(Runnable message) {
        return worker.guard("a command failed", message);
    }

    /** Supervises the thread. */
    public SupervisedWorker worker() {
        return worker;
    }

    public void after(Duration delay, Runnable action) {
        timers.add(new Timer(clock.nanoTime() + delay.toNanos(), timerNumber++, action));
    }

    /** Processes waiting messages and due timers; returns whether there was any. */
    public boolean doMessages() {
        boolean any = false;
        Runnable message;
        while ((message = mailbox.poll()) != null) {
            any = true;
            messages.decrementAndGet();
            boolean _ = guarded(message);
        }
        long now = clock.nanoTime();
        while (!timers.isEmpty() && Objects.requireNonNull(timers.peek()).atNanos() - now <= 0) {
            any = true;
            boolean _ = guarded(Objects.requireNonNull(timers.poll()).action());
        }
        return any;
    }

    /** Begins. */
    public void start() {
        worker.start();
    }

    /** Whether it is to end. */
    public boolean isStopping() {
        return stopping;
    }

    /** Ends, after the turn that is under way, or by an interrupt if that takes too long. */
    public void stop() {
        stopping = true;
        wake();
        boolean _ = worker.stop(STOP_PATIENCE);
    }
}
