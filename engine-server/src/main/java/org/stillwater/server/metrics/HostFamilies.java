package org.stillwater.server.metrics;

import static org.stillwater.server.metrics.Exposition.Kind.GAUGE;
import static org.stillwater.server.metrics.Exposition.Kind.INFO;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostNicUsage;
import org.stillwater.core.host.HostStatus;

/** The families of hosts under the engine's own names, {@code stillwater_host_…}. */
final class HostFamilies extends HostFamilyGroup {

    static final List<Family<ScrapedHost>> ALL = new HostFamilies().all();

    private HostFamilies() {
        super("stillwater_host", HostFamilies::identity);
        family("", INFO, "Names of a host; join them by id.", this::names);
        family("status", GAUGE, "1 with the host's status as a label.", this::status);
        gauge("up", "1 if the host is up.", host -> host.status() == HostStatus.UP ? 1 : 0);
        gauge("connected", "1 if a connection stands.", host -> host.view().connected() ? 1 : 0);
        gauge("vms", "VMs that it is responsible for.", host -> host.view().vms());
        gauge(
                "committed_memory_bytes",
                "Memory that its VMs take when they use all they have.",
                host -> host.view().committedMemoryMebibytes() * MEBIBYTE);
        cpu("cpu_threads", "Hardware threads.", cpu -> number(cpu.threads()));
        current(
                "statistics_timestamp_seconds",
                "When its numbers were observed, since the epoch.",
                host -> host.statisticsMillis() / 1e3);
        current(
                "cpu_usage_ratio",
                "CPU usage, 0 to 1.",
                host -> ratio(host.view().usage().cpuPercent()));
        current(
                "memory_usage_ratio",
                "Memory usage, 0 to 1.",
                host -> ratio(host.view().usage().memoryPercent()));
        current(
                "network_usage_ratio",
                "The busiest card or bond, 0 to 1.",
                host -> ratio(host.view().usage().networkPercent()));
        statistic("cpu_user_ratio", "User time, 0 to 1.", of -> ratio(of.cpu().userPercent()));
        statistic(
                "cpu_system_ratio", "System time, 0 to 1.", of -> ratio(of.cpu().systemPercent()));
        statistic("cpu_idle_ratio", "Idle time, 0 to 1.", of -> ratio(of.cpu().idlePercent()));
        statistic("load5", "Five-minute load average.", of -> number(of.cpu().load()));
        statistic(
                "memory_free_bytes",
                "Memory available for VMs.",
                of -> bytes(of.memory().freeMebibytes()));
        statistic(
                "memory_shared_bytes",
                "Memory merged by KSM.",
                of -> bytes(of.memory().sharedMebibytes()));
        statistic("swap_bytes", "Swap space.", of -> bytes(of.memory().swapTotalMebibytes()));
        statistic(
                "swap_free_bytes",
                "Free swap space.",
                of -> bytes(of.memory().swapFreeMebibytes()));
        statistic(
                "ksm_cpu_ratio", "CPU that KSM uses, 0 to 1.", of -> ratio(of.ksm().cpuPercent()));
        statistic(
                "boot_time_seconds",
                "When it booted, since the epoch.",
                of -> number(of.bootTimeEpochSeconds()));
        statistic("vms_active", "VMs that run on it.", of -> number(of.vms().active()));
        nicCounter(
                "network_receive_bytes",
                "Bytes received by an interface.",
                nic -> number(nic.receivedBytes()));
        nicCounter(
                "network_transmit_bytes",
                "Bytes sent by an interface.",
                nic -> number(nic.sentBytes()));
        nicCounter(
                "network_receive_dropped",
                "Packets dropped on receipt.",
                nic -> number(nic.receiveDropped()));
        nicCounter(
                "network_transmit_dropped",
                "Packets dropped on sending.",
                nic -> number(nic.sendDropped()));
        nicGauge(
                "network_speed_bits_per_second",
                "Speed of the link.",
                nic -> mega(nic.speedMegabitsPerSecond()));
        nicGauge("network_up", "1 if it has a link.", HostFamilies::link);
    }

    private static Exposition identity(Exposition sample, ScrapedHost host) throws IOException {
        var id = host.view().state().definition().id().value();
        return sample.label(Label.ID, id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    private void names(Exposition out, ScrapedHost host) throws IOException {
        HostDefinition definition = host.view().state().definition();
        sample(out, host)
                .label(Label.NAME, definition.name())
                .label(Label.ADDRESS, definition.address())
                .label(Label.CLUSTER, host.cluster())
                .label(Label.CLUSTER_ID, definition.cluster().toString())
                .value(1);
    }

    private void status(Exposition out, ScrapedHost host) throws IOException {
        sample(out, host)
                .label(Label.STATUS, host.status().name().toLowerCase(Locale.ROOT))
                .value(1);
    }

    private static double link(HostNicUsage nic) {
        Boolean up = nic.up();
        return up == null ? Double.NaN : up ? 1 : 0;
    }
}
