package org.stillwater.server.stall;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.core.port.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostTrail;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.settings.StallSettings;

/**
 * A heart-beat: a thread of its own wakes at an interval, and has a virtual thread do so. How late
 * both come is how long others wait. Once a second it looks how long reports wait in the mailboxes
 * of hosts. What waits too long is counted, and logged with its name.
 */
@Component
final class StallWatch implements SmartLifecycle {

    private static final Logger LOG = LoggerFactory.getLogger(StallWatch.class);
    private static final Duration QUIET = Duration.ofMinutes(10);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final StallSettings settings;
    private final EngineClock clock;
    private final Supplier<? extends Iterable<HostTrail>> hosts;
    private final Workers workers;
    private final Executor virtual;
    private final Stalls stalls;
    private final ThrottledLog log;
    private @Nullable SupervisedWorker worker;

    // Of the heart-beat's thread.
    private boolean beating;
    private long lastNanos;
    private long mailboxesNanos;

    /** When the virtual thread was asked to beat; 0 once it has. */
    private volatile long askedNanos;

    @Autowired
    StallWatch(
            StallSettings settings,
            EngineClock clock,
            FleetReader fleet,
            Workers workers,
            MeterRegistry meters) {
        this(settings, clock, fleet::trails, workers, meters, Thread::startVirtualThread);
    }

    /**
     * A watch.
     *
     * @param hosts whose mailboxes are looked at
     * @param virtual runs a task on a virtual thread
     */
    StallWatch(
            StallSettings settings,
            EngineClock clock,
            Supplier<? extends Iterable<HostTrail>> hosts,
            Workers workers,
            MeterRegistry meters,
            Executor virtual) {
        this.settings = settings;
        this.clock = clock;
        this.hosts = hosts;
        this.workers = workers;
        this.virtual = virtual;
        this.stalls = new Stalls(clock, settings.shortest(), meters);
        this.log = new ThrottledLog(LOG, clock, QUIET, "stalls");
    }

    /** One heart-beat. */
    void beat() {
        long now = clock.nanoTime();
        if (beating) {
            told(Stalls.What.PROCESS, "", now - lastNanos - settings.interval().toNanos());
        }
        beating = true;
        virtualThreads(now);
        if (now - mailboxesNanos >= SECOND) {
            mailboxesNanos = now;
            mailboxes(now);
        }
        lastNanos = clock.nanoTime();
    }

    private void virtualThreads(long now) {
        long asked = askedNanos;
        if (asked != 0) {
            if (now - asked >= settings.logged().toNanos()) {
                log.about("virtual threads", "virtual threads wait for " + text(now - asked));
            }
            return;
        }
        askedNanos = now == 0 ? 1 : now;
        virtual.execute(() -> {
            long waited = clock.nanoTime() - askedNanos;
            askedNanos = 0;
            told(Stalls.What.VIRTUAL_THREADS, "", waited);
        });
    }

    private void mailboxes(long now) {
        for (HostTrail trail : hosts.get()) {
            Long oldest = trail.oldestReportNanos();
            if (oldest != null) {
                told(Stalls.What.MAILBOX, trail.name(), now - oldest);
            }
        }
    }

    private void told(Stalls.What what, String host, long nanos) {
        if (stalls.waited(what, host, nanos) && nanos >= settings.logged().toNanos()) {
            log.about(
                    what.label(),
                    host.isEmpty()
                            ? "waited for " + text(nanos)
                            : "reports of host " + host + " wait for " + text(nanos));
        }
    }

    private static String text(long nanos) {
        return Duration.ofNanos(nanos).toMillis() + " ms";
    }

    @Override
    public synchronized void start() {
        if (settings.enabled() && worker == null) {
            worker = workers.periodic("stall-watch", settings.interval(), this::beat);
            worker.start();
        }
    }

    @Override
    public synchronized void stop() {
        if (worker != null) {
            boolean _ = worker.stop(Duration.ZERO);
            worker = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return worker != null;
    }
}
