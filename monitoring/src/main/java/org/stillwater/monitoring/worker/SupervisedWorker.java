package org.stillwater.monitoring.worker;

import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.ThrottledLog;

/**
 * One loop on its own thread that ends only when it is stopped.
 *
 * <p>Any exception of a turn of the loop, including an {@link Error} or an interrupt from
 * elsewhere, is counted, logged with its stack the first time, and shown in health; after a
 * doubling pause the loop continues. {@link #isolate} or {@link #guard} runs a task that must not
 * affect the others.
 *
 * <p>A simulation does not start the thread and calls {@link #step} instead: the same guard, on the
 * caller's thread, with pauses on the simulation's clock.
 *
 * <p>Thread-safe. A successful turn costs two reads of the clock and no allocation.
 *
 * <p>It is long because each way in which a turn may end is handled in one place.
 */
public final class SupervisedWorker {

    /** Group of the platform threads of workers; a profile recognizes them by it. */
    public static final String GROUP = "workers";

    private static final ThreadGroup THREADS = new ThreadGroup(GROUP);

    /** Number of failed pieces of work that health names; more are counted only. */
    private static final int MOST_PIECES = 100;

    private static final Duration LAST_PATIENCE = Duration.ofSeconds(2);

    private final String name;
    private final Work work;
    private final WorkerSettings settings;
    private final EngineClock clock;
    private final Counter meter;
    private final ThrottledLog warnings;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();

    // Guarded by the lock.
    private final Map<String, Failing> pieces = new HashMap<>();
    private @Nullable Failing loop;
    private @Nullable Thread thread;
    private boolean over;

    private volatile boolean stopping;
    private volatile boolean anyFailing;
    private final LongAdder failures = new LongAdder();
    private volatile boolean working;
    private volatile long workingSinceNanos;
    private long pausedUntilNanos; // of the thread that steps
    private boolean paused;

    /** The work of a loop, in two halves. */
    public interface Work {

        /**
         * Waits until there is something to do, but not for anything else.
         *
         * @return false if the thread is to end
         */
        boolean await() throws InterruptedException;

        /** Executes the present work. */
        void perform() throws InterruptedException;
    }

    /** For a worker without a thread, which is stepped. */
    public static final Work STEPPED =
            new Work() {
                @Override
                public boolean await() {
                    return false;
                }

                @Override
                public void perform() {}
            };

    /** A failure: its begin, its number in a row and its reason. */
    private record Failing(long sinceNanos, int times, String reason) {

        Failing again(String newest) {
            return new Failing(sinceNanos, times + 1, newest);
        }

        /**
         * Whether it failed again when it was tried again. Work with a distant next turn had no
         * chance to succeed before that, so the time alone is no proof.
         */
        boolean isRepeated() {
            return times > 1;
        }

        boolean isWorseThan(Failing other) {
            return isRepeated() == other.isRepeated()
                    ? sinceNanos - other.sinceNanos < 0
                    : isRepeated();
        }
    }

    SupervisedWorker(
            String name,
            Work work,
            WorkerSettings settings,
            EngineClock clock,
            Counter meter,
            ThrottledLog warnings) {
        this.name = name;
        this.work = work;
        this.settings = settings;
        this.clock = clock;
        this.meter = meter;
        this.warnings = warnings;
    }

    /** Starts its thread, a virtual one. */
    public void start() {
        start(Thread.ofVirtual());
    }

    /**
     * As {@link #start}, for work that computes for long, and for work that must continue when
     * virtual threads do not. A virtual thread is never preempted: on two processors, two long
     * turns would hold all requests and all hosts.
     */
    public void startOnPlatformThread() {
        start(Thread.ofPlatform().daemon().group(THREADS));
    }

