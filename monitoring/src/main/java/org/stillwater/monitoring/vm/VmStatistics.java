package org.stillwater.monitoring.vm;

import static org.stillwater.monitoring.vm.StatisticsLayout.*;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.NicRates;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.RingFormat;
import org.stillwater.core.history.SampleRing;
import org.stillwater.core.history.Samples;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.core.vm.VmStatus;

/**
 * One VM's numbers, updated in place every cycle and read by copying (monitoring specification
 * §1.3, §1.4, §4.9).
 *
 * <p>Everything that changes every cycle lies in two primitive arrays ({@link StatisticsLayout},
 * {@link UsageRings}): fresh objects per VM and cycle would live just long enough to be copied by
 * the collector, which measured as several times the cost of decoding. One writer at a time, which
 * holds the VM's lock; readers take a copy under a version check and never lock, so a reader delays
 * no writer and sees one cycle's values only.
 *
 * <p>It is long because all numbers lie in two arrays that only this class writes.
 */
public final class VmStatistics {

    private static final VarHandle VERSION;
    private static final String[] NO_TEXT = {};
    private static final int NO_USAGE = 0xff;

    static {
        try {
            VERSION =
                    MethodHandles.lookup().findVarHandle(VmStatistics.class, "version", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Problem of a balloon; each is counted over polls. */
    public enum BalloonProblem {
        IGNORES_TARGET(0),
        UNCONTROLLED(Byte.SIZE);

        private final int shift;

        BalloonProblem(int shift) {
            this.shift = shift;
        }
    }

    /** Odd while a writer is at work. */
    @SuppressWarnings("unused") // accessed through VERSION
    private int version;

    private VmNic[] nics;
    private long[] numbers;
    private final byte[] history;
    private String[] diskNames = NO_TEXT;
    private @Nullable String @Nullable [] lunIds;

    /** See {@link PackedDisksUsage}. */
    private byte @Nullable [] disksUsage;

    private final @Nullable RingFormat recentFormat;

    /** The VM's recent history; null until there is some. */
    private volatile @Nullable SampleRing recent;

    /** Digest of the values that were last saved, 0 for none; used by the dump's thread only. */
    private int sampledDigest;

    /** Digest of the interfaces and disks last saved, 0 for none; the dump's thread only. */
    private int sampledPartsDigest;

    VmStatistics(VmStatic definition, int historyLimit, @Nullable RingFormat recentHistory) {
        this.recentFormat = recentHistory;
        this.history = UsageRings.ofLimit(historyLimit);
        this.nics = definition.nics().toArray(VmNic[]::new);
        this.numbers = new long[disk(nics.length, 0)];
        clear(numbers, nics);
    }

    private static void clear(long[] numbers, VmNic[] nics) {
        Arrays.fill(numbers, NONE);
        numbers[OBSERVED] = 0;
        numbers[CPU_USER] = NAN;
        numbers[CPU_SYSTEM] = NAN;
        numbers[DISKS_USAGE_DIGEST] = 0;
        numbers[BALLOON_COUNTS] = 0;
        numbers[BALLOON_CHECKED] = 0;
        for (int i = 0; i < nics.length; i++) {
            int at = nic(i);
            numbers[at + NIC_MAC] = VmSample.Nic.macOf(nics[i].mac());
            numbers[at + NIC_RECEIVE_RATE] = NAN;
            numbers[at + NIC_SEND_RATE] = NAN;
            numbers[at + NIC_SAMPLE_TIME] = NAN;
            numbers[at + NIC_FLAGS] = 0;
        }
    }

    /** Digest of the guest file systems that are held; 0 if none. Under the VM's lock. */
    public long disksUsageDigest() {
        return numbers[DISKS_USAGE_DIGEST];
    }

    /**
     * Whether enough time passed since the balloon was last checked: hosts measure it now and then
     * only, so that polls in quick succession see one measurement. Under the VM's lock.
     */
    public boolean balloonDue(long epochMillis, long spacingMillis) {
        long since = epochMillis - numbers[BALLOON_CHECKED];
        return since >= spacingMillis || since < 0;
    }

    /**
     * The balloon when it was last checked, KiB; {@link VmSample#NOT_REPORTED} if it never was in
     * this run of the VM. Under the VM's lock.
     */
    public long lastBalloonKibibytes() {
        return numbers[BALLOON_LAST];
    }

    /** Remembers a check of the balloon. Under the VM's lock. */
    public void balloonChecked(long epochMillis, long currentKibibytes) {
        numbers[BALLOON_CHECKED] = epochMillis;
        numbers[BALLOON_LAST] = currentKibibytes;
    }

    /** How many checks in a row showed the problem, up to 127. Under the VM's lock. */
    public int balloonCount(BalloonProblem problem) {
        return (int) (numbers[BALLOON_COUNTS] >>> problem.shift) & Byte.MAX_VALUE;
    }

    /** Remembers how many checks in a row showed the problem. Under the VM's lock. */
    public void balloonCounted(BalloonProblem problem, int count) {
        long others = numbers[BALLOON_COUNTS] & ~((long) Byte.MAX_VALUE << problem.shift);
        numbers[BALLOON_COUNTS] = others | (long) Math.clamp(count, 0, 127) << problem.shift;
    }

    /**
     * Applies one poll's statistics. Under the VM's lock.
     *
     * @param cpus virtual CPUs of the running VM, at least 1
     */
    public void update(VmSample sample, long epochMillis, int cpus) {
        int before = beginWrite();
        try {
            numbers[OBSERVED] = epochMillis;
            numbers[FLAGS] =
                    (numbers[FLAGS] & ~(HAS_NICS | HAS_DISKS) & NO_CPU_WAIT)
                            | (long) Float.floatToRawIntBits((float) sample.cpuWaitPercent)
                                    << CPU_WAIT_SHIFT
                            | (sample.nicsReported ? HAS_NICS : 0)
                            | (sample.disksReported ? HAS_DISKS : 0);
            updateCpu(sample, cpus);
            updateMemory(sample);
            updateDisksUsage(sample);
            if (sample.nicsReported) {
                updateNics(sample);
                updateNetworkUsage();
            }
            if (sample.disksReported) {
                updateDisks(sample);
            }
        } finally {
            endWrite(before);
        }
    }

    /**
     * Usage of processor, memory and network as one number, of which only {@link #isMoved} knows
     * the meaning. Under the VM's lock.
     */
    public int usage() {
        return usage(CPU_USAGE)
                | (usage(MEMORY_USAGE) << Byte.SIZE)
                | (usage(NETWORK_USAGE) << (2 * Byte.SIZE));
    }

    private int usage(int field) {
        return numbers[field] == NONE ? NO_USAGE : Math.clamp(numbers[field], 0, 100);
    }

    /**
     * Whether a usage changed by at least this number of percentage points. A usage that was or is
     * unknown has not changed.
     */
    public static boolean isMoved(int before, int now, int points) {
        for (int shift = 0; shift <= 2 * Byte.SIZE; shift += Byte.SIZE) {
            int was = (before >>> shift) & NO_USAGE;
            int is = (now >>> shift) & NO_USAGE;
            if (was != NO_USAGE && is != NO_USAGE && Math.abs(was - is) >= points) {
                return true;
            }
        }
        return false;
    }

    private void updateCpu(VmSample sample, int cpus) {
        put(CPU_USER, sample.cpuUserPercent);
        put(CPU_SYSTEM, sample.cpuSystemPercent);
        numbers[ELAPSED] = sample.elapsedSeconds;
        double cpu = sample.cpuUserPercent + sample.cpuSystemPercent;
        if (Double.isNaN(cpu)) {
            numbers[CPU_USAGE] = NONE;
        } else {
            numbers[CPU_USAGE] = percent(cpu / cpus);
            UsageRings.add(history, UsageRings.CPU, numbers[CPU_USAGE]);
        }
    }

    private void updateMemory(VmSample sample) {
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
        if (sample.memoryUsagePercent == NONE) {
            numbers[MEMORY_USAGE] = NONE;
        } else {
            numbers[MEMORY_USAGE] = Math.clamp(sample.memoryUsagePercent, 0, 100);
            UsageRings.add(history, UsageRings.MEMORY, numbers[MEMORY_USAGE]);
        }
    }

    private void updateDisksUsage(VmSample sample) {
        if (sample.disksUsageDigest == numbers[DISKS_USAGE_DIGEST]) {
            return;
        }
        if (sample.disksUsageDigest != 0 && sample.disksUsage == null) {
            return;
        }
        disksUsage = PackedDisksUsage.pack(sample.disksUsage);
        numbers[DISKS_USAGE_DIGEST] = sample.disksUsageDigest;
    }

    private void updateNics(VmSample sample) {
        for (int i = 0; i < nics.length; i++) {
            long received = NONE;
            long sent = NONE;
            long receiveDropped = NONE;
            long sendDropped = NONE;
            double sampleTime = Double.NaN;
            boolean reported = false;
            int at = nic(i);
            long mac = numbers[at + NIC_MAC];
            for (int j = 0; j < sample.nicCount(); j++) {
                VmSample.Nic nic = sample.nic(j);
                if (nic.mac == mac && nic.mac != NONE) {
                    // Two reports with one address happen while an interface is replaced; the
                    // larger counters belong to the one that carries traffic.
                    reported = true;
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
            double elapsed = sampleTime - Double.longBitsToDouble(numbers[at + NIC_SAMPLE_TIME]);
            int speed = nics[i].speedMegabitsPerSecond();
            count(at, NIC_RECEIVED, RECEIVED_KNOWN, received, elapsed, speed);
            count(at, NIC_SENT, SENT_KNOWN, sent, elapsed, speed);
            numbers[at + NIC_RECEIVE_DROPPED] = receiveDropped;
            numbers[at + NIC_SEND_DROPPED] = sendDropped;
            put(at + NIC_SAMPLE_TIME, sampleTime);
            flag(at, REPORTED, reported);
        }
    }

    /**
     * Counts one direction of an interface. The last known total outlives a report without one, so
     * that totals continue from it; but it is not shown meanwhile, and gives no rate afterwards.
     */
    private void count(
            int at, int direction, long known, long reported, double elapsed, int speed) {
        int total = at + direction;
        int offset = at + NIC_RECEIVED_OFFSET + direction;
        int rate = at + NIC_RECEIVE_RATE + direction;
        boolean knownBefore = (numbers[at + NIC_FLAGS] & known) != 0;
        numbers[rate] = NAN;
        flag(at, known, reported >= 0);
        if (reported < 0) {
            return;
        }
        long previous = numbers[total];
        if (previous == NONE) {
            numbers[offset] = NicRates.firstOffset(reported);
            numbers[total] = 0;
            return;
        }
        numbers[offset] = NicRates.nextOffset(reported, numbers[offset], previous);
        numbers[total] = NicRates.total(reported, numbers[offset]);
        if (knownBefore) {
            put(rate, NicRates.percent(numbers[total] - previous, elapsed, speed));
        }
    }

    private void flag(int at, long flag, boolean set) {
        long others = numbers[at + NIC_FLAGS] & ~flag;
        numbers[at + NIC_FLAGS] = set ? others | flag : others;
    }

    private void updateNetworkUsage() {
        double busiest = Double.NaN;
        for (int i = 0; i < nics.length; i++) {
            int at = nic(i);
            busiest = largerOf(busiest, Double.longBitsToDouble(numbers[at + NIC_RECEIVE_RATE]));
            busiest = largerOf(busiest, Double.longBitsToDouble(numbers[at + NIC_SEND_RATE]));
        }
        if (Double.isNaN(busiest)) {
            numbers[NETWORK_USAGE] = NONE;
        } else {
            numbers[NETWORK_USAGE] = percent(busiest);
            UsageRings.add(history, UsageRings.NETWORK, numbers[NETWORK_USAGE]);
        }
    }

    private static double largerOf(double known, double candidate) {
        if (Double.isNaN(known)) {
            return candidate;
        }
        return Double.isNaN(candidate) ? known : Math.max(known, candidate);
    }

    /** Truncated, 0 to 100. */
    private static long percent(double value) {
        return Math.clamp((long) value, 0, 100);
    }

    private void updateDisks(VmSample sample) {
        int count = sample.diskCount();
        if (count != diskNames.length) {
            numbers = Arrays.copyOf(numbers, disk(nics.length, count));
        }
        adoptDiskNames(sample, count);
        for (int i = 0; i < count; i++) {
            VmSample.Disk disk = sample.disk(i);
            int at = disk(nics.length, i);
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
            diskNames = DiskNames.shared(names);
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

    /**
     * Adds the values of the newest report to the VM's recent history, if it keeps one. Under the
     * VM's lock.
     *
     * @return how many samples were dropped before their time because their bytes were used up
     */
    public int remember(HistoryScratch scratch) {
        RingFormat format = recentFormat;
        if (format == null) {
            return 0;
        }
        SampleRing ring = recent;
        if (ring == null) {
            ring = new SampleRing(format);
            recent = ring;
        }
        long observed = VmHistory.values(nics, numbers, diskNames.length, scratch.values);
        format.code(scratch.values, scratch.codes);
        int before = beginWrite();
        try {
            return ring.add(observed, scratch.codes);
        } finally {
            endWrite(before);
        }
    }

    /** The VM's recent history; null if there is none. Any thread, without locking. */
    public @Nullable Samples recent() {
        SampleRing ring = recent;
        if (ring == null) {
            return null;
        }
        while (true) {
            int before = (int) VERSION.getAcquire(this);
            if ((before & 1) == 0) {
                Samples samples = ring.samples();
                VarHandle.loadLoadFence();
                if ((int) VERSION.getOpaque(this) == before) {
                    return samples;
                }
            }
            Thread.onSpinWait();
        }
    }

    /** Applies the progress of a migration, 0 to 100. Under the VM's lock. */
    public void migrationProgressed(int percent) {
        progress(percent);
    }

    private void progress(long percent) {
        int before = beginWrite();
        numbers[MIGRATION_PROGRESS] = percent;
        endWrite(before);
    }

    /**
     * Follows a change of the VM's known state, of any origin (monitoring specification §4.6,
     * §4.9): the numbers of a VM that stopped are zeroed, and progress is reset when a migration
     * starts or fails. Under the VM's lock.
     */
    void follow(VmState from, VmState to) {
        VmStatus was = from.runtime().status();
        VmStatus is = to.runtime().status();
        boolean moved = !Objects.equals(from.placement().runOn(), to.placement().runOn());
        if (moved) {
            changedHost();
        }
        if (was == is) {
            return;
        }
        if (is.isNotRunning() && !was.isNotRunning()) {
            stopped(to.observedAt().toEpochMilli());
        } else if (is == VmStatus.MIGRATING_FROM) {
            progress(0);
        } else if (is != VmStatus.UNKNOWN && !is.isMigrating()) {
            if (was == VmStatus.MIGRATING_FROM && !moved) {
                progress(0); // it failed: the VM stays where it is
            } else if (was.isMigrating() || was == VmStatus.UNKNOWN) {
                progress(NONE);
            }
        }
    }

    /**
     * Sets the usage of a stopped VM to zero (monitoring specification §4.6). Traffic totals stay
     * and continue, disk usage stays, and the history ends with a sample of zeros. The guest's data
     * of its memory and file systems are cleared.
     */
    private void stopped(long epochMillis) {
        int before = beginWrite();
        numbers[OBSERVED] = epochMillis;
        numbers[CPU_USER] = ZERO;
        numbers[CPU_SYSTEM] = ZERO;
        numbers[ELAPSED] = 0;
        numbers[CPU_USAGE] = 0;
        numbers[MEMORY_USAGE] = 0;
        numbers[NETWORK_USAGE] = 0;
        Arrays.fill(numbers, MEMORY_FREE, BALLOON_MINIMUM + 1, NONE);
        numbers[FLAGS] = HAS_NICS | HAS_DISKS; // and no balloon problems
        numbers[BALLOON_LAST] = NONE;
        numbers[BALLOON_CHECKED] = 0;
        if (numbers[MIGRATION_PROGRESS] != NONE) {
            numbers[MIGRATION_PROGRESS] = 0;
        }
        disksUsage = null;
        numbers[DISKS_USAGE_DIGEST] = 0;
        for (int i = 0; i < nics.length; i++) {
            int at = nic(i);
            numbers[at + NIC_RECEIVE_RATE] = ZERO;
            numbers[at + NIC_SEND_RATE] = ZERO;
            numbers[at + NIC_SAMPLE_TIME] = NAN;
            flag(at, REPORTED, false);
        }
        for (int i = 0; i < diskNames.length; i++) {
            int at = disk(nics.length, i);
            numbers[at + DISK_READ_RATE] = ZERO;
            numbers[at + DISK_WRITE_RATE] = ZERO;
            numbers[at + DISK_READ_LATENCY] = ZERO;
            numbers[at + DISK_WRITE_LATENCY] = ZERO;
            numbers[at + DISK_FLUSH_LATENCY] = ZERO;
        }
        endWrite(before);
        if (recent != null) {
            int _ = remember(new HistoryScratch());
        }
    }

    /** Sample times of two hosts cannot be compared, so the next sample has no rate. */
    private void changedHost() {
        int before = beginWrite();
        for (int i = 0; i < nics.length; i++) {
            numbers[nic(i) + NIC_SAMPLE_TIME] = NAN;
        }
        endWrite(before);
    }

    /** Follows a change of the definition; interfaces that stay keep their totals. */
    void redefine(VmStatic definition) {
        int before = beginWrite();
        VmNic[] oldNics = nics;
        long[] old = numbers;
        nics = definition.nics().toArray(VmNic[]::new);
        int disks = diskNames.length * DISK;
        numbers = new long[disk(nics.length, diskNames.length)];
        clear(numbers, nics);
        System.arraycopy(old, 0, numbers, 0, HEADER);
        for (int i = 0; i < nics.length; i++) {
            long mac = numbers[nic(i) + NIC_MAC];
            for (int j = 0; j < oldNics.length; j++) {
                if (mac == old[nic(j) + NIC_MAC] && mac != NONE) {
                    System.arraycopy(old, nic(j), numbers, nic(i), NIC);
                }
            }
        }
        System.arraycopy(old, disk(oldNics.length, 0), numbers, disk(nics.length, 0), disks);
        endWrite(before);
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

    /** A consistent copy; null before the first observation. Any thread, without locking. */
    public @Nullable VmStatisticsView view() {
        while (true) {
            int before = (int) VERSION.getAcquire(this);
            if ((before & 1) == 0) {
                StatisticsCopy copy =
                        new StatisticsCopy(
                                nics,
                                numbers.clone(),
                                history.clone(),
                                diskNames,
                                lunIds,
                                disksUsage);
                VarHandle.loadLoadFence();
                if ((int) VERSION.getOpaque(this) == before) {
                    return copy.isEmpty() ? null : copy.view();
                }
            }
            Thread.onSpinWait();
        }
    }

    /** Copies the numbers into a reused buffer. Any thread, without locking. */
    void read(VmNumbers into) {
        while (true) {
            int before = (int) VERSION.getAcquire(this);
            if ((before & 1) == 0) {
                VmNic[] cards = nics;
                long[] held = numbers;
                String[] names = diskNames;
                @Nullable String @Nullable [] luns = lunIds;
                // Numbers under change may be inconsistent, and are read again below.
                if (held.length == disk(cards.length, names.length)
                        && (luns == null || luns.length == names.length)) {
                    into.copy(cards, held, history, names, luns, disksUsage);
                    VarHandle.loadLoadFence();
                    if ((int) VERSION.getOpaque(this) == before) {
                        return;
                    }
                }
            }
            Thread.onSpinWait();
        }
    }

    /** One whole number, or {@link VmNumbers#UNKNOWN}. Any thread, without locking. */
    long whole(VmNumber number) {
        return held(number.at, NONE);
    }

    /** One number with decimals, or NaN. Any thread, without locking. */
    double fraction(VmNumber number) {
        return Double.longBitsToDouble(held(number.at, NAN));
    }

    /** Any number; NaN if it is not known. Any thread, without locking. */
    double value(VmNumber number) {
        if (number.isFraction()) {
            return fraction(number);
        }
        long whole = whole(number);
        return whole == NONE ? Double.NaN : whole;
    }

    /**
     * Version of the numbers, another one whenever a number changes; odd while a writer is at work.
     * Any thread.
     */
    int version() {
        return (int) VERSION.getAcquire(this);
    }

    /** When the report arrived that the numbers come from, ms since the epoch; 0 without any. */
    long observedEpochMillis() {
        return held(OBSERVED, 0);
    }

    private long held(int index, long otherwise) {
        while (true) {
            int before = (int) VERSION.getAcquire(this);
            if ((before & 1) == 0) {
                long[] held = numbers;
                long value = held[OBSERVED] == 0 ? otherwise : held[index];
                VarHandle.loadLoadFence();
                if ((int) VERSION.getOpaque(this) == before) {
                    return value;
                }
            }
            Thread.onSpinWait();
        }
    }

    /**
     * The numbers with a history, in the order of {@link HistoryMetric#of} a VM; NaN for those that
     * the newest report lacks. Any thread, without locking and allocating.
     *
     * @param into receives them; at least one element per metric
     * @return time of the observation, ms since the epoch; the values do not cover later times. 0
     *     before the first observation; then all values are unknown
     */
    public long history(double[] into) {
        while (true) {
            int before = (int) VERSION.getAcquire(this);
            if ((before & 1) == 0) {
                VmNic[] cards = nics;
                long[] held = numbers;
                int disks = diskNames.length;
                // Numbers under change may be inconsistent, and are read again below.
                if (held.length == disk(cards.length, disks)) {
                    long observed = VmHistory.values(cards, held, disks, into);
                    VarHandle.loadLoadFence();
                    if ((int) VERSION.getOpaque(this) == before) {
                        return observed;
                    }
                }
            }
            Thread.onSpinWait();
        }
    }

    /**
     * The values that are sampled for readers outside the engine, if they differ from those saved
     * last; null if not. Without locking, for the dump's thread.
     *
     * @param stopped whether the VM runs nowhere
     */
    public @Nullable StatisticsSample sample(VmId id, boolean stopped) {
        while (true) {
            int before = (int) VERSION.getAcquire(this);
            if ((before & 1) == 0) {
                VmNic[] defined = nics;
                long[] copy = numbers.clone();
                byte[] usage = disksUsage;
                VarHandle.loadLoadFence();
                if ((int) VERSION.getOpaque(this) == before) {
                    return StatisticsSample.of(
                            id, defined, copy, usage, stopped, sampledDigest, sampledPartsDigest);
                }
            }
            Thread.onSpinWait();
        }
    }

    /** Remembers which values are saved; for the dump's thread. */
    public void sampled(StatisticsSample sample) {
        sampledDigest = sample.digest();
        sampledPartsDigest = sample.partsDigest();
    }

    /**
     * Remembers that the store refused these values, which need no second warning; for the dump's
     * thread. Which interfaces and disks the store has is not known then.
     */
    public void refused(StatisticsSample sample) {
        sampledDigest = sample.digest();
        sampledPartsDigest = 0;
    }
}
