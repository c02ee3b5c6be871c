package org.stillwater.server.metrics;

import static org.stillwater.server.metrics.Exposition.Kind.COUNTER;
import static org.stillwater.server.metrics.Exposition.Kind.GAUGE;
import static org.stillwater.server.metrics.Exposition.Kind.INFO;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmRun;
import org.stillwater.core.model.VmStatic;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.RunDefinition;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.ovirt.resource.StorageReport;

/**
 * The series of all VMs: for each family one pass over memory, because samples of a family must
 * follow each other. A VM whose numbers are unknown or stale has no series of them: its absence is
 * the stale marker. Used once, by one thread.
 */
final class VmScrape {

    private static final byte[] ID = Exposition.bytes("id");
    private static final byte[] NAME = Exposition.bytes("name");
    private static final byte[] HOST = Exposition.bytes("host");
    private static final byte[] HOST_ID = Exposition.bytes("host_id");
    private static final byte[] CLUSTER = Exposition.bytes("cluster");
    private static final byte[] CLUSTER_ID = Exposition.bytes("cluster_id");
    private static final byte[] STATUS = Exposition.bytes("status");
    private static final byte[] NIC = Exposition.bytes("nic");
    private static final byte[] MAC = Exposition.bytes("mac");
    private static final byte[] DISK = Exposition.bytes("disk");
    private static final byte[] DISK_NAME = Exposition.bytes("disk_name");
    private static final byte[] DISK_ALIAS = Exposition.bytes("disk_alias");
    private static final byte[] DISK_LOGICAL_NAME = Exposition.bytes("disk_logical_name");
    private static final byte[] STORAGE_DOMAIN = Exposition.bytes("storage_domain");
    private static final byte[] DISK_ID = Exposition.bytes("disk_id");

    private static final double PERCENT = 100;
    private static final double KIBIBYTE = 1_024;
    private static final double MEBIBYTE = 1_024 * 1_024;
    private static final double BITS_PER_MEGABIT = 1e6;

    /** What is known beside VMs. */
    interface Names {
        String of(HostId host);

        String of(ClusterId cluster);

        /** What a VM runs with if it was changed since its run began, or null. */
        @Nullable RunDefinition running(VmReading vm);
    }

    private final Exposition out;
    private final List<? extends VmReading> vms;
    private final Predicate<VmReading> wanted;
    private final Names names;
    private final long nowMillis;
    private final long staleMillis;
    private final VmNumbers numbers = new VmNumbers();
    private final Map<HostId, String> hosts = new HashMap<>();
    private final Map<ClusterId, String> clusters = new HashMap<>();

    VmScrape(
            Exposition out,
            List<? extends VmReading> vms,
            Predicate<VmReading> wanted,
            Names names,
            long nowMillis,
            long staleMillis) {
        this.out = out;
        this.vms = vms;
        this.wanted = wanted;
        this.names = names;
        this.nowMillis = nowMillis;
        this.staleMillis = staleMillis;
    }

    /** Tells something of one VM. */
    private interface Telling {
        void of(VmReading vm) throws IOException;
    }

    /** A number of one VM, NaN if it is not known. */
    private interface Measure {
        double of(VmReading vm);
    }

    private interface OfPart {
        double of(VmNumbers vm, int part);
    }