    private void start(Thread.Builder kind) {
        lock.lock();
        try {
            stopping = false;
            over = false;
            thread = kind.name(name).start(this::run);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Interrupts a worker and saves its remaining data, if their lock is free within this time.
     *
     * @param worker null if it never began
     */
    public static void endAndSave(
            @Nullable SupervisedWorker worker,
            ReentrantLock guard,
            Duration patience,
            Runnable save) {
        if (worker != null) {
            boolean _ = worker.stop(Duration.ZERO);
        }
        boolean locked = false;
        try {
            locked = guard.tryLock(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (locked) {
                save.run();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the caller gives up
        } finally {
            if (locked) {
                guard.unlock();
            }
        }
    }

    /**
     * Ends the thread. The caller wakes it before; if it has not ended in this time it is
     * interrupted.
     *
     * @return whether it has ended
     */
    public boolean stop(Duration patience) {
        Thread running;
        lock.lock();
        try {
            stopping = true;
            running = thread;
            ended.signalAll();
        } finally {
            lock.unlock();
        }
        if (running == null || running.equals(Thread.currentThread())) {
            return true;
        }
        try {
            if (patience.isPositive() && running.join(patience)) {
                return true;
            }
            running.interrupt();
            return running.join(LAST_PATIENCE);
        } catch (InterruptedException _) {
            running.interrupt();
            Thread.currentThread().interrupt(); // the caller stops waiting early
            return false;
        }
    }

    /** The counter of its failures. */
    Counter meter() {
        return meter;
    }

    private void run() {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = turn();
        }
        lock.lock();
        try {
            over = true;
        } finally {
            lock.unlock();
        }
    }

    /** The thread's top frame: runs one turn and returns whether another one follows. */
    private boolean turn() {
        try {
            if (!work.await()) {
                return false;
            }
            begun();
            work.perform();
            succeeded();
            return true;
        } catch (Throwable e) {
            working = false;
            if (stopping && e instanceof InterruptedException) {
                Thread.currentThread().interrupt(); // stopped in the middle
                return false;
            }
            Duration pause = failed(e);
            return !stopping && rest(pause);
        }
    }

    /**
     * Does a turn on the caller's thread, unless the pause after a failure is not over.
     *
     * @param turn the work; returns whether there was any
     * @return whether there was anything
     */
    public boolean step(BooleanSupplier turn) {
        if (paused) {
            if (pausedUntilNanos - clock.nanoTime() > 0) {
                return false;
            }
            paused = false;
        }
        try {
            begun();
            boolean any = turn.getAsBoolean();
            succeeded();
            return any;
        } catch (Throwable e) { // the turn's top frame
            working = false;
            pausedUntilNanos = clock.nanoTime() + failed(e).toNanos();
            paused = true;
            return false;
        }
    }

    /** How long a thread that steps is to leave it alone; zero if it is not. Nanoseconds. */
    public long pausedNanos() {
        return paused ? Math.max(0, pausedUntilNanos - clock.nanoTime()) : 0;
    }

    private void begun() {
        workingSinceNanos = clock.nanoTime();
        working = true;
    }

    private void succeeded() {
        working = false;
        if (anyFailing) {
            lock.lock();
            try {
                loop = null;
                anyFailing = !pieces.isEmpty();
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Runs one recurring task; its failure does not affect the others, is counted, and is shown in
     * health until the task succeeds or {@link #forget} is called.
     *
     * @param piece display name of the task; not many different ones
     * @return whether it succeeded
     */
    public boolean isolate(String piece, Runnable unit) {
        try {
            unit.run();
        } catch (Throwable e) { // the piece's top frame
            isolated(piece, e);
            return false;
        }
        forget(piece);
        return true;
    }

    /**
     * As {@link #isolate(String, Runnable)}, for a unit that returns whether it had work.
     *
     * @return whether there was; false if it failed
     */
    public boolean isolate(String piece, BooleanSupplier unit) {
        boolean any;
        try {
            any = unit.getAsBoolean();
        } catch (Throwable e) { // the piece's top frame
            isolated(piece, e);
            return false;
        }
        forget(piece);
        return any;
    }

    /** Whether the loop or a piece of its work fails at present. */
    public boolean isFailing() {
        return anyFailing;
    }

    private void isolated(String piece, Throwable why) {
        count("a task failed", piece, why);
        lock.lock();
        try {
            Failing before = pieces.get(piece);
            if (before == null && pieces.size() >= MOST_PIECES) {
                return;
            }
            pieces.put(
                    piece,
                    before == null
                            ? new Failing(clock.nanoTime(), 1, reason(why))
                            : before.again(reason(why)));
            anyFailing = true;
        } finally {
            lock.unlock();
        }
    }

    /** A piece of work succeeded, or none is left. */
    public void forget(String piece) {
        if (anyFailing) {
            lock.lock();
            try {
                pieces.remove(piece);
                anyFailing = loop != null || !pieces.isEmpty();
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Runs one task; its failure does not affect the others and is counted.
     *
     * @param what display name of the task, a constant
     * @return whether it succeeded
     */
    public boolean guard(String what, Runnable unit) {
        return guard(what, unit, _ -> {});
    }

    /**
     * As {@link #guard(String, Runnable)}.
     *
     * @param failed the owner's handler of a failure; a failure of the handler is counted only
     */
    public boolean guard(String what, Runnable unit, Consumer<Throwable> failed) {
        try {
            unit.run();
            return true;
        } catch (Throwable e) { // the unit's top frame
            count(what, "", e);
            try {
                failed.accept(e);
            } catch (Throwable again) { // of the top frame, too
                count(what, "", again);
            }
            return false;
        }
    }

    /** Notes a failure of the loop; how long to pause. */
    private Duration failed(Throwable e) {
        count("failed and continues", "", e);
        lock.lock();
        try {
            Failing before = loop;
            Failing now =
                    before == null
                            ? new Failing(clock.nanoTime(), 1, reason(e))
                            : before.again(reason(e));
            loop = now;
            anyFailing = true;
            return pauseAfter(now.times());
        } finally {
            lock.unlock();
        }
    }

    private Duration pauseAfter(int times) {
        Duration pause = settings.firstPause();
        for (int i = 1; i < times && pause.compareTo(settings.longestPause()) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(settings.longestPause()) > 0 ? settings.longestPause() : pause;
    }

    /** The log line may fail as well, for example without memory: it is counted then. */
    private void count(String what, String piece, Throwable e) {
        try {
            failures.increment();
            meter.increment();
            warnings.about(what, piece.isEmpty() ? e.toString() : piece + ": " + e, e);
        } catch (Throwable _) {
            // Of the top frame, too: that it failed is counted and shown in health anyway.
        }
    }

    private static String reason(Throwable e) {
        String message = e.getMessage();
        return message == null
                ? e.getClass().getSimpleName()
                : e.getClass().getSimpleName() + ": " + message;
    }

    /** Pauses; false if the thread is to end. */
    private boolean rest(Duration pause) {
        long until = clock.nanoTime() + pause.toNanos();
        lock.lock();
        try {
            long remaining = pause.toNanos();
            while (remaining > 0 && !stopping) {
                long _ = ended.awaitNanos(remaining);
                remaining = until - clock.nanoTime();
            }
            return true;
        } catch (InterruptedException _) {
            return !stopping; // an interrupt from elsewhere shortens the pause
        } finally {
            lock.unlock();
        }
    }

    /** How it works. */
    public WorkerHealth health() {
        boolean busy = working;
        long since = workingSinceNanos;
        long now = clock.nanoTime();
        lock.lock();
        try {
            if (over && !stopping) {
                return health(WorkerHealth.Condition.ENDED, Duration.ZERO, "its thread has ended");
            }
            Duration worked = busy ? Duration.ofNanos(now - since) : Duration.ZERO;
            if (worked.compareTo(settings.stuckLimit()) >= 0) {
                return health(
                        WorkerHealth.Condition.STUCK,
                        worked,
                        "it has worked on one task for %d s".formatted(worked.toSeconds()));
            }
            Failing worst = loop;
            String piece = null;
            for (Map.Entry<String, Failing> each : pieces.entrySet()) {
                if (worst == null || each.getValue().isWorseThan(worst)) {
                    worst = each.getValue();
                    piece = each.getKey();
                }
            }
            if (worst == null) {
                return health(WorkerHealth.Condition.WELL, Duration.ZERO, null);
            }
            Duration lasts = Duration.ofNanos(now - worst.sinceNanos());
            return health(
                    worst.isRepeated() && lasts.compareTo(settings.failingLimit()) >= 0
                            ? WorkerHealth.Condition.FAILING
                            : WorkerHealth.Condition.DEGRADED,
                    lasts,
                    piece == null ? worst.reason() : piece + ": " + worst.reason());
        } finally {
            lock.unlock();
        }
    }

    private WorkerHealth health(
            WorkerHealth.Condition condition, Duration lasts, @Nullable String reason) {
        Failing failing = loop;
        return new WorkerHealth(
                name,
                condition,
                failures.sum(),
                failing == null ? 0 : failing.times(),
                lasts,
                reason);
    }
}
