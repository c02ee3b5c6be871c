package org.stillwater.monitoring.fence;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.host.HostPolicy;
import org.stillwater.core.analysis.host.SoftFencing;
import org.stillwater.core.analysis.host.SoftFencing.Result;
import org.stillwater.core.fence.SoftFence;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.WorkListener;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Restarts the agent of each host that is due for fencing, once per outage.
 *
 * <p>It gets open work once that is durable. A host has one attempt at a time, and the port limits
 * the parallel restarts; the number of hosts bounds its memory. Work that is no longer open at its
 * turn is dropped. Without work its thread sleeps. Thread-safe.
 */
public final class SoftFencer implements WorkListener {

    private static final Logger LOG = LoggerFactory.getLogger(SoftFencer.class);

    private final SoftFence port;
    private final HostPolicy policy;
    private final Function<HostId, @Nullable HostState> hosts;
    private final Predicate<HostWork.Key> isOpen;
    private final Consumer<HostId> recovered;
    private final EngineClock clock;
    private final MonitoringMeters meters;
    private final ThrottledLog warnings;
    private final long startNanos;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();

    // Guarded by the lock.
    private final Map<HostId, HostWork> waiting = new LinkedHashMap<>();
    private final Map<HostId, SoftFencing> underWay = new HashMap<>();
    private boolean woken;
    private boolean stopping;
    private @Nullable SupervisedWorker worker;

    /**
     * A fencer without work.
     *
     * @param port service that restarts agents
     * @param policy time limits
     * @param hosts returns the present host of an identity, null for none
     * @param isOpen whether work of this key is open
     * @param recovered called with recovered hosts on the fencer's thread
     * @param quietPeriod a repeated problem is logged once in this time
     */
    public SoftFencer(
            SoftFence port,
            HostPolicy policy,
            Function<HostId, @Nullable HostState> hosts,
            Predicate<HostWork.Key> isOpen,
            Consumer<HostId> recovered,
            EngineClock clock,
            MonitoringMeters meters,
            Duration quietPeriod) {
        this.port = port;
        this.policy = policy;
        this.hosts = hosts;
        this.isOpen = isOpen;
        this.recovered = recovered;
        this.clock = clock;
        this.meters = meters;
        this.warnings = new ThrottledLog(LOG, clock, quietPeriod, "fence");
        this.startNanos = clock.nanoTime();
    }

    /** A fencer ignores work about VMs. */
    @Override
    public void workOpened(OpenWork work) {}

    @Override
    public void hostWorkOpened(OpenHostWork work) {
        if (work.work().kind() != HostWorkKind.FENCE) {
            return;
        }
        lock.lock();
        try {
            waiting.put(work.work().host(), work.work());
            woken = true;
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Starts the thread for attempts. */
    public void start(Workers workers) {
        SupervisedWorker started = workers.worker("soft-fencer", new Loop());
        worker = started;
        started.start();
    }

    /** The fencer's loop. */
    private final class Loop implements SupervisedWorker.Work {
        @Override
        public boolean await() throws InterruptedException {
            return awaitTurn();
        }

        @Override
        public void perform() {
            boolean _ = step();
        }
    }

    /** False when the thread is to end. */
    private boolean awaitTurn() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long remaining = SoftFencing.LOOK.toNanos();
            while (!stopping && !woken && remaining > 0) {
                if (waiting.isEmpty() && underWay.isEmpty()) {
                    news.await();
                } else {
                    remaining = news.awaitNanos(remaining);
                }
            }
            woken = false;
            return !stopping;
        } finally {
            lock.unlock();
        }
    }

    /** An attempt that is to begin. */
    private record Beginning(HostDefinition host, SoftFencing attempt) {}

    /** An attempt that is over. */
    private record Ending(SoftFencing attempt, Result result) {}

    /**
     * Begins and ends attempts. For the fencer's thread; tests that do not start it call this
     * instead.
     *
     * @return whether anything began or ended
     */
    public boolean step() {
        List<Ending> endings;
        List<Beginning> beginnings;
        lock.lock();
        try {
            endings = ended();
            beginnings = begun();
        } finally {
            lock.unlock();
        }
        endings.forEach(this::endAlone);
        beginnings.forEach(this::ask);
        return !endings.isEmpty() || !beginnings.isEmpty();
    }

