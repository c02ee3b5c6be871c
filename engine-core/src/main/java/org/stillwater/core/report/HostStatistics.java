package org.stillwater.core.report;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A host's numbers of one cycle (protocol specification §3.5). Null stands for "not reported": for
 * half a minute after its start a host leaves much out (§3.5.2).
 *
 * @param cpuUserPercent user time of the whole host
 * @param cpuSystemPercent system time of the whole host
 * @param cpuIdlePercent idle time of the whole host
 * @param cpuLoad five-minute load average
 * @param memoryUsedPercent used memory
 * @param memoryFreeMebibytes memory available for VMs
 * @param memorySharedMebibytes memory merged by KSM
 * @param swapTotalMebibytes swap space
 * @param swapFreeMebibytes free swap space
 * @param anonymousHugePagesMebibytes transparent huge pages in use
 * @param ksmCpuPercent CPU used by KSM
 * @param ksmPages pages merged per pass
 * @param ksmState whether KSM runs
 * @param vmCount VMs on the host
 * @param vmActive running VMs
 * @param vmMigrating migrating VMs
 * @param incomingMigrations migrations towards this host
 * @param outgoingMigrations migrations away from this host
 * @param bootTimeEpochSeconds when the host booted
 * @param hostClock the host's wall clock
 * @param elapsedSeconds seconds since the host agent started
 */
public record HostStatistics(
        @Nullable Double cpuUserPercent,
        @Nullable Double cpuSystemPercent,
        @Nullable Double cpuIdlePercent,
        @Nullable Double cpuLoad,
        @Nullable Integer memoryUsedPercent,
        @Nullable Long memoryFreeMebibytes,
        @Nullable Long memorySharedMebibytes,
        @Nullable Long swapTotalMebibytes,
        @Nullable Long swapFreeMebibytes,
        @Nullable Long anonymousHugePagesMebibytes,
        @Nullable Integer ksmCpuPercent,
        @Nullable Long ksmPages,
        @Nullable Boolean ksmState,
        @Nullable Integer vmCount,
        @Nullable Integer vmActive,
        @Nullable Integer vmMigrating,
        @Nullable Integer incomingMigrations,
        @Nullable Integer outgoingMigrations,
        @Nullable Long bootTimeEpochSeconds,
        @Nullable Instant hostClock,
        @Nullable Double elapsedSeconds,
        List<NumaNodeStatistics> numaNodes) {

    public HostStatistics {
        numaNodes = List.copyOf(numaNodes);
    }
}
