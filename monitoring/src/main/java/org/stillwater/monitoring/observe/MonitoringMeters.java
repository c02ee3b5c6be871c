package org.stillwater.monitoring.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryMetric.Subject;

/**
 * The meters of monitoring. Tags are bounded: an outcome, a kind, or a host's name for a limited
 * number of hosts; never a VM. Thread-safe.
 */
public final class MonitoringMeters {

    private static final List<String> SOFT_FENCE_RESULTS =
            List.of("recovered", "failed", "overtaken");

    private static final int USUAL_HOST_GAUGES = 1_000;

    /** Outcome of a report about one VM. */
    public enum Outcome {
        /** Analysed. */
        ACCEPTED,
        /** The same host had sent a later report. */
        STALE_REPORT,
        /** Requested before another source changed the VM. */
        STALE_CHANGE,
        /** The VM was locked; kept until it is free. */
        PARKED,
        /** About a VM that the engine does not know. */
        UNKNOWN_VM,
        /** Not understood. */
        MALFORMED,
        /** Its analysis failed. */
        FAILED
    }

    private final MeterRegistry registry;
    private final Timer cycle;
    private final Counter cycleVms;
    private final Counter skippedCycles;
    private final Counter decodedBytes;
    private final Counter[] reports = new Counter[Outcome.values().length];
    private final Counter events;
    private final Counter droppedEvents;
    private final Counter limitedEvents;
    private final Counter limitedIntakes;
    private final Counter limitedEntries;
    private final Counter alteredTexts;
    private final Counter changes;
    private final Timer observedToMemory;
    private final Timer observedToCommitted;
    private final Timer write;
    private final Counter writtenRows;
    private final Counter rejectedRows;
    private final Counter unavailable;
    private final Counter takenIn;
    private final Counter destroys;
    private final Counter contested;
    private final Counter jobsUpdated;
    private final Counter jobsEnded;
    private final Timer dump;
    private final Counter dumpedRows;
    private final Counter skippedDumps;
    private final Counter heartbeats;
    private final Counter readersSeen;
    private final Counter cutOfVms;
    private final Counter cutOfHosts;
    private final Map<String, Meter> hostGauges = new HashMap<>(); // guarded by itself
    private volatile int mostHostGauges = USUAL_HOST_GAUGES;

