package org.stillwater.monitoring.regression;

import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
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

    private static final RegressionMetric[] OF_DISKS = {
        RegressionMetric.DISK_READ_LATENCY,
        RegressionMetric.DISK_WRITE_LATENCY,
        RegressionMetric.DISK_READ_THROUGHPUT,
        RegressionMetric.DISK_WRITE_THROUGHPUT
    };

    private final VmId id;
    private Disk[] disks = {};
    private Nic[] nics = {};
    private @Nullable MeasuredSeries wait;
    private @Nullable MeasuredSeries balloon;
    private @Nullable VmStatic definition;
    private long digest;
    private long placesRevision;
    private Map<UUID, UUID> places = Map.of();
    private @Nullable HostId host;
    private long observedMillis;
    private long elapsedSeconds;
    long pass;

    private final class Disk extends MeasuredPart {
        private String name = "";
        private @Nullable VmId image;
        private @Nullable MeasuredSeries readLatency;
        private @Nullable MeasuredSeries writeLatency;
        private @Nullable MeasuredSeries readRate;
        private @Nullable MeasuredSeries writeRate;
        private long reads = VmNumbers.UNKNOWN;
        private long writes = VmNumbers.UNKNOWN;

        @Override
        SeriesOwner named() {
            return Owners.disk(
                    id, name, host, image == null ? null : places.get(image.toUuid()), cluster());
        }

        @Override
        @Nullable MeasuredSeries kept(RegressionMetric metric) {
            return switch (metric) {
                case DISK_READ_LATENCY -> readLatency;
                case DISK_WRITE_LATENCY -> writeLatency;
                case DISK_READ_THROUGHPUT -> readRate;
                case DISK_WRITE_THROUGHPUT -> writeRate;
                default -> throw new IllegalArgumentException(metric + " is not of a disk");
            };
        }

        @Override
        void keep(RegressionMetric metric, @Nullable MeasuredSeries series) {
            switch (metric) {
                case DISK_READ_LATENCY -> readLatency = series;
                case DISK_WRITE_LATENCY -> writeLatency = series;
                case DISK_READ_THROUGHPUT -> readRate = series;
                case DISK_WRITE_THROUGHPUT -> writeRate = series;
                default -> throw new IllegalArgumentException(metric + " is not of a disk");
            }
        }
    }

    private final class Nic extends MeasuredPart {
        private final String name;
        private @Nullable MeasuredSeries loss;
        private long dropped = VmNumbers.UNKNOWN;

        private Nic(String name) {
            this.name = name;
        }

        @Override
        SeriesOwner named() {
            return Owners.vmInterface(id, name, host, cluster());
        }

        @Override
        @Nullable MeasuredSeries kept(RegressionMetric metric) {
            return loss;
        }

        @Override
        void keep(RegressionMetric metric, @Nullable MeasuredSeries series) {
            loss = series;
        }
    }

    MeasuredVm(VmId id) {
        this.id = id;
    }

    VmId id() {
        return id;
    }

    /**
     * Whether its disks are to be requested.
     *
     * @param revision of its disks' places
     */
    @SuppressWarnings("ReferenceEquality") // another instance is another definition
    boolean isRedefined(VmReading vm, long revision) {
        long present = vm.deviceDigest();
        return definition != vm.definition()
                || (present != 0 && present != digest)
                || revision != placesRevision;
    }

    /**
     * Its definition, and the storage domains of its images.
     *
     * @param devices digest of the list of devices that was saved before the domains were read
     * @param revision of the disks' places before the domains were read
     */
    @SuppressWarnings("ReferenceEquality") // another instance is another definition
    void defined(VmStatic present, long devices, long revision, Map<UUID, UUID> known) {
        placesRevision = revision;
        if (definition == present && digest == devices && places.equals(known)) {
            return; // disks of other VMs changed
        }
        definition = present;
        digest = devices;
        places = Map.copyOf(known);
        disks = new Disk[0];
        nics = new Nic[0];
        moved();
    }

    private ClusterId cluster() {
        VmStatic present = definition;
        return present == null ? ClusterId.DEFAULT : present.cluster();
    }

    private SeriesOwner named() {
        return Owners.vm(id, host, cluster());
    }

    private void moved() {
        if (wait != null) {
            wait.moved(named());
        }
        if (balloon != null) {
            balloon.moved(named());
        }
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
            wait = added(wait, RegressionMetric.CPU_WAIT, this::named, 1 + waited, series);
        }
        double taken = numbers.balloonTakenPercent();
        if (taken >= 0) {
            balloon = added(balloon, RegressionMetric.VM_BALLOON, this::named, 1 + taken, series);
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
        if (definition == null) {
            return;
        }
        moved();
        Disk[] next = new Disk[numbers.diskCount()];
        for (int i = 0; i < next.length; i++) {
            Disk disk = known(numbers.diskName(i));
            disk.name = numbers.diskName(i);
            disk.image = numbers.imageId(i);
            disk.reads = VmNumbers.UNKNOWN;
            disk.writes = VmNumbers.UNKNOWN;
            disk.moved(OF_DISKS);
            next[i] = disk;
        }
        disks = next;
        Nic[] cards = new Nic[numbers.nicCount()];
        for (int i = 0; i < cards.length; i++) {
            String name = numbers.nicDefinition(i).name();
            boolean known = i < nics.length && nics[i].name.equals(name);
            cards[i] = known ? nics[i] : new Nic(name);
            cards[i].dropped = VmNumbers.UNKNOWN;
            cards[i].moved(RegressionMetric.INTERFACE_LOSS);
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

    private void mark(Mark.Kind kind) {
        for (Disk disk : disks) {
            mark(disk.readLatency, kind);
            mark(disk.writeLatency, kind);
            mark(disk.readRate, kind);
            mark(disk.writeRate, kind);
        }
        for (Nic nic : nics) {
            mark(nic.loss, kind);
        }
        mark(wait, kind);
        mark(balloon, kind);
    }

    /** Marks a series, if there is one. */
    static void mark(@Nullable MeasuredSeries series, Mark.Kind kind) {
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
            addLatency(
                    disk.of(RegressionMetric.DISK_READ_LATENCY, series),
                    readLatency,
                    operations(disk.reads, reads));
        }
        if (writeRate >= IDLE_BYTES_PER_SECOND && writeLatency > 0) {
            addLatency(
                    disk.of(RegressionMetric.DISK_WRITE_LATENCY, series),
                    writeLatency,
                    operations(disk.writes, writes));
        }
        if (isBusy(disk.reads, reads, seconds, readLatency) && readRate > 0) {
            add(disk.of(RegressionMetric.DISK_READ_THROUGHPUT, series), readRate);
        }
        disk.reads = reads;
        if (isBusy(disk.writes, writes, seconds, writeLatency) && writeRate > 0) {
            add(disk.of(RegressionMetric.DISK_WRITE_THROUGHPUT, series), writeRate);
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
    private static void addLatency(@Nullable MeasuredSeries one, double seconds, long operations) {
        if (one != null) {
            if (operations == VmNumbers.UNKNOWN) {
                one.sample(seconds * MILLIS_PER_SECOND);
            } else {
                one.sample(seconds * MILLIS_PER_SECOND, (double) operations);
            }
        }
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
            add(
                    nic.of(RegressionMetric.INTERFACE_LOSS, series),
                    1 + (dropped - nic.dropped) / seconds);
        }
        nic.dropped = dropped;
    }

    /**
     * Adds a sample to a series, which is made for the first one; null if there are too many.
     *
     * @param owner named for a new series only
     */
    static @Nullable MeasuredSeries added(
            @Nullable MeasuredSeries known,
            RegressionMetric metric,
            Supplier<SeriesOwner> owner,
            double value,
            FleetSeries series) {
        boolean isNew = known == null || known.isDropped();
        MeasuredSeries one = isNew ? series.get(metric, owner.get()) : known;
        add(one, value);
        return one;
    }

    private static void add(@Nullable MeasuredSeries one, double value) {
        if (one != null) {
            one.sample(value);
        }
    }
}
