package org.stillwater.core.port;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.VmId;

/** Samples of VM statistics for readers outside the engine. The engine never reads them. */
public interface StatisticsStore {

    /**
     * Saves these samples in one transaction, only where they differ.
     *
     * @param samples at most one per VM, sorted by VM
     */
    WriteOutcome dump(List<Sample> samples);

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
}
