package org.stillwater.server.metrics;

import static org.stillwater.monitoring.vm.VmNumber.*;
import static org.stillwater.server.metrics.Exposition.Kind.COUNTER;
import static org.stillwater.server.metrics.Exposition.Kind.GAUGE;

import java.util.List;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostStatistics.HugePages;
import org.stillwater.core.store.RunDefinition;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.ovirt.resource.StorageReport;

/**
 * The families that dashboards made for ovirt_exporter request, under its names and labels: names
 * of VMs, hosts and clusters instead of identities.
 */
final class ExporterFamilies {

    private ExporterFamilies() {}

    /** The disks of a VM. */
    interface Disks {
        List<StorageReport.Disk> of(VmId vm);
    }

    /** Families of VMs and their disks. */
    static List<Family<VmScrape>> ofVms(Disks disks) {
        return new Vms(disks).all();
    }

    /** Families of these hosts; those of huge pages are named by the sizes that the hosts have. */
    static List<Family<ScrapedHost>> ofHosts(List<ScrapedHost> hosts) {
        return new Hosts(hosts).all();
    }

    /**
     * Families of storage domains. The engine does not manage storage: free and used space is not
     * known and shown as 0, as that exporter does.
     */
    static List<Family<StorageReport.Domain>> ofStorage() {
        var storage =
                new FamilyGroup<StorageReport.Domain>(
                        "ovirt_storage",
                        (sample, domain) ->
                                sample.label(Label.NAME, domain.name())
                                        .label(Label.TYPE, domain.type())
                                        .label(Label.PATH, domain.path()),
                        _ -> true);
        storage.gauge("up", "1 if hosts see the storage domain.", it -> it.ok() ? 1 : 0);
        storage.gauge("master", "1 for the first of its data centre.", it -> it.master() ? 1 : 0);
        storage.gauge(
                "available_bytes",
                "Free space; 0 where it is not known.",
                it -> it.availableBytes() == null ? 0 : (double) it.availableBytes());
        storage.gauge(
                "used_bytes",
                "Used space; 0 where it is not known.",
                it -> it.availableBytes() == null ? 0 : (double) it.committedBytes());
        storage.gauge(
                "committed_bytes",
                "Space used by disks of VMs.",
                it -> (double) it.committedBytes());
        return storage.all();
    }

    private static final class Vms extends VmFamilyGroup {

        Vms(Disks disks) {
            super(
                    "ovirt_vm",
                    (sample, vm) ->
                            sample.label(Label.NAME, vm.definition().name())
                                    .label(Label.HOST, vm.hostName())
                                    .label(Label.CLUSTER, vm.clusterName()));
            gauge("up", "VM status is up.", vm -> vm.status() == VmStatus.UP ? 1 : 0);
            gauge(
                    "illegal_images",
                    "VM has illegal images.",
                    vm -> vm.status() == VmStatus.IMAGE_ILLEGAL ? 1 : 0);
            topology(
                    "cpu_cores",
                    "Cores per socket.",
                    VmRun.Topology::coresPerSocket,
                    RunDefinition::coresPerSocket,
                    VmStatic::coresPerSocket);
            topology(
                    "cpu_sockets",
                    "Sockets.",
                    VmRun.Topology::sockets,
                    RunDefinition::sockets,
                    VmStatic::sockets);
            topology(
                    "cpu_threads",
                    "Threads per core.",
                    VmRun.Topology::threadsPerCore,
                    RunDefinition::threadsPerCore,
                    VmStatic::threadsPerCore);
            gauge(
                    "memory_installed_bytes",
                    "Memory that the VM runs with, or is to run with.",
                    vm -> installed(vm) * MEBIBYTE);
            current(
                    "memory_used_bytes",
                    "Memory used.",
                    vm -> vm.value(MEMORY_USAGE) / PERCENT * installed(vm) * MEBIBYTE);
            kibibytesOrZero("memory_free_bytes", "Memory free in the guest.", MEMORY_FREE);
            kibibytesOrZero("memory_buffered_bytes", "Buffers in the guest.", MEMORY_BUFFERED);
            kibibytesOrZero("memory_cached_bytes", "Page cache in the guest.", MEMORY_CACHED);
            current(
                    "memory_unused_bytes",
                    "Memory unused in the guest.",
                    vm -> unusedKibibytes(vm) * KIBIBYTE);
            current(
                    "cpu_current_guest_percent",
                    "CPU used by the guest.",
                    vm -> vm.value(CPU_USER));
            current(
                    "cpu_current_hypervisor_percent",
                    "CPU used for the guest.",
                    vm -> vm.value(CPU_SYSTEM));
            current(
                    "cpu_current_total_percent",
                    "CPU used in all.",
                    vm -> vm.value(CPU_USER) + vm.value(CPU_SYSTEM));
            current(
                    "migration_progress_percent",
                    "Progress of a migration.",
                    vm -> orZero(vm.value(MIGRATION_PROGRESS)));
            current(
                    "network_current_total_percent",
                    "Network usage.",
                    vm -> vm.value(NETWORK_USAGE));
            current(
                    "cpu_usage_history_percent",
                    "Oldest sample of CPU usage.",
                    vm -> oldest(vm.numbers().cpuHistory()));
            current(
                    "memory_usage_history_percent",
                    "Oldest sample of memory usage.",
                    vm -> oldest(vm.numbers().memoryHistory()));
            current(
                    "network_usage_history_percent",
                    "Oldest sample of network usage.",
                    vm -> oldest(vm.numbers().networkHistory()));
            current(
                    "elapsed_time_seconds",
                    COUNTER,
                    "Since the guest started.",
                    vm -> vm.value(ELAPSED));
            nicGauge(
                    "network_data_current_rx_bytes_per_second",
                    "Rate of receipt.",
                    (vm, nic) -> rate(vm, nic, vm.receiveRatePercent(nic)) / 8);
            nicGauge(
                    "network_data_current_tx_bytes_per_second",
                    "Rate of sending.",
                    (vm, nic) -> rate(vm, nic, vm.sendRatePercent(nic)) / 8);
            nicGauge(
                    "network_data_current_rx_bps_bits_per_second",
                    "Rate of receipt.",
                    (vm, nic) -> rate(vm, nic, vm.receiveRatePercent(nic)));
            nicGauge(
                    "network_data_current_tx_bps_bits_per_second",
                    "Rate of sending.",
                    (vm, nic) -> rate(vm, nic, vm.sendRatePercent(nic)));
            nicCounter("network_data_rx_bytes", "Bytes received.", VmNumbers::receivedBytes);
            nicCounter("network_data_tx_bytes", "Bytes sent.", VmNumbers::sentBytes);
            nicCounter(
                    "network_errors_rx", "Packets dropped on receipt.", VmNumbers::receiveDropped);
            nicCounter("network_errors_tx", "Packets dropped on sending.", VmNumbers::sendDropped);
            // The engine takes none, so there are no ages.
            gauge("snapshots", "Snapshots, without the active one.", _ -> 0);
            diskSize("provisioned", disks);
            diskSize("actual", disks);
            diskSize("total", disks);
        }

