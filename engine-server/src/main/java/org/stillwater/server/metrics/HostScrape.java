package org.stillwater.server.metrics;

import static org.stillwater.server.metrics.Exposition.Kind.COUNTER;
import static org.stillwater.server.metrics.Exposition.Kind.GAUGE;
import static org.stillwater.server.metrics.Exposition.Kind.INFO;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.model.HostNicUsage;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.monitoring.host.HostView;

/**
 * The series of all hosts. A host whose numbers are unknown or stale has no series of them. Used
 * once, by one thread.
 */
final class HostScrape {

    private static final byte[] ID = Exposition.bytes("id");
    private static final byte[] NAME = Exposition.bytes("name");
    private static final byte[] ADDRESS = Exposition.bytes("address");
    private static final byte[] CLUSTER = Exposition.bytes("cluster");
    private static final byte[] CLUSTER_ID = Exposition.bytes("cluster_id");
    private static final byte[] STATUS = Exposition.bytes("status");
    private static final byte[] NIC = Exposition.bytes("nic");
    private static final byte[] MAC = Exposition.bytes("mac");

    private static final double PERCENT = 100;
    private static final double MEBIBYTE = 1_024 * 1_024;
    private static final double MEGA = 1e6;

    /** Names of clusters. */
    interface Names {
        String of(ClusterId cluster);
    }

    private final Exposition out;
    private final List<HostView> hosts;
    private final Names names;
    private final long nowMillis;
    private final long staleMillis;

    HostScrape(
            Exposition out, List<HostView> hosts, Names names, long nowMillis, long staleMillis) {
        this.out = out;
        this.hosts = hosts;
        this.names = names;
        this.nowMillis = nowMillis;
        this.staleMillis = staleMillis;
    }

    private interface Measure {
        @Nullable Number of(HostView host);
    }

    private interface Statistic {
        @Nullable Number of(HostStatistics statistics);
    }

    private interface OfNic {
        @Nullable Number of(HostNicUsage nic);
    }

    private interface Sample {
        Exposition of(HostView host) throws IOException;
    }

    /** Everything under the engine's own names. */
    void tell() throws IOException {
        out.family("stillwater_host", INFO, "Names of a host; join them by id.");
        for (HostView host : hosts) {
            sample(host)
                    .label(NAME, host.state().definition().name())
                    .label(ADDRESS, host.state().definition().address())
                    .label(CLUSTER, names.of(host.state().definition().cluster()))
                    .label(CLUSTER_ID, host.state().definition().cluster().toString())
                    .value(1);
        }
        out.family("stillwater_host_status", GAUGE, "1 with the host's status as a label.");
        for (HostView host : hosts) {
            sample(host)
                    .label(STATUS, host.state().status().name().toLowerCase(Locale.ROOT))
                    .value(1);
        }
        always(
                "stillwater_host_up",
                "1 if the host is up.",
                host -> host.state().status() == HostStatus.UP ? 1 : 0);
        always(
                "stillwater_host_connected",
                "1 if a connection stands.",
                host -> host.connected() ? 1 : 0);
        always("stillwater_host_vms", "VMs that it is responsible for.", HostView::vms);
        always(
                "stillwater_host_committed_memory_bytes",
                "Memory that its VMs take when they use all they have.",
                host -> host.committedMemoryMebibytes() * MEBIBYTE);
        always(
                "stillwater_host_cpu_threads",
                "Hardware threads.",
                ofCpu(HostCapabilities.Cpu::threads));
        fresh(
                "stillwater_host_statistics_timestamp_seconds",
                "When its numbers were observed, since the epoch.",
                host -> millis(host) / 1e3);
        fresh(
                "stillwater_host_cpu_usage_ratio",
                "CPU usage, 0 to 1.",
                host -> ratio(host.usage().cpuPercent()));
        fresh(
                "stillwater_host_memory_usage_ratio",
                "Memory usage, 0 to 1.",
                host -> ratio(host.usage().memoryPercent()));
        fresh(
                "stillwater_host_network_usage_ratio",
                "The busiest card or bond, 0 to 1.",
                host -> ratio(host.usage().networkPercent()));
        statistic(
                "stillwater_host_cpu_user_ratio",
                "User time, 0 to 1.",
                of -> ratio(of.cpu().userPercent()));
        statistic(
                "stillwater_host_cpu_system_ratio",
                "System time, 0 to 1.",
                of -> ratio(of.cpu().systemPercent()));
        statistic(
                "stillwater_host_cpu_idle_ratio",
                "Idle time, 0 to 1.",
                of -> ratio(of.cpu().idlePercent()));
        statistic("stillwater_host_load5", "Five-minute load average.", of -> of.cpu().load());
        statistic(
                "stillwater_host_memory_free_bytes",
                "Memory available for VMs.",
                of -> bytes(of.memory().freeMebibytes()));
        statistic(
                "stillwater_host_memory_shared_bytes",
                "Memory merged by KSM.",
                of -> bytes(of.memory().sharedMebibytes()));
        statistic(
                "stillwater_host_swap_bytes",
                "Swap space.",
                of -> bytes(of.memory().swapTotalMebibytes()));
        statistic(
                "stillwater_host_swap_free_bytes",
                "Free swap space.",
                of -> bytes(of.memory().swapFreeMebibytes()));
        statistic(
                "stillwater_host_ksm_cpu_ratio",
                "CPU that KSM uses, 0 to 1.",
                of -> ratio(of.ksm().cpuPercent()));
        statistic(
                "stillwater_host_boot_time_seconds",
                "When it booted, since the epoch.",
                HostStatistics::bootTimeEpochSeconds);
        statistic("stillwater_host_vms_active", "VMs that run on it.", of -> of.vms().active());
        nic(
                "stillwater_host_network_receive_bytes",
                COUNTER,
                "Bytes received by an interface.",
                this::sample,
                HostNicUsage::receivedBytes);
        nic(
                "stillwater_host_network_transmit_bytes",
                COUNTER,
                "Bytes sent by an interface.",
                this::sample,
                HostNicUsage::sentBytes);
        nic(
                "stillwater_host_network_receive_dropped",
                COUNTER,
                "Packets dropped on receipt.",
                this::sample,
                HostNicUsage::receiveDropped);
        nic(
                "stillwater_host_network_transmit_dropped",
                COUNTER,
                "Packets dropped on sending.",
                this::sample,
                HostNicUsage::sendDropped);
        nic(
                "stillwater_host_network_speed_bits_per_second",
                GAUGE,
                "Speed of the link.",
                this::sample,
                nic -> times(nic.speedMegabitsPerSecond(), MEGA));
        nic(
                "stillwater_host_network_up",
                GAUGE,
                "1 if it has a link.",
                this::sample,
                HostScrape::link);
    }

