package org.stillwater.core.vm;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One VM's statistics, copied out of memory at one moment (monitoring specification §1.3, §1.4). A
 * null or NaN is "not known": never reported, or no rate computable. Units and sources of all
 * values: {@link StatisticsField}.
 *
 * @param observedAt when the engine received the report that these come from, or saw the VM stop
 * @param cpuUserPercent user time in % of one core, summed over virtual CPUs
 * @param cpuSystemPercent system time in % of one core, summed over virtual CPUs
 * @param usageCpuPercent 0–100, whole machine
 * @param usageMemoryPercent 0–100; 0 when the agent is down
 * @param usageNetworkPercent 0–100, the busiest direction of the busiest interface
 * @param elapsedSeconds guest uptime
 * @param memoryFreeKibibytes free in the guest
 * @param memoryUnusedKibibytes unused in the guest
 * @param memoryBufferedKibibytes buffers in the guest
 * @param memoryCachedKibibytes page cache in the guest
 * @param balloonCurrentKibibytes current balloon
 * @param balloonMaximumKibibytes balloon maximum
 * @param balloonTargetKibibytes balloon target
 * @param balloonMinimumKibibytes balloon minimum
 * @param migrationProgressPercent 0–100 while migrating, 0 after a migration failed, else null
 * @param disksUsage guest file systems as JSON text
 * @param nics interfaces of the definition that were ever reported
 * @param disks disks of the newest report
 * @param cpuHistory most recent CPU usage samples in %, oldest first
 * @param memoryHistory most recent memory usage samples in %, oldest first
 * @param networkHistory most recent network usage samples in %, oldest first
 */
public record VmStatisticsView(
        Instant observedAt,
        double cpuUserPercent,
        double cpuSystemPercent,
        @Nullable Integer usageCpuPercent,
        @Nullable Integer usageMemoryPercent,
        @Nullable Integer usageNetworkPercent,
        @Nullable Long elapsedSeconds,
        @Nullable Long memoryFreeKibibytes,
        @Nullable Long memoryUnusedKibibytes,
        @Nullable Long memoryBufferedKibibytes,
        @Nullable Long memoryCachedKibibytes,
        @Nullable Long balloonCurrentKibibytes,
        @Nullable Long balloonMaximumKibibytes,
        @Nullable Long balloonTargetKibibytes,
        @Nullable Long balloonMinimumKibibytes,
        @Nullable Integer migrationProgressPercent,
        @Nullable String disksUsage,
        List<Nic> nics,
        List<Disk> disks,
        List<Integer> cpuHistory,
        List<Integer> memoryHistory,
        List<Integer> networkHistory) {

    public VmStatisticsView {
        nics = List.copyOf(nics);
        disks = List.copyOf(disks);
        cpuHistory = List.copyOf(cpuHistory);
        memoryHistory = List.copyOf(memoryHistory);
        networkHistory = List.copyOf(networkHistory);
    }

    /**
     * One interface.
     *
     * @param id identity in the definition
     * @param name name in the definition
     * @param mac MAC address
     * @param status whether the newest report has it
     * @param speedMegabitsPerSecond nominal speed by the definition, the base of the rates
     * @param receivedBytes bytes received since first seen, counter resets bridged
     * @param sentBytes bytes sent since first seen, counter resets bridged
     * @param receivedOffsetBytes offset added to the host's counter
     * @param sentOffsetBytes offset added to the host's counter
     * @param receiveRatePercent 0–100 of the nominal speed, null without two samples
     * @param sendRatePercent 0–100 of the nominal speed, null without two samples
     * @param receiveDropped packets dropped on receipt
     * @param sendDropped packets dropped on sending
     * @param sampleTimeSeconds the host's monotonic clock at the sample
     */
    public record Nic(
            UUID id,
            String name,
            String mac,
            InterfaceStatus status,
            int speedMegabitsPerSecond,
            @Nullable Long receivedBytes,
            @Nullable Long sentBytes,
            @Nullable Long receivedOffsetBytes,
            @Nullable Long sentOffsetBytes,
            @Nullable Double receiveRatePercent,
            @Nullable Double sendRatePercent,
            @Nullable Long receiveDropped,
            @Nullable Long sendDropped,
            double sampleTimeSeconds) {}

    /**
     * One disk.
     *
     * @param name target device in the guest's definition, for example {@code vda}
     * @param imageId image UUID text, null for CD-ROM and LUN
     * @param lunId LUN GUID, null for images
     * @param readBytesPerSecond read rate
     * @param writeBytesPerSecond write rate
     * @param readOperations cumulative reads
     * @param writeOperations cumulative writes
     * @param actualSizeBytes allocated size
     * @param readLatencySeconds mean latency of reads in the last interval
     * @param writeLatencySeconds mean latency of writes in the last interval
     * @param flushLatencySeconds mean latency of flushes in the last interval
     */
    public record Disk(
            String name,
            @Nullable String imageId,
            @Nullable String lunId,
            double readBytesPerSecond,
            double writeBytesPerSecond,
            @Nullable Long readOperations,
            @Nullable Long writeOperations,
            @Nullable Long actualSizeBytes,
            double readLatencySeconds,
            double writeLatencySeconds,
            double flushLatencySeconds) {}
}
