package org.stillwater.monitoring.vm;

import org.stillwater.core.report.VmSample;

/**
 * Offset of each number of a VM in the array that {@link VmStatistics} keeps: {@value #HEADER}
 * values of the VM, then {@value #NIC} per interface in the order of the VM's definition, then
 * {@value #DISK} per disk in the order reported. Fractions are kept as their raw bits. Sent values
 * of an interface lie beside received ones, so that one index selects the direction.
 */
final class StatisticsLayout {

    static final int OBSERVED = 0;
    static final int CPU_USER = 1;
    static final int CPU_SYSTEM = 2;
    static final int ELAPSED = 3;
    static final int MEMORY_USAGE = 4;
    static final int MEMORY_FREE = 5;
    static final int MEMORY_UNUSED = 6;
    static final int MEMORY_BUFFERED = 7;
    static final int MEMORY_CACHED = 8;
    static final int BALLOON_CURRENT = 9;
    static final int BALLOON_MAXIMUM = 10;
    static final int BALLOON_TARGET = 11;
    static final int BALLOON_MINIMUM = 12;
    static final int MIGRATION_PROGRESS = 13;
    static final int CPU_USAGE = 14;
    static final int NETWORK_USAGE = 15;
    static final int DISKS_USAGE_DIGEST = 16;

    /** Counts of {@link VmStatistics.BalloonProblem}s, a byte each. */
    static final int BALLOON_COUNTS = 17;

    /** Above the counts; a number less for each of many VMs. */
    static final int FLAGS = BALLOON_COUNTS;

    /** The balloon when it was last checked. */
    static final int BALLOON_LAST = 18;

    /** When the balloon was last checked, ms since the epoch; 0 for never. */
    static final int BALLOON_CHECKED = 19;

    static final int HEADER = 20;

    /** In {@link #FLAGS}: the newest report has interfaces; else their known values are older. */
    static final long HAS_NICS = 1 << 16;

    /** In {@link #FLAGS}: the newest report has disks; else their known values are older. */
    static final long HAS_DISKS = 1 << 17;

    /** In {@link #FLAGS} from here on: time that virtual CPUs wait, as the bits of a float in %. */
    static final int CPU_WAIT_SHIFT = Integer.SIZE;

    /** The bits below {@link #CPU_WAIT_SHIFT}. */
    static final long NO_CPU_WAIT = (1L << CPU_WAIT_SHIFT) - 1;

    /** The last known total; {@link #NIC_FLAGS} contains whether the newest report has one. */
    static final int NIC_RECEIVED = 0;

    /** As {@link #NIC_RECEIVED}. */
    static final int NIC_SENT = 1;

    static final int NIC_RECEIVED_OFFSET = 2;
    static final int NIC_SENT_OFFSET = 3;
    static final int NIC_RECEIVE_RATE = 4;
    static final int NIC_SEND_RATE = 5;
    static final int NIC_RECEIVE_DROPPED = 6;
    static final int NIC_SEND_DROPPED = 7;
    static final int NIC_SAMPLE_TIME = 8;
    static final int NIC_FLAGS = 9;

    /** The address by which reports name the interface, {@link #NONE} if it has none. */
    static final int NIC_MAC = 10;

    static final int NIC = 11;

    /** In {@link #NIC_FLAGS}: the newest report has the received bytes. */
    static final long RECEIVED_KNOWN = 1;

    /** In {@link #NIC_FLAGS}: the newest report has the sent bytes. */
    static final long SENT_KNOWN = 2;

    /** In {@link #NIC_FLAGS}: the newest report has the interface. */
    static final long REPORTED = 4;

    static final int DISK_IMAGE_UPPER = 0;
    static final int DISK_IMAGE_LOWER = 1;
    static final int DISK_READ_RATE = 2;
    static final int DISK_WRITE_RATE = 3;
    static final int DISK_READS = 4;
    static final int DISK_WRITES = 5;
    static final int DISK_SIZE = 6;
    static final int DISK_READ_LATENCY = 7;
    static final int DISK_WRITE_LATENCY = 8;
    static final int DISK_FLUSH_LATENCY = 9;
    static final int DISK = 10;

    static final long NONE = VmSample.NOT_REPORTED;
    static final long NAN = Double.doubleToRawLongBits(Double.NaN);
    static final long ZERO = Double.doubleToRawLongBits(0.0);

    static final double NANOS_PER_SECOND = 1e9;

    private StatisticsLayout() {}

    /** Whether any report contained the interface with numbers that begin there. */
    static boolean everReported(long[] numbers, int at) {
        return numbers[at + NIC_FLAGS] != 0
                || numbers[at + NIC_RECEIVED] != NONE
                || numbers[at + NIC_SENT] != NONE;
    }

    static int nic(int index) {
        return HEADER + index * NIC;
    }

    static int disk(int nics, int index) {
        return HEADER + nics * NIC + index * DISK;
    }
}
