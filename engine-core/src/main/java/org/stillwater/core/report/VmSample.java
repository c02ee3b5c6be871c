package org.stillwater.core.report;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.id.VmId;

/**
 * The numbers of one VM in one poll, as reported: a scratch object that a decoder fills again for
 * every VM, so that a cycle allocates nothing for it. Not thread-safe; a receiver copies values
 * that it wants to keep before it returns.
 *
 * <p>{@link #NOT_REPORTED} and NaN stand for a value that the host did not report.
 */
public final class VmSample {

    /** A whole number that the host did not report. */
    public static final long NOT_REPORTED = Long.MIN_VALUE;

    /** User time, % of one core, summed over virtual CPUs. */
    public double cpuUserPercent;

    /** System time, % of one core, summed over virtual CPUs. */
    public double cpuSystemPercent;

    /** Time in which a virtual CPU waits for a CPU of the host, %; VDSM does not report it. */
    public double cpuWaitPercent;

    /** Guest uptime in seconds. */
    public long elapsedSeconds;

    /** Memory used in the guest, %; 0 when the agent is down. */
    public long memoryUsagePercent;

    /** Free memory in the guest, KiB. */
    public long memoryFreeKibibytes;

    /** Unused memory in the guest, KiB. */
    public long memoryUnusedKibibytes;

    /** Buffers in the guest, KiB. */
    public long memoryBufferedKibibytes;

    /** Page cache in the guest, KiB. */
    public long memoryCachedKibibytes;

    /** Current balloon, KiB. */
    public long balloonCurrentKibibytes;

    /** Maximum balloon, KiB. */
    public long balloonMaximumKibibytes;

    /** Target of the balloon, KiB. */
    public long balloonTargetKibibytes;

    /** Minimum balloon, KiB. */
    public long balloonMinimumKibibytes;

    /** Progress of an outgoing migration, %. */
    public long migrationProgressPercent;

    /** 64-bit digest of the reported guest file systems; 0 when not reported. */
    public long disksUsageDigest;

    /**
     * Guest file systems as JSON text; null when not reported, or when {@link #disksUsageDigest}
     * equals {@link #knownDisksUsageDigest} and the text was therefore not built.
     */
    public @Nullable String disksUsage;

    /** Digest of the text that the receiver has; set by the receiver before the VM is decoded. */
    public long knownDisksUsageDigest;

    /**
     * Whether {@code network} was in the report: without it, known interfaces keep their values.
     */
    public boolean nicsReported;

    /** Whether {@code disks} was in the report: without it, known disks keep their values. */
    public boolean disksReported;

    /**
     * Jobs of the VM: null when the host does not know yet, empty when there are none. A list of
     * its own, so it may be kept.
     */
    public @Nullable List<VmJobReport> jobs;

    /** 64-bit digest of the reported NUMA data of the VM; 0 when not reported. */
    public long numaDigest;

    /** Digest of the NUMA data that the receiver has; set by it before the VM is decoded. */
    public long knownNumaDigest;

    /**
     * NUMA data of the VM; null when not reported, or when {@link #numaDigest} equals {@link
     * #knownNumaDigest}.
     */
    public @Nullable List<VmNumaNode> numaNodes;

    private final List<Nic> nics = new ArrayList<>();
    private int nicCount;
    private final List<Disk> disks = new ArrayList<>();
    private int diskCount;

    /** An empty sample. */
    public VmSample() {
        clear();
    }

    /** Forgets everything, keeping the allocated rows. */
    public void clear() {
        cpuUserPercent = Double.NaN;
        cpuSystemPercent = Double.NaN;
        cpuWaitPercent = Double.NaN;
        elapsedSeconds = NOT_REPORTED;
        memoryUsagePercent = NOT_REPORTED;
        memoryFreeKibibytes = NOT_REPORTED;
        memoryUnusedKibibytes = NOT_REPORTED;
        memoryBufferedKibibytes = NOT_REPORTED;
        memoryCachedKibibytes = NOT_REPORTED;
        balloonCurrentKibibytes = NOT_REPORTED;
        balloonMaximumKibibytes = NOT_REPORTED;
        balloonTargetKibibytes = NOT_REPORTED;
        balloonMinimumKibibytes = NOT_REPORTED;
        migrationProgressPercent = NOT_REPORTED;
        disksUsageDigest = 0;
        disksUsage = null;
        knownDisksUsageDigest = 0;
        nicsReported = false;
        disksReported = false;
        jobs = null;
        numaDigest = 0;
        knownNumaDigest = 0;
        numaNodes = null;
        nicCount = 0;
        diskCount = 0;
    }

