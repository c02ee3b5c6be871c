package org.stillwater.core.vm;

import static org.stillwater.core.vm.StatisticsField.Subject.DISK;
import static org.stillwater.core.vm.StatisticsField.Subject.NIC;
import static org.stillwater.core.vm.StatisticsField.Subject.VM;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Every number that is kept about a VM and changes from cycle to cycle, with its source and unit
 * (monitoring specification §1.3, §1.4). The members of {@link VmStatisticsView}, of the answer
 * that readers get, and the rows of the reference page are these and no others.
 */
public enum StatisticsField {
    OBSERVED_AT(VM, "", "time", null, "engine's clock at the poll, or when the VM stopped", ""),
    CPU_USER_PERCENT(
            VM, "cpuUser", "% of one core", "vm_statistics.cpu_user", "summed over vCPUs", "0"),
    CPU_SYSTEM_PERCENT(
            VM, "cpuSys", "% of one core", "vm_statistics.cpu_sys", "summed over vCPUs", "0"),
    USAGE_CPU_PERCENT(
            VM,
            "",
            "%",
            "vm_statistics.usage_cpu_percent",
            "(cpuSys + cpuUser) / vCPUs, truncated, at most 100; vCPUs as started, else as defined",
            "0"),
    USAGE_MEMORY_PERCENT(
            VM,
            "memUsage",
            "%",
            "vm_statistics.usage_mem_percent",
            "0 when the agent is down",
            "0"),
    USAGE_NETWORK_PERCENT(
            VM,
            "",
            "%",
            "vm_statistics.usage_network_percent",
            "largest rate of any interface in any direction, truncated",
            "0"),
    ELAPSED_SECONDS(
            VM,
            "elapsedTime",
            "s",
            "vm_statistics.elapsed_time",
            "uptime of the guest; starts again when the guest reboots",
            "0"),
    MEMORY_FREE_KIBIBYTES(VM, "memoryStats.mem_free", "KiB", null, "", "null"),
    MEMORY_UNUSED_KIBIBYTES(VM, "memoryStats.mem_unused", "KiB", null, "", "null"),
    MEMORY_BUFFERED_KIBIBYTES(
            VM, "memoryStats.mem_buffers", "KiB", "vm_statistics.guest_mem_buffered", "", "null"),
    MEMORY_CACHED_KIBIBYTES(
            VM, "memoryStats.mem_cached", "KiB", "vm_statistics.guest_mem_cached", "", "null"),
    BALLOON_CURRENT_KIBIBYTES(
            VM, "balloonInfo.balloon_cur", "KiB", null, "kept while not reported", "null"),
    BALLOON_MAXIMUM_KIBIBYTES(
            VM, "balloonInfo.balloon_max", "KiB", null, "kept while not reported", "null"),
    BALLOON_TARGET_KIBIBYTES(
            VM, "balloonInfo.balloon_target", "KiB", null, "kept while not reported", "null"),
    BALLOON_MINIMUM_KIBIBYTES(
            VM, "balloonInfo.balloon_min", "KiB", null, "kept while not reported", "null"),
    MIGRATION_PROGRESS_PERCENT(
            VM,
            "progress of VM_migration_status",
            "%",
            null,
            "0 when a migration starts or fails, null when none is known; never from a poll",
            "0"),
    DISKS_USAGE(VM, "disksUsage", "JSON text", "vm_statistics.disks_usage", "file systems", "null"),
    NICS(VM, "network", "list", null, "by MAC address; unknown addresses are ignored", "kept"),
    DISKS(VM, "disks", "list", null, "of the newest report that has any", "kept"),
    CPU_HISTORY(VM, "", "%", null, "samples of usageCpuPercent, oldest first", "kept"),
    MEMORY_HISTORY(VM, "", "%", null, "samples of usageMemoryPercent, oldest first", "kept"),
    NETWORK_HISTORY(VM, "", "%", null, "samples of usageNetworkPercent, oldest first", "kept"),