    /** Registers the meters. */
    public MonitoringMeters(MeterRegistry registry) {
        this.registry = registry;
        cycle =
                timer(
                        "stillwater.cycle.duration",
                        "Decoding and analysis of one host's complete poll");
        cycleVms = counter("stillwater.cycle.vms", "VMs decoded in complete polls");
        skippedCycles =
                counter("stillwater.cycle.skipped", "Cycles left out because a poll was pending");
        decodedBytes =
                Counter.builder("stillwater.decoded")
                        .baseUnit("bytes")
                        .description("Size of decoded messages about VMs")
                        .register(registry);
        for (Outcome outcome : Outcome.values()) {
            reports[index(outcome)] =
                    Counter.builder("stillwater.reports")
                            .description("Reports about single VMs, by outcome")
                            .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                            .register(registry);
        }
        events = counter("stillwater.events", "Events about VMs that hosts sent");
        limitedEvents =
                counter(
                        "stillwater.events.limited",
                        "Events left out because their host sent more than is handled of one");
        limitedIntakes =
                counter(
                        "stillwater.intake.limited",
                        "Unknown VMs that waited because their host showed more than are taken in");
        limitedEntries =
                counter(
                        "stillwater.audit.limited",
                        "Audit entries left out because one host caused too many");
        alteredTexts =
                counter(
                        "stillwater.texts.altered",
                        "Texts and lists of hosts and guests that were cut or cleaned");
        droppedEvents =
                counter("stillwater.mailbox.dropped", "Events dropped because too many waited");
        changes = counter("stillwater.vm.changes", "Changes of a VM's state");
        observedToMemory =
                timer(
                        "stillwater.change.memory",
                        "From a message's arrival to the state in memory");
        observedToCommitted =
                timer(
                        "stillwater.change.committed",
                        "From a message's arrival to the committed row");
        write = timer("stillwater.writer.flush", "One batch brought to the database");
        writtenRows = counter("stillwater.writer.rows", "Rows that the database touched");
        rejectedRows = counter("stillwater.writer.rejected", "Rows that the database refused");
        unavailable =
                counter("stillwater.writer.unavailable", "Batches that the database did not take");
        takenIn = counter("stillwater.vm.taken.in", "External VMs taken in");
        destroys = counter("stillwater.vm.destroys", "Remains of VMs removed from hosts");
        contested =
                counter(
                        "stillwater.vm.contested",
                        "Claims of hosts to run VMs for which other hosts are responsible");
        jobsUpdated = counter("stillwater.jobs.updated", "Changes of jobs on VMs");
        jobsEnded = counter("stillwater.jobs.ended", "Jobs on VMs that ended");
        dump = timer("stillwater.dwh.dump", "One dump of statistics brought to the database");
        dumpedRows = counter("stillwater.dwh.rows", "Rows that dumps of statistics touched");
        skippedDumps = counter("stillwater.dwh.skipped", "Dumps of statistics left out");
        heartbeats =
                counter("stillwater.dwh.heartbeats", "Signs of life given to a data warehouse");
        readersSeen =
                counter("stillwater.dwh.readers", "Heartbeats that found that a warehouse read");
        cutOfVms = historyCut("vm");
        cutOfHosts = historyCut("host");
        SOFT_FENCE_RESULTS.forEach(this::softFences);
    }

    @SuppressWarnings("EnumOrdinal") // an index into an array of this process only
    private static int index(Outcome outcome) {
        return outcome.ordinal();
    }

    private Counter softFences(String result) {
        return Counter.builder("stillwater.fence.soft")
                .description("Attempts to bring a silent host back by restarting its agent")
                .tag("result", result)
                .register(registry);
    }

    private Counter counter(String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }

    private Timer timer(String name, String description) {
        return Timer.builder(name)
                .description(description)
                .publishPercentiles(0.5, 0.99)
                .distributionStatisticExpiry(Duration.ofMinutes(2))
                .register(registry);
    }

    /** Counts samples of recent history that were dropped early as their bytes were used up. */
    public void historyCutShort(Subject subject, int samples) {
        if (samples > 0) {
            (subject == Subject.VM ? cutOfVms : cutOfHosts).increment(samples);
        }
    }

    private Counter historyCut(String subject) {
        return Counter.builder("stillwater.history.memory.cut")
                .description(
                        "Samples dropped from memory early, because the bytes of their VM or host"
                                + " were used up")
                .tag("subject", subject)
                .register(registry);
    }

    /** Shows a value of an object that lives as long as the engine. */
    public <T> void gauge(
            String name,
            @Nullable String unit,
            String description,
            T owner,
            ToDoubleFunction<T> value) {
        Gauge.builder(name, owner, value)
                .baseUnit(unit)
                .description(description)
                .strongReference(true)
                .register(registry);
    }

    /** Limits the hosts with a gauge each; 1000 without this call. Before the first host. */
    public void hostGauges(int most) {
        mostHostGauges = most;
    }

    /**
     * Shows the age of a host's newest complete poll, instead of an earlier meter of this name.
     *
     * @return the meter for {@link #remove}, null if there are too many hosts for a gauge each
     */
    public <T> @Nullable Meter reportAge(String host, T owner, ToDoubleFunction<T> seconds) {
        synchronized (hostGauges) {
            Meter former = hostGauges.get(host);
            if (former != null) {
                registry.remove(former); // or the registry would return it
            } else if (hostGauges.size() >= mostHostGauges) {
                return null;
            }
            Meter gauge = ageGauge(host, owner, seconds);
            hostGauges.put(host, gauge);
            return gauge;
        }
    }