    /** What dashboards made for ovirt_exporter ask for, under its names and labels. */
    void tellAsExporter() throws IOException {
        exported(
                "ovirt_host_up",
                "1 up, 2 in maintenance or being installed, else 0.",
                HostScrape::exporterStatus);
        exported(
                "ovirt_host_cpu_cores",
                "Cores per socket.",
                ofCpu(cpu -> quotient(cpu.cores(), cpu.sockets())));
        exported("ovirt_host_cpu_sockets", "Sockets.", ofCpu(HostCapabilities.Cpu::sockets));
        exported(
                "ovirt_host_cpu_threads",
                "Threads per core.",
                ofCpu(cpu -> quotient(cpu.threads(), cpu.cores())));
        exported(
                "ovirt_host_cpu_speed_hertz",
                "Nominal clock.",
                ofCpu(cpu -> times(cpu.speedMegahertz(), MEGA)));
        exported("ovirt_host_memory_installed_bytes", "Physical memory.", HostScrape::physical);
        exportedFresh("ovirt_host_memory_total_bytes", "Physical memory.", HostScrape::physical);
        exportedFresh(
                "ovirt_host_memory_used_bytes",
                "Memory used.",
                host -> {
                    Double all = physical(host);
                    Integer used = host.usage().memoryPercent();
                    return all == null || used == null ? null : (Double) (all * used / PERCENT);
                });
        exportedFresh(
                "ovirt_host_memory_free_bytes",
                "Memory free.",
                host -> {
                    Double all = physical(host);
                    Integer used = host.usage().memoryPercent();
                    return all == null || used == null
                            ? null
                            : (Double) (all * (PERCENT - used) / PERCENT);
                });
        exportedFresh(
                "ovirt_host_memory_shared_bytes",
                "Memory merged by KSM.",
                of(of -> bytes(of.memory().sharedMebibytes())));
        exportedFresh(
                "ovirt_host_swap_total_bytes",
                "Swap space.",
                of(of -> bytes(of.memory().swapTotalMebibytes())));
        exportedFresh(
                "ovirt_host_swap_free_bytes",
                "Free swap space.",
                of(of -> bytes(of.memory().swapFreeMebibytes())));
        exportedFresh(
                "ovirt_host_swap_used_bytes",
                "Used swap space.",
                of(of -> {
                    Double total = bytes(of.memory().swapTotalMebibytes());
                    Double free = bytes(of.memory().swapFreeMebibytes());
                    return total == null || free == null ? null : (Double) (total - free);
                }));
        exportedFresh(
                "ovirt_host_ksm_cpu_current_percent",
                "CPU that KSM uses.",
                of(of -> of.ksm().cpuPercent()));
        exportedFresh(
                "ovirt_host_cpu_current_user_percent",
                "User time.",
                of(of -> of.cpu().userPercent()));
        exportedFresh(
                "ovirt_host_cpu_current_system_percent",
                "System time.",
                of(of -> of.cpu().systemPercent()));
        exportedFresh(
                "ovirt_host_cpu_current_idle_percent",
                "Idle time.",
                of(of -> of.cpu().idlePercent()));
        exportedFresh(
                "ovirt_host_cpu_load_avg_5m_percent",
                "Five-minute load average; a load, whatever the name says.",
                of(of -> of.cpu().load()));
        exportedFresh(
                "ovirt_host_boot_time",
                "When it booted, since the epoch.",
                of(HostStatistics::bootTimeEpochSeconds));
        TreeSet<String> sizes = new TreeSet<>();
        hosts.stream()
                .filter(host -> host.statistics() != null)
                .forEach(host -> sizes.addAll(pages(host).keySet()));
        for (String size : sizes) {
            if (size.chars().allMatch(Character::isDigit)) {
                exportedFresh(
                        "ovirt_host_hugepages_" + size + "_free",
                        "Free huge pages.",
                        ofPages(size, HostStatistics.HugePages::free));
                exportedFresh(
                        "ovirt_host_hugepages_" + size + "_total",
                        "Huge pages.",
                        ofPages(size, HostStatistics.HugePages::total));
            }
        }
        nic(
                "ovirt_host_network_data_current_rx_bytes_per_second",
                GAUGE,
                "Rate of receipt.",
                this::exporterSample,
                nic -> rate(nic, nic.receiveRatePercent(), 8));
        nic(
                "ovirt_host_network_data_current_tx_bytes_per_second",
                GAUGE,
                "Rate of sending.",
                this::exporterSample,
                nic -> rate(nic, nic.sendRatePercent(), 8));
        nic(
                "ovirt_host_network_data_current_rx_bps_bits_per_second",
                GAUGE,
                "Rate of receipt.",
                this::exporterSample,
                nic -> rate(nic, nic.receiveRatePercent(), 1));
        nic(
                "ovirt_host_network_data_current_tx_bps_bits_per_second",
                GAUGE,
                "Rate of sending.",
                this::exporterSample,
                nic -> rate(nic, nic.sendRatePercent(), 1));
        nic(
                "ovirt_host_network_data_rx_bytes",
                COUNTER,
                "Bytes received.",
                this::exporterSample,
                HostNicUsage::receivedBytes);
        nic(
                "ovirt_host_network_data_tx_bytes",
                COUNTER,
                "Bytes sent.",
                this::exporterSample,
                HostNicUsage::sentBytes);
        nic(
                "ovirt_host_network_errors_rx",
                COUNTER,
                "Packets dropped on receipt.",
                this::exporterSample,
                HostNicUsage::receiveDropped);
        nic(
                "ovirt_host_network_errors_tx",
                COUNTER,
                "Packets dropped on sending.",
                this::exporterSample,
                HostNicUsage::sendDropped);
    }

