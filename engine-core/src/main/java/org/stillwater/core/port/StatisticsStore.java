package org.stillwater.core.port;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostUsage;
import org.stillwater.core.model.VmId;
import org.stillwater.core.report.HostStatistics;

/**
 * Samples of the statistics of VMs and hosts for readers outside the engine. The engine never reads
 * them.
 */
public interface StatisticsStore {

    /**
     * Saves these samples as one batch, only where they differ. A host's interfaces are saved with
     * it, and those that its sample does not name are removed.
     *
     * @param vms at most one per VM, sorted by VM
     * @param hosts at most one per host, sorted by host
     */
    WriteOutcome dump(List<Sample> vms, List<HostSample> hosts);

    /**
     * The values of one VM that are sampled (monitoring specification §1.3). Null is "not known".
     *
     * @param vmId the VM
     * @param cpuUserPercent user time, % of one core, summed over virtual CPUs
     * @param cpuSystemPercent system time, % of one core, summed over virtual CPUs
     * @param elapsedSeconds guest uptime
     * @param usageCpuPercent 0–100
     * @param usageMemoryPercent 0–100
     * @param usageNetworkPercent 0–100
     * @param disksUsage guest file systems, JSON text
     * @param memoryBufferedKibibytes buffers in the guest
     * @param memoryCachedKibibytes page cache in the guest
     */
    record Sample(
            VmId vmId,
            @Nullable Double cpuUserPercent,
            @Nullable Double cpuSystemPercent,
            @Nullable Long elapsedSeconds,
            @Nullable Integer usageCpuPercent,
            @Nullable Integer usageMemoryPercent,
            @Nullable Integer usageNetworkPercent,
            @Nullable String disksUsage,
            @Nullable Long memoryBufferedKibibytes,
            @Nullable Long memoryCachedKibibytes) {}

    /**
     * The values of one host that are sampled (monitoring specification §1.8).
     *
     * @param hostId the host
     * @param statistics its newest answer
     * @param usage what that shows
     */
    record HostSample(HostId hostId, HostStatistics statistics, HostUsage usage) {}
}
