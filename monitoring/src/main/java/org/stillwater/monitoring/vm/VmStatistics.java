package org.stillwater.monitoring.vm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.NicRates;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmNic;
import org.stillwater.core.model.VmStatic;
import org.stillwater.core.model.VmStatisticsView;
import org.stillwater.core.report.VmSample;

/**
 * One VM's numbers, updated in place every cycle and read by copying (monitoring specification
 * §1.3, §4.9).
 *
 * <p>Everything that changes every cycle lies in two primitive arrays: fresh objects per VM and
 * cycle would live just long enough to be copied by the collector, which measured as several times
 * the cost of decoding. One writer at a time, which holds the VM's lock; readers take a copy under
 * a version check and never lock, so a reader delays nobody and sees one cycle's values only.
 *
 * <p>The layout of {@code numbers}: {@value #HEADER} values of the VM, then {@value #NIC} per
 * interface in the order of the VM's definition, then {@value #DISK} per disk in the order
 * reported. Fractions are kept as their raw bits. {@code history} holds one ring of bytes per usage
 * metric, followed by two bytes per metric: samples held, and where the next one goes.
 */
public final class VmStatistics {

    private static final int OBSERVED = 0;
    private static final int CPU_USER = 1;
    private static final int CPU_SYSTEM = 2;
    private static final int ELAPSED = 3;
    private static final int MEMORY_USAGE = 4;
    private static final int MEMORY_FREE = 5;
    private static final int MEMORY_UNUSED = 6;
    private static final int MEMORY_BUFFERED = 7;
    private static final int MEMORY_CACHED = 8;
    private static final int BALLOON_CURRENT = 9;
    private static final int BALLOON_MAXIMUM = 10;
    private static final int BALLOON_TARGET = 11;
    private static final int BALLOON_MINIMUM = 12;
    private static final int MIGRATION_PROGRESS = 13;
    private static final int CPU_USAGE = 14;
    private static final int NETWORK_USAGE = 15;
    private static final int DISKS_USAGE_DIGEST = 16;
    private static final int HEADER = 17;

    private static final int NIC_RECEIVED = 0;
    private static final int NIC_SENT = 1;
    private static final int NIC_RECEIVED_OFFSET = 2;
    private static final int NIC_SENT_OFFSET = 3;
    private static final int NIC_RECEIVE_RATE = 4;
    private static final int NIC_SEND_RATE = 5;
    private static final int NIC_RECEIVE_DROPPED = 6;
    private static final int NIC_SEND_DROPPED = 7;
    private static final int NIC_SAMPLE_TIME = 8;
    private static final int NIC = 9;

    private static final int DISK_IMAGE_UPPER = 0;
    private static final int DISK_IMAGE_LOWER = 1;
    private static final int DISK_READ_RATE = 2;
    private static final int DISK_WRITE_RATE = 3;
    private static final int DISK_READS = 4;
    private static final int DISK_WRITES = 5;
    private static final int DISK_SIZE = 6;
    private static final int DISK_READ_LATENCY = 7;
    private static final int DISK_WRITE_LATENCY = 8;
    private static final int DISK_FLUSH_LATENCY = 9;
    private static final int DISK = 10;

    private static final int METRICS = 3;
    private static final int CPU_HISTORY = 0;
    private static final int MEMORY_HISTORY = 1;
    private static final int NETWORK_HISTORY = 2;

    private static final long NONE = VmSample.NOT_REPORTED;
    private static final long NAN = Double.doubleToRawLongBits(Double.NaN);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final VarHandle VERSION;