    private static @Nullable Integer link(HostNicUsage nic) {
        Boolean up = nic.up();
        return up == null ? null : (Integer) (up ? 1 : 0);
    }

    private static int exporterStatus(HostView host) {
        return switch (host.state().status()) {
            case UP -> 1;
            case MAINTENANCE, PREPARING_FOR_MAINTENANCE, INSTALLING, INSTALLING_OS -> 2;
            default -> 0;
        };
    }

    private interface OfCpu {
        @Nullable Number of(HostCapabilities.Cpu cpu);
    }

    private static Measure ofCpu(OfCpu number) {
        return host -> {
            HostCapabilities capabilities = host.state().capabilities();
            return capabilities == null ? null : number.of(capabilities.cpu());
        };
    }

    private static @Nullable Integer quotient(@Nullable Integer all, @Nullable Integer parts) {
        return all == null || parts == null || parts == 0 ? null : (Integer) (all / parts);
    }

    private interface OfPages {
        @Nullable Number of(HostStatistics.HugePages pages);
    }

    private static Measure ofPages(String size, OfPages number) {
        return host -> {
            HostStatistics.HugePages pages = pages(host).get(size);
            return pages == null ? null : number.of(pages);
        };
    }

    private static @Nullable Double physical(HostView host) {
        HostCapabilities capabilities = host.state().capabilities();
        return capabilities == null ? null : bytes(capabilities.memory().physicalMebibytes());
    }