    private <T> Meter ageGauge(String host, T owner, ToDoubleFunction<T> seconds) {
        return Gauge.builder("stillwater.host.report.age", owner, seconds)
                .baseUnit("seconds")
                .description("Age of a host's newest complete poll; NaN before the first")
                .tag("host", host)
                .strongReference(true)
                .register(registry);
    }

    /** Removes the meter of a host's monitor that has ended, unless a later one replaced it. */
    @SuppressWarnings("ReferenceEquality") // meters of the same host are equal
    public void remove(@Nullable Meter meter) {
        synchronized (hostGauges) {
            if (meter != null && hostGauges.values().removeIf(each -> each == meter)) {
                registry.remove(meter);
            }
        }
    }

    /** One complete poll was decoded and analysed. */
    public void cycle(long nanos, int vms) {
        cycle.record(nanos, TimeUnit.NANOSECONDS);
        cycleVms.increment(vms);
    }

    /** A cycle was left out. */
    public void cycleSkipped() {
        skippedCycles.increment();
    }

    /** A message about VMs was decoded. */
    public void decoded(int bytes) {
        decodedBytes.increment(bytes);
    }

    /** Reports came to this end. */
    public void reports(Outcome outcome, int count) {
        if (count > 0) {
            reports[index(outcome)].increment(count);
        }
    }

    /** An event came in. */
    public void event() {
        events.increment();
    }

    /** An event was left out because its host sends too many. */
    public void eventLimited() {
        limitedEvents.increment();
    }

    /** An unknown VM waits because its host shows too many. */
    public void intakeLimited() {
        limitedIntakes.increment();
    }

    /** An audit entry was left out because one host causes too many. */
    public void auditLimited() {
        limitedEntries.increment();
    }

    /** A reported text was cut or cleaned. */
    public void textAltered() {
        alteredTexts.increment();
    }

    /** An event was dropped. */
    public void eventDropped() {
        droppedEvents.increment();
    }

    /** A VM's state changed, this long after the message arrived. */
    public void changed(long nanosSinceObserved) {
        changes.increment();
        observedToMemory.record(nanosSinceObserved, TimeUnit.NANOSECONDS);
    }

    /** A VM's change is durable, this long after the message arrived. */
    public void committed(long nanosSinceObserved) {
        observedToCommitted.record(nanosSinceObserved, TimeUnit.NANOSECONDS);
    }

    /** A batch was written. */
    public void written(long nanos, int rows, int rejected) {
        write.record(nanos, TimeUnit.NANOSECONDS);
        writtenRows.increment(rows);
        rejectedRows.increment(rejected);
    }

    /** The database did not take a batch. */
    public void unavailable() {
        unavailable.increment();
    }

    /** External VMs were imported. */
    public void takenIn(int count) {
        takenIn.increment(count);
    }

    /** A host claims to run a VM for which another host is responsible. */
    public void contested() {
        contested.increment();
    }

    /** A host was ordered to remove the remains of a VM. */
    public void destroyed() {
        destroys.increment();
    }

    /** Jobs on VMs changed or ended. */
    public void jobs(int updated, int ended) {
        jobsUpdated.increment(updated);
        jobsEnded.increment(ended);
    }

    /** Statistics were dumped. */
    public void dumped(long nanos, int rows) {
        dump.record(nanos, TimeUnit.NANOSECONDS);
        dumpedRows.increment(rows);
    }

    /** A dump of statistics was left out. */
    public void dumpSkipped() {
        skippedDumps.increment();
    }

    /** A data warehouse has read since the heart-beat before. */
    public void readerSeen() {
        readersSeen.increment();
    }

    /** A heart-beat was written for a data warehouse. */
    public void heartbeat() {
        heartbeats.increment();
    }

    /** An attempt to restart a host's agent is over, with one of the known results. */
    public void softFenced(String result) {
        softFences(result).increment();
    }
}