    /** Everything under the engine's own names. */
    void tell() throws IOException {
        out.family("stillwater_vm", INFO, "Names and places of a VM; join them by id.");
        each(vm -> {
            HostId host = vm.state().placement().runOn();
            out.sample()
                    .label(ID, vm.id().mostSignificantBits(), vm.id().leastSignificantBits())
                    .label(NAME, vm.definition().name())
                    .label(HOST, host == null ? null : name(host))
                    .label(HOST_ID, host == null ? null : host.toString())
                    .label(CLUSTER, name(vm.definition().cluster()))
                    .label(CLUSTER_ID, vm.definition().cluster().toString())
                    .value(1);
        });
        out.family("stillwater_vm_status", GAUGE, "1 with the VM's status as a label.");
        each(vm -> sample(vm).label(STATUS, vm.state().runtime().status().label()).value(1));
        gauge(
                "stillwater_vm_up",
                "1 if the VM is up.",
                vm -> vm.state().runtime().status() == VmStatus.UP ? 1 : 0);
        gauge("stillwater_vm_cpus", "Virtual CPUs by definition.", vm -> vm.definition().cpus());
        gauge(
                "stillwater_vm_memory_bytes",
                "Memory by definition.",
                vm -> vm.definition().memoryMebibytes() * MEBIBYTE);
        out.family(
                "stillwater_vm_statistics_timestamp_seconds",
                GAUGE,
                "When the VM's numbers were observed, since the epoch.");
        eachFresh(vm -> sample(vm).value(numbers.observedEpochMillis() / 1e3));
        fresh(
                "stillwater_vm_cpu_usage_ratio",
                GAUGE,
                "CPU usage of the whole VM, 0 to 1.",
                VmNumber.CPU_USAGE,
                1 / PERCENT);
        fresh(
                "stillwater_vm_cpu_user_cores",
                GAUGE,
                "User time, in cores.",
                VmNumber.CPU_USER,
                1 / PERCENT);
        fresh(
                "stillwater_vm_cpu_system_cores",
                GAUGE,
                "System time, in cores.",
                VmNumber.CPU_SYSTEM,
                1 / PERCENT);
        fresh(
                "stillwater_vm_memory_usage_ratio",
                GAUGE,
                "Memory usage as the guest says, 0 to 1.",
                VmNumber.MEMORY_USAGE,
                1 / PERCENT);
        fresh(
                "stillwater_vm_memory_free_bytes",
                GAUGE,
                "Free memory in the guest.",
                VmNumber.MEMORY_FREE,
                KIBIBYTE);
        fresh(
                "stillwater_vm_memory_unused_bytes",
                GAUGE,
                "Unused memory in the guest.",
                VmNumber.MEMORY_UNUSED,
                KIBIBYTE);
        fresh(
                "stillwater_vm_memory_buffered_bytes",
                GAUGE,
                "Buffers in the guest.",
                VmNumber.MEMORY_BUFFERED,
                KIBIBYTE);
        fresh(
                "stillwater_vm_memory_cached_bytes",
                GAUGE,
                "Page cache in the guest.",
                VmNumber.MEMORY_CACHED,
                KIBIBYTE);
        fresh(
                "stillwater_vm_balloon_bytes",
                GAUGE,
                "Current balloon.",
                VmNumber.BALLOON_CURRENT,
                KIBIBYTE);
        fresh(
                "stillwater_vm_network_usage_ratio",
                GAUGE,
                "The busiest direction of the busiest interface, 0 to 1.",
                VmNumber.NETWORK_USAGE,
                1 / PERCENT);
        fresh(
                "stillwater_vm_uptime_seconds",
                GAUGE,
                "Since the guest started.",
                VmNumber.ELAPSED,
                1);
        fresh(
                "stillwater_vm_migration_progress_ratio",
                GAUGE,
                "Of an outgoing migration, 0 to 1.",
                VmNumber.MIGRATION_PROGRESS,
                1 / PERCENT);
        nic(
                "stillwater_vm_network_receive_bytes",
                COUNTER,
                "Bytes received by an interface.",
                (vm, nic) -> known(vm.receivedBytes(nic)));
        nic(
                "stillwater_vm_network_transmit_bytes",
                COUNTER,
                "Bytes sent by an interface.",
                (vm, nic) -> known(vm.sentBytes(nic)));
        nic(
                "stillwater_vm_network_receive_dropped",
                COUNTER,
                "Packets dropped on receipt.",
                (vm, nic) -> known(vm.receiveDropped(nic)));
        nic(
                "stillwater_vm_network_transmit_dropped",
                COUNTER,
                "Packets dropped on sending.",
                (vm, nic) -> known(vm.sendDropped(nic)));
        disk(
                "stillwater_vm_disk_read_bytes_per_second",
                GAUGE,
                "Rate at which a disk is read.",
                VmNumbers::readBytesPerSecond);
        disk(
                "stillwater_vm_disk_write_bytes_per_second",
                GAUGE,
                "Rate at which a disk is written.",
                VmNumbers::writeBytesPerSecond);
        disk(
                "stillwater_vm_disk_reads",
                COUNTER,
                "Reads of a disk.",
                (vm, disk) -> known(vm.readOperations(disk)));
        disk(
                "stillwater_vm_disk_writes",
                COUNTER,
                "Writes to a disk.",
                (vm, disk) -> known(vm.writeOperations(disk)));
        disk(
                "stillwater_vm_disk_size_bytes",
                GAUGE,
                "Allocated size of a disk.",
                (vm, disk) -> known(vm.actualSizeBytes(disk)));
        disk(
                "stillwater_vm_disk_read_latency_seconds",
                GAUGE,
                "Mean latency of reads in the last interval.",
                VmNumbers::readLatencySeconds);
        disk(
                "stillwater_vm_disk_write_latency_seconds",
                GAUGE,
                "Mean latency of writes in the last interval.",
                VmNumbers::writeLatencySeconds);
        disk(
                "stillwater_vm_disk_flush_latency_seconds",
                GAUGE,
                "Mean latency of flushes in the last interval.",
                VmNumbers::flushLatencySeconds);
    }

