package org.stillwater.monitoring.benchmark;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.benchmark.BenchmarkCell;
import org.stillwater.core.benchmark.BenchmarkMatrix;
import org.stillwater.core.benchmark.BenchmarkRun;
import org.stillwater.core.benchmark.BenchmarkSubject;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.store.BenchmarkStore;
import org.stillwater.core.store.DiskPlaces;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.regression.FindingNames;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Benchmark runs: the newest in memory, all durable. A run that arrives is stored, its matrix is
 * compared with former runs, and dips become findings of the search for regressions. Any thread may
 * post and read without waiting. A supervised thread restores runs, removes old ones, and repeats
 * comparisons if the search could not accept their findings yet. It also ends the findings about
 * objects that were removed.
 */
public final class BenchmarkMonitor {

    private static final Logger LOG = LoggerFactory.getLogger(BenchmarkMonitor.class);
    private static final Duration TURN = Duration.ofMinutes(1);
    private static final Duration PRUNING = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    /** Outcome of a posted run. */
    public enum Posted {
        /** It is stored. */
        ADDED,
        /** It was stored before. */
        KNOWN,
        /** Another run has its identity. */
        CONFLICT,
        /** The object posted too many runs in 24 hours. */
        TOO_MANY
    }

    private final BenchmarkSettings settings;
    private final BenchmarkStore store;
    private final EngineClock clock;
    private final RegressionMonitor regressions;
    private final BenchmarkFindings findings;
    private final BenchmarkMeters meters;
    private final RegressionMonitor.Recorder recorder;
    private final FindingNames names;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final BenchmarkPermits permits;
    private final LostRuns lost = new LostRuns();
    private final Set<BenchmarkSubject> waiting = new LinkedHashSet<>();
    private final BenchmarkRuns known;
    private boolean restored;
    private Instant prunedAt = Instant.EPOCH;

    /** The newest first; replaced as a whole. */
    private volatile List<PermittedRun> permitted = List.of();

    private volatile @Nullable SupervisedWorker worker;

    /** A monitor that knows no runs until its start or first query. */
    public BenchmarkMonitor(
            BenchmarkSettings settings,
            FleetReader fleet,
            DiskPlaces places,
            BenchmarkStore store,
            RegressionMonitor regressions,
            RegressionMonitor.Recorder recorder,
            EngineClock clock,
            MeterRegistry registry) {
        this.settings = settings;
        this.store = store;
        this.clock = clock;
        this.regressions = regressions;
        this.recorder = recorder;
        this.names = new FindingNames(fleet);
        this.findings = new BenchmarkFindings(fleet, regressions, settings.leastChange());
        this.known = new BenchmarkRuns(settings, waiting::add);
        this.meters = new BenchmarkMeters(registry, known::size);
        this.permits =
                new BenchmarkPermits(
                        new StorageGuard(
                                fleet,
                                places,
                                regressions::load,
                                settings.guardLatency(),
                                settings.guardRatio()),
                        settings.budget(),
                        settings.mostRunsOfDay(),
                        UUID::randomUUID);
    }

    /** Starts the thread; once, when the engine was started. */
    public void start(Workers workers) {
        SupervisedWorker started =
                workers.periodic("benchmark-monitor", this::prepare, TURN, this::turn);
        worker = started;
        started.start();
    }

    /** Reads the stored state: readers see it before the first turn. */
    private void prepare() {
        lock.lock();
        try {
            restore();
        } catch (StoreUnavailable e) {
            LOG.debug("benchmark runs wait for the database: {}", e.getMessage());
        } finally {
            lock.unlock();
        }
    }

    /** Ends the thread. */
    public void stop(Duration patience) {
        SupervisedWorker.endAndSave(worker, lock, patience, () -> {});
    }

    /**
     * Restores runs, repeats and removes due ones, and counts permitted runs as failed that were
     * not posted in time. Tests without a thread call this.
     */
    public void turn() {
        lock.lock();
        try {
            expire();
            restore();
            waiting.addAll(findings.removed());
            report();
            prune();
        } catch (StoreUnavailable e) {
            LOG.debug("benchmark runs wait for the database: {}", e.getMessage());
        } finally {
            lock.unlock();
        }
    }

    private void expire() {
        Instant now = clock.now();
        List<PermittedRun> over = permits.expire(now);
        for (PermittedRun run : over) {
            meters.lost();
            String object = words(run.subject());
            LOG.info("benchmark run of {} was not posted permit={}", object, run.permit());
            recorder.record(
                    AuditEvent.BENCHMARK_LOST,
                    run.subject().kind() == BenchmarkSubject.Kind.VM
                            ? VmId.of(run.subject().id())
                            : null,
                    run.subject().kind() == BenchmarkSubject.Kind.HOST
                            ? new HostId(run.subject().id())
                            : null,
                    Map.of("object", object, "granted", run.grantedAt().toString()));
            lost.add(run);
        }
        boolean forgot = lost.forgetBefore(now.minus(settings.retention()));
        if (forgot || !over.isEmpty()) {
            publishPermitted();
        }
    }