        /** A number of CPUs: as the VM runs, else as it is defined. */
        private void topology(
                String name,
                String help,
                ToDoubleFunction<VmRun.Topology> recorded,
                ToDoubleFunction<RunDefinition> changed,
                ToDoubleFunction<VmStatic> defined) {
            gauge(
                    name,
                    help,
                    vm -> {
                        VmRun.Topology topology = vm.vm().state().placement().run().topology();
                        if (topology != null) {
                            return recorded.applyAsDouble(topology);
                        }
                        RunDefinition run = vm.running();
                        return run == null
                                ? defined.applyAsDouble(vm.definition())
                                : changed.applyAsDouble(run);
                    });
        }

        private void kibibytesOrZero(String name, String help, VmNumber number) {
            current(name, help, vm -> orZero(vm.value(number)) * KIBIBYTE);
        }

        private void diskSize(String kind, Disks disks) {
            family(
                    "disk_" + kind + "_size_bytes",
                    GAUGE,
                    "Allocated size of a disk; its virtual size is unknown.",
                    (out, vm) -> {
                        for (StorageReport.Disk disk : disks.of(vm.vm().id())) {
                            sample(out, vm)
                                    .label(Label.DISK_NAME, disk.name())
                                    .label(Label.DISK_ALIAS, disk.name())
                                    .label(Label.DISK_LOGICAL_NAME, disk.logicalName())
                                    .label(Label.STORAGE_DOMAIN, disk.domain())
                                    .label(Label.DISK_ID, disk.id())
                                    .value((double) disk.bytes());
                        }
                    });
        }

        /** The guest's value, else free memory that is neither buffer nor cache. */
        private static double unusedKibibytes(VmScrape vm) {
            double reported = vm.value(MEMORY_UNUSED);
            return Double.isNaN(reported)
                    ? Math.max(
                            0,
                            orZero(vm.value(MEMORY_FREE))
                                    - orZero(vm.value(MEMORY_BUFFERED))
                                    - orZero(vm.value(MEMORY_CACHED)))
                    : reported;
        }

        private static double orZero(double value) {
            return Double.isNaN(value) ? 0 : value;
        }

        private static double oldest(List<Integer> samples) {
            return samples.isEmpty() ? Double.NaN : samples.getFirst();
        }

        private static double rate(VmNumbers vm, int nic, double percent) {
            return percent / PERCENT * vm.nicDefinition(nic).speedMegabitsPerSecond() * MEGA;
        }

        private static int installed(VmScrape vm) {
            RunDefinition run = vm.running();
            return run == null ? vm.definition().memoryMebibytes() : run.memoryMebibytes();
        }
    }

    private static final class Hosts extends HostFamilyGroup {

        Hosts(List<ScrapedHost> hosts) {
            super(
                    "ovirt_host",
                    (sample, host) ->
                            sample.label(Label.NAME, host.view().state().definition().name())
                                    .label(Label.CLUSTER, host.cluster()));
            numbers();
            TreeSet<String> sizes = new TreeSet<>();
            hosts.forEach(host -> sizes.addAll(host.hugePages().keySet()));
            for (String size : sizes) {
                if (size.chars().allMatch(Character::isDigit)) {
                    pages(size, "free", "Free huge pages.", it -> number(it.free()));
                    pages(size, "total", "Huge pages.", it -> number(it.total()));
                }
            }
            nics();
        }

