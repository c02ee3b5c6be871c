package org.stillwater.core.report;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.value.Wire;

/**
 * A host's numbers of one cycle (protocol specification §3.5). Null or empty stands for "not
 * reported": for half a minute after its start a host leaves much out (§3.5.2). {@link HostField}
 * has a row for each value; {@link HostValues} puts one together from such rows.
 *
 * @param cpu processors
 * @param memory memory and swap space
 * @param ksm merging of equal memory pages
 * @param vms counts of VMs
 * @param nics interfaces by name
 * @param localDisksFreeMebibytes free space of the host's own file systems by path
 * @param storageDomains how storage domains answer, by their id
 * @param multipathHealth paths to LUNs that have lost some, by the LUN's id
 * @param v2vJobs conversions of foreign VMs, by job
 * @param hostedEngine the host as a home of the hosted engine
 * @param networkConfigurationDirty whether the network configuration in force is not the saved one
 * @param bootTimeEpochSeconds when the host booted
 * @param hostClock the host's wall clock
 * @param elapsedSeconds seconds since the host agent started
 * @param numaNodes NUMA nodes by number
 */
public record HostStatistics(
        Cpu cpu,
        Memory memory,
        Ksm ksm,
        Vms vms,
        Map<String, Nic> nics,
        Map<String, Long> localDisksFreeMebibytes,
        Map<String, StorageDomain> storageDomains,
        Map<String, Multipath> multipathHealth,
        Map<String, V2vJob> v2vJobs,
        HostedEngine hostedEngine,
        @Nullable Boolean networkConfigurationDirty,
        @Nullable Long bootTimeEpochSeconds,
        @Nullable Instant hostClock,
        @Nullable Double elapsedSeconds,
        List<NumaNodeStatistics> numaNodes) {

    public HostStatistics {
        nics = Sorted.copyOf(nics);
        localDisksFreeMebibytes = Sorted.copyOf(localDisksFreeMebibytes);
        storageDomains = Sorted.copyOf(storageDomains);
        multipathHealth = Sorted.copyOf(multipathHealth);
        v2vJobs = Sorted.copyOf(v2vJobs);
        numaNodes = List.copyOf(numaNodes);
    }

    /** The same without a word of storage domains. */
    public HostStatistics withoutStorageDomains() {
        return new HostStatistics(
                cpu,
                memory,
                ksm,
                vms,
                nics,
                localDisksFreeMebibytes,
                Map.of(),
                multipathHealth,
                v2vJobs,
                hostedEngine,
                networkConfigurationDirty,
                bootTimeEpochSeconds,
                hostClock,
                elapsedSeconds,
                numaNodes);
    }

    /**
     * Processors.
     *
     * @param userPercent user time of the whole host
     * @param systemPercent system time of the whole host
     * @param idlePercent idle time of the whole host
     * @param load five-minute load average
     * @param cores each processor
     */
    public record Cpu(
            @Nullable Double userPercent,
            @Nullable Double systemPercent,
            @Nullable Double idlePercent,
            @Nullable Double load,
            List<Core> cores) {

        public Cpu {
            cores = List.copyOf(cores);
        }
    }

    /**
     * One processor.
     *
     * @param cpu its number
     * @param numaNode its NUMA node, −1 if not reported
     * @param userPercent user time
     * @param systemPercent system time
     * @param idlePercent idle time
     */
    public record Core(
            @Wire("(its key)") int cpu,
            @Wire("nodeIndex") int numaNode,
            @Wire(value = "cpuUser", unit = "%") @Nullable Double userPercent,
            @Wire(value = "cpuSys", unit = "%") @Nullable Double systemPercent,
            @Wire(value = "cpuIdle", unit = "%") @Nullable Double idlePercent) {}

    /**
     * Memory and swap space.
     *
     * @param usedPercent used memory, as the host sees it
     * @param freeMebibytes memory available for VMs
     * @param sharedMebibytes memory merged by KSM
     * @param swapTotalMebibytes swap space
     * @param swapFreeMebibytes free swap space
     * @param anonymousHugePagesMebibytes transparent huge pages in use
     * @param transparentHugePages when they are used: {@code always}, {@code madvise} or {@code
     *     never}
     * @param hugePages static huge pages, by size in KiB
     */
    public record Memory(
            @Nullable Integer usedPercent,
            @Nullable Long freeMebibytes,
            @Nullable Long sharedMebibytes,
            @Nullable Long swapTotalMebibytes,
            @Nullable Long swapFreeMebibytes,
            @Nullable Long anonymousHugePagesMebibytes,
            @Nullable String transparentHugePages,
            Map<String, HugePages> hugePages) {

        public Memory {
            hugePages = Sorted.copyOf(hugePages);
        }
    }

    /**
     * Static huge pages of one size.
     *
     * @param total pages
     * @param free free pages
     * @param freeForVms free pages that VMs may take
     */
    public record HugePages(
            @Wire(value = "nr_hugepages", unit = "pages") @Nullable Long total,
            @Wire(value = "free_hugepages", unit = "pages") @Nullable Long free,
            @Wire(value = "vm.free_hugepages", unit = "pages") @Nullable Long freeForVms) {}

    /**
     * Merging of equal memory pages.
     *
     * @param running whether it runs
     * @param pages pages scanned per pass
     * @param acrossNodes whether pages of different NUMA nodes are merged
     * @param cpuPercent CPU that it uses
     */
    public record Ksm(
            @Nullable Boolean running,
            @Nullable Long pages,
            @Nullable Boolean acrossNodes,
            @Nullable Integer cpuPercent) {}

    /**
     * Counts of VMs.
     *
     * @param count on the host
     * @param active running
     * @param migrating migrating
     * @param incoming migrations towards this host
     * @param outgoing migrations away from this host
     */
    public record Vms(
            @Nullable Integer count,
            @Nullable Integer active,
            @Nullable Integer migrating,
            @Nullable Integer incoming,
            @Nullable Integer outgoing) {}

    /**
     * An interface, as its counters were at one moment.
     *
     * @param up whether it has a link
     * @param speedMegabitsPerSecond speed of the link; 1000 where the host does not know it
     * @param receivedBytes since the host's boot
     * @param sentBytes since the host's boot
     * @param receiveDropped packets, since the host's boot
     * @param sendDropped packets, since the host's boot
     * @param sampleTimeSeconds when, on the host's wall clock, since the epoch
     */
    public record Nic(
            @Wire(value = "state", form = Wire.Form.UP) @Nullable Boolean up,
            @Wire(value = "speed", unit = "Mbit/s") @Nullable Integer speedMegabitsPerSecond,
            @Wire(value = "rx", unit = "B", form = Wire.Form.COUNTER) @Nullable Long receivedBytes,
            @Wire(value = "tx", unit = "B", form = Wire.Form.COUNTER) @Nullable Long sentBytes,
            @Wire(value = "rxDropped", unit = "packets", form = Wire.Form.COUNTER)
                    @Nullable Long receiveDropped,
            @Wire(value = "txDropped", unit = "packets", form = Wire.Form.COUNTER)
                    @Nullable Long sendDropped,
            @Wire(value = "sampleTime", unit = "s since epoch")
                    @Nullable Double sampleTimeSeconds) {}

    /**
     * How a storage domain answers this host.
     *
     * @param code 0 for fine, else the number of an error
     * @param lastCheckSeconds since the last check
     * @param delaySeconds that the last check took
     * @param valid whether it can be used
     * @param version of its format, −1 for not known
     * @param acquired whether the host's id is held there
     * @param actual whether a check has ended at all
     */
    public record StorageDomain(
            @Wire("code") @Nullable Integer code,
            @Wire(value = "lastCheck", unit = "s") @Nullable Double lastCheckSeconds,
            @Wire(value = "delay", unit = "s") @Nullable Double delaySeconds,
            @Wire("valid") @Nullable Boolean valid,
            @Wire("version") @Nullable Integer version,
            @Wire("acquired") @Nullable Boolean acquired,
            @Wire("actual") @Nullable Boolean actual) {}

    /**
     * Paths to a LUN, some of which are gone.
     *
     * @param validPaths paths that work
     * @param failedPaths names of those that do not
     */
    public record Multipath(
            @Wire(value = "valid_paths", unit = "paths") @Nullable Integer validPaths,
            @Wire("failed_paths") List<String> failedPaths) {

        public Multipath {
            failedPaths = List.copyOf(failedPaths);
        }
    }

    /**
     * Conversion of a foreign VM.
     *
     * @param status the host's word for its status
     * @param description its description by the host
     * @param progressPercent how much is done
     */
    public record V2vJob(
            @Wire("status") @Nullable String status,
            @Wire("description") @Nullable String description,
            @Wire(value = "progress", unit = "%") @Nullable Integer progressPercent) {}

    /**
     * The host as a home of the hosted engine.
     *
     * @param configured whether its agent is set up
     * @param active whether its agent runs
     * @param score how fit the host is, 0–3400
     * @param globalMaintenance whether no host's agent may act
     * @param localMaintenance whether this host's agent may not act
     */
    public record HostedEngine(
            @Nullable Boolean configured,
            @Nullable Boolean active,
            @Nullable Integer score,
            @Nullable Boolean globalMaintenance,
            @Nullable Boolean localMaintenance) {}
}
