package org.stillwater.vdsm.client;

import org.stillwater.core.report.VmSample;
import org.stillwater.vdsm.wire.DiskField;
import org.stillwater.vdsm.wire.MemoryField;
import org.stillwater.vdsm.wire.NicField;
import org.stillwater.vdsm.wire.VmField;

/**
 * The numbers of a {@link VmSample}: their path in a VM's record and the greatest plausible value.
 * The decoder and the patterns both follow this table.
 *
 * <p>A number is handled as 64 bits: a whole number as it is, a real one as {@link
 * Double#doubleToRawLongBits}.
 */
enum SampleNumber {
    CPU_USER(Part.VM, VmField.CPU_USER, Kind.PERCENT),
    CPU_SYSTEM(Part.VM, VmField.CPU_SYS, Kind.PERCENT),
    ELAPSED(Part.VM, VmField.ELAPSED_TIME, Kind.SECONDS),
    MEMORY_USAGE(Part.VM, VmField.MEM_USAGE, Kind.COUNT),
    MIGRATION_PROGRESS(Part.VM, VmField.MIGRATION_PROGRESS, Kind.COUNT),
    MEMORY_FREE(Part.MEMORY, MemoryField.MEM_FREE, Kind.KIBIBYTES),
    MEMORY_UNUSED(Part.MEMORY, MemoryField.MEM_UNUSED, Kind.KIBIBYTES),
    MEMORY_BUFFERED(Part.MEMORY, MemoryField.MEM_BUFFERS, Kind.KIBIBYTES),
    MEMORY_CACHED(Part.MEMORY, MemoryField.MEM_CACHED, Kind.KIBIBYTES),
    BALLOON_CURRENT(Part.BALLOON, MemoryField.BALLOON_CUR, Kind.KIBIBYTES),
    BALLOON_MAXIMUM(Part.BALLOON, MemoryField.BALLOON_MAX, Kind.KIBIBYTES),
    BALLOON_TARGET(Part.BALLOON, MemoryField.BALLOON_TARGET, Kind.KIBIBYTES),
    BALLOON_MINIMUM(Part.BALLOON, MemoryField.BALLOON_MIN, Kind.KIBIBYTES),
    NIC_RECEIVED(Part.NIC, NicField.RX, Kind.COUNT),
    NIC_SENT(Part.NIC, NicField.TX, Kind.COUNT),
    NIC_RECEIVE_DROPPED(Part.NIC, NicField.RX_DROPPED, Kind.COUNT),
    NIC_SEND_DROPPED(Part.NIC, NicField.TX_DROPPED, Kind.COUNT),
    NIC_SAMPLE_TIME(Part.NIC, NicField.SAMPLE_TIME, Kind.REAL),
    DISK_READ_RATE(Part.DISK, DiskField.READ_RATE, Kind.REAL),
    DISK_WRITE_RATE(Part.DISK, DiskField.WRITE_RATE, Kind.REAL),
    DISK_READ_OPERATIONS(Part.DISK, DiskField.READ_OPS, Kind.COUNT),
    DISK_WRITE_OPERATIONS(Part.DISK, DiskField.WRITE_OPS, Kind.COUNT),
    DISK_ACTUAL_SIZE(Part.DISK, DiskField.TRUESIZE, Kind.COUNT),
    DISK_READ_LATENCY(Part.DISK, DiskField.READ_LATENCY, Kind.REAL),
    DISK_WRITE_LATENCY(Part.DISK, DiskField.WRITE_LATENCY, Kind.REAL),
    DISK_FLUSH_LATENCY(Part.DISK, DiskField.FLUSH_LATENCY, Kind.REAL);

    /** The object of a record in which a number stands; those of NICs and disks are rows. */
    enum Part {
        VM,
        MEMORY,
        BALLOON,
        NIC,
        DISK
    }

    /** The type of a number. */
    enum Kind {
        /** More than 10 000 processors use. */
        PERCENT(true, 1_000_000),
        /** More bytes per second, nanoseconds or seconds since the epoch than there can be. */
        REAL(true, 1e15),
        /** Two counters of bytes can still be added. */
        COUNT(false, 0x1p62),
        /** The same in bytes fits a long. */
        KIBIBYTES(false, 0x1p52),
        SECONDS(false, 0x1p40);

        final boolean real;
        private final double most;
        private final long mostWhole;

        Kind(boolean real, double most) {
            this.real = real;
            this.most = most;
            this.mostWhole = (long) most;
        }

        /** The bits of a whole number; of "not reported" for one that cannot be true. */
        long whole(long value) {
            return value < 0 || value > mostWhole ? VmSample.NOT_REPORTED : value;
        }

        /** The bits of a real number; of NaN for one that cannot be true. */
        long real(double value) {
            return Double.doubleToRawLongBits(value < 0 || value > most ? Double.NaN : value);
        }
    }

    final Part part;
    final String wire;
    final Kind kind;

    SampleNumber(Part part, String wire, Kind kind) {
        this.part = part;
        this.wire = wire;
        this.kind = kind;
    }

    /** The bits of a number that was not reported. */
    long absent() {
        return kind.real ? Double.doubleToRawLongBits(Double.NaN) : VmSample.NOT_REPORTED;
    }

