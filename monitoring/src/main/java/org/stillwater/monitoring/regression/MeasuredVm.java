package org.stillwater.monitoring.regression;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmStatic;
import org.stillwater.core.regression.FleetSeries;
import org.stillwater.core.regression.Mark;
import org.stillwater.core.regression.MeasuredSeries;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.monitoring.vm.VmReading;

/**
 * The series of one VM, so that a sample needs no look-up by name. A report without changes
 * allocates nothing. One thread.
 */
final class MeasuredVm {

    /**
     * A disk that moves less than a page a second is idle: its latency is that of single requests.
     */
    private static final double IDLE_BYTES_PER_SECOND = 4_096;

    /** Requests that wait on average (Little's law) from which on the disk is the limit. */
    private static final double BUSY = 1;

    /** A VM that uses less of a core than this many percent is idle, and does not compete. */
    private static final double IDLE_CPU_PERCENT = 5;

    private static final double MILLIS_PER_SECOND = 1_000;

    private final VmId id;
    private Disk[] disks = {};
    private Nic[] nics = {};
    private SeriesOwner owner = new SeriesOwner("", List.of());
    private @Nullable MeasuredSeries wait;
    private @Nullable VmStatic definition;
    private Map<UUID, UUID> places = Map.of();
    private @Nullable HostId host;
    private long observedMillis;
    private long elapsedSeconds;
    long pass;

    private static final class Disk {
        private String name = "";
        private @Nullable VmId image;
        private @Nullable MeasuredSeries readLatency;
        private @Nullable MeasuredSeries writeLatency;
        private @Nullable MeasuredSeries readRate;
        private @Nullable MeasuredSeries writeRate;
        private SeriesOwner owner = new SeriesOwner("", List.of());
        private long reads = VmNumbers.UNKNOWN;
        private long writes = VmNumbers.UNKNOWN;
    }

    private static final class Nic {
        private @Nullable MeasuredSeries loss;
        private SeriesOwner owner = new SeriesOwner("", List.of());
        private long dropped = VmNumbers.UNKNOWN;
    }

    MeasuredVm(VmId id) {
        this.id = id;
    }

    VmId id() {
        return id;
    }

    /** Whether its disks are to be asked for. */
    @SuppressWarnings("ReferenceEquality") // another instance is another definition
    boolean isRedefined(VmStatic present) {
        return definition != present;
    }

    /** Its definition, and the storage domains of its images. */
    void defined(VmStatic present, Map<UUID, UUID> known) {
        definition = present;
        places = known;
        disks = new Disk[0];
        nics = new Nic[0];
        owner = Owners.vm(id, host, present.cluster());
        moved(wait, owner);
    }

    /** Takes a sample if a report arrived since the last one. */
    void sample(VmReading vm, VmNumbers numbers, FleetSeries series) {
        long observed = vm.observedEpochMillis();
        if (observed == 0 || observed == observedMillis) {
            return;
        }
        vm.numbers(numbers);
        double seconds = observedMillis == 0 ? 0 : (observed - observedMillis) / MILLIS_PER_SECOND;
        observedMillis = observed;
        HostId now = vm.state().placement().runOn();
        if (now != null && !now.equals(host)) {
            boolean moved = host != null;
            host = now;
            connect(numbers);
            if (moved) {
                mark(Mark.Kind.MIGRATION);
            }
            seconds = 0; // another host's counters
        } else if (!isConnected(numbers)) {
            connect(numbers);
        }
        long elapsed = numbers.whole(VmNumber.ELAPSED);
        if (elapsed != VmNumbers.UNKNOWN) {
            if (elapsed < elapsedSeconds) {
                mark(Mark.Kind.RESTART);
                seconds = 0;
            }
            elapsedSeconds = elapsed;
        }
        double waited = numbers.cpuWaitPercent();
        if (waited >= 0 && numbers.fraction(VmNumber.CPU_USER) >= IDLE_CPU_PERCENT) {
            wait = added(wait, RegressionMetric.CPU_WAIT, owner, 1 + waited, series);
        }
        for (int i = 0; i < disks.length; i++) {
            sample(disks[i], i, numbers, seconds, series);
        }
        for (int i = 0; i < nics.length; i++) {
            sample(nics[i], i, numbers, seconds, series);
        }
    }

