package org.stillwater.monitoring.host;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.host.HostAudit;
import org.stillwater.core.analysis.host.HostHistory;
import org.stillwater.core.analysis.host.HostLimits;
import org.stillwater.core.analysis.host.HostNicRoles;
import org.stillwater.core.analysis.host.HostThresholds;
import org.stillwater.core.analysis.host.HostUsages;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.RingFormat;
import org.stillwater.core.history.SampleRing;
import org.stillwater.core.history.Samples;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.MonitoringMeters;

/**
 * A host's numbers: keeps the newest, derives usage and rates from two in a row, and reports
 * exceeded limits. They live in memory only; an answer costs no statement.
 *
 * <p>The host's thread changes them, any thread reads them.
 */
public final class HostNumbers {

    private final HostId id;
    private final HostLimits limits;
    private final HostAuditLog audits;
    private final EngineClock clock;
    private final MonitoringMeters meters;

    private volatile Seen seen = new Seen(null, null, HostUsage.UNKNOWN);
    private volatile @Nullable Observed observed;

    /** Guarded by itself: a reader takes its copy while nothing is added. */
    private final @Nullable SampleRing ring;

    // Used by the host's thread only.
    private HostNicRoles roles = HostNicRoles.NONE;
    private @Nullable Long physicalMebibytes;

    /**
     * Known numbers at one moment.
     *
     * @param statistics the newest answer, null before the first
     * @param at when it arrived
     * @param usage usage by these statistics
     */
    public record Seen(
            @Nullable HostStatistics statistics, @Nullable Instant at, HostUsage usage) {}

    /** The numbers of which history is kept, as the newest answer shows them. */
    @SuppressWarnings("ArrayRecordComponent") // never changed, and copied for readers
    private record Observed(long epochMillis, double[] values) {}

    HostNumbers(
            HostId id,
            HostLimits limits,
            HostAuditLog audits,
            EngineClock clock,
            MonitoringMeters meters,
            @Nullable RingFormat recentHistory) {
        this.ring = recentHistory == null ? null : new SampleRing(recentHistory);
        this.meters = meters;
        this.id = id;
        this.limits = limits;
        this.audits = audits;
        this.clock = clock;
    }

    /** Known numbers. Any thread. */
    public Seen seen() {
        return seen;
    }

    /**
     * The numbers of which history is kept, in the order of {@link HistoryMetric#of} a host; NaN
     * for those that the newest answer lacks. Any thread.
     *
     * @param into where to put them, at least as many as there are metrics
     * @return when they were observed, ms since the epoch: they do not cover later times. 0 before
     *     the first answer and while the host is given up or out of service; all are unknown then
     */
    public long history(double[] into) {
        Observed newest = observed;
        if (newest == null) {
            Arrays.fill(into, 0, HistoryMetric.of(Subject.HOST).size(), Double.NaN);
            return 0;
        }
        System.arraycopy(newest.values(), 0, into, 0, newest.values().length);
        return newest.epochMillis();
    }

    /** The host's recent history; null if it is switched off. Any thread. */
    public @Nullable Samples recent() {
        SampleRing kept = ring;
        if (kept == null || seen.at() == null) {
            return null;
        }
        synchronized (kept) {
            return kept.samples();
        }
    }

    /** Takes the roles of its interfaces and its memory from the host's capabilities. */
    void take(HostCapabilities capabilities) {
        roles = HostNicRoles.of(capabilities.network());
        physicalMebibytes = capabilities.memory().physicalMebibytes();
        tell(HostThresholds.decide(capabilities));
    }

    /** Takes the host's newest statistics. */
    void take(HostStatistics statistics, MemoryThresholds memory) {
        HostUsage before = seen.usage();
        HostUsage usage = HostUsages.next(before, statistics, roles, physicalMebibytes);
        Instant now = clock.now();
        seen = new Seen(statistics, now, usage);
        Observed next =
                new Observed(now.toEpochMilli(), HostHistory.values(statistics, usage, roles));
        observed = next;
        SampleRing kept = ring;
        if (kept != null) {
            int cut;
            synchronized (kept) {
                cut = kept.add(next.epochMillis(), next.values());
            }
            meters.historyCutShort(Subject.HOST, cut);
        }
        tell(
                HostThresholds.decide(
                        statistics, before, usage, roles, limits, memory, physicalMebibytes, now));
    }

    /** The host was given up or went out of service (monitoring specification §3.4). */
    void forgetUsage() {
        Seen last = seen;
        observed = null;
        seen = new Seen(last.statistics(), last.at(), last.usage().forgotten());
    }

    /** The host left contact: its report of storage domains may be outdated when it is back. */
    void forgetStorage() {
        Seen last = seen;
        HostStatistics statistics = last.statistics();
        if (statistics != null) {
            seen = new Seen(statistics.withoutStorageDomains(), last.at(), last.usage());
        }
    }

    private void tell(List<HostAudit> decided) {
        for (HostAudit audit : decided) {
            audits.record(audit.event(), null, id, audit.details());
        }
    }
}