    /** Number of interfaces reported. */
    public int nicCount() {
        return nicCount;
    }

    /** The n-th interface. */
    public Nic nic(int index) {
        return nics.get(checked(index, nicCount));
    }

    /** A cleared row for one more interface. */
    public Nic addNic() {
        if (nicCount == nics.size()) {
            nics.add(new Nic());
        }
        Nic nic = nics.get(nicCount++);
        nic.clear();
        return nic;
    }

    /** Takes back the last {@link #addNic()}. */
    public void dropLastNic() {
        nicCount--;
    }

    /** Number of disks reported. */
    public int diskCount() {
        return diskCount;
    }

    /** The n-th disk. */
    public Disk disk(int index) {
        return disks.get(checked(index, diskCount));
    }

    /** A cleared row for one more disk. */
    public Disk addDisk() {
        if (diskCount == disks.size()) {
            disks.add(new Disk());
        }
        Disk disk = disks.get(diskCount++);
        disk.clear();
        return disk;
    }

    private static int checked(int index, int count) {
        if (index < 0 || index >= count) {
            throw new IndexOutOfBoundsException(index + " of " + count);
        }
        return index;
    }

    /** One interface's counters. */
    public static final class Nic {
        /** MAC address as a number, upper 16 bits zero; see {@link #macOf(CharSequence)}. */
        public long mac;

        /** Cumulative bytes received. */
        public long receivedBytes;

        /** Cumulative bytes sent. */
        public long sentBytes;

        /** Cumulative packets dropped on receipt. */
        public long receiveDropped;

        /** Cumulative packets dropped on sending. */
        public long sendDropped;

        /** The host's monotonic clock at the sample, s. */
        public double sampleTimeSeconds;

        void clear() {
            mac = NOT_REPORTED;
            receivedBytes = NOT_REPORTED;
            sentBytes = NOT_REPORTED;
            receiveDropped = NOT_REPORTED;
            sendDropped = NOT_REPORTED;
            sampleTimeSeconds = Double.NaN;
        }

        /**
         * The number of a MAC address with colons or hyphens; {@link VmSample#NOT_REPORTED} if it
         * is none.
         */
        public static long macOf(CharSequence text) {
            if (text.length() != 17) {
                return NOT_REPORTED;
            }
            long mac = 0;
            for (int i = 0; i < 17; i++) {
                char c = text.charAt(i);
                if (i % 3 == 2) {
                    if (c != ':' && c != '-') {
                        return NOT_REPORTED;
                    }
                } else {
                    int digit = c < 128 ? Character.digit(c, 16) : -1;
                    if (digit < 0) {
                        return NOT_REPORTED;
                    }
                    mac = (mac << 4) | digit;
                }
            }
            return mac;
        }

        /** The lower-case text form with colons. */
        public static String macText(long mac) {
            StringBuilder text = new StringBuilder(17);
            for (int shift = 40; shift >= 0; shift -= 8) {
                int octet = (int) (mac >>> shift) & 0xff;
                if (shift != 40) {
                    text.append(':');
                }
                text.append(Character.forDigit(octet >>> 4, 16))
                        .append(Character.forDigit(octet & 0xf, 16));
            }
            return text.toString();
        }
    }

    /** One disk's counters. */
    public static final class Disk {
        /** Target device, for example {@code vda}. */
        public String name = "";

        /** Image, null for CD-ROM and LUN. Any UUID; the type is borrowed for its compact form. */
        public @Nullable VmId imageId;

        /** LUN GUID, null for images. */
        public @Nullable String lunId;

        /** Bytes per second. */
        public double readRate;

        /** Bytes per second. */
        public double writeRate;

        /** Cumulative operations. */
        public long readOperations;

        /** Cumulative operations. */
        public long writeOperations;

        /** Allocated bytes. */
        public long actualSizeBytes;

        /** Nanoseconds per operation in the last interval. */
        public double readLatencyNanos;

        /** Nanoseconds per operation in the last interval. */
        public double writeLatencyNanos;

        /** Nanoseconds per operation in the last interval. */
        public double flushLatencyNanos;

        void clear() {
            name = "";
            imageId = null;
            lunId = null;
            readRate = Double.NaN;
            writeRate = Double.NaN;
            readOperations = NOT_REPORTED;
            writeOperations = NOT_REPORTED;
            actualSizeBytes = NOT_REPORTED;
            readLatencyNanos = Double.NaN;
            writeLatencyNanos = Double.NaN;
            flushLatencyNanos = Double.NaN;
        }
    }
}
