package org.stillwater.monitoring.host;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.history.RingFormat;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.audit.AuditLog;
import org.stillwater.monitoring.belief.BeliefLog;
import org.stillwater.monitoring.cadence.CadenceControl;
import org.stillwater.monitoring.device.DeviceServices;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.job.VmJobs;
import org.stillwater.monitoring.lun.LunSizes;
import org.stillwater.monitoring.numa.NumaNodes;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.trust.HostCertificates;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmSignals;
import org.stillwater.monitoring.write.BatchWriter;

/**
 * Services that the monitors of all hosts share; each is thread-safe.
 *
 * @param startedNanos when the engine began, monotonic
 * @param uniqueNumbers gives each complete poll of any host its own number, by which VMs that it
 *     mentioned are marked, and each boot of a host, so that no stamp is compared with one that
 *     another monitor of the same host accepted
 * @param recentHistory how hosts keep their recent history, null for not at all
 * @param beliefs the transitions of VMs and hosts
 * @param cadence whether and how the intervals of hosts adapt
 */
public record HostServices(
        HostMonitorSettings settings,
        HostConnector connector,
        VmRegistry registry,
        ChangeFeed feed,
        BatchWriter writer,
        AuditLog audit,
        EngineClock clock,
        MonitoringMeters meters,
        Caches caches,
        Fleet fleet,
        Signals signals,
        HostRules rules,
        long startedNanos,
        AtomicInteger uniqueNumbers,
        @Nullable RingFormat recentHistory,
        BeliefLog beliefs,
        CadenceControl cadence) {

    /** Caches beside the statistics; each is touched only when a trigger of its own fires. */
    public record Caches(
            DeviceServices devices,
            VmJobs jobs,
            LunSizes luns,
            NumaNodes numa,
            HostCertificates certificates) {}

    /**
     * Listeners to durable changes.
     *
     * @param vms learns of VMs that need an action
     * @param hosts learns of changes of hosts' status
     */
    public record Signals(VmSignals vms, HostSignals hosts) {}
}
