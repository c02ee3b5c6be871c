package org.stillwater.monitoring.regression;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.regression.FleetSeries;
import org.stillwater.core.regression.Mark;
import org.stillwater.core.regression.MeasuredSeries;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.monitoring.host.EventDelay;
import org.stillwater.monitoring.host.HostView;

/** The series of one host. One thread. */
final class MeasuredHost {

    private static final double MILLIS_PER_SECOND = 1_000;
    private static final double NANOS_PER_MILLISECOND = 1e6;

    /** A new boot moves a host's boot time by more than its rounding. */
    private static final long BOOT_TOLERANCE_SECONDS = 5;

    private final HostId id;
    private final Map<String, @Nullable MeasuredSeries> delays = new HashMap<>();
    private final Map<String, Nic> nics = new HashMap<>();
    private @Nullable ClusterId cluster;
    private @Nullable MeasuredSeries answer;
    private @Nullable MeasuredSeries lag;
    private @Nullable MeasuredSeries swap;
    private EventDelay events = EventDelay.NONE;
    private @Nullable Instant observed;
    private @Nullable String bootId;
    private @Nullable Long bootTimeSeconds;
    long pass;

    private static final class Nic {
        private @Nullable MeasuredSeries loss;
        private long dropped = -1;
        private @Nullable Integer speed;
    }

    /** Takes changes of the host that only its statistics show. */
    interface Changes {

        /** A link has another speed. */
        void linked(String nic, int before, int now);

        /** A host that reports no identity of its boots booted. */
        void booted();
    }

    MeasuredHost(HostId id) {
        this.id = id;
    }

    /** Takes a sample if statistics arrived since the last one. */
    void sample(
            HostView host,
            @Nullable Duration lastAnswer,
            EventDelay sent,
            FleetSeries series,
            Changes changes) {
        HostStatistics statistics = host.statistics();
        Instant at = host.statisticsAt();
        if (statistics == null || at == null || at.equals(observed)) {
            return;
        }
        double seconds =
                observed == null
                        ? 0
                        : Duration.between(observed, at).toMillis() / MILLIS_PER_SECOND;
        observed = at;
        ClusterId present = host.state().definition().cluster();
        if (!present.equals(cluster)) {
            cluster = present;
            delays.clear();
            nics.clear();
            answer = null;
            lag = null;
            swap = null;
        }
        if (followBoot(host.state().capabilities(), statistics.bootTimeEpochSeconds(), changes)) {
            mark(Mark.Kind.RESTART);
        }
        if (sent.events() > events.events()) {
            double added = sent.total().minus(events.total()).toNanos() / NANOS_PER_MILLISECOND;
            lag =
                    MeasuredVm.added(
                            lag,
                            RegressionMetric.EVENT_LAG,
                            () -> Owners.host(id, present),
                            1 + added / (sent.events() - events.events()),
                            series);
        }
        events = sent;
        if (lastAnswer != null) {
            answer =
                    MeasuredVm.added(
                            answer,
                            RegressionMetric.HOST_ANSWER,
                            () -> Owners.host(id, present),
                            lastAnswer.toNanos() / NANOS_PER_MILLISECOND,
                            series);
        }
        HostStatistics.Memory memory = statistics.memory();
        if (memory.swapTotalMebibytes() != null && memory.swapFreeMebibytes() != null) {
            swap =
                    MeasuredVm.added(
                            swap,
                            RegressionMetric.HOST_SWAP,
                            () -> Owners.host(id, present),
                            (double) (memory.swapTotalMebibytes() - memory.swapFreeMebibytes()),
                            series);
        }
        statistics
                .storageDomains()
                .forEach((domain, path) -> {
                    Double delay = path.delaySeconds();
                    if (delay != null && !Boolean.FALSE.equals(path.valid())) {
                        delays.put(
                                domain,
                                MeasuredVm.added(
                                        delays.get(domain),
                                        RegressionMetric.STORAGE_DELAY,
                                        () -> Owners.storagePath(id, domain, present),
                                        delay * MILLIS_PER_SECOND,
                                        series));
                    }
                });
        delays.keySet().retainAll(statistics.storageDomains().keySet());
        for (Map.Entry<String, HostNicUsage> each : host.usage().nics().entrySet()) {
            Nic nic = nics.computeIfAbsent(each.getKey(), _ -> new Nic());
            sample(each.getKey(), nic, each.getValue(), seconds, present, series, changes);
        }
        nics.keySet().retainAll(host.usage().nics().keySet());
    }

    /**
     * Whether the host booted since the last report: its identity of the boot decides, else the
     * time.
     */
    private boolean followBoot(
            @Nullable HostCapabilities capabilities, @Nullable Long timeSeconds, Changes changes) {
        String reported = capabilities == null ? null : capabilities.bootUuid();
        String knownId = bootId;
        Long knownTime = bootTimeSeconds;
        bootId = reported == null ? knownId : reported;
        bootTimeSeconds = timeSeconds == null ? knownTime : timeSeconds;
        if (bootId != null) {
            return knownId != null && !knownId.equals(bootId);
        }
        boolean booted =
                knownTime != null
                        && timeSeconds != null
                        && Math.abs(timeSeconds - knownTime) > BOOT_TOLERANCE_SECONDS;
        if (booted) {
            changes.booted();
        }
        return booted;
    }

    private void mark(Mark.Kind kind) {
        MeasuredVm.mark(answer, kind);
        MeasuredVm.mark(lag, kind);
        MeasuredVm.mark(swap, kind);
        delays.values().forEach(delay -> MeasuredVm.mark(delay, kind));
        nics.values().forEach(nic -> MeasuredVm.mark(nic.loss, kind));
    }

    private void sample(
            String name,
            Nic nic,
            HostNicUsage usage,
            double seconds,
            ClusterId present,
            FleetSeries series,
            Changes changes) {
        Integer speed = usage.speedMegabitsPerSecond();
        if (Boolean.TRUE.equals(usage.up()) && speed != null && speed > 0) {
            if (nic.speed != null && !nic.speed.equals(speed)) {
                changes.linked(name, nic.speed, speed);
            }
            nic.speed = speed;
        }
        Long received = usage.receiveDropped();
        Long sent = usage.sendDropped();
        long dropped = received == null || sent == null ? -1 : received + sent;
        if (usage.ratePercent() > 0 && seconds > 0 && nic.dropped >= 0 && dropped >= nic.dropped) {
            nic.loss =
                    MeasuredVm.added(
                            nic.loss,
                            RegressionMetric.INTERFACE_LOSS,
                            () -> Owners.hostInterface(id, name, present),
                            1 + (dropped - nic.dropped) / seconds,
                            series);
        }
        nic.dropped = dropped;
    }
}