    NIC_ID(NIC, "", "UUID", "vm_interface_statistics.id", "from the definition", "kept"),
    NIC_NAME(NIC, "", "text", null, "from the definition", "kept"),
    NIC_MAC(
            NIC,
            "macAddr",
            "text",
            null,
            "from the definition; what reports are matched by",
            "kept"),
    NIC_STATUS(
            NIC,
            "",
            "up, none",
            "vm_interface_statistics.iface_status",
            "up when the newest report has the interface",
            "none"),
    NIC_SPEED_MEGABITS_PER_SECOND(
            NIC, "", "Mbit/s", null, "from the definition, never from a report", "kept"),
    NIC_RECEIVED_BYTES(
            NIC,
            "rx",
            "B",
            "vm_interface_statistics.rx_total",
            "reported + offset; 0 at the first report, null when the newest report has none",
            "kept"),
    NIC_SENT_BYTES(NIC, "tx", "B", "vm_interface_statistics.tx_total", "as receivedBytes", "kept"),
    NIC_RECEIVED_OFFSET_BYTES(
            NIC,
            "",
            "B",
            "vm_interface_statistics.rx_offset",
            "minus the first report; the total so far when the host's counter started again",
            "kept"),
    NIC_SENT_OFFSET_BYTES(
            NIC, "", "B", "vm_interface_statistics.tx_offset", "as receivedOffsetBytes", "kept"),
    NIC_RECEIVE_RATE_PERCENT(
            NIC,
            "",
            "% of the speed",
            "vm_interface_statistics.rx_rate",
            "of the growth since the sample before, at most 100; null without two samples of one"
                    + " host, time between them, and a speed",
            "0"),
    NIC_SEND_RATE_PERCENT(
            NIC,
            "",
            "% of the speed",
            "vm_interface_statistics.tx_rate",
            "as receiveRatePercent",
            "0"),
    NIC_RECEIVE_DROPPED(
            NIC, "rxDropped", "packets", "vm_interface_statistics.rx_drop", "total", "kept"),
    NIC_SEND_DROPPED(
            NIC, "txDropped", "packets", "vm_interface_statistics.tx_drop", "total", "kept"),
    NIC_SAMPLE_TIME_SECONDS(
            NIC,
            "sampleTime",
            "s",
            "vm_interface_statistics.sample_time",
            "the host's monotonic clock",
            "null"),

    DISK_NAME(DISK, "key of the disk", "text", null, "target device", "kept"),
    DISK_IMAGE_ID(
            DISK,
            "imageID",
            "UUID",
            "disk_image_dynamic.image_id",
            "null for CD-ROM and LUN, which are no images",
            "kept"),
    DISK_LUN_ID(DISK, "lunGUID", "text", null, "null for images", "kept"),
    DISK_READ_BYTES_PER_SECOND(DISK, "readRate", "B/s", "disk_image_dynamic.read_rate", "", "0"),
    DISK_WRITE_BYTES_PER_SECOND(DISK, "writeRate", "B/s", "disk_image_dynamic.write_rate", "", "0"),
    DISK_READ_OPERATIONS(
            DISK, "readOps", "operations", "disk_image_dynamic.read_ops", "total", "kept"),
    DISK_WRITE_OPERATIONS(
            DISK, "writeOps", "operations", "disk_image_dynamic.write_ops", "total", "kept"),
    DISK_ACTUAL_SIZE_BYTES(
            DISK, "truesize", "B", "disk_image_dynamic.actual_size", "allocated", "kept"),
    DISK_READ_LATENCY_SECONDS(
            DISK,
            "readLatency",
            "s",
            "disk_image_dynamic.read_latency_seconds",
            "wire: ns per operation",
            "0"),
    DISK_WRITE_LATENCY_SECONDS(
            DISK,
            "writeLatency",
            "s",
            "disk_image_dynamic.write_latency_seconds",
            "wire: ns per operation",
            "0"),
    DISK_FLUSH_LATENCY_SECONDS(
            DISK,
            "flushLatency",
            "s",
            "disk_image_dynamic.flush_latency_seconds",
            "wire: ns per operation",
            "0");

    /** Kind of object that a value belongs to. */
    public enum Subject {
        VM(""),
        NIC("network.*."),
        DISK("disks.*.");

        private final String wirePrefix;

        Subject(String wirePrefix) {
            this.wirePrefix = wirePrefix;
        }
    }

    private final Subject subject;
    private final String wire;
    private final String unit;
    private final @Nullable String column;
    private final String rule;
    private final String whenStopped;

    StatisticsField(
            Subject subject,
            String wire,
            String unit,
            @Nullable String column,
            String rule,
            String whenStopped) {
        this.subject = subject;
        this.wire = wire;
        this.unit = unit;
        this.column = column;
        this.rule = rule;
        this.whenStopped = whenStopped;
    }

    /** Kind of object that the value belongs to. */
    public Subject subject() {
        return subject;
    }

    /** Path of the value in a poll or event; null when the engine computes it. */
    public @Nullable String wire() {
        return wire.isEmpty() ? null : wire.contains(" ") ? wire : subject.wirePrefix + wire;
    }

    /** Unit, or kind of a value that has none. */
    public String unit() {
        return unit;
    }

    /** Table and column of the interval dump; null for memory only. */
    public @Nullable String column() {
        return column;
    }

    /** Its origin, if name, source and unit do not show it. */
    public String rule() {
        return rule;
    }

    /** Effect of the VM's stop on the value. */
    public String whenStopped() {
        return whenStopped;
    }

    /** Name of the member, in camel case. */
    public String member() {
        String words = subject == VM ? name() : name().substring(subject.name().length() + 1);
        StringBuilder member = new StringBuilder();
        for (String word : words.toLowerCase(Locale.ROOT).split("_")) {
            member.append(
                    member.isEmpty()
                            ? word
                            : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return member.toString();
    }
}