        private void numbers() {
            gauge(
                    "up",
                    "1 up, 2 in maintenance or being installed, else 0.",
                    host -> status(host.status()));
            cpu("cpu_cores", "Cores per socket.", cpu -> quotient(cpu.cores(), cpu.sockets()));
            cpu("cpu_sockets", "Sockets.", cpu -> number(cpu.sockets()));
            cpu("cpu_threads", "Threads per core.", cpu -> quotient(cpu.threads(), cpu.cores()));
            cpu("cpu_speed_hertz", "Nominal clock.", cpu -> mega(cpu.speedMegahertz()));
            gauge("memory_installed_bytes", "Physical memory.", ScrapedHost::physicalBytes);
            current("memory_total_bytes", "Physical memory.", ScrapedHost::physicalBytes);
            current(
                    "memory_used_bytes",
                    "Memory used.",
                    host -> host.physicalBytes() * usedPercent(host) / PERCENT);
            current(
                    "memory_free_bytes",
                    "Memory free.",
                    host -> host.physicalBytes() * (PERCENT - usedPercent(host)) / PERCENT);
            statistic(
                    "memory_shared_bytes",
                    "Memory merged by KSM.",
                    of -> bytes(of.memory().sharedMebibytes()));
            statistic(
                    "swap_total_bytes",
                    "Swap space.",
                    of -> bytes(of.memory().swapTotalMebibytes()));
            statistic(
                    "swap_free_bytes",
                    "Free swap space.",
                    of -> bytes(of.memory().swapFreeMebibytes()));
            statistic(
                    "swap_used_bytes",
                    "Used swap space.",
                    of ->
                            bytes(of.memory().swapTotalMebibytes())
                                    - bytes(of.memory().swapFreeMebibytes()));
            statistic(
                    "ksm_cpu_current_percent",
                    "CPU that KSM uses.",
                    of -> number(of.ksm().cpuPercent()));
            statistic(
                    "cpu_current_user_percent", "User time.", of -> number(of.cpu().userPercent()));
            statistic(
                    "cpu_current_system_percent",
                    "System time.",
                    of -> number(of.cpu().systemPercent()));
            statistic(
                    "cpu_current_idle_percent", "Idle time.", of -> number(of.cpu().idlePercent()));
            statistic(
                    "cpu_load_avg_5m_percent",
                    "Five-minute load average; a load, despite its name.",
                    of -> number(of.cpu().load()));
            statistic(
                    "boot_time",
                    "When it booted, since the epoch.",
                    of -> number(of.bootTimeEpochSeconds()));
        }

        private void nics() {
            nicGauge(
                    "network_data_current_rx_bytes_per_second",
                    "Rate of receipt.",
                    nic -> rate(nic, nic.receiveRatePercent()) / 8);
            nicGauge(
                    "network_data_current_tx_bytes_per_second",
                    "Rate of sending.",
                    nic -> rate(nic, nic.sendRatePercent()) / 8);
            nicGauge(
                    "network_data_current_rx_bps_bits_per_second",
                    "Rate of receipt.",
                    nic -> rate(nic, nic.receiveRatePercent()));
            nicGauge(
                    "network_data_current_tx_bps_bits_per_second",
                    "Rate of sending.",
                    nic -> rate(nic, nic.sendRatePercent()));
            nicCounter(
                    "network_data_rx_bytes", "Bytes received.", nic -> number(nic.receivedBytes()));
            nicCounter("network_data_tx_bytes", "Bytes sent.", nic -> number(nic.sentBytes()));
            nicCounter(
                    "network_errors_rx",
                    "Packets dropped on receipt.",
                    nic -> number(nic.receiveDropped()));
            nicCounter(
                    "network_errors_tx",
                    "Packets dropped on sending.",
                    nic -> number(nic.sendDropped()));
        }

        private void pages(
                String size, String kind, String help, ToDoubleFunction<HugePages> value) {
            current(
                    "hugepages_" + size + "_" + kind,
                    help,
                    host -> {
                        HugePages pages = host.hugePages().get(size);
                        return pages == null ? Double.NaN : value.applyAsDouble(pages);
                    });
        }

        private static int status(HostStatus status) {
            return switch (status) {
                case UP -> 1;
                case MAINTENANCE, PREPARING_FOR_MAINTENANCE, INSTALLING, INSTALLING_OS -> 2;
                default -> 0;
            };
        }

        private static double usedPercent(ScrapedHost host) {
            return number(host.view().usage().memoryPercent());
        }

        private static double quotient(@Nullable Integer all, @Nullable Integer parts) {
            if (all == null || parts == null || parts == 0) {
                return Double.NaN;
            }
            int whole = all / parts;
            return whole;
        }

        private static double rate(HostNicUsage nic, @Nullable Double percent) {
            return mega(nic.speedMegabitsPerSecond()) * number(percent) / PERCENT;
        }
    }
}
