package org.stillwater.ovirt.resource;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A statistic of every entity of a kind: all of it but the values is constant (rule 15).
 *
 * @param id made of the name (appendix A): the same on every parent
 * @param name name
 * @param description its meaning
 * @param kind {@code gauge} or {@code counter}
 * @param type {@code integer}, {@code decimal} or {@code string}
 * @param unit unit
 */
record Measure(String id, String name, String description, String kind, String type, String unit) {

    private static final String GAUGE = "gauge";
    private static final String COUNTER = "counter";
    private static final String INTEGER = "integer";
    private static final String DECIMAL = "decimal";
    private static final String BYTES = "bytes";
    private static final String PERCENT = "percent";
    private static final String NONE = "none";

    // VMs
    static final Measure MEMORY_INSTALLED =
            gauge("memory.installed", "Memory that the VM is configured with", INTEGER, BYTES);
    static final Measure VM_MEMORY_USED =
            gauge("memory.used", "Memory in use by the guest", INTEGER, BYTES);
    static final Measure CPU_GUEST =
            gauge(
                    "cpu.current.guest",
                    "Time of the guest in percent of one processor",
                    DECIMAL,
                    PERCENT);
    static final Measure CPU_HYPERVISOR =
            gauge(
                    "cpu.current.hypervisor",
                    "Time of the hypervisor for the VM in percent of one processor",
                    DECIMAL,
                    PERCENT);
    static final Measure CPU_TOTAL =
            gauge(
                    "cpu.current.total",
                    "Time of guest and hypervisor in percent of one processor",
                    DECIMAL,
                    PERCENT);
    static final Measure MIGRATION_PROGRESS =
            gauge("migration.progress", "Progress of a migration", DECIMAL, PERCENT);
    static final Measure MEMORY_BUFFERED =
            gauge("memory.buffered", "Buffers in the guest", INTEGER, BYTES);
    static final Measure MEMORY_CACHED =
            gauge("memory.cached", "Page cache in the guest", INTEGER, BYTES);
    static final Measure VM_MEMORY_FREE =
            gauge("memory.free", "Free memory in the guest", INTEGER, BYTES);
    static final Measure MEMORY_UNUSED =
            gauge("memory.unused", "Unused memory in the guest", INTEGER, BYTES);
    static final Measure NETWORK_TOTAL =
            gauge(
                    "network.current.total",
                    "Use of the busiest network interface",
                    DECIMAL,
                    PERCENT);
    static final Measure DISKS_USAGE =
            gauge("disks.usage", "File systems of the guest, as JSON", "string", NONE);
    static final Measure ELAPSED_TIME =
            new Measure(
                    "elapsed.time", "Time since the guest started", COUNTER, INTEGER, "seconds");
    static final Measure CPU_HISTORY =
            gauge("cpu.usage.history", "Use of the processors, newest first", DECIMAL, PERCENT);
    static final Measure MEMORY_HISTORY =
            gauge("memory.usage.history", "Use of the memory, newest first", DECIMAL, PERCENT);
    static final Measure NETWORK_HISTORY =
            gauge("network.usage.history", "Use of the network, newest first", DECIMAL, PERCENT);

