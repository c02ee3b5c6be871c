package org.stillwater.core.store;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.vm.InterfaceStatus;

/**
 * Samples of the statistics of VMs and hosts for readers outside the engine. The engine never reads
 * them.
 */
public interface StatisticsStore {

    /**
     * Saves these samples as one batch, only where they differ. Interfaces and disks are saved with
     * the VM or host that they belong to. Those that a sample does not name are removed, but only
     * if the sample marks them as possibly changed: a dump without a changed set searches for
     * nothing to remove.
     *
     * @param vms at most one per VM, sorted by VM
     * @param hosts at most one per host, sorted by host
     */
    WriteOutcome dump(List<Sample> vms, List<HostSample> hosts);

    /**
     * Records by the database's clock that the engine is alive, and checks for readers. One
     * statement and one row for any size of the fleet.
     */
    ReaderSigns heartbeat() throws StoreUnavailable;

    /** Checks for readers without a write. */
    ReaderSigns readerSigns() throws StoreUnavailable;

    /**
     * Shows samples to readers, or hides them: then every view of samples is empty. One row.
     * Samples are hidden until they are shown for the first time.
     */
    WriteOutcome show(boolean shown);

    /**
     * Signs that a data warehouse reads. Actions of the engine or of a backup do not change them.
     *
     * @param shown whether readers see samples
     * @param reads how often views of samples were read since the database last began to count;
     *     null if it does not count
     * @param progress differs whenever a warehouse has recorded something of its own
     */
    record ReaderSigns(boolean shown, @Nullable Long reads, String progress) {}

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
     * @param nics interfaces of the definition that were ever reported
     * @param disks images of the newest report, each once
     * @param partsChanged whether the interfaces or disks may be others than those saved last, in
     *     this life of the engine; always true for the first sample of a VM
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
            @Nullable Long memoryCachedKibibytes,
            List<NicSample> nics,
            List<DiskSample> disks,
            boolean partsChanged) {

        public Sample {
            nics = List.copyOf(nics);
            disks = List.copyOf(disks);
        }
    }

    /**
     * The values of one interface of a VM that are sampled (monitoring specification §1.4). Null is
     * "not known".
     *
     * @param id identity in the definition
     * @param status whether the newest report has it
     * @param receiveRatePercent 0–100 of the nominal speed
     * @param sendRatePercent 0–100 of the nominal speed
     * @param receiveDropped packets
     * @param sendDropped packets
     * @param receivedBytes counter plus offset
     * @param sentBytes counter plus offset
     * @param receivedOffsetBytes offset added to the host's counter
     * @param sentOffsetBytes offset added to the host's counter
     * @param sampleTimeSeconds the host's monotonic clock
     */
    record NicSample(
            UUID id,
            InterfaceStatus status,
            @Nullable Double receiveRatePercent,
            @Nullable Double sendRatePercent,
            @Nullable Long receiveDropped,
            @Nullable Long sendDropped,
            @Nullable Long receivedBytes,
            @Nullable Long sentBytes,
            @Nullable Long receivedOffsetBytes,
            @Nullable Long sentOffsetBytes,
            @Nullable Double sampleTimeSeconds) {}

    /**
     * The values of one disk of a VM that are sampled (monitoring specification §1.4). Null is "not
     * known".
     *
     * @param imageId the disk, as hosts name it
     * @param readBytesPerSecond by this VM
     * @param writeBytesPerSecond by this VM
     * @param readOperations of this VM so far
     * @param writeOperations of this VM so far
     * @param actualSizeBytes allocated
     * @param readLatencySeconds mean of the host's last interval
     * @param writeLatencySeconds mean of the host's last interval
     * @param flushLatencySeconds mean of the host's last interval
     */
    record DiskSample(
            UUID imageId,
            @Nullable Long readBytesPerSecond,
            @Nullable Long writeBytesPerSecond,
            @Nullable Long readOperations,
            @Nullable Long writeOperations,
            @Nullable Long actualSizeBytes,
            @Nullable Double readLatencySeconds,
            @Nullable Double writeLatencySeconds,
            @Nullable Double flushLatencySeconds) {}

    /**
     * The values of one host that are sampled (monitoring specification §1.8).
     *
     * @param hostId the host
     * @param statistics its newest answer
     * @param usage usage by these statistics
     * @param nicsChanged whether the interfaces may be others than those saved last, in this life
     *     of the engine; always true for the first sample of a host
     */
    record HostSample(
            HostId hostId, HostStatistics statistics, HostUsage usage, boolean nicsChanged) {}
}