    /** What is told of a disk in the names of ovirt_exporter. */
    interface Disks {
        List<StorageReport.Disk> of(VmId vm);
    }

    /**
     * What dashboards made for ovirt_exporter ask for, under its names and labels.
     *
     * @param disks of a VM
     */
    void tellAsExporter(Disks disks) throws IOException {
        tellAsExporter();
        // The engine takes none, so that there are no ages of any.
        exported("ovirt_vm_snapshots", "Snapshots, without the active one.", _ -> 0);
        for (String size : List.of("provisioned", "actual", "total")) {
            out.family(
                    "ovirt_vm_disk_" + size + "_size_bytes",
                    GAUGE,
                    "What a disk takes, which is all that is known of its size.");
            each(vm -> {
                for (StorageReport.Disk disk : disks.of(vm.id())) {
                    exporterSample(vm)
                            .label(DISK_NAME, disk.name())
                            .label(DISK_ALIAS, disk.name())
                            .label(DISK_LOGICAL_NAME, disk.logicalName())
                            .label(STORAGE_DOMAIN, disk.domain())
                            .label(DISK_ID, disk.id())
                            .value((double) disk.bytes());
                }
            });
        }
    }

    private void tellAsExporter() throws IOException {
        exported(
                "ovirt_vm_up",
                "VM status is up.",
                vm -> vm.state().runtime().status() == VmStatus.UP ? 1 : 0);
        exported(
                "ovirt_vm_illegal_images",
                "VM has illegal images.",
                vm -> vm.state().runtime().status() == VmStatus.IMAGE_ILLEGAL ? 1 : 0);
        exported("ovirt_vm_cpu_cores", "Cores per socket.", vm -> topology(vm, 1));
        exported("ovirt_vm_cpu_sockets", "Sockets.", vm -> topology(vm, 0));
        exported("ovirt_vm_cpu_threads", "Threads per core.", vm -> topology(vm, 2));
        exported(
                "ovirt_vm_memory_installed_bytes",
                "Memory that the VM runs with, or is to run with.",
                vm -> installed(vm) * MEBIBYTE);
        exportedFresh(
                "ovirt_vm_memory_used_bytes",
                "Memory used.",
                vm -> numbers.value(VmNumber.MEMORY_USAGE) / PERCENT * installed(vm) * MEBIBYTE);
        exportedFresh(
                "ovirt_vm_memory_free_bytes",
                "Memory free in the guest.",
                _ -> zeroIfUnknown(numbers.value(VmNumber.MEMORY_FREE)) * KIBIBYTE);
        exportedFresh(
                "ovirt_vm_memory_buffered_bytes",
                "Buffers in the guest.",
                _ -> zeroIfUnknown(numbers.value(VmNumber.MEMORY_BUFFERED)) * KIBIBYTE);
        exportedFresh(
                "ovirt_vm_memory_cached_bytes",
                "Page cache in the guest.",
                _ -> zeroIfUnknown(numbers.value(VmNumber.MEMORY_CACHED)) * KIBIBYTE);
        exportedFresh(
                "ovirt_vm_memory_unused_bytes",
                "Memory unused in the guest.",
                _ -> unusedKibibytes() * KIBIBYTE);
        exportedFresh(
                "ovirt_vm_cpu_current_guest_percent",
                "CPU used by the guest.",
                vm -> numbers.value(VmNumber.CPU_USER));
        exportedFresh(
                "ovirt_vm_cpu_current_hypervisor_percent",
                "CPU used for the guest.",
                vm -> numbers.value(VmNumber.CPU_SYSTEM));
        exportedFresh(
                "ovirt_vm_cpu_current_total_percent",
                "CPU used in all.",
                vm -> numbers.value(VmNumber.CPU_USER) + numbers.value(VmNumber.CPU_SYSTEM));
        exportedFresh(
                "ovirt_vm_migration_progress_percent",
                "Progress of a migration.",
                vm -> zeroIfUnknown(numbers.value(VmNumber.MIGRATION_PROGRESS)));
        exportedFresh(
                "ovirt_vm_network_current_total_percent",
                "Network usage.",
                vm -> numbers.value(VmNumber.NETWORK_USAGE));
        exportedFresh(
                "ovirt_vm_cpu_usage_history_percent",
                "Oldest sample of CPU usage.",
                vm -> oldest(numbers.cpuHistory()));
        exportedFresh(
                "ovirt_vm_memory_usage_history_percent",
                "Oldest sample of memory usage.",
                vm -> oldest(numbers.memoryHistory()));
        exportedFresh(
                "ovirt_vm_network_usage_history_percent",
                "Oldest sample of network usage.",
                vm -> oldest(numbers.networkHistory()));
        out.family("ovirt_vm_elapsed_time_seconds", COUNTER, "Since the guest started.");
        exportFresh(vm -> numbers.value(VmNumber.ELAPSED));
        exportedNic(
                "ovirt_vm_network_data_current_rx_bytes_per_second",
                GAUGE,
                "Rate of receipt.",
                (vm, nic) -> rate(vm, nic, vm.receiveRatePercent(nic)) / 8);
        exportedNic(
                "ovirt_vm_network_data_current_tx_bytes_per_second",
                GAUGE,
                "Rate of sending.",
                (vm, nic) -> rate(vm, nic, vm.sendRatePercent(nic)) / 8);
        exportedNic(
                "ovirt_vm_network_data_current_rx_bps_bits_per_second",
                GAUGE,
                "Rate of receipt.",
                (vm, nic) -> rate(vm, nic, vm.receiveRatePercent(nic)));
        exportedNic(
                "ovirt_vm_network_data_current_tx_bps_bits_per_second",
                GAUGE,
                "Rate of sending.",
                (vm, nic) -> rate(vm, nic, vm.sendRatePercent(nic)));
        exportedNic(
                "ovirt_vm_network_data_rx_bytes",
                COUNTER,
                "Bytes received.",
                (vm, nic) -> known(vm.receivedBytes(nic)));
        exportedNic(
                "ovirt_vm_network_data_tx_bytes",
                COUNTER,
                "Bytes sent.",
                (vm, nic) -> known(vm.sentBytes(nic)));
        exportedNic(
                "ovirt_vm_network_errors_rx",
                COUNTER,
                "Packets dropped on receipt.",
                (vm, nic) -> known(vm.receiveDropped(nic)));
        exportedNic(
                "ovirt_vm_network_errors_tx",
                COUNTER,
                "Packets dropped on sending.",
                (vm, nic) -> known(vm.sendDropped(nic)));
    }

