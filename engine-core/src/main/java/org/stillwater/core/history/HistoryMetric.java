package org.stillwater.core.history;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The numbers of which history is kept, a dozen per VM and a dozen per host. Their order is that of
 * the columns of history, so new ones are added at the end of their subject.
 */
public enum HistoryMetric {
    VM_CPU_USAGE(Subject.VM, "usageCpuPercent", "cpu_usage", "%"),
    VM_CPU_USER(Subject.VM, "cpuUserPercent", "cpu_user", "% of one core"),
    VM_CPU_SYSTEM(Subject.VM, "cpuSystemPercent", "cpu_system", "% of one core"),
    VM_MEMORY_USAGE(Subject.VM, "usageMemoryPercent", "memory_usage", "%"),
    VM_MEMORY_UNUSED(Subject.VM, "memoryUnusedKibibytes", "memory_unused", "KiB"),
    VM_MEMORY_BUFFERED(Subject.VM, "memoryBufferedKibibytes", "memory_buffered", "KiB"),
    VM_MEMORY_CACHED(Subject.VM, "memoryCachedKibibytes", "memory_cached", "KiB"),
    VM_NETWORK_USAGE(Subject.VM, "usageNetworkPercent", "network_usage", "%"),
    VM_NETWORK_RECEIVE(Subject.VM, "networkReceiveRate", "network_receive", "B/s"),
    VM_NETWORK_SEND(Subject.VM, "networkSendRate", "network_send", "B/s"),
    VM_DISK_READ(Subject.VM, "diskReadRate", "disk_read", "B/s"),
    VM_DISK_WRITE(Subject.VM, "diskWriteRate", "disk_write", "B/s"),

    HOST_CPU_USAGE(Subject.HOST, "usageCpuPercent", "cpu_usage", "%"),
    HOST_CPU_USER(Subject.HOST, "cpuUserPercent", "cpu_user", "%"),
    HOST_CPU_SYSTEM(Subject.HOST, "cpuSystemPercent", "cpu_system", "%"),
    HOST_CPU_LOAD(Subject.HOST, "cpuLoad", "cpu_load", "runnable tasks"),
    HOST_MEMORY_USAGE(Subject.HOST, "usageMemoryPercent", "memory_usage", "%"),
    HOST_MEMORY_FREE(Subject.HOST, "memoryFreeMebibytes", "memory_free", "MiB"),
    HOST_SWAP_USED(Subject.HOST, "swapUsedMebibytes", "swap_used", "MiB"),
    HOST_KSM_CPU(Subject.HOST, "ksmCpuPercent", "ksm_cpu", "%"),
    HOST_NETWORK_USAGE(Subject.HOST, "usageNetworkPercent", "network_usage", "%"),
    HOST_NETWORK_RECEIVE(Subject.HOST, "networkReceiveRate", "network_receive", "B/s"),
    HOST_NETWORK_SEND(Subject.HOST, "networkSendRate", "network_send", "B/s"),
    HOST_VMS_ACTIVE(Subject.HOST, "vmsActive", "vms_active", "VMs");

    /** Kind of object that a metric measures. */
    public enum Subject {
        VM,
        HOST;

        private List<HistoryMetric> metrics() {
            return Arrays.stream(HistoryMetric.values())
                    .filter(metric -> metric.subject == this)
                    .toList();
        }
    }

    private static final List<HistoryMetric> VM = Subject.VM.metrics();
    private static final List<HistoryMetric> HOST = Subject.HOST.metrics();

    private final Subject subject;
    private final String label;
    private final String column;
    private final String unit;

    HistoryMetric(Subject subject, String label, String column, String unit) {
        this.subject = subject;
        this.label = label;
        this.column = column;
        this.unit = unit;
    }

    /** Kind of object that the metric measures. */
    public Subject subject() {
        return subject;
    }

    /** The name that clients request it by; unique within its subject. */
    public String label() {
        return label;
    }

    /** The column of history that holds it; unique within its subject. */
    public String column() {
        return column;
    }

    /** Unit of the metric. */
    public String unit() {
        return unit;
    }

    /** Index among the metrics of its subject, from 0; in memory only. */
    @SuppressWarnings("EnumOrdinal") // an index into arrays of this process only
    public int index() {
        return subject == Subject.VM ? ordinal() : ordinal() - VM.size();
    }

    /** The metrics of a subject, in the order of {@link #index()}. */
    public static List<HistoryMetric> of(Subject subject) {
        return subject == Subject.VM ? VM : HOST;
    }

    /** The metric of a subject that clients call so. */
    public static Optional<HistoryMetric> named(Subject subject, String label) {
        return of(subject).stream().filter(metric -> metric.label.equals(label)).findFirst();
    }
}