    /** Sets the number in a sample, at a NIC's or disk's row where it is one of theirs. */
    void set(VmSample to, int row, long bits) {
        switch (this) {
            case CPU_USER -> to.cpuUserPercent = Double.longBitsToDouble(bits);
            case CPU_SYSTEM -> to.cpuSystemPercent = Double.longBitsToDouble(bits);
            case ELAPSED -> to.elapsedSeconds = bits;
            case MEMORY_USAGE -> to.memoryUsagePercent = bits;
            case MIGRATION_PROGRESS -> to.migrationProgressPercent = bits;
            case MEMORY_FREE -> to.memoryFreeKibibytes = bits;
            case MEMORY_UNUSED -> to.memoryUnusedKibibytes = bits;
            case MEMORY_BUFFERED -> to.memoryBufferedKibibytes = bits;
            case MEMORY_CACHED -> to.memoryCachedKibibytes = bits;
            case BALLOON_CURRENT -> to.balloonCurrentKibibytes = bits;
            case BALLOON_MAXIMUM -> to.balloonMaximumKibibytes = bits;
            case BALLOON_TARGET -> to.balloonTargetKibibytes = bits;
            case BALLOON_MINIMUM -> to.balloonMinimumKibibytes = bits;
            case NIC_RECEIVED -> to.nic(row).receivedBytes = bits;
            case NIC_SENT -> to.nic(row).sentBytes = bits;
            case NIC_RECEIVE_DROPPED -> to.nic(row).receiveDropped = bits;
            case NIC_SEND_DROPPED -> to.nic(row).sendDropped = bits;
            case NIC_SAMPLE_TIME -> to.nic(row).sampleTimeSeconds = Double.longBitsToDouble(bits);
            case DISK_READ_RATE -> to.disk(row).readRate = Double.longBitsToDouble(bits);
            case DISK_WRITE_RATE -> to.disk(row).writeRate = Double.longBitsToDouble(bits);
            case DISK_READ_OPERATIONS -> to.disk(row).readOperations = bits;
            case DISK_WRITE_OPERATIONS -> to.disk(row).writeOperations = bits;
            case DISK_ACTUAL_SIZE -> to.disk(row).actualSizeBytes = bits;
            case DISK_READ_LATENCY -> to.disk(row).readLatencyNanos = Double.longBitsToDouble(bits);
            case DISK_WRITE_LATENCY ->
                    to.disk(row).writeLatencyNanos = Double.longBitsToDouble(bits);
            case DISK_FLUSH_LATENCY ->
                    to.disk(row).flushLatencyNanos = Double.longBitsToDouble(bits);
        }
    }

    /** The number in a sample, at a NIC's or disk's row where it is one of theirs. */
    long get(VmSample of, int row) {
        return switch (this) {
            case CPU_USER -> Double.doubleToRawLongBits(of.cpuUserPercent);
            case CPU_SYSTEM -> Double.doubleToRawLongBits(of.cpuSystemPercent);
            case ELAPSED -> of.elapsedSeconds;
            case MEMORY_USAGE -> of.memoryUsagePercent;
            case MIGRATION_PROGRESS -> of.migrationProgressPercent;
            case MEMORY_FREE -> of.memoryFreeKibibytes;
            case MEMORY_UNUSED -> of.memoryUnusedKibibytes;
            case MEMORY_BUFFERED -> of.memoryBufferedKibibytes;
            case MEMORY_CACHED -> of.memoryCachedKibibytes;
            case BALLOON_CURRENT -> of.balloonCurrentKibibytes;
            case BALLOON_MAXIMUM -> of.balloonMaximumKibibytes;
            case BALLOON_TARGET -> of.balloonTargetKibibytes;
            case BALLOON_MINIMUM -> of.balloonMinimumKibibytes;
            case NIC_RECEIVED -> of.nic(row).receivedBytes;
            case NIC_SENT -> of.nic(row).sentBytes;
            case NIC_RECEIVE_DROPPED -> of.nic(row).receiveDropped;
            case NIC_SEND_DROPPED -> of.nic(row).sendDropped;
            case NIC_SAMPLE_TIME -> Double.doubleToRawLongBits(of.nic(row).sampleTimeSeconds);
            case DISK_READ_RATE -> Double.doubleToRawLongBits(of.disk(row).readRate);
            case DISK_WRITE_RATE -> Double.doubleToRawLongBits(of.disk(row).writeRate);
            case DISK_READ_OPERATIONS -> of.disk(row).readOperations;
            case DISK_WRITE_OPERATIONS -> of.disk(row).writeOperations;
            case DISK_ACTUAL_SIZE -> of.disk(row).actualSizeBytes;
            case DISK_READ_LATENCY -> Double.doubleToRawLongBits(of.disk(row).readLatencyNanos);
            case DISK_WRITE_LATENCY -> Double.doubleToRawLongBits(of.disk(row).writeLatencyNanos);
            case DISK_FLUSH_LATENCY -> Double.doubleToRawLongBits(of.disk(row).flushLatencyNanos);
        };
    }

    /** Rows that a sample has for the number. */
    int rows(VmSample of) {
        return switch (part) {
            case VM, MEMORY, BALLOON -> 1;
            case NIC -> of.nicCount();
            case DISK -> of.diskCount();
        };
    }
}