    /** As the guest says, else what is free and neither buffer nor cache. */
    private double unusedKibibytes() {
        double said = numbers.value(VmNumber.MEMORY_UNUSED);
        return Double.isNaN(said)
                ? Math.max(
                        0,
                        zeroIfUnknown(numbers.value(VmNumber.MEMORY_FREE))
                                - zeroIfUnknown(numbers.value(VmNumber.MEMORY_BUFFERED))
                                - zeroIfUnknown(numbers.value(VmNumber.MEMORY_CACHED)))
                : said;
    }

    private static double zeroIfUnknown(double value) {
        return Double.isNaN(value) ? 0 : value;
    }

    private static double oldest(List<Integer> samples) {
        return samples.isEmpty() ? Double.NaN : samples.getFirst();
    }

    private static double rate(VmNumbers vm, int nic, double percent) {
        return percent
                / PERCENT
                * vm.nicDefinition(nic).speedMegabitsPerSecond()
                * BITS_PER_MEGABIT;
    }

    /** Sockets, cores per socket, threads per core: as it runs, else as it is defined. */
    private int installed(VmReading vm) {
        RunDefinition run = names.running(vm);
        return run == null ? vm.definition().memoryMebibytes() : run.memoryMebibytes();
    }

    private double topology(VmReading vm, int which) {
        VmRun.Topology recorded = vm.state().placement().run().topology();
        if (recorded != null) {
            return switch (which) {
                case 0 -> recorded.sockets();
                case 1 -> recorded.coresPerSocket();
                default -> recorded.threadsPerCore();
            };
        }
        RunDefinition run = names.running(vm);
        VmStatic defined = vm.definition();
        return switch (which) {
            case 0 -> run == null ? defined.sockets() : run.sockets();
            case 1 -> run == null ? defined.coresPerSocket() : run.coresPerSocket();
            default -> run == null ? defined.threadsPerCore() : run.threadsPerCore();
        };
    }

