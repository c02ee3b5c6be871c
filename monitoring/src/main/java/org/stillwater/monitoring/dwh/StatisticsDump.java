package org.stillwater.monitoring.dwh;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.store.StatisticsStore;
import org.stillwater.core.store.StatisticsStore.HostSample;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.host.HostNumbers;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.StatisticsSample;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.monitoring.write.BisectingWriter;

/**
 * Samples the statistics of all VMs and hosts for readers outside the engine, once per interval:
 * one batch each of the rows with values that differ from the last saved ones (monitoring
 * specification §7.3). It works only while a warehouse reads: otherwise no row is written, and the
 * views of samples are empty, because old values would look new. They show rows again after the
 * first complete dump.
 *
 * <p>It has its own thread and reads memory like other readers, so it delays neither a cycle nor
 * the batch writer. The first dump runs one interval after the start. A dump that the database does
 * not accept is skipped; the next one saves the rows that still differ.
 *
 * <p>A VM that cannot be sampled and a row that makes the store throw are bugs; they do not affect
 * the others. If no row can be saved because of one of them, the dump fails, and the top frame of
 * its thread counts and logs that.
 */
public final class StatisticsDump {

    private static final Logger LOG = LoggerFactory.getLogger(StatisticsDump.class);

    /** An empty answer has no values to save. */
    private static final HostStatistics NOTHING = new HostValues().statistics();

    private final StatisticsStore store;
    private final VmRegistry registry;
    private final Supplier<? extends Collection<HostMonitor>> hosts;
    private final EngineClock clock;
    private final MonitoringMeters meters;
    private final ThrottledLog warnings;
    private final Metronome metronome;
    private final ReaderWatch readers;
    private final boolean looks;

    /** For the dump's thread. */
    private final BisectingWriter<Dumped> vmRows;

    /** For the dump's thread. */
    private final BisectingWriter<HostSample> hostRows;

    /** Last saved sample of each host; for the dump's thread. */
    private final Map<HostId, HostSample> saved = new HashMap<>();

    /** A VM with a row in a dump under way. */
    private record Dumped(VmManager vm, StatisticsSample sample) {}

    /**
     * A dump that is not started.
     *
     * @param settings interval of dumps, and whether a heartbeat detects readers
     * @param readers whether a warehouse reads
     * @param hosts all monitored hosts
     * @param quietPeriod a repeated problem is logged once in this time
     */
    public StatisticsDump(
            WarehouseSettings settings,
            ReaderWatch readers,
            StatisticsStore store,
            VmRegistry registry,
            Supplier<? extends Collection<HostMonitor>> hosts,
            EngineClock clock,
            MonitoringMeters meters,
            Duration quietPeriod) {
        this.readers = readers;
        this.looks = settings.mode() == DumpMode.AUTO && settings.heartbeatInterval().isZero();
        this.store = store;
        this.registry = registry;
        this.hosts = hosts;
        this.clock = clock;
        this.meters = meters;
        this.warnings = new ThrottledLog(LOG, clock, quietPeriod, "statistics dump");
        this.vmRows =
                new BisectingWriter<>(
                        row -> row.vm().id().toString(),
                        rows ->
                                store.dump(
                                        rows.stream().map(row -> row.sample().values()).toList(),
                                        List.of()),
                        true);
        this.hostRows =
                new BisectingWriter<>(
                        sample -> sample.hostId().toString(),
                        rows -> store.dump(List.of(), rows),
                        true);
        this.metronome =
                new Metronome("statistics-dump", settings.dumpInterval(), clock, this::dumpOrRest);
    }

    /** Counts the first interval from now. */
    public void begin() {
        metronome.begin();
    }

    /** Starts its thread, unless the interval is zero. */
    public void start(Workers workers) {
        metronome.start(workers);
    }

    /** Ends the thread; a dump under way is given this long. */
    public void stop(Duration patience) {
        metronome.stop(patience);
    }

    /**
     * Dumps if it is time. For engines that are stepped.
     *
     * @return whether it was time
     */
    public boolean dumpDue() {
        return metronome.runDue();
    }

    /** Works before the next time: a reader came, or old samples are shown. From any thread. */
    public void hasten() {
        metronome.runSoon();
    }

    private void dumpOrRest() {
        if (looks) {
            look();
        }
        if (readers.isLeftOver() || !readers.isWanted()) {
            if (readers.isShown()) {
                show(false);
            }
        } else if (dumpOrCount() && !readers.isShown()) {
            show(true);
        }
    }

    /** Instead of a heartbeat, where there is none. */
    private void look() {
        try {
            boolean _ = readers.note(store.readerSigns());
        } catch (StoreUnavailable e) {
            warnings.about("readers not looked for", String.valueOf(e.getMessage()));
        }
    }

