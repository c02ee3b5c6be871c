package org.stillwater.monitoring.vm;

import static org.stillwater.monitoring.vm.StatisticsLayout.*;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.id.VmId;

/**
 * One VM's numbers of one moment, in a buffer that is reused for other VMs. Unknown whole numbers
 * are {@link #UNKNOWN}, unknown fractions NaN. Used by one thread.
 */
public final class VmNumbers {

    /** A whole number that is not known. */
    public static final long UNKNOWN = StatisticsLayout.NONE;

    private static final VmNic[] NO_NICS = {};
    private static final String[] NO_TEXT = {};
    private static final int ROOM = 128;
    private static final double PERCENT = 100;

    VmNic[] nics = NO_NICS;
    long[] numbers = new long[ROOM];
    byte[] history = {};
    String[] diskNames = NO_TEXT;
    @Nullable String @Nullable [] lunIds;
    byte @Nullable [] disksUsage;

    /** A buffer without any numbers. */
    public VmNumbers() {}

    /** Whether any poll has brought numbers. */
    public boolean areKnown() {
        return numbers[OBSERVED] != 0;
    }

    /** When the report arrived that they come from, ms since the epoch; 0 without any. */
    public long observedEpochMillis() {
        return numbers[OBSERVED];
    }

    /** A whole number, or {@link #UNKNOWN}. */
    public long whole(VmNumber number) {
        return areKnown() ? numbers[number.at] : UNKNOWN;
    }

    /** A number with decimals, or NaN. */
    public double fraction(VmNumber number) {
        return areKnown() ? Double.longBitsToDouble(numbers[number.at]) : Double.NaN;
    }

    /** Time in which a virtual CPU waits for a CPU of the host, in %; NaN if it is not known. */
    public double cpuWaitPercent() {
        return areKnown()
                ? Float.intBitsToFloat((int) (numbers[FLAGS] >>> CPU_WAIT_SHIFT))
                : Double.NaN;
    }

    /**
     * Share of the memory that the balloon takes, in %; NaN if it is not known, or if the balloon
     * cannot take any. VDSM writes 0 for a size that it does not know.
     */
    public double balloonTakenPercent() {
        long most = whole(VmNumber.BALLOON_MAXIMUM);
        long least = whole(VmNumber.BALLOON_MINIMUM);
        long present = whole(VmNumber.BALLOON_CURRENT);
        boolean isKnown = present > 0 && least >= 0 && least < most;
        return isKnown ? PERCENT * Math.max(0, most - present) / most : Double.NaN;
    }

    /** Any number; NaN if it is not known. */
    public double value(VmNumber number) {
        if (number.isFraction()) {
            return fraction(number);
        }
        long whole = whole(number);
        return whole == UNKNOWN ? Double.NaN : whole;
    }

    /** Guest file systems as JSON text. */
    public @Nullable String disksUsage() {
        return areKnown() ? PackedDisksUsage.unpack(disksUsage) : null;
    }

    /** Number of interfaces of the definition; some of them may never have been reported. */
    public int nicCount() {
        return areKnown() ? nics.length : 0;
    }

    /** Whether an interface was ever reported. */
    public boolean isNicKnown(int index) {
        return everReported(numbers, nic(index));
    }

    /** Whether the newest report has the interface. */
    public boolean isNicUp(int index) {
        return (numbers[nic(index) + NIC_FLAGS] & REPORTED) != 0;
    }

    /** Definition of an interface. */
    public VmNic nicDefinition(int index) {
        return nics[index];
    }

    /** Bytes received since first seen, or {@link #UNKNOWN}. */
    public long receivedBytes(int nic) {
        return (numbers[nic(nic) + NIC_FLAGS] & RECEIVED_KNOWN) != 0
                ? numbers[nic(nic) + NIC_RECEIVED]
                : UNKNOWN;
    }

    /** Bytes sent since first seen, or {@link #UNKNOWN}. */
    public long sentBytes(int nic) {
        return (numbers[nic(nic) + NIC_FLAGS] & SENT_KNOWN) != 0
                ? numbers[nic(nic) + NIC_SENT]
                : UNKNOWN;
    }

    /** Share of the nominal speed at which is received, 0–100, or NaN. */
    public double receiveRatePercent(int nic) {
        return at(nic(nic) + NIC_RECEIVE_RATE);
    }

