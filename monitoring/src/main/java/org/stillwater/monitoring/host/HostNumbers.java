package org.stillwater.monitoring.host;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.host.HostAudit;
import org.stillwater.core.analysis.host.HostLimits;
import org.stillwater.core.analysis.host.HostNicRoles;
import org.stillwater.core.analysis.host.HostThresholds;
import org.stillwater.core.analysis.host.HostUsages;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostUsage;
import org.stillwater.core.model.MemoryThresholds;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.monitoring.audit.AuditLog;

/**
 * A host's numbers: keeps the newest, derives usage and rates from two in a row, and tells what
 * crosses a limit. They live in memory only; an answer costs no statement.
 *
 * <p>The host's thread changes them, any thread reads them.
 */
public final class HostNumbers {

    private final HostId id;
    private final HostLimits limits;
    private final AuditLog audits;
    private final EngineClock clock;

    private volatile Seen seen = new Seen(null, null, HostUsage.UNKNOWN);

    // Used by the host's thread only.
    private HostNicRoles roles = HostNicRoles.NONE;
    private @Nullable Long physicalMebibytes;

    /**
     * What is known at one moment.
     *
     * @param statistics the newest answer, null before the first
     * @param at when it arrived
     * @param usage what it shows
     */
    public record Seen(
            @Nullable HostStatistics statistics, @Nullable Instant at, HostUsage usage) {}

    HostNumbers(HostId id, HostLimits limits, AuditLog audits, EngineClock clock) {
        this.id = id;
        this.limits = limits;
        this.audits = audits;
        this.clock = clock;
    }

    /** What is known. Any thread. */
    public Seen seen() {
        return seen;
    }

    /** The host said what it is: what its interfaces are for and how much memory it has. */
    void take(HostCapabilities capabilities) {
        roles = HostNicRoles.of(capabilities.network());
        physicalMebibytes = capabilities.memory().physicalMebibytes();
        tell(HostThresholds.decide(capabilities));
    }

    /** The host said how it fares. */
    void take(HostStatistics statistics, MemoryThresholds memory) {
        HostUsage before = seen.usage();
        HostUsage usage = HostUsages.next(before, statistics, roles, physicalMebibytes);
        Instant now = clock.now();
        seen = new Seen(statistics, now, usage);
        tell(
                HostThresholds.decide(
                        statistics, before, usage, roles, limits, memory, physicalMebibytes, now));
    }

    /** The host was given up or went out of service (monitoring specification §3.4). */
    void zeroUsage() {
        Seen last = seen;
        seen = new Seen(last.statistics(), last.at(), last.usage().zero());
    }

    private void tell(List<HostAudit> decided) {
        for (HostAudit audit : decided) {
            audits.record(audit.event(), null, id, audit.details());
        }
    }
}