    private void gauge(String name, String help, Measure number) throws IOException {
        out.family(name, GAUGE, help);
        each(vm -> sample(vm).value(number.of(vm)));
    }

    private void fresh(
            String name, Exposition.Kind kind, String help, VmNumber number, double factor)
            throws IOException {
        out.family(name, kind, help);
        eachFresh(vm -> {
            double value = numbers.value(number);
            if (Double.isFinite(value)) {
                sample(vm).value(value * factor);
            }
        });
    }

    private void nic(String name, Exposition.Kind kind, String help, OfPart number)
            throws IOException {
        out.family(name, kind, help);
        eachFresh(vm -> {
            for (int i = 0; i < numbers.nicCount(); i++) {
                if (numbers.isNicUp(i)) {
                    double value = number.of(numbers, i);
                    if (Double.isFinite(value)) {
                        sample(vm)
                                .label(NIC, numbers.nicDefinition(i).name())
                                .label(MAC, numbers.nicDefinition(i).mac())
                                .value(value);
                    }
                }
            }
        });
    }

    private void disk(String name, Exposition.Kind kind, String help, OfPart number)
            throws IOException {
        out.family(name, kind, help);
        eachFresh(vm -> {
            for (int i = 0; i < numbers.diskCount(); i++) {
                double value = number.of(numbers, i);
                if (Double.isFinite(value)) {
                    sample(vm).label(DISK, numbers.diskName(i)).value(value);
                }
            }
        });
    }

    private void exported(String name, String help, Measure number) throws IOException {
        out.family(name, GAUGE, help);
        each(vm -> exporterSample(vm).value(number.of(vm)));
    }

    private void exportedFresh(String name, String help, Measure number) throws IOException {
        out.family(name, GAUGE, help);
        exportFresh(number);
    }

    private void exportFresh(Measure number) throws IOException {
        eachFresh(vm -> {
            double value = number.of(vm);
            if (Double.isFinite(value)) {
                exporterSample(vm).value(value);
            }
        });
    }

    private void exportedNic(String name, Exposition.Kind kind, String help, OfPart number)
            throws IOException {
        out.family(name, kind, help);
        eachFresh(vm -> {
            for (int i = 0; i < numbers.nicCount(); i++) {
                double value = numbers.isNicUp(i) ? number.of(numbers, i) : Double.NaN;
                if (Double.isFinite(value)) {
                    exporterSample(vm)
                            .label(NIC, numbers.nicDefinition(i).name())
                            .label(MAC, numbers.nicDefinition(i).mac())
                            .value(value);
                }
            }
        });
    }

    private static double known(long number) {
        return number == VmNumbers.UNKNOWN ? Double.NaN : number;
    }

    private Exposition sample(VmReading vm) throws IOException {
        return out.sample()
                .label(ID, vm.id().mostSignificantBits(), vm.id().leastSignificantBits());
    }

    /** Names instead of an identity, as that exporter has them. */
    private Exposition exporterSample(VmReading vm) throws IOException {
        HostId host = vm.state().placement().runOn();
        return out.sample()
                .label(NAME, vm.definition().name())
                .label(HOST, host == null ? null : name(host))
                .label(CLUSTER, name(vm.definition().cluster()));
    }

    private String name(HostId id) {
        String name = hosts.get(id);
        if (name == null) {
            name = names.of(id);
            hosts.put(id, name);
        }
        return name;
    }

    private String name(ClusterId id) {
        String name = clusters.get(id);
        if (name == null) {
            name = names.of(id);
            clusters.put(id, name);
        }
        return name;
    }

    private void each(Telling telling) throws IOException {
        for (int i = 0; i < vms.size(); i++) {
            VmReading vm = vms.get(i);
            if (wanted.test(vm)) {
                telling.of(vm);
            }
        }
    }

    /** Only VMs whose numbers are of now; they are in {@link #numbers} then. */
    private void eachFresh(Telling telling) throws IOException {
        each(vm -> {
            if (vm.state().runtime().status().isRunningOrPaused()) {
                vm.numbers(numbers);
                if (numbers.areKnown()
                        && nowMillis - numbers.observedEpochMillis() <= staleMillis) {
                    telling.of(vm);
                }
            }
        });
    }
}
