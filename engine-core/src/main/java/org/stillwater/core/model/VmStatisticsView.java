package org.stillwater.core.model;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One VM's statistics, copied out of memory at one moment. A null or NaN is "not known": never
 * reported, or no rate computable yet.
 *
 * @param observedAt when the engine received the report that these come from
 * @param cpuUserPercent user time in % of one core, summed over virtual CPUs
 * @param cpuSystemPercent system time in % of one core, summed over virtual CPUs
 * @param usageCpuPercent 0–100, whole machine
 * @param usageMemoryPercent 0–100; 0 when the agent is down
 * @param usageNetworkPercent 0–100, the busiest direction of the busiest interface
 * @param elapsedSeconds guest uptime
 * @param memoryFreeKibibytes free in the guest, null when not reported
 * @param memoryUnusedKibibytes unused in the guest, null when not reported
 * @param memoryBufferedKibibytes buffers in the guest, null when not reported
 * @param memoryCachedKibibytes page cache in the guest, null when not reported
 * @param balloonCurrentKibibytes current balloon, null when not reported
 * @param balloonMaximumKibibytes balloon maximum, null when not reported
 * @param balloonTargetKibibytes balloon target, null when not reported
 * @param balloonMinimumKibibytes balloon minimum, null when not reported
 * @param migrationProgressPercent 0–100 while migrating, else null
 * @param disksUsage guest file systems as JSON text, null when not reported
 * @param nics interface samples
 * @param disks disk samples
 * @param cpuHistory most recent CPU usage samples in %, oldest first
 * @param memoryHistory most recent memory usage samples in %, oldest first
 * @param networkHistory most recent network usage samples in %, oldest first
 */
public record VmStatisticsView(
        Instant observedAt,
        double cpuUserPercent,
        double cpuSystemPercent,
        int usageCpuPercent,
        int usageMemoryPercent,
        int usageNetworkPercent,
        long elapsedSeconds,
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
     * @param mac MAC address
     * @param receivedBytes bytes received since first seen, counter resets bridged
     * @param sentBytes bytes sent since first seen, counter resets bridged
     * @param receiveRatePercent 0–100 of the nominal speed, null without two samples
     * @param sendRatePercent 0–100 of the nominal speed, null without two samples
     * @param receiveDropped packets dropped on receipt
     * @param sendDropped packets dropped on sending
     * @param sampleTimeSeconds the host's monotonic clock at the sample
     */
    public record Nic(
            String mac,
            long receivedBytes,
            long sentBytes,
            @Nullable Double receiveRatePercent,
            @Nullable Double sendRatePercent,
            long receiveDropped,
            long sendDropped,
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
            long readOperations,
            long writeOperations,
            long actualSizeBytes,
            double readLatencySeconds,
            double writeLatencySeconds,
            double flushLatencySeconds) {}
}