    static {
        try {
            VERSION =
                    MethodHandles.lookup().findVarHandle(VmStatistics.class, "version", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Odd while a writer is at work. */
    @SuppressWarnings("unused") // accessed through VERSION
    private int version;

    private VmNic[] nics;
    private int cpus;
    private long[] macs;
    private long[] numbers;
    private final byte[] history;
    private final int historyLimit;
    private String[] diskNames = NO_TEXT;
    private @Nullable String @Nullable [] lunIds;
    private @Nullable String disksUsage;

    private static final String[] NO_TEXT = {};

    VmStatistics(VmStatic definition, int historyLimit) {
        if (historyLimit < 0 || historyLimit > Byte.MAX_VALUE) {
            throw new IllegalArgumentException("the usage history holds 0 to 127 samples");
        }
        this.historyLimit = historyLimit;
        this.history = new byte[METRICS * (historyLimit + 2)];
        this.nics = definition.nics().toArray(VmNic[]::new);
        this.macs = macsOf(nics);
        this.cpus = definition.cpus();
        this.numbers = new long[HEADER + nics.length * NIC];
        clearNumbers();
    }

    private static long[] macsOf(VmNic[] nics) {
        long[] macs = new long[nics.length];
        for (int i = 0; i < nics.length; i++) {
            macs[i] = VmSample.Nic.macOf(nics[i].mac());
        }
        return macs;
    }

    /** Digest of the guest file systems that are held; 0 if none. Under the VM's lock. */
    public long disksUsageDigest() {
        return numbers[DISKS_USAGE_DIGEST];
    }

    /** Takes in one poll's numbers. Under the VM's lock. */
    public void update(VmSample sample, long epochMillis) {
        int before = beginWrite();
        try {
            numbers[OBSERVED] = epochMillis;
            put(CPU_USER, sample.cpuUserPercent);
            put(CPU_SYSTEM, sample.cpuSystemPercent);
            numbers[ELAPSED] = sample.elapsedSeconds;
            numbers[MEMORY_USAGE] = sample.memoryUsagePercent;
            numbers[MEMORY_FREE] = sample.memoryFreeKibibytes;
            numbers[MEMORY_UNUSED] = sample.memoryUnusedKibibytes;
            numbers[MEMORY_BUFFERED] = sample.memoryBufferedKibibytes;
            numbers[MEMORY_CACHED] = sample.memoryCachedKibibytes;
            if (sample.balloonCurrentKibibytes != NONE) {
                numbers[BALLOON_CURRENT] = sample.balloonCurrentKibibytes;
                numbers[BALLOON_MAXIMUM] = sample.balloonMaximumKibibytes;
                numbers[BALLOON_TARGET] = sample.balloonTargetKibibytes;
                numbers[BALLOON_MINIMUM] = sample.balloonMinimumKibibytes;
            }
            updateDisksUsage(sample);
            if (sample.nicsReported) {
                updateNics(sample);
            }
            if (sample.disksReported) {
                updateDisks(sample);
            }
            updateUsage(sample);
        } finally {
            endWrite(before);
        }
    }

    /** Takes in how far a migration is. Under the VM's lock. */
    public void migrationProgressed(int percent) {
        int before = beginWrite();
        numbers[MIGRATION_PROGRESS] = percent;
        endWrite(before);
    }

    /** Ends the showing of a migration's progress. Under the VM's lock. */
    public void migrationEnded() {
        if (numbers[MIGRATION_PROGRESS] != NONE) {
            int before = beginWrite();
            numbers[MIGRATION_PROGRESS] = NONE;
            endWrite(before);
        }
    }

    /**
     * Forgets the numbers of a VM that stopped, except traffic totals and history (monitoring
     * specification §4.6). Under the VM's lock.
     */
    public void reset() {
        int before = beginWrite();
        long[] totals = numbers.clone();
        clearNumbers();
        for (int i = 0; i < nics.length; i++) {
            int at = HEADER + i * NIC;
            for (int kept :
                    new int[] {NIC_RECEIVED, NIC_SENT, NIC_RECEIVED_OFFSET, NIC_SENT_OFFSET}) {
                numbers[at + kept] = totals[at + kept];
            }
        }
        disksUsage = null;
        endWrite(before);
    }

    /** Follows a change of the definition; interfaces that stay keep their totals. */
    void redefine(VmStatic definition) {
        int before = beginWrite();
        VmNic[] oldNics = nics;
        long[] oldMacs = macs;
        long[] old = numbers;
        nics = definition.nics().toArray(VmNic[]::new);
        macs = macsOf(nics);
        cpus = definition.cpus();
        int disks = diskNames.length * DISK;
        numbers = new long[HEADER + nics.length * NIC + disks];
        clearNumbers();
        System.arraycopy(old, 0, numbers, 0, HEADER);
        for (int i = 0; i < nics.length; i++) {
            for (int j = 0; j < oldMacs.length; j++) {
                if (macs[i] == oldMacs[j]) {
                    System.arraycopy(old, HEADER + j * NIC, numbers, HEADER + i * NIC, NIC);
                }
            }
        }
        System.arraycopy(
                old, HEADER + oldNics.length * NIC, numbers, HEADER + nics.length * NIC, disks);
        endWrite(before);
    }

    private void clearNumbers() {
        Arrays.fill(numbers, NONE);
        numbers[OBSERVED] = 0;
        numbers[CPU_USER] = NAN;
        numbers[CPU_SYSTEM] = NAN;
        numbers[CPU_USAGE] = 0;
        numbers[NETWORK_USAGE] = 0;
        numbers[DISKS_USAGE_DIGEST] = 0;
        for (int i = 0; i < nics.length; i++) {
            int at = HEADER + i * NIC;
            numbers[at + NIC_RECEIVE_RATE] = NAN;
            numbers[at + NIC_SEND_RATE] = NAN;
            numbers[at + NIC_SAMPLE_TIME] = NAN;
        }
        for (int at = HEADER + nics.length * NIC; at < numbers.length; at += DISK) {
            numbers[at + DISK_READ_RATE] = NAN;
            numbers[at + DISK_WRITE_RATE] = NAN;
            numbers[at + DISK_READ_LATENCY] = NAN;
            numbers[at + DISK_WRITE_LATENCY] = NAN;
            numbers[at + DISK_FLUSH_LATENCY] = NAN;
        }
    }

    private void updateDisksUsage(VmSample sample) {
        if (sample.disksUsageDigest == numbers[DISKS_USAGE_DIGEST]) {
            return;
        }
        if (sample.disksUsageDigest != 0 && sample.disksUsage == null) {
            return;
        }
        disksUsage = sample.disksUsage;
        numbers[DISKS_USAGE_DIGEST] = sample.disksUsageDigest;
    }

    private void updateNics(VmSample sample) {
        for (int i = 0; i < nics.length; i++) {
            long received = NONE;
            long sent = NONE;
            long receiveDropped = NONE;
            long sendDropped = NONE;
            double sampleTime = Double.NaN;
            for (int j = 0; j < sample.nicCount(); j++) {
                VmSample.Nic nic = sample.nic(j);
                if (nic.mac == macs[i]) {
                    // Two reports with one address happen while an interface is replaced; the
                    // larger counters belong to the one that carries traffic.
                    received = Math.max(received, nic.receivedBytes);
                    sent = Math.max(sent, nic.sentBytes);
                    receiveDropped = Math.max(receiveDropped, nic.receiveDropped);
                    sendDropped = Math.max(sendDropped, nic.sendDropped);
                    sampleTime =
                            Double.isNaN(sampleTime)
                                    ? nic.sampleTimeSeconds
                                    : Math.max(sampleTime, nic.sampleTimeSeconds);
                }
            }
            updateNic(
                    HEADER + i * NIC,
                    nics[i].speedMegabitsPerSecond(),
                    received,
                    sent,
                    receiveDropped,
                    sendDropped,
                    sampleTime);
        }
    }

    private void updateNic(
            int at,
            int speedMegabits,
            long received,
            long sent,
            long receiveDropped,
            long sendDropped,
            double sampleTime) {
        double elapsed = sampleTime - Double.longBitsToDouble(numbers[at + NIC_SAMPLE_TIME]);
        count(
                at + NIC_RECEIVED,
                at + NIC_RECEIVED_OFFSET,
                at + NIC_RECEIVE_RATE,
                received,
                elapsed,
                speedMegabits);
        count(
                at + NIC_SENT,
                at + NIC_SENT_OFFSET,
                at + NIC_SEND_RATE,
                sent,
                elapsed,
                speedMegabits);
        numbers[at + NIC_RECEIVE_DROPPED] = receiveDropped;
        numbers[at + NIC_SEND_DROPPED] = sendDropped;
        put(at + NIC_SAMPLE_TIME, sampleTime);
    }

    private void count(int total, int offset, int rate, long reported, double elapsed, int speed) {
        numbers[rate] = NAN;
        if (reported == NONE) {
            return;
        }
        long previous = numbers[total];
        if (previous == NONE) {
            numbers[offset] = NicRates.firstOffset(reported);
            numbers[total] = 0;
            return;
        }
        numbers[offset] = NicRates.nextOffset(reported, numbers[offset], previous);
        long next = reported + numbers[offset];
        numbers[total] = next;
        put(rate, NicRates.percent(next - previous, elapsed, speed));
    }

    private void updateDisks(VmSample sample) {
        int count = sample.diskCount();
        int first = HEADER + nics.length * NIC;
        if (count != diskNames.length) {
            numbers = Arrays.copyOf(numbers, first + count * DISK);
        }
        adoptDiskNames(sample, count);
        for (int i = 0; i < count; i++) {
            VmSample.Disk disk = sample.disk(i);
            int at = first + i * DISK;
            VmId image = disk.imageId;
            numbers[at + DISK_IMAGE_UPPER] = image == null ? NONE : image.mostSignificantBits();
            numbers[at + DISK_IMAGE_LOWER] = image == null ? NONE : image.leastSignificantBits();
            put(at + DISK_READ_RATE, disk.readRate);
            put(at + DISK_WRITE_RATE, disk.writeRate);
            numbers[at + DISK_READS] = disk.readOperations;
            numbers[at + DISK_WRITES] = disk.writeOperations;
            numbers[at + DISK_SIZE] = disk.actualSizeBytes;
            put(at + DISK_READ_LATENCY, disk.readLatencyNanos);
            put(at + DISK_WRITE_LATENCY, disk.writeLatencyNanos);
            put(at + DISK_FLUSH_LATENCY, disk.flushLatencyNanos);
        }
    }

    /** Readers share the arrays of names, so a changed name makes a new array. */
    private void adoptDiskNames(VmSample sample, int count) {
        boolean same = count == diskNames.length;
        boolean luns = false;
        for (int i = 0; i < count; i++) {
            VmSample.Disk disk = sample.disk(i);
            luns |= disk.lunId != null;
            same = same && disk.name.equals(diskNames[i]);
        }
        if (!same) {
            String[] names = new String[count];
            for (int i = 0; i < count; i++) {
                names[i] = sample.disk(i).name.intern();
            }
            diskNames = names;
        }
        if (!luns) {
            lunIds = null;
            return;
        }
        @Nullable String[] held = lunIds;
        boolean sameLuns = held != null && held.length == count;
        for (int i = 0; sameLuns && held != null && i < count; i++) {
            sameLuns = Objects.equals(held[i], sample.disk(i).lunId);
        }
        if (!sameLuns) {
            @Nullable String[] next = new @Nullable String[count];
            for (int i = 0; i < count; i++) {
                next[i] = sample.disk(i).lunId;
            }
            lunIds = next;
        }
    }

    private void updateUsage(VmSample sample) {
        double cpu = sample.cpuUserPercent + sample.cpuSystemPercent;
        if (!Double.isNaN(cpu)) {
            numbers[CPU_USAGE] = percent(cpu / cpus);
            remember(CPU_HISTORY, (byte) numbers[CPU_USAGE]);
        } else {
            numbers[CPU_USAGE] = 0;
        }
        if (sample.memoryUsagePercent != NONE) {
            remember(MEMORY_HISTORY, (byte) clamp(sample.memoryUsagePercent));
        }
        double busiest = Double.NaN;
        for (int i = 0; i < nics.length; i++) {
            int at = HEADER + i * NIC;
            busiest = largerOf(busiest, Double.longBitsToDouble(numbers[at + NIC_RECEIVE_RATE]));
            busiest = largerOf(busiest, Double.longBitsToDouble(numbers[at + NIC_SEND_RATE]));
        }
        numbers[NETWORK_USAGE] = Double.isNaN(busiest) ? 0 : percent(busiest);
        if (!Double.isNaN(busiest)) {
            remember(NETWORK_HISTORY, (byte) numbers[NETWORK_USAGE]);
        }
    }

    private static double largerOf(double known, double candidate) {
        if (Double.isNaN(known)) {
            return candidate;
        }
        return Double.isNaN(candidate) ? known : Math.max(known, candidate);
    }

    private static long percent(double value) {
        return clamp((long) value);
    }

    private static long clamp(long value) {
        return Math.clamp(value, 0, 100);
    }

    private void remember(int metric, byte value) {
        if (historyLimit == 0) {
            return;
        }
        int held = METRICS * historyLimit + 2 * metric;
        int next = held + 1;
        history[metric * historyLimit + history[next]] = value;
        history[next] = (byte) ((history[next] + 1) % historyLimit);
        if (history[held] < historyLimit) {
            history[held]++;
        }
    }

    private void put(int index, double value) {
        numbers[index] = Double.doubleToRawLongBits(value);
    }

    private int beginWrite() {
        int before = (int) VERSION.getOpaque(this);
        VERSION.setOpaque(this, before + 1);
        VarHandle.storeStoreFence();
        return before;
    }

    private void endWrite(int before) {
        VERSION.setRelease(this, before + 2);
    }

    /** A consistent copy; null if no poll has brought numbers yet. Any thread, without locking. */
    public @Nullable VmStatisticsView view() {
        while (true) {
            int before = (int) VERSION.getAcquire(this);
            if ((before & 1) == 0) {
                VmNic[] nicsSeen = nics;
                long[] numbersSeen = numbers.clone();
                byte[] historySeen = history.clone();
                String[] diskNamesSeen = diskNames;
                @Nullable String[] lunIdsSeen = lunIds;
                String disksUsageSeen = disksUsage;
                VarHandle.loadLoadFence();
                if ((int) VERSION.getOpaque(this) == before) {
                    return numbersSeen[OBSERVED] == 0
                            ? null
                            : toView(
                                    nicsSeen,
                                    numbersSeen,
                                    historySeen,
                                    diskNamesSeen,
                                    lunIdsSeen,
                                    disksUsageSeen);
                }
            }
            Thread.onSpinWait();
        }
    }

    private VmStatisticsView toView(
            VmNic[] nicsSeen,
            long[] n,
            byte[] historySeen,
            String[] diskNamesSeen,
            @Nullable String @Nullable [] lunIdsSeen,
            @Nullable String disksUsageSeen) {
        List<VmStatisticsView.Nic> nicViews = new ArrayList<>(nicsSeen.length);
        for (int i = 0; i < nicsSeen.length; i++) {
            int at = HEADER + i * NIC;
            if (n[at + NIC_RECEIVED] == NONE && n[at + NIC_SENT] == NONE) {
                continue;
            }
            nicViews.add(
                    new VmStatisticsView.Nic(
                            nicsSeen[i].mac(),
                            orZero(n[at + NIC_RECEIVED]),
                            orZero(n[at + NIC_SENT]),
                            rate(n[at + NIC_RECEIVE_RATE]),
                            rate(n[at + NIC_SEND_RATE]),
                            orZero(n[at + NIC_RECEIVE_DROPPED]),
                            orZero(n[at + NIC_SEND_DROPPED]),
                            Double.longBitsToDouble(n[at + NIC_SAMPLE_TIME])));
        }
        int first = HEADER + nicsSeen.length * NIC;
        List<VmStatisticsView.Disk> diskViews = new ArrayList<>(diskNamesSeen.length);
        for (int i = 0; i < diskNamesSeen.length; i++) {
            int at = first + i * DISK;
            boolean noImage = n[at + DISK_IMAGE_UPPER] == NONE && n[at + DISK_IMAGE_LOWER] == NONE;
            diskViews.add(
                    new VmStatisticsView.Disk(
                            diskNamesSeen[i],
                            noImage
                                    ? null
                                    : new VmId(n[at + DISK_IMAGE_UPPER], n[at + DISK_IMAGE_LOWER])
                                            .toString(),
                            lunIdsSeen == null ? null : lunIdsSeen[i],
                            Double.longBitsToDouble(n[at + DISK_READ_RATE]),
                            Double.longBitsToDouble(n[at + DISK_WRITE_RATE]),
                            orZero(n[at + DISK_READS]),
                            orZero(n[at + DISK_WRITES]),
                            orZero(n[at + DISK_SIZE]),
                            Double.longBitsToDouble(n[at + DISK_READ_LATENCY]) / NANOS_PER_SECOND,
                            Double.longBitsToDouble(n[at + DISK_WRITE_LATENCY]) / NANOS_PER_SECOND,
                            Double.longBitsToDouble(n[at + DISK_FLUSH_LATENCY])
                                    / NANOS_PER_SECOND));
        }
        return new VmStatisticsView(
                Instant.ofEpochMilli(n[OBSERVED]),
                Double.longBitsToDouble(n[CPU_USER]),
                Double.longBitsToDouble(n[CPU_SYSTEM]),
                (int) n[CPU_USAGE],
                (int) clamp(orZero(n[MEMORY_USAGE])),
                (int) n[NETWORK_USAGE],
                orZero(n[ELAPSED]),
                orNull(n[MEMORY_FREE]),
                orNull(n[MEMORY_UNUSED]),
                orNull(n[MEMORY_BUFFERED]),
                orNull(n[MEMORY_CACHED]),
                orNull(n[BALLOON_CURRENT]),
                orNull(n[BALLOON_MAXIMUM]),
                orNull(n[BALLOON_TARGET]),
                orNull(n[BALLOON_MINIMUM]),
                n[MIGRATION_PROGRESS] == NONE ? null : (Integer) (int) n[MIGRATION_PROGRESS],
                disksUsageSeen,
                nicViews,
                diskViews,
                samples(historySeen, CPU_HISTORY),
                samples(historySeen, MEMORY_HISTORY),
                samples(historySeen, NETWORK_HISTORY));
    }

    private List<Integer> samples(byte[] rings, int metric) {
        if (historyLimit == 0) {
            return List.of();
        }
        int held = rings[METRICS * historyLimit + 2 * metric];
        int next = rings[METRICS * historyLimit + 2 * metric + 1];
        List<Integer> samples = new ArrayList<>(held);
        for (int i = 0; i < held; i++) {
            int index = Math.floorMod(next - held + i, historyLimit);
            samples.add((int) rings[metric * historyLimit + index]);
        }
        return samples;
    }

    private static long orZero(long value) {
        return value == NONE ? 0 : value;
    }

    private static @Nullable Long orNull(long value) {
        return value == NONE ? null : value;
    }

    private static @Nullable Double rate(long bits) {
        double value = Double.longBitsToDouble(bits);
        return Double.isNaN(value) ? null : value;
    }
}
