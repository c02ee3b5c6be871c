package org.stillwater.server.metrics;

import static org.stillwater.monitoring.vm.VmNumber.*;
import static org.stillwater.server.metrics.Exposition.Kind.GAUGE;
import static org.stillwater.server.metrics.Exposition.Kind.INFO;

import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmNumbers;

/** The families of VMs under the engine's own names, {@code stillwater_vm_…}. */
final class VmFamilies extends VmFamilyGroup {

    private static final String PREFIX = "stillwater_vm";
    private static final int LONGEST_TOLD = 64;

    static final List<Family<VmScrape>> ALL = new VmFamilies().all();

    /** The word for all families. */
    static final String EVERYTHING = "all";

    /** Families by group, without the prefix of their names; a family may be in several. */
    static final Map<String, List<String>> GROUPS = groups();

    private VmFamilies() {
        super(PREFIX, VmFamilies::identity);
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
        ofPercent(
                "memory_usage_ratio",
                "Memory usage as reported by the guest, 0 to 1.",
                MEMORY_USAGE);
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

    private static Map<String, List<String>> groups() {
        Map<String, List<String>> groups = new LinkedHashMap<>();
        groups.put("state", List.of("", "status", "up", "cpus", "memory_bytes"));
        groups.put(
                "usage",
                List.of(
                        "statistics_timestamp_seconds",
                        "cpu_usage_ratio",
                        "memory_usage_ratio",
                        "network_usage_ratio",
                        "uptime_seconds",
                        "migration_progress_ratio"));
        groups.put(
                "traffic",
                List.of(
                        "network_receive_bytes",
                        "network_transmit_bytes",
                        "disk_read_bytes_per_second",
                        "disk_write_bytes_per_second"));
        groups.put("cpu", List.of("cpu_usage_ratio", "cpu_user_cores", "cpu_system_cores"));
        groups.put(
                "memory",
                List.of(
                        "memory_usage_ratio",
                        "memory_free_bytes",
                        "memory_unused_bytes",
                        "memory_buffered_bytes",
                        "memory_cached_bytes",
                        "balloon_bytes"));
        groups.put(
                "network",
                List.of(
                        "network_usage_ratio",
                        "network_receive_bytes",
                        "network_transmit_bytes",
                        "network_receive_dropped",
                        "network_transmit_dropped"));
        groups.put(
                "disks",
                List.of(
                        "disk_read_bytes_per_second",
                        "disk_write_bytes_per_second",
                        "disk_reads",
                        "disk_writes",
                        "disk_size_bytes",
                        "disk_read_latency_seconds",
                        "disk_write_latency_seconds",
                        "disk_flush_latency_seconds"));
        return Collections.unmodifiableMap(groups);
    }

    /** The family of a name without its prefix. */
    static String full(String name) {
        return name.isEmpty() ? PREFIX : PREFIX + "_" + name;
    }

    /**
     * The families that are named, in the order of {@link #ALL}.
     *
     * @param words groups, names of families or series, or {@link #EVERYTHING}
     * @throws IllegalArgumentException for another word, with the known ones
     */
    static List<Family<VmScrape>> select(List<String> words) {
        Set<String> wanted = new HashSet<>();
        for (String each : words) {
            String word = each.strip();
            List<String> group = GROUPS.get(word);
            if (group != null) {
                group.forEach(name -> wanted.add(full(name)));
            } else if (word.equals(EVERYTHING)) {
                return ALL;
            } else {
                wanted.add(named(word).name());
            }
        }
        return ALL.stream().filter(family -> wanted.contains(family.name())).toList();
    }

    private static Family<VmScrape> named(String word) {
        return ALL.stream()
                .filter(family ->
                        word.equals(family.name())
                                || word.equals(family.kind().sampleName(family.name())))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException(
                                "families has no %s; there are %s, %s and the names of series"
                                        .formatted(
                                                word.length() <= LONGEST_TOLD
                                                        ? word
                                                        : word.substring(0, LONGEST_TOLD) + "…",
                                                EVERYTHING,
                                                String.join(", ", GROUPS.keySet()))));
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