    private boolean isConnected(VmNumbers numbers) {
        if (disks.length != numbers.diskCount() || nics.length != numbers.nicCount()) {
            return false;
        }
        for (int i = 0; i < disks.length; i++) {
            if (!disks[i].name.equals(numbers.diskName(i)) || !isImage(disks[i], numbers, i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isImage(Disk disk, VmNumbers numbers, int index) {
        VmId image = numbers.imageId(index);
        return image == null ? disk.image == null : image.equals(disk.image);
    }

    private void connect(VmNumbers numbers) {
        VmStatic present = definition;
        if (present == null) {
            return;
        }
        owner = Owners.vm(id, host, present.cluster());
        moved(wait, owner);
        Disk[] next = new Disk[numbers.diskCount()];
        for (int i = 0; i < next.length; i++) {
            Disk disk = known(numbers.diskName(i));
            disk.name = numbers.diskName(i);
            disk.image = numbers.imageId(i);
            disk.owner =
                    Owners.disk(
                            id,
                            disk.name,
                            host,
                            disk.image == null ? null : places.get(disk.image.toUuid()),
                            present.cluster());
            disk.reads = VmNumbers.UNKNOWN;
            disk.writes = VmNumbers.UNKNOWN;
            moved(disk.readLatency, disk.owner);
            moved(disk.writeLatency, disk.owner);
            moved(disk.readRate, disk.owner);
            moved(disk.writeRate, disk.owner);
            next[i] = disk;
        }
        disks = next;
        Nic[] cards = new Nic[numbers.nicCount()];
        for (int i = 0; i < cards.length; i++) {
            Nic nic = new Nic();
            nic.owner =
                    Owners.vmInterface(
                            id, numbers.nicDefinition(i).name(), host, present.cluster());
            cards[i] = nic;
        }
        nics = cards;
    }

    private Disk known(String name) {
        for (Disk disk : disks) {
            if (disk.name.equals(name)) {
                return disk;
            }
        }
        return new Disk();
    }

    private static void moved(@Nullable MeasuredSeries series, SeriesOwner owner) {
        if (series != null) {
            series.moved(owner);
        }
    }

    private void mark(Mark.Kind kind) {
        for (Disk disk : disks) {
            mark(disk.readLatency, kind);
            mark(disk.writeLatency, kind);
        }
    }

    private static void mark(@Nullable MeasuredSeries series, Mark.Kind kind) {
        if (series != null) {
            series.mark(kind);
        }
    }

    private static void sample(
            Disk disk, int index, VmNumbers numbers, double seconds, FleetSeries series) {
        double readRate = numbers.readBytesPerSecond(index);
        double writeRate = numbers.writeBytesPerSecond(index);
        double readLatency = numbers.readLatencySeconds(index);
        double writeLatency = numbers.writeLatencySeconds(index);
        long reads = numbers.readOperations(index);
        long writes = numbers.writeOperations(index);
        if (readRate >= IDLE_BYTES_PER_SECOND && readLatency > 0) {
            disk.readLatency =
                    latency(
                            disk.readLatency,
                            RegressionMetric.DISK_READ_LATENCY,
                            disk.owner,
                            readLatency,
                            operations(disk.reads, reads),
                            series);
        }
        if (writeRate >= IDLE_BYTES_PER_SECOND && writeLatency > 0) {
            disk.writeLatency =
                    latency(
                            disk.writeLatency,
                            RegressionMetric.DISK_WRITE_LATENCY,
                            disk.owner,
                            writeLatency,
                            operations(disk.writes, writes),
                            series);
        }
        if (isBusy(disk.reads, reads, seconds, readLatency) && readRate > 0) {
            disk.readRate =
                    added(
                            disk.readRate,
                            RegressionMetric.DISK_READ_THROUGHPUT,
                            disk.owner,
                            readRate,
                            series);
        }
        disk.reads = reads;
        if (isBusy(disk.writes, writes, seconds, writeLatency) && writeRate > 0) {
            disk.writeRate =
                    added(
                            disk.writeRate,
                            RegressionMetric.DISK_WRITE_THROUGHPUT,
                            disk.owner,
                            writeRate,
                            series);
        }
        disk.writes = writes;
    }

    /**
     * Operations since the sample before; 0 for the first one, negative if they are not counted.
     */
    private static long operations(long before, long now) {
        return now == VmNumbers.UNKNOWN
                ? VmNumbers.UNKNOWN
                : before == VmNumbers.UNKNOWN ? 0 : Math.max(0, now - before);
    }

    /** Adds the mean latency of some operations. */
    private static @Nullable MeasuredSeries latency(
            @Nullable MeasuredSeries known,
            RegressionMetric metric,
            SeriesOwner owner,
            double seconds,
            long operations,
            FleetSeries series) {
        MeasuredSeries one = of(known, metric, owner, series);
        if (one != null) {
            if (operations == VmNumbers.UNKNOWN) {
                one.sample(seconds * MILLIS_PER_SECOND);
            } else {
                one.sample(seconds * MILLIS_PER_SECOND, (double) operations);
            }
        }
        return one;
    }

    private static @Nullable MeasuredSeries of(
            @Nullable MeasuredSeries known,
            RegressionMetric metric,
            SeriesOwner owner,
            FleetSeries series) {
        return known == null || known.isDropped() ? series.get(metric, owner) : known;
    }

    private static boolean isBusy(long before, long now, double seconds, double latency) {
        return before != VmNumbers.UNKNOWN
                && now > before
                && seconds > 0
                && (now - before) / seconds * latency >= BUSY;
    }

    private static void sample(
            Nic nic, int index, VmNumbers numbers, double seconds, FleetSeries series) {
        if (!numbers.isNicKnown(index) || !numbers.isNicUp(index)) {
            return;
        }
        long received = numbers.receiveDropped(index);
        long sent = numbers.sendDropped(index);
        long dropped =
                received == VmNumbers.UNKNOWN || sent == VmNumbers.UNKNOWN
                        ? VmNumbers.UNKNOWN
                        : received + sent;
        boolean carries =
                numbers.receiveRatePercent(index) > 0 || numbers.sendRatePercent(index) > 0;
        if (carries && seconds > 0 && nic.dropped != VmNumbers.UNKNOWN && dropped >= nic.dropped) {
            nic.loss =
                    added(
                            nic.loss,
                            RegressionMetric.INTERFACE_LOSS,
                            nic.owner,
                            1 + (dropped - nic.dropped) / seconds,
                            series);
        }
        nic.dropped = dropped;
    }

    /** Adds a sample to a series, which is made for the first one; null if there are too many. */
    static @Nullable MeasuredSeries added(
            @Nullable MeasuredSeries known,
            RegressionMetric metric,
            SeriesOwner owner,
            double value,
            FleetSeries series) {
        MeasuredSeries one = of(known, metric, owner, series);
        if (one != null) {
            one.sample(value);
        }
        return one;
    }
}