    private void show(boolean whole) {
        switch (store.show(whole)) {
            case WriteOutcome.Written _ -> readers.told(whole);
            case WriteOutcome.Unavailable(String reason) ->
                    warnings.about("views not changed", reason);
        }
    }

    /** Whether all that was to be saved was saved, or refused for good. */
    private boolean dumpOrCount() {
        boolean done = false;
        try {
            boolean whole = dump(clock.nanoTime());
            done = true;
            return whole;
        } finally {
            if (!done) {
                meters.dumpSkipped();
            }
        }
    }

    private boolean dump(long startedNanos) {
        Sampled sampled = new Sampled();
        registry.all().forEach(sampled::add);
        List<Dumped> vms = sampled.rows;
        vms.sort(Comparator.comparing(row -> row.vm().id()));
        List<HostSample> changed = changedHosts();
        changed.sort(Comparator.comparing(HostSample::hostId));
        boolean whole = (vms.isEmpty() && changed.isEmpty()) || save(vms, changed, startedNanos);
        if (sampled.bug != null && sampled.failed == sampled.asked) {
            throw new IllegalStateException("no VM can be sampled", sampled.bug);
        }
        return whole;
    }

    /** The samples that are to be saved. */
    private final class Sampled {

        private final List<Dumped> rows = new ArrayList<>();
        private int asked;
        private int failed;
        private @Nullable Throwable bug;

        void add(VmManager vm) {
            asked++;
            try {
                boolean stopped = vm.state().runtime().status().isNotRunning();
                StatisticsSample sample = vm.statistics().sample(vm.id(), stopped);
                if (sample != null) {
                    rows.add(new Dumped(vm, sample));
                }
            } catch (RuntimeException | StackOverflowError | LinkageError e) {
                failed++;
                bug = e;
                warnings.about("VM not sampled", "vm=" + vm.id() + " " + e, e);
            }
        }
    }

    /** All rows in one batch; if the store throws, as many rows as it accepts. */
    private boolean save(List<Dumped> vms, List<HostSample> changed, long startedNanos) {
        WriteOutcome outcome;
        try {
            outcome = store.dump(vms.stream().map(row -> row.sample().values()).toList(), changed);
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            warnings.about("store failed", e.toString(), e);
            WriteOutcome ofVms = vmRows.write(vms);
            WriteOutcome ofHosts = hostRows.write(changed);
            boolean whole = true;
            if (!vmRows.isInVain()) {
                whole = finish(ofVms, vms, List.of(), startedNanos);
            }
            if (!hostRows.isInVain()) {
                whole &= finish(ofHosts, List.of(), changed, startedNanos);
            }
            if (vmRows.isInVain() || hostRows.isInVain()) {
                throw e;
            }
            return whole;
        }
        return finish(outcome, vms, changed, startedNanos);
    }

    /** Remembers saved and refused rows. */
    private boolean finish(
            WriteOutcome outcome, List<Dumped> vms, List<HostSample> changed, long startedNanos) {
        return switch (outcome) {
            case WriteOutcome.Written(int rows, List<WriteOutcome.Rejected> rejected, _, _) -> {
                Set<String> refused = new HashSet<>();
                rejected.forEach(row -> refused.add(row.key()));
                for (Dumped row : vms) {
                    if (refused.contains(row.vm().id().toString())) {
                        row.vm().statistics().refused(row.sample());
                    } else {
                        row.vm().statistics().sampled(row.sample());
                    }
                }
                for (HostSample sample : changed) {
                    if (refused.contains(sample.hostId().toString())) {
                        saved.remove(sample.hostId());
                    } else {
                        saved.put(sample.hostId(), sample);
                    }
                }
                rejected.forEach(
                        row -> warnings.about("row refused", row.key() + ": " + row.reason()));
                meters.dumped(clock.nanoTime() - startedNanos, rows);
                yield true;
            }
            case WriteOutcome.Unavailable(String reason) -> {
                meters.dumpSkipped();
                warnings.about("left out", reason);
                yield false;
            }
        };
    }

    /** Hosts with numbers that differ from the last saved ones. */
    private List<HostSample> changedHosts() {
        List<HostSample> changed = new ArrayList<>();
        Set<HostId> watched = new HashSet<>();
        for (HostMonitor host : hosts.get()) {
            HostNumbers.Seen seen = host.numbers().seen();
            watched.add(host.id());
            if (seen.statistics() != null && !seen.statistics().equals(NOTHING)) {
                HostSample last = saved.get(host.id());
                if (last == null
                        || !seen.statistics().equals(last.statistics())
                        || !seen.usage().equals(last.usage())) {
                    boolean nicsChanged =
                            last == null
                                    || !seen.usage()
                                            .nics()
                                            .keySet()
                                            .equals(last.usage().nics().keySet());
                    changed.add(
                            new HostSample(
                                    host.id(), seen.statistics(), seen.usage(), nicsChanged));
                }
            }
        }
        saved.keySet().retainAll(watched);
        return changed;
    }
}
