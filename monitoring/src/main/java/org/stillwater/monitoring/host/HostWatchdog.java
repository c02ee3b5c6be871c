package org.stillwater.monitoring.host;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Checks every host's monitor periodically and replaces a stuck one (monitoring specification
 * §3.9). It shares no lock with the monitors, so it cannot get stuck with them.
 */
public final class HostWatchdog {

    private static final Logger LOG = LoggerFactory.getLogger(HostWatchdog.class);

    private final WatchdogSettings settings;
    private final EngineClock clock;
    private final Supplier<Iterable<HostMonitor>> monitors;
    private final BiConsumer<HostMonitor, Stall> reviver;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private boolean stopping;
    private long nextNanos;
    private @Nullable SupervisedWorker worker;

    /**
     * A watchdog that is not started.
     *
     * @param monitors the present monitors
     * @param reviver restarts the monitoring of a host; on the watchdog's thread
     */
    public HostWatchdog(
            WatchdogSettings settings,
            EngineClock clock,
            Supplier<Iterable<HostMonitor>> monitors,
            BiConsumer<HostMonitor, Stall> reviver) {
        this.settings = settings;
        this.clock = clock;
        this.monitors = monitors;
        this.reviver = reviver;
        this.nextNanos = clock.nanoTime() + settings.interval().toNanos();
    }

    private boolean isOff() {
        return settings.interval().isZero();
    }

    /** Starts its thread. */
    public void start(Workers workers) {
        if (!isOff()) {
            nextNanos = clock.nanoTime() + settings.interval().toNanos();
            SupervisedWorker started = workers.worker("host-watchdog", new Loop());
            worker = started;
            started.start();
        }
    }

    /** Ends the thread, waiting for it no longer than this. */
    public void stop(Duration patience) {
        lock.lock();
        try {
            stopping = true;
            ended.signal();
        } finally {
            lock.unlock();
        }
        SupervisedWorker running = worker;
        if (running != null) {
            boolean _ = running.stop(patience);
        }
    }

    /** The watchdog's loop. */
    private final class Loop implements SupervisedWorker.Work {
        @Override
        public boolean await() throws InterruptedException {
            return awaitDue();
        }

        @Override
        public void perform() {
            boolean _ = lookIfDue();
        }
    }

    private boolean awaitDue() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long wait = nextNanos - clock.nanoTime();
            while (!stopping && wait > 0) {
                ended.awaitNanos(wait);
                wait = nextNanos - clock.nanoTime();
            }
            return !stopping;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Checks every monitor if a check is due, for the watchdog's thread and for tests that do not
     * start it. A check that comes much too late is left out: the whole engine stood still, and the
     * monitors have not yet had a turn either.
     *
     * @return whether a check was due
     */
    public boolean lookIfDue() {
        long now = clock.nanoTime();
        if (isOff() || nextNanos - now > 0) {
            return false;
        }
        boolean stoodStill = now - nextNanos >= limit().toNanos() / 2;
        nextNanos = now + settings.interval().toNanos();
        if (stoodStill) {
            return true;
        }
        for (HostMonitor monitor : monitors.get()) {
            try {
                Stall stall = monitor.stall();
                if (stall != null) {
                    reviver.accept(monitor, stall);
                }
            } catch (RuntimeException e) {
                LOG.error("host={} could not be checked", monitor.id(), e);
            }
        }
        return true;
    }

    private Duration limit() {
        return settings.task().compareTo(settings.silence()) < 0
                ? settings.task()
                : settings.silence();
    }
}
