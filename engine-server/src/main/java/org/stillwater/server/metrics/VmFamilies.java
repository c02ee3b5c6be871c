package org.stillwater.server.metrics;

import static org.stillwater.monitoring.vm.VmNumber.*;
import static org.stillwater.server.metrics.Exposition.Kind.GAUGE;
import static org.stillwater.server.metrics.Exposition.Kind.INFO;

import java.io.IOException;
import java.util.List;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmStatus;
import org.stillwater.monitoring.vm.VmNumbers;

/** The families of VMs under the engine's own names, {@code stillwater_vm_…}. */
final class VmFamilies extends VmFamilyGroup {

    static final List<Family<VmScrape>> ALL = new VmFamilies().all();

    private VmFamilies() {
        super("stillwater_vm", VmFamilies::identity);
        family("", INFO, "Names and places of a VM; join them by id.", this::names);
        family("status", GAUGE, "1 with the VM's status as a label.", this::status);
        gauge("up", "1 if the VM is up.", vm -> vm.status() == VmStatus.UP ? 1 : 0);
        gauge("cpus", "Virtual CPUs by definition.", vm -> vm.definition().cpus());
        gauge(
                "memory_bytes",
                "Memory by definition.",
                vm -> vm.definition().memoryMebibytes() * MEBIBYTE);
        current(
                "statistics_timestamp_seconds",
                "When the VM's numbers were observed, since the epoch.",
                vm -> vm.numbers().observedEpochMillis() / 1e3);
        ofPercent("cpu_usage_ratio", "CPU usage of the whole VM, 0 to 1.", CPU_USAGE);
        ofPercent("cpu_user_cores", "User time, in cores.", CPU_USER);
        ofPercent("cpu_system_cores", "System time, in cores.", CPU_SYSTEM);
        ofPercent("memory_usage_ratio", "Memory usage as the guest says, 0 to 1.", MEMORY_USAGE);
        ofKibibytes("memory_free_bytes", "Free memory in the guest.", MEMORY_FREE);
        ofKibibytes("memory_unused_bytes", "Unused memory in the guest.", MEMORY_UNUSED);
        ofKibibytes("memory_buffered_bytes", "Buffers in the guest.", MEMORY_BUFFERED);
        ofKibibytes("memory_cached_bytes", "Page cache in the guest.", MEMORY_CACHED);
        ofKibibytes("balloon_bytes", "Current balloon.", BALLOON_CURRENT);
        ofPercent(
                "network_usage_ratio",
                "The busiest direction of the busiest interface, 0 to 1.",
                NETWORK_USAGE);
        current("uptime_seconds", "Since the guest started.", vm -> vm.value(ELAPSED));
        ofPercent(
                "migration_progress_ratio",
                "Of an outgoing migration, 0 to 1.",
                MIGRATION_PROGRESS);
        nicCounter(
                "network_receive_bytes",
                "Bytes received by an interface.",
                VmNumbers::receivedBytes);
        nicCounter("network_transmit_bytes", "Bytes sent by an interface.", VmNumbers::sentBytes);
        nicCounter(
                "network_receive_dropped",
                "Packets dropped on receipt.",
                VmNumbers::receiveDropped);
        nicCounter(
                "network_transmit_dropped", "Packets dropped on sending.", VmNumbers::sendDropped);
        diskGauge(
                "disk_read_bytes_per_second",
                "Rate at which a disk is read.",
                VmNumbers::readBytesPerSecond);
        diskGauge(
                "disk_write_bytes_per_second",
                "Rate at which a disk is written.",
                VmNumbers::writeBytesPerSecond);
        diskCounter("disk_reads", "Reads of a disk.", VmNumbers::readOperations);
        diskCounter("disk_writes", "Writes to a disk.", VmNumbers::writeOperations);
        diskGauge(
                "disk_size_bytes", "Allocated size of a disk.", whole(VmNumbers::actualSizeBytes));
        diskGauge(
                "disk_read_latency_seconds",
                "Mean latency of reads in the last interval.",
                VmNumbers::readLatencySeconds);
        diskGauge(
                "disk_write_latency_seconds",
                "Mean latency of writes in the last interval.",
                VmNumbers::writeLatencySeconds);
        diskGauge(
                "disk_flush_latency_seconds",
                "Mean latency of flushes in the last interval.",
                VmNumbers::flushLatencySeconds);
    }

    private static Exposition identity(Exposition sample, VmScrape scrape) throws IOException {
        var id = scrape.vm().id();
        return sample.label(Label.ID, id.mostSignificantBits(), id.leastSignificantBits());
    }

    private void names(Exposition out, VmScrape vm) throws IOException {
        HostId host = vm.host();
        sample(out, vm)
                .label(Label.NAME, vm.definition().name())
                .label(Label.HOST, vm.hostName())
                .label(Label.HOST_ID, host == null ? null : host.toString())
                .label(Label.CLUSTER, vm.clusterName())
                .label(Label.CLUSTER_ID, vm.definition().cluster().toString())
                .value(1);
    }

    private void status(Exposition out, VmScrape vm) throws IOException {
        sample(out, vm).label(Label.STATUS, vm.status().label()).value(1);
    }
}