    // Hosts and their NUMA nodes
    static final Measure MEMORY_TOTAL = gauge("memory.total", "Memory", INTEGER, BYTES);
    static final Measure MEMORY_USED = gauge("memory.used", "Memory in use", INTEGER, BYTES);
    static final Measure MEMORY_FREE = gauge("memory.free", "Free memory", INTEGER, BYTES);
    static final Measure MEMORY_SHARED =
            gauge("memory.shared", "Memory that VMs share", INTEGER, BYTES);
    static final Measure SWAP_TOTAL = gauge("swap.total", "Swap space", INTEGER, BYTES);
    static final Measure SWAP_FREE = gauge("swap.free", "Free swap space", INTEGER, BYTES);
    static final Measure SWAP_USED = gauge("swap.used", "Swap space in use", INTEGER, BYTES);
    static final Measure KSM_CPU =
            gauge("ksm.cpu.current", "Time for merging of equal pages", DECIMAL, PERCENT);
    static final Measure CPU_USER =
            gauge("cpu.current.user", "Time of users' processes", DECIMAL, PERCENT);
    static final Measure CPU_SYSTEM =
            gauge("cpu.current.system", "Time of the system", DECIMAL, PERCENT);
    static final Measure CPU_IDLE = gauge("cpu.current.idle", "Idle time", DECIMAL, PERCENT);
    static final Measure CPU_LOAD =
            gauge("cpu.load.avg.5m", "Load, averaged over five minutes", DECIMAL, PERCENT);
    static final Measure BOOT_TIME =
            gauge("boot.time", "When the host was started, in seconds since 1970", INTEGER, NONE);

    // Interfaces
    static final Measure RATE_RX =
            gauge("data.current.rx", "Rate of receipt", DECIMAL, "bytes_per_second");
    static final Measure RATE_TX =
            gauge("data.current.tx", "Rate of sending", DECIMAL, "bytes_per_second");
    static final Measure BITS_RX =
            gauge("data.current.rx.bps", "Rate of receipt in bits", DECIMAL, "bits_per_second");
    static final Measure BITS_TX =
            gauge("data.current.tx.bps", "Rate of sending in bits", DECIMAL, "bits_per_second");
    static final Measure ERRORS_RX =
            new Measure("errors.total.rx", "Packets dropped on receipt", COUNTER, INTEGER, NONE);
    static final Measure ERRORS_TX =
            new Measure("errors.total.tx", "Packets dropped on sending", COUNTER, INTEGER, NONE);
    static final Measure DATA_RX =
            new Measure("data.total.rx", "Data received", COUNTER, INTEGER, BYTES);
    static final Measure DATA_TX =
            new Measure("data.total.tx", "Data sent", COUNTER, INTEGER, BYTES);

    // Disks
    static final Measure DISK_READ =
            gauge("data.current.read", "Rate of reading", DECIMAL, "bytes_per_second");
    static final Measure DISK_WRITE =
            gauge("data.current.write", "Rate of writing", DECIMAL, "bytes_per_second");
    static final Measure DISK_READ_OPS =
            new Measure("data.current.read_ops", "Reads", COUNTER, DECIMAL, NONE);
    static final Measure DISK_WRITE_OPS =
            new Measure("data.current.write_ops", "Writes", COUNTER, DECIMAL, NONE);
    static final Measure READ_LATENCY =
            gauge("disk.read.latency", "Mean time of a read", DECIMAL, "seconds");
    static final Measure WRITE_LATENCY =
            gauge("disk.write.latency", "Mean time of a write", DECIMAL, "seconds");
    static final Measure FLUSH_LATENCY =
            gauge("disk.flush.latency", "Mean time of a flush", DECIMAL, "seconds");

    private static final Map<String, Measure> HUGE_PAGES = new ConcurrentHashMap<>();
    private static final int MOST_SIZES = 64;

    private Measure(String name, String description, String kind, String type, String unit) {
        this(
                UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString(),
                name,
                description,
                kind,
                type,
                unit);
    }

    private static Measure gauge(String name, String description, String type, String unit) {
        return new Measure(name, description, GAUGE, type, unit);
    }

    /**
     * Huge pages of a size.
     *
     * @param size in KiB, as hosts name it
     * @param what {@code free} or {@code total}
     */
    static Measure hugePages(String size, String what) {
        String name = "hugepages." + size + "." + what;
        Measure known = HUGE_PAGES.get(name);
        if (known == null) {
            known = gauge(name, "Huge pages of " + size + " KiB, " + what, INTEGER, NONE);
            if (HUGE_PAGES.size() < MOST_SIZES) {
                HUGE_PAGES.put(name, known);
            }
        }
        return known;
    }
}