    /** Share of the nominal speed at which is sent, 0–100, or NaN. */
    public double sendRatePercent(int nic) {
        return at(nic(nic) + NIC_SEND_RATE);
    }

    /** Packets dropped on receipt, or {@link #UNKNOWN}. */
    public long receiveDropped(int nic) {
        return numbers[nic(nic) + NIC_RECEIVE_DROPPED];
    }

    /** Packets dropped on sending, or {@link #UNKNOWN}. */
    public long sendDropped(int nic) {
        return numbers[nic(nic) + NIC_SEND_DROPPED];
    }

    /** The host's monotonic clock at the sample, seconds, or NaN. */
    public double nicSampleSeconds(int nic) {
        return at(nic(nic) + NIC_SAMPLE_TIME);
    }

    /** Number of disks of the newest report. */
    public int diskCount() {
        return areKnown() ? diskNames.length : 0;
    }

    /** Target device of a disk in the guest's definition. */
    public String diskName(int index) {
        return diskNames[index];
    }

    /** Image of a disk, null for CD-ROM and LUN. */
    public @Nullable VmId imageId(int index) {
        long upper = numbers[disk(index) + DISK_IMAGE_UPPER];
        long lower = numbers[disk(index) + DISK_IMAGE_LOWER];
        return upper == NONE && lower == NONE ? null : new VmId(upper, lower);
    }

    /** LUN of a disk, null for images. */
    public @Nullable String lunId(int index) {
        @Nullable String @Nullable [] ids = lunIds;
        return ids == null ? null : ids[index];
    }

    /** Bytes read per second, or NaN. */
    public double readBytesPerSecond(int disk) {
        return at(disk(disk) + DISK_READ_RATE);
    }

    /** Bytes written per second, or NaN. */
    public double writeBytesPerSecond(int disk) {
        return at(disk(disk) + DISK_WRITE_RATE);
    }

    /** Cumulative reads, or {@link #UNKNOWN}. */
    public long readOperations(int disk) {
        return numbers[disk(disk) + DISK_READS];
    }

    /** Cumulative writes, or {@link #UNKNOWN}. */
    public long writeOperations(int disk) {
        return numbers[disk(disk) + DISK_WRITES];
    }

    /** Allocated size, or {@link #UNKNOWN}. */
    public long actualSizeBytes(int disk) {
        return numbers[disk(disk) + DISK_SIZE];
    }

    /** Mean latency of reads in the last interval, seconds, or NaN. */
    public double readLatencySeconds(int disk) {
        return at(disk(disk) + DISK_READ_LATENCY) / NANOS_PER_SECOND;
    }

    /** Mean latency of writes in the last interval, seconds, or NaN. */
    public double writeLatencySeconds(int disk) {
        return at(disk(disk) + DISK_WRITE_LATENCY) / NANOS_PER_SECOND;
    }

    /** Mean latency of flushes in the last interval, seconds, or NaN. */
    public double flushLatencySeconds(int disk) {
        return at(disk(disk) + DISK_FLUSH_LATENCY) / NANOS_PER_SECOND;
    }

    /** Most recent CPU usage samples in %, oldest first. */
    public List<Integer> cpuHistory() {
        return samples(UsageRings.CPU);
    }

    /** Most recent memory usage samples in %, oldest first. */
    public List<Integer> memoryHistory() {
        return samples(UsageRings.MEMORY);
    }

    /** Most recent network usage samples in %, oldest first. */
    public List<Integer> networkHistory() {
        return samples(UsageRings.NETWORK);
    }

    private List<Integer> samples(int metric) {
        return history.length == 0 || !areKnown() ? List.of() : UsageRings.samples(history, metric);
    }

    private int disk(int index) {
        return StatisticsLayout.disk(nics.length, index);
    }

    private double at(int index) {
        return Double.longBitsToDouble(numbers[index]);
    }

    /** Copies numbers that a writer may be changing; the caller checks whether it did. */
    void copy(
            VmNic[] cards,
            long[] held,
            byte[] samples,
            String[] names,
            @Nullable String @Nullable [] luns,
            byte @Nullable [] usage) {
        if (numbers.length < held.length) {
            numbers = new long[held.length * 2];
        }
        if (history.length != samples.length) {
            history = new byte[samples.length];
        }
        System.arraycopy(held, 0, numbers, 0, held.length);
        System.arraycopy(samples, 0, history, 0, samples.length);
        nics = cards;
        diskNames = names;
        lunIds = luns;
        disksUsage = usage;
    }
}