    /** Under the lock. */
    private List<Ending> ended() {
        List<Ending> endings = new ArrayList<>(0);
        long now = clock.nanoTime();
        Iterator<SoftFencing> attempts = underWay.values().iterator();
        while (attempts.hasNext()) {
            SoftFencing attempt = attempts.next();
            HostState host = hosts.apply(attempt.work().host());
            Result result = attempt.result(host == null ? null : host.status(), now, policy);
            if (result != null) {
                attempts.remove();
                endings.add(new Ending(attempt, result));
            }
        }
        return endings;
    }

    /** Under the lock. */
    private List<Beginning> begun() {
        List<Beginning> beginnings = new ArrayList<>(0);
        long sinceStart = clock.nanoTime() - startNanos;
        int free =
                port.atOnce()
                        - (int) underWay.values().stream().filter(SoftFencing::isAsked).count();
        Iterator<HostWork> candidates = waiting.values().iterator();
        while (candidates.hasNext()) {
            HostWork work = candidates.next();
            HostState host = hosts.apply(work.host());
            if (host == null || !isOpen.test(work.key())) {
                candidates.remove();
            } else if (free > 0
                    && !underWay.containsKey(work.host())
                    && SoftFencing.mayBegin(host.status(), sinceStart, policy)) {
                candidates.remove();
                free--;
                SoftFencing attempt = SoftFencing.begin(work);
                underWay.put(work.host(), attempt);
                beginnings.add(new Beginning(host.definition(), attempt));
            }
        }
        return beginnings;
    }

    private void ask(Beginning beginning) {
        HostDefinition host = beginning.host();
        LOG.info("host={} restarting its agent: {}", host.name(), beginning.attempt().work().why());
        try {
            port.restartAgent(host, answer -> answered(host.id(), answer));
        } catch (RuntimeException e) {
            warnings.about("restart failed", e.toString(), e);
            answered(host.id(), new SoftFence.Answer.Failed("the restart failed: " + e));
        }
    }

    private void answered(HostId host, SoftFence.Answer answer) {
        lock.lock();
        try {
            long now = clock.nanoTime();
            underWay.computeIfPresent(
                    host,
                    (_, attempt) -> attempt.isAsked() ? attempt.answered(answer, now) : attempt);
            woken = true;
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    /** A failure at the end of one attempt does not affect the others. */
    private void endAlone(Ending ending) {
        try {
            end(ending);
        } catch (RuntimeException e) {
            warnings.about("an attempt did not end well", e.toString(), e);
        }
    }

    private void end(Ending ending) {
        HostId id = ending.attempt().work().host();
        HostState host = hosts.apply(id);
        String name = host == null ? id.toString() : host.definition().name();
        switch (ending.result()) {
            case Result.Recovered _ -> {
                meters.softFenced("recovered");
                LOG.info("host={} recovered by restarting its agent", name);
                recovered.accept(id);
            }
            case Result.Failed(String reason) -> {
                meters.softFenced("failed");
                LOG.warn("host={} not recovered, its fencing stays open: {}", name, reason);
            }
            case Result.Overtaken _ -> {
                meters.softFenced("overtaken");
                LOG.info("host={} needs no restart of its agent any more", name);
            }
        }
    }

    /** Whether a host waits for an attempt or has one under way. */
    public boolean isBusyWith(HostId host) {
        lock.lock();
        try {
            return waiting.containsKey(host) || underWay.containsKey(host);
        } finally {
            lock.unlock();
        }
    }

    /** How many hosts wait for an attempt or have one under way. */
    public int size() {
        lock.lock();
        try {
            return waiting.size() + underWay.size();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the thread. Restarts under way run to their end; no thread waits for them. */
    public void stop() {
        lock.lock();
        try {
            stopping = true;
            news.signal();
        } finally {
            lock.unlock();
        }
        SupervisedWorker running = worker;
        if (running != null) {
            boolean _ = running.stop(Duration.ZERO);
        }
    }
}