    private String words(BenchmarkSubject subject) {
        return names.of(
                new SeriesOwner.Shared(
                        switch (subject.kind()) {
                            case VM -> SeriesOwner.VM;
                            case HOST -> SeriesOwner.HOST;
                        },
                        subject.id().toString()));
    }

    private void publishPermitted() {
        List<PermittedRun> all = new ArrayList<>(permits.lasting());
        all.addAll(lost.list());
        all.sort(
                Comparator.comparing(PermittedRun::grantedAt)
                        .reversed()
                        .thenComparing(PermittedRun::permit));
        permitted = List.copyOf(all);
    }

    private void restore() throws StoreUnavailable {
        if (restored) {
            return;
        }
        known.restore(store.newest(settings.mostRuns()));
        restored = true;
    }

    /**
     * Stores a run.
     *
     * @throws StoreUnavailable if the database does not accept it now; no change is made
     */
    public Posted post(BenchmarkRun run) throws StoreUnavailable {
        lock.lock();
        try {
            restore();
            Posted outcome = take(run);
            meters.posted(outcome);
            return outcome;
        } finally {
            lock.unlock();
        }
    }

    private Posted take(BenchmarkRun run) throws StoreUnavailable {
        BenchmarkRun same = find(run.id());
        if (same == null
                && known.receivedSince(run.subject(), clock.now().minus(DAY))
                        >= settings.mostRunsOfDay()) {
            return Posted.TOO_MANY;
        }
        if (same == null && !store.add(run)) {
            same = store.find(run.id());
        }
        if (same != null) {
            return same.repeats(run) ? Posted.KNOWN : Posted.CONFLICT;
        }
        permits.end(run.subject());
        lost.posted(run.subject(), run.receivedAt().minus(run.took()));
        publishPermitted();
        known.add(run);
        report();
        return Posted.ADDED;
    }

    /** Counts a run that is none. Any thread. */
    public void refuseMalformed() {
        meters.malformed();
    }

    /** Passes changes of dips to the search for regressions. */
    private void report() {
        if (!regressions.state().restored()) {
            return;
        }
        for (BenchmarkSubject subject : List.copyOf(waiting)) {
            var events = findings.events(subject, history(subject).matrices(), clock.now());
            if (events.isEmpty() || regressions.report(events)) {
                waiting.remove(subject);
            }
        }
    }

    private void prune() throws StoreUnavailable {
        Instant now = clock.now();
        if (Duration.between(prunedAt, now).compareTo(PRUNING) < 0) {
            return;
        }
        prunedAt = now;
        Instant before = now.minus(settings.retention());
        int removed = store.removeBefore(before);
        known.forgetBefore(before);
        LOG.debug("benchmark runs removed={}", removed);
    }

    /**
     * Removes a run.
     *
     * @return false if there is none
     * @throws StoreUnavailable if the database does not answer now; no change is made
     */
    public boolean remove(UUID id) throws StoreUnavailable {
        lock.lock();
        try {
            restore();
            if (!store.remove(id)) {
                return false;
            }
            if (known.forget(id)) {
                report();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether a run may begin now.
     *
     * @throws StoreUnavailable if the database does not answer now
     */
    public BenchmarkPermit permit(BenchmarkPermit.Request request) throws StoreUnavailable {
        lock.lock();
        try {
            restore();
            expire();
            BenchmarkPermit permit =
                    permits.ask(request, history(request.subject()).runs(), clock.now());
            meters.answered(permit);
            publishPermitted();
            return permit;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Permitted runs that are not posted, the newest first: those with a permit that lasts, and the
     * newest ones that count as failed. Any thread.
     */
    public List<PermittedRun> permitted() {
        return permitted;
    }

    /** The run of an identity in memory, or null. Any thread. */
    public @Nullable BenchmarkRun find(UUID id) {
        return known.find(id);
    }

    /** Runs in memory, the newest first. Any thread. */
    public List<BenchmarkRun> runs() {
        return known.all();
    }

    /** Runs and matrices of an object. Any thread. */
    public BenchmarkHistory history(BenchmarkSubject subject) {
        return known.of(subject);
    }

    /** The open finding that has a cell, or null. Any thread. */
    public @Nullable Finding finding(BenchmarkMatrix matrix, BenchmarkCell cell) {
        return cell.dip() == null ? null : findings.of(matrix, cell);
    }
}
