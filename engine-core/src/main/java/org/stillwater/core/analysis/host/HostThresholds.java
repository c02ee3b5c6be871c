package org.stillwater.core.analysis.host;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostStatistics;

/**
 * Audit events of a host's exceeded thresholds (monitoring specification §3.3). Pure: it returns
 * the same events while a threshold is exceeded, and flood control removes the repeats. A value
 * that the host does not report exceeds no threshold.
 */
public final class HostThresholds {

    /** Swap space may be this share of its limit before it is called low (appendix, fixed). */
    private static final double SWAP_TOLERANCE = 0.98;

    private final HostLimits limits;
    private final List<HostAudit> audits = new ArrayList<>(0);

    private HostThresholds(HostLimits limits) {
        this.limits = limits;
    }

    /**
     * Compares one answer with the limits, and with the answer before.
     *
     * @param statistics the newest answer
     * @param before usage that the answer before showed
     * @param usage usage that the newest answer shows
     * @param roles roles of the interfaces
     * @param memory the cluster's limits of memory
     * @param physicalMebibytes the host's memory, null when not known
     * @param now the engine's wall clock at the answer
     */
    public static List<HostAudit> decide(
            HostStatistics statistics,
            HostUsage before,
            HostUsage usage,
            HostNicRoles roles,
            HostLimits limits,
            MemoryThresholds memory,
            @Nullable Long physicalMebibytes,
            Instant now) {
        HostThresholds thresholds = new HostThresholds(limits);
        thresholds.memory(statistics.memory(), memory, physicalMebibytes);
        thresholds.cpu(usage.cpuPercent());
        thresholds.swap(statistics.memory());
        thresholds.disks(statistics.localDisksFreeMebibytes());
        thresholds.clock(statistics.hostClock(), now);
        thresholds.interfaces(before, usage, roles);
        return thresholds.audits;
    }

    /** Audit events of a host's capabilities: SELinux is off, or not known to be on. */
    public static List<HostAudit> decide(HostCapabilities capabilities) {
        Integer mode = capabilities.security().selinuxMode();
        if (mode != null && mode >= 0) {
            return List.of();
        }
        return List.of(
                new HostAudit(
                        AuditEvent.VDS_NO_SELINUX_ENFORCEMENT,
                        Map.of("mode", mode == null ? "not reported" : "disabled")));
    }

    /** Memory in static huge pages is taken whether it is used or not, so it is left out. */
    private void memory(
            HostStatistics.Memory memory,
            MemoryThresholds cluster,
            @Nullable Long physicalMebibytes) {
        Long free = memory.freeMebibytes();
        if (free == null) {
            return;
        }
        if (free < cluster.leastFreeMebibytes()) {
            tell(
                    AuditEvent.VDS_LOW_MEM,
                    "freeMebibytes",
                    free,
                    "thresholdMebibytes",
                    cluster.leastFreeMebibytes());
        }
        double ordinary =
                (physicalMebibytes == null ? 0 : physicalMebibytes)
                        - HostUsages.hugePagesMebibytes(memory.hugePages(), false);
        if (ordinary > 0) {
            long used = Math.clamp(100 - Math.round(100 * free / ordinary), 0, 100);
            tellAbove(AuditEvent.VDS_HIGH_MEM_USE, used, cluster.mostUsedPercent());
        }
    }

    private void cpu(@Nullable Integer percent) {
        if (percent != null) {
            tellAbove(AuditEvent.VDS_HIGH_CPU_USE, percent, limits.cpuPercent());
        }
    }

    private void swap(HostStatistics.Memory memory) {
        Long total = memory.swapTotalMebibytes();
        Long free = memory.swapFreeMebibytes();
        if (total == null || free == null || total <= 0) {
            return;
        }
        if (free < Math.round(SWAP_TOLERANCE * limits.swapFreeMebibytes())) {
            audits.add(
                    new HostAudit(
                            AuditEvent.VDS_LOW_SWAP, Map.of("freeMebibytes", free.toString())));
        }
        tellAbove(
                AuditEvent.VDS_HIGH_SWAP_USE,
                Math.clamp(100 * (total - free) / total, 0, 100),
                limits.swapUsedPercent());
    }

    private void disks(Map<String, Long> freeMebibytes) {
        freeMebibytes.forEach((path, free) -> {
            AuditEvent event =
                    free <= limits.diskErrorMebibytes()
                            ? AuditEvent.VDS_LOW_DISK_SPACE_ERROR
                            : AuditEvent.VDS_LOW_DISK_SPACE;
            if (free <= Math.max(limits.diskErrorMebibytes(), limits.diskWarningMebibytes())) {
                tell(event, "path", path, "freeMebibytes", free);
            }
        });
    }

    /** A wrong clock has no effect: no decision depends on a host's wall clock. */
    private void clock(@Nullable Instant hostClock, Instant now) {
        if (hostClock == null || limits.clockDrift().isZero()) {
            return;
        }
        Duration ahead = Duration.between(now, hostClock);
        if (ahead.abs().compareTo(limits.clockDrift()) > 0) {
            tell(
                    AuditEvent.VDS_TIME_DRIFT_ALERT,
                    "seconds",
                    ahead.abs().toSeconds(),
                    "direction",
                    ahead.isNegative() ? "behind" : "ahead of");
        }
    }

    private void interfaces(HostUsage before, HostUsage usage, HostNicRoles roles) {
        for (Map.Entry<String, HostNicUsage> entry : usage.nics().entrySet()) {
            String name = entry.getKey();
            HostNicUsage nic = entry.getValue();
            HostNicRoles.Role role = roles.of(name);
            double rate = nic.ratePercent();
            if (role.counted() && rate > limits.networkPercent()) {
                audits.add(
                        new HostAudit(
                                AuditEvent.HOST_INTERFACE_HIGH_NETWORK_USE,
                                Map.of(
                                        "interface",
                                        name,
                                        "percent",
                                        Long.toString((long) rate),
                                        "thresholdPercent",
                                        Integer.toString(limits.networkPercent()))));
            }
            HostNicUsage was = before.nics().get(name);
            if (role.used()
                    && was != null
                    && was.up() != null
                    && nic.up() != null
                    && !was.up().equals(nic.up())) {
                flipped(name, nic.up(), role.bond());
            }
        }
    }

    private void flipped(String nic, boolean up, @Nullable String bond) {
        if (bond == null) {
            audits.add(
                    new HostAudit(
                            up
                                    ? AuditEvent.HOST_INTERFACE_STATE_UP
                                    : AuditEvent.HOST_INTERFACE_STATE_DOWN,
                            Map.of("interface", nic)));
        } else {
            tell(
                    up
                            ? AuditEvent.HOST_BOND_SLAVE_STATE_UP
                            : AuditEvent.HOST_BOND_SLAVE_STATE_DOWN,
                    "interface",
                    nic,
                    "bond",
                    bond);
        }
    }

    private void tellAbove(AuditEvent event, long percent, int limit) {
        if (percent > limit) {
            tell(event, "percent", percent, "thresholdPercent", limit);
        }
    }

    private void tell(
            AuditEvent event, String first, Object firstValue, String second, Object secondValue) {
        audits.add(
                new HostAudit(
                        event,
                        Map.of(first, firstValue.toString(), second, secondValue.toString())));
    }
}
