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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.model.HostId;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.port.StatisticsStore;
import org.stillwater.core.port.StatisticsStore.HostSample;
import org.stillwater.core.port.StatisticsStore.Sample;
import org.stillwater.core.port.WriteOutcome;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.host.HostNumbers;
import org.stillwater.monitoring.observe.Complaints;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.vm.StatisticsSample;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.worker.Workers;

/**
 * Samples the statistics of all VMs and hosts for readers outside the engine, once per interval:
 * one batch each of the rows whose values differ from what was last saved (monitoring specification
 * §7.3).
 *
 * <p>It has a thread of its own and reads memory as any reader does, so it delays neither a cycle
 * nor the batch writer. The first dump comes one interval after the start. When the database does
 * not take a dump it is left out; the next one saves what still differs.
 */
public final class StatisticsDump {

    private static final Logger LOG = LoggerFactory.getLogger(StatisticsDump.class);

    /** An answer that says nothing has nothing to save. */
    private static final HostStatistics NOTHING = new HostValues().statistics();

    private final StatisticsStore store;
    private final VmRegistry registry;
    private final Supplier<? extends Collection<HostMonitor>> hosts;
    private final EngineClock clock;
    private final MonitoringMeters meters;
    private final Complaints complaints;
    private final Metronome metronome;

    /** What was saved of each host last; for the dump's thread. */
    private final Map<HostId, HostSample> saved = new HashMap<>();

    /** A VM whose row is in a dump under way. */
    private record Dumped(VmManager vm, StatisticsSample sample) {}

    /**
     * A dump that does not run yet.
     *
     * @param interval time between two dumps, zero for never
     * @param hosts all that are watched now
     * @param quietPeriod a repeated complaint is logged once in this time
     */
    public StatisticsDump(
            Duration interval,
            StatisticsStore store,
            VmRegistry registry,
            Supplier<? extends Collection<HostMonitor>> hosts,
            EngineClock clock,
            MonitoringMeters meters,
            Duration quietPeriod) {
        this.store = store;
        this.registry = registry;
        this.hosts = hosts;
        this.clock = clock;
        this.meters = meters;
        this.complaints = new Complaints(LOG, clock, quietPeriod, "statistics dump");
        this.metronome = new Metronome("statistics-dump", interval, clock, this::dumpOrComplain);
    }

    /** Counts the first interval from now. */
    public void begin() {
        metronome.begin();
    }

    /** Begins, on a thread of its own, unless there is no interval. */
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

    private void dumpOrComplain() {
        try {
            dump(clock.nanoTime());
        } catch (RuntimeException e) {
            // A bug must not end the dumps.
            meters.dumpSkipped();
            complaints.about("failed", e.toString(), e);
        }
    }

    private void dump(long startedNanos) {
        List<Sample> vms = new ArrayList<>();
        List<Dumped> dumped = new ArrayList<>();
        registry.all()
                .forEach(vm -> {
                    boolean stopped = vm.state().runtime().status().isNotRunning();
                    StatisticsSample sample = vm.statistics().sample(vm.id(), stopped);
                    if (sample != null) {
                        vms.add(sample.values());
                        dumped.add(new Dumped(vm, sample));
                    }
                });
        List<HostSample> changed = changedHosts();
        if (vms.isEmpty() && changed.isEmpty()) {
            return;
        }
        vms.sort(Comparator.comparing(Sample::vmId));
        changed.sort(Comparator.comparing(HostSample::hostId));
        switch (store.dump(vms, changed)) {
            case WriteOutcome.Written(int rows, List<WriteOutcome.Rejected> rejected, _, _) -> {
                Set<String> refused = new HashSet<>();
                rejected.forEach(row -> refused.add(row.key()));
                for (Dumped row : dumped) {
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
                        row -> complaints.about("row refused", row.key() + ": " + row.reason()));
                meters.dumped(clock.nanoTime() - startedNanos, rows);
            }
            case WriteOutcome.Unavailable(String reason) -> {
                meters.dumpSkipped();
                complaints.about("left out", reason);
            }
        }
    }

    /** Hosts whose numbers are not those saved last. */
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
