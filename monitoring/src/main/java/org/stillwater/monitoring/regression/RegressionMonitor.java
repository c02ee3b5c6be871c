package org.stillwater.monitoring.regression;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.Coincidence;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.FindingEvent;
import org.stillwater.core.regression.FindingOptions;
import org.stillwater.core.regression.FindingTracker;
import org.stillwater.core.regression.FleetSeries;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.regression.SeriesPoints;
import org.stillwater.core.store.DiskPlaces;
import org.stillwater.core.store.FindingStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Searches the fleet for regressions on its own supervised thread: takes samples, compares series
 * at the end of each interval, stores findings, and records audit events. Any thread may read
 * findings without waiting. Without degradations it writes no row.
 *
 * <p>While the database does not answer, findings wait in memory; there are at most {@link
 * RegressionSettings#mostFindings} of them.
 *
 * <p>It is long because sampling, comparing and storing share the turns of one thread.
 */
public final class RegressionMonitor {

    private static final Logger LOG = LoggerFactory.getLogger(RegressionMonitor.class);
    private static final Duration PRUNING = Duration.ofHours(1);

    /** Intervals for which findings wait until the series are filled. */
    private static final int MOST_WAITED = 2;

    /** Records an audit event. */
    @FunctionalInterface
    public interface Recorder {

        /** Records an event about a VM, a host or neither. */
        void record(
                AuditEvent event,
                @Nullable VmId vm,
                @Nullable HostId host,
                Map<String, String> details);
    }

    private final RegressionSettings settings;
    private final FindingStore store;
    private final Recorder recorder;
    private final FleetReader fleet;
    private final EngineClock clock;
    private final RegressionMeters meters;
    private final FindingOptions options;
    private final List<Consumer<Finding>> followers = new CopyOnWriteArrayList<>();
    private final List<Consumer<Finding>> followersOfRestored = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final FleetSeries series;
    private final long firstInterval;
    private final FleetSampler sampler;
    private boolean isFilled;
    private int waited;
    private @Nullable FindingTracker tracker;
    private final Map<UUID, Finding> unsaved = new LinkedHashMap<>();
    private Instant prunedAt = Instant.EPOCH;

    /** By id; replaced as a whole. */
    private volatile Map<UUID, Finding> known = Map.of();

    private volatile RegressionState state = new RegressionState(0, 0, 0, 0, false);
    private volatile @Nullable SupervisedWorker worker;
    private volatile @Nullable Consumer<List<SeriesPoints>> archive;

    /** A monitor that is not started. */
    public RegressionMonitor(
            RegressionSettings settings,
            FleetReader fleet,
            DiskPlaces places,
            FindingStore store,
            Recorder recorder,
            EngineClock clock,
            MeterRegistry registry) {
        this.settings = settings;
        this.fleet = fleet;
        this.store = store;
        this.recorder = recorder;
        this.clock = clock;
        this.options =
                new FindingOptions(
                        settings.interval(), settings.leastChange(), settings.mostFindings());
        this.series =
                new FleetSeries(
                        settings.window(),
                        settings.mostSeries(),
                        interval(),
                        settings.leastSamples(fleet.cycle()),
                        settings.day());
        this.firstInterval = series.interval();
        this.sampler =
                new FleetSampler(fleet, places, recorder, clock, settings.mostChanges(), series);
        this.meters = new RegressionMeters(registry, () -> state);
    }

    private long interval() {
        return Math.floorDiv(clock.now().toEpochMilli(), settings.interval().toMillis());
    }

    /** Starts the thread; once, when the engine was started. */
    public void start(Workers workers) {
        SupervisedWorker started =
                workers.periodic(
                        "regression-monitor", this::prepare, settings.sample(), this::turn);
        worker = started;
        started.startOnPlatformThread();
    }

    /** Reads stored findings: readers see them before the first sample. */
    private void prepare() {
        lock.lock();
        try {
            publishState(restored());
        } finally {
            lock.unlock();
        }
    }

    /** Ends the thread and writes findings while the database accepts them. */
    public void stop(Duration patience) {
        SupervisedWorker.endAndSave(worker, lock, patience, this::save);
    }

    /** Takes a sample, and ends the interval if it is over. Tests without a thread call this. */
    public void turn() {
        lock.lock();
        try {
            FindingTracker present = restored();
            long now = interval();
            if (now > series.interval()) {
                long started = clock.nanoTime();
                long ended = series.interval();
                series.close(now);
                Consumer<List<SeriesPoints>> points = archive;
                if (points != null) {
                    points.accept(series.points(ended));
                }
                if (present != null && !waitsForThePast()) {
                    follow(
                            present.advance(
                                    series, sampler.changes().kept(), sampler::vms, clock.now()));
                }
                meters.compared(clock.nanoTime() - started);
            } else if (now < series.interval() - 1) {
                LOG.warn("the clock was set back: series go on when it is there again");
            }
            long started = clock.nanoTime();
            sampler.sample();
            meters.sampled(clock.nanoTime() - started);
            save();
            prune();
            publishState(present);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether the series are being filled now: those that are known already would name a smaller
     * object. It waits for a few intervals only.
     */
    private boolean waitsForThePast() {
        waited = isFilled ? waited + 1 : 0;
        return isFilled && waited <= MOST_WAITED;
    }

    /** The first interval that this life of the engine measures. */
    long firstInterval() {
        return firstInterval;
    }

    /** Begin of that interval: older points are of earlier lives. Any thread. */
    public Instant measuredSince() {
        return Instant.ofEpochMilli(firstInterval * settings.interval().toMillis());
    }

    /** Hands the points of each interval that ends to an archive. It must not block. */
    void archive(Consumer<List<SeriesPoints>> points) {
        archive = points;
    }

    /** The series get points of earlier lives of the engine from now on, or no longer. */
    void fill(boolean begins) {
        lock.lock();
        try {
            isFilled = begins;
        } finally {
            lock.unlock();
        }
    }

    /** Runs work on the series while no sample is taken. */
    <T> T onSeries(Function<FleetSeries, T> work) {
        lock.lock();
        try {
            return work.apply(series);
        } finally {
            lock.unlock();
        }
    }

    /** Runs work on the recorded changes while no sample is taken. */
    <T> T onChanges(Function<ChangeRecorder, T> work) {
        lock.lock();
        try {
            return work.apply(sampler.changes());
        } finally {
            lock.unlock();
        }
    }

    /** Every host. */
    List<HostId> hosts() {
        return fleet.hosts().stream().map(host -> host.state().definition().id()).toList();
    }

    private void publishState(@Nullable FindingTracker present) {
        state =
                new RegressionState(
                        series.size(),
                        (int) known.values().stream().filter(Finding::isOpen).count(),
                        series.refused() + (present == null ? 0 : present.refused()),
                        unsaved.size(),
                        present != null);
    }

    private @Nullable FindingTracker restored() {
        FindingTracker present = tracker;
        if (present != null) {
            return present;
        }
        try {
            List<Finding> stored = store.newest(settings.mostFindings());
            Map<UUID, Finding> all = new LinkedHashMap<>();
            stored.forEach(finding -> all.put(finding.id(), finding));
            known = all;
            Instant oldest =
                    clock.now().minus(settings.interval().multipliedBy(2L * settings.window()));
            FindingTracker made =
                    new FindingTracker(
                            options,
                            stored.stream()
                                    .filter(finding ->
                                            finding.isOpen() || finding.begin().isAfter(oldest))
                                    .filter(finding -> !BenchmarkNames.isBenchmark(finding.where()))
                                    // Of another interval: its points are not comparable.
                                    .filter(finding ->
                                            finding.interval().equals(settings.interval()))
                                    .toList());
            tracker = made;
            for (Finding finding : stored) {
                if (finding.isOpen()) {
                    followersOfRestored.forEach(follower -> follower.accept(finding));
                }
            }
            follow(endOfIncomparable(stored));
            return made;
        } catch (StoreUnavailable e) {
            meters.unavailable();
            LOG.debug("findings are not restored: {}", e.getMessage());
            return null;
        }
    }

    /** No series of this life of the engine can end a finding of another interval. */
    private List<FindingEvent> endOfIncomparable(List<Finding> stored) {
        return stored.stream()
                .filter(Finding::isOpen)
                .filter(finding -> !BenchmarkNames.isBenchmark(finding.where()))
                .filter(finding -> !finding.interval().equals(settings.interval()))
                .<FindingEvent>map(finding ->
                        new FindingEvent.Ended(finding.ended(clock.now(), Finding.Ending.ADOPTED)))
                .toList();
    }

    private void follow(List<FindingEvent> events) {
        for (FindingEvent event : events) {
            Finding finding = event.finding();
            keep(finding);
            switch (event) {
                case FindingEvent.Began _ -> {
                    meters.began();
                    LOG.info(
                            "regression level={} object={} members={} begin={}",
                            finding.where().level(),
                            finding.where().name(),
                            finding.memberCount(),
                            finding.begin());
                    record(AuditEvent.REGRESSION_FOUND, finding);
                }
                case FindingEvent.Ended _ -> {
                    meters.ended();
                    record(AuditEvent.REGRESSION_ENDED, finding);
                }
                case FindingEvent.Changed _ -> {}
            }
        }
    }

    private void keep(Finding finding) {
        Map<UUID, Finding> next = new HashMap<>(known);
        next.put(finding.id(), finding);
        while (next.size() > settings.mostFindings()) {
            UUID oldest =
                    next.values().stream()
                            .min(
                                    Comparator.comparing(Finding::isOpen)
                                            .thenComparing(Finding::detectedAt))
                            .map(Finding::id)
                            .orElseThrow();
            next.remove(oldest);
        }
        known = next;
        unsaved.put(finding.id(), finding);
        for (Consumer<Finding> follower : followers) {
            follower.accept(finding);
        }
    }

    private void record(AuditEvent event, Finding finding) {
        if (finding.isSilenced(clock.now()) || finding.ending() == Finding.Ending.MERGED) {
            return;
        }
        FindingNames names = new FindingNames(fleet);
        Finding.Change first = finding.changes().getFirst();
        Map<String, String> details = new HashMap<>();
        details.put("finding", finding.id().toString());
        details.put("object", names.of(finding.where()));
        details.put("begin", finding.begin().toString());
        details.put(
                "change",
                String.format(
                        Locale.ROOT,
                        "%s %+.0f %%",
                        first.metric().label(),
                        100 * first.relativeChange()));
        details.put("members", Integer.toString(finding.memberCount()));
        details.put("vms", Integer.toString(finding.vms()));
        if (!finding.coincidences().isEmpty()) {
            Coincidence coincidence = finding.coincidences().getFirst();
            details.put("coincidence", "Coincides with: " + coincidence.text());
        }
        if (finding.ending() != null) {
            details.put("ending", finding.ending().label());
        }
        recorder.record(event, names.vm(finding.where()), names.host(finding.where()), details);
    }

    private void save() {
        if (unsaved.isEmpty()) {
            return;
        }
        List<Finding> batch = List.copyOf(unsaved.values());
        switch (store.save(batch)) {
            case WriteOutcome.Written written -> {
                unsaved.clear();
                if (!written.rejected().isEmpty()) {
                    LOG.warn("the database refuses findings: {}", written.rejected());
                }
            }
            case WriteOutcome.Unavailable unavailable -> {
                meters.unavailable();
                LOG.debug("findings wait in memory: {}", unavailable.reason());
                while (unsaved.size() > settings.mostFindings()) {
                    unsaved.remove(unsaved.keySet().iterator().next());
                }
            }
        }
    }

    private void prune() {
        Instant now = clock.now();
        if (Duration.between(prunedAt, now).compareTo(PRUNING) < 0) {
            return;
        }
        prunedAt = now;
        Instant before = now.minus(settings.retention());
        if (known.values().stream().noneMatch(each -> isOver(each, before))) {
            return;
        }
        try {
            int removed = store.removeEndedBefore(before);
            Map<UUID, Finding> next = new HashMap<>(known);
            next.values().removeIf(each -> isOver(each, before));
            known = next;
            LOG.debug("findings removed={}", removed);
        } catch (StoreUnavailable e) {
            meters.unavailable();
            LOG.debug("old findings stay: {}", e.getMessage());
        }
    }

    private static boolean isOver(Finding finding, Instant before) {
        return finding.endedAt() != null && finding.endedAt().isBefore(before);
    }

    /**
     * Adds findings of other series than the fleet's samples.
     *
     * @param events their changes, in order
     * @return false if older findings are not loaded yet; then the call has no effect
     */
    public boolean report(List<FindingEvent> events) {
        lock.lock();
        try {
            if (tracker == null) {
                return false;
            }
            follow(events);
            save();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Recorded changes near a begin, the most likely first. */
    public List<Coincidence> coincidences(
            List<SeriesOwner> members, Instant begin, Instant from, Instant until) {
        lock.lock();
        try {
            return Coincidence.ranked(sampler.changes().kept(), members, begin, from, until);
        } finally {
            lock.unlock();
        }
    }

    /** The present slowness of a storage domain; null without a series. */
    public FleetSeries.@Nullable Load load(UUID storageDomain) {
        lock.lock();
        try {
            return series.load(
                    Owners.storageDomain(storageDomain.toString()),
                    Set.of(
                            RegressionMetric.STORAGE_DELAY,
                            RegressionMetric.DISK_READ_LATENCY,
                            RegressionMetric.DISK_WRITE_LATENCY));
        } finally {
            lock.unlock();
        }
    }

    /** Findings, the newest first. Any thread. */
    public List<Finding> findings() {
        return known.values().stream()
                .sorted(
                        Comparator.comparing(Finding::detectedAt)
                                .reversed()
                                .thenComparing(Finding::id))
                .toList();
    }

    /** The finding of this identity, or null. Any thread. */
    public @Nullable Finding finding(UUID id) {
        return known.get(id);
    }

    /** How far the search is. Any thread. */
    public RegressionState state() {
        return state;
    }

    /** Limits and times of the search. */
    public RegressionSettings settings() {
        return settings;
    }

    /** Calls a listener with each finding that began, changed or ended. It must not block. */
    public void follow(Consumer<Finding> follower) {
        followers.add(follower);
    }

    /** Calls a listener with each known finding; none changes meanwhile. It must not block. */
    public void forEach(Consumer<Finding> listener) {
        lock.lock();
        try {
            known.values().forEach(listener);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Calls a listener with each finding that lasts since a former life of the engine, silenced or
     * not; once, before any news of it. It must not block.
     */
    public void followRestored(Consumer<Finding> follower) {
        followersOfRestored.add(follower);
    }

    /**
     * Changes the users' decisions about a finding.
     *
     * @return the present finding; null if it does not exist
     * @throws StoreUnavailable if the database does not accept it now; no change is made
     */
    public @Nullable Finding decide(UUID id, UnaryOperator<Finding> decision)
            throws StoreUnavailable {
        lock.lock();
        try {
            Finding before = known.get(id);
            if (before == null) {
                return null;
            }
            Finding after = decision.apply(before);
            if (store.save(List.of(after)) instanceof WriteOutcome.Unavailable(String reason)) {
                meters.unavailable();
                throw new StoreUnavailable(reason, new IllegalStateException(reason));
            }
            FindingTracker present = tracker;
            if (present != null) {
                Finding _ = present.change(id, decision);
            }
            keep(after);
            unsaved.remove(id);
            return after;
        } finally {
            lock.unlock();
        }
    }
}
