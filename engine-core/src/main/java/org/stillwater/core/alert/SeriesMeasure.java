package org.stillwater.core.alert;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.stillwater.core.regression.RegressionMetric;

/**
 * Numbers of disks, interfaces, storage domains, VMs and hosts that the search for regressions
 * measures: one mean for each of its intervals, and none while the object has no load. Rules use
 * them beside the metrics of history.
 */
public enum SeriesMeasure {
    DISK_READ_LATENCY(
            "disk.readLatencyMilliseconds",
            "ms",
            AlertSubject.Kind.DISK,
            RegressionMetric.DISK_READ_LATENCY,
            0),
    DISK_WRITE_LATENCY(
            "disk.writeLatencyMilliseconds",
            "ms",
            AlertSubject.Kind.DISK,
            RegressionMetric.DISK_WRITE_LATENCY,
            0),
    /** Only while requests wait: what the disk is able to do, not what its guest demands. */
    DISK_READ_CAPACITY(
            "disk.readCapacityRate",
            "B/s",
            AlertSubject.Kind.DISK,
            RegressionMetric.DISK_READ_THROUGHPUT,
            0),
    /** As the read capacity. */
    DISK_WRITE_CAPACITY(
            "disk.writeCapacityRate",
            "B/s",
            AlertSubject.Kind.DISK,
            RegressionMetric.DISK_WRITE_THROUGHPUT,
            0),
    INTERFACE_LOSS(
            "interface.droppedRate",
            "packets/s",
            AlertSubject.Kind.INTERFACE,
            RegressionMetric.INTERFACE_LOSS,
            1),
    /** Mean over the hosts of the scope that check the domain. */
    DOMAIN_DELAY(
            "storage-domain.delayMilliseconds",
            "ms",
            AlertSubject.Kind.STORAGE_DOMAIN,
            RegressionMetric.STORAGE_DELAY,
            0),
    /** Mean over the disks of the scope on the domain. */
    DOMAIN_READ_LATENCY(
            "storage-domain.readLatencyMilliseconds",
            "ms",
            AlertSubject.Kind.STORAGE_DOMAIN,
            RegressionMetric.DISK_READ_LATENCY,
            0),
    /** As the read latency. */
    DOMAIN_WRITE_LATENCY(
            "storage-domain.writeLatencyMilliseconds",
            "ms",
            AlertSubject.Kind.STORAGE_DOMAIN,
            RegressionMetric.DISK_WRITE_LATENCY,
            0),
    VM_CPU_WAIT("vm.cpuWaitPercent", "%", AlertSubject.Kind.VM, RegressionMetric.CPU_WAIT, 1),
    VM_BALLOON("vm.balloonPercent", "%", AlertSubject.Kind.VM, RegressionMetric.VM_BALLOON, 1),
    HOST_ANSWER(
            "host.answerMilliseconds",
            "ms",
            AlertSubject.Kind.HOST,
            RegressionMetric.HOST_ANSWER,
            0),
    HOST_EVENT_LAG(
            "host.eventLagMilliseconds",
            "ms",
            AlertSubject.Kind.HOST,
            RegressionMetric.EVENT_LAG,
            1),
    /** Of migrations that leave the host. */
    HOST_MIGRATION(
            "host.migrationSeconds",
            "s",
            AlertSubject.Kind.HOST,
            RegressionMetric.MIGRATION_DURATION,
            0),
    /** Of VMs that come up on the host. */
    HOST_BOOT("host.bootSeconds", "s", AlertSubject.Kind.HOST, RegressionMetric.BOOT_TIME, 0);

    private static final Map<String, SeriesMeasure> BY_NAME =
            Arrays.stream(values())
                    .collect(
                            Collectors.toUnmodifiableMap(
                                    SeriesMeasure::label, Function.identity()));

    private final String label;
    private final String unit;
    private final AlertSubject.Kind kind;
    private final RegressionMetric metric;
    private final double offset;

    SeriesMeasure(
            String label,
            String unit,
            AlertSubject.Kind kind,
            RegressionMetric metric,
            double offset) {
        this.label = label;
        this.unit = unit;
        this.kind = kind;
        this.metric = metric;
        this.offset = offset;
    }

    /** Its name in expressions. */
    public String label() {
        return label;
    }

    /** Unit of its values. */
    public String unit() {
        return unit;
    }

    /** Kind of the objects that it is a number of. */
    public AlertSubject.Kind kind() {
        return kind;
    }

    /** The measured series; several of them make the number of a storage domain. */
    public RegressionMetric metric() {
        return metric;
    }

    /**
     * The number of a value of the series: some series are shifted, because they must be positive.
     */
    public double number(double measured) {
        return measured - offset;
    }

    /** Measures by their names in expressions. */
    static Map<String, SeriesMeasure> byName() {
        return BY_NAME;
    }

    /** Names in the order of their kinds. */
    public static List<String> names() {
        return Arrays.stream(values()).map(SeriesMeasure::label).toList();
    }
}