    private static Map<String, HostStatistics.HugePages> pages(HostView host) {
        HostStatistics statistics = host.statistics();
        return statistics == null ? Map.of() : statistics.memory().hugePages();
    }

    private static @Nullable Double rate(
            HostNicUsage nic, @Nullable Double percent, double divisor) {
        Double bits = times(nic.speedMegabitsPerSecond(), MEGA);
        return bits == null || percent == null
                ? null
                : (Double) (bits * percent / PERCENT / divisor);
    }

    private static @Nullable Double ratio(@Nullable Number percent) {
        return times(percent, 1 / PERCENT);
    }

    private static @Nullable Double bytes(@Nullable Number mebibytes) {
        return times(mebibytes, MEBIBYTE);
    }

    private static @Nullable Double times(@Nullable Number number, double factor) {
        return number == null ? null : Double.valueOf(number.doubleValue() * factor);
    }

    private static Measure of(Statistic statistic) {
        return host -> {
            HostStatistics statistics = host.statistics();
            return statistics == null ? null : statistic.of(statistics);
        };
    }

    private void statistic(String name, String help, Statistic statistic) throws IOException {
        fresh(name, help, of(statistic));
    }

    private void always(String name, String help, Measure number) throws IOException {
        gauge(name, help, number, false, this::sample);
    }

    private void fresh(String name, String help, Measure number) throws IOException {
        gauge(name, help, number, true, this::sample);
    }

    private void exported(String name, String help, Measure number) throws IOException {
        gauge(name, help, number, false, this::exporterSample);
    }

    private void exportedFresh(String name, String help, Measure number) throws IOException {
        gauge(name, help, number, true, this::exporterSample);
    }

    private void gauge(String name, String help, Measure number, boolean onlyFresh, Sample sample)
            throws IOException {
        out.family(name, GAUGE, help);
        for (HostView host : hosts) {
            if (!onlyFresh || isFresh(host)) {
                Number value = number.of(host);
                if (value != null && Double.isFinite(value.doubleValue())) {
                    sample.of(host).value(value.doubleValue());
                }
            }
        }
    }

    private void nic(String name, Exposition.Kind kind, String help, Sample sample, OfNic number)
            throws IOException {
        out.family(name, kind, help);
        for (HostView host : hosts) {
            if (isFresh(host)) {
                for (Map.Entry<String, HostNicUsage> nic : host.usage().nics().entrySet()) {
                    Number value = number.of(nic.getValue());
                    if (value != null && Double.isFinite(value.doubleValue())) {
                        sample.of(host)
                                .label(NIC, nic.getKey())
                                .label(MAC, mac(host, nic.getKey()))
                                .value(value.doubleValue());
                    }
                }
            }
        }
    }

    private static @Nullable String mac(HostView host, String name) {
        HostCapabilities capabilities = host.state().capabilities();
        if (capabilities == null) {
            return null;
        }
        HostNetworks.Nic nic = capabilities.network().nics().get(name);
        if (nic != null) {
            return nic.mac();
        }
        HostNetworks.Bond bond = capabilities.network().bonds().get(name);
        return bond == null ? null : bond.mac();
    }

    private Exposition sample(HostView host) throws IOException {
        var id = host.state().definition().id().value();
        return out.sample().label(ID, id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    private Exposition exporterSample(HostView host) throws IOException {
        return out.sample()
                .label(NAME, host.state().definition().name())
                .label(CLUSTER, names.of(host.state().definition().cluster()));
    }

    private static long millis(HostView host) {
        Instant at = host.statisticsAt();
        return at == null ? 0 : at.toEpochMilli();
    }

    private boolean isFresh(HostView host) {
        return host.state().status() == HostStatus.UP
                && millis(host) != 0
                && nowMillis - millis(host) <= staleMillis;
    }
}
