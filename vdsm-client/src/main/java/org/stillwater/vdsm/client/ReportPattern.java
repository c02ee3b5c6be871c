package org.stillwater.vdsm.client;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmRuntime;
import tools.jackson.core.io.NumberInput;

/**
 * The byte pattern of a VM's last record: a record that matches it need not be parsed.
 *
 * <p>A host writes the records of a VM the same way each time: the same members in the same order.
 * From one poll to the next only some numbers differ. So a record is a chain of <em>stretches</em>,
 * bytes that stay, and <em>slots</em>, numbers that may move. A pattern holds the length of each
 * stretch, the number that each slot fills, one 64-bit hash over all stretches, and the decoder's
 * result. {@link #match} walks a record: it hashes the stretches and reads the numbers between them
 * into {@link Staged}. Only when the hash fits are the staged numbers of use: then the record is,
 * byte for byte, the one that the decoder has understood, with other numbers.
 *
 * <p>Why that is safe:
 *
 * <ul>
 *   <li>A pattern is made from a record that the decoder has just read. It is kept only if matching
 *       the same record gives the decoder's result, number for number ({@link PatternFinder}).
 *   <li>A change within one group of eight bytes of a stretch always changes the hash: each step of
 *       it is invertible. Other changes remain unseen once in 2⁶⁴. A host that constructs a
 *       collision lies only about its own VM, which it could do with less effort.
 *   <li>Numbers are read by the rules of {@code Lenient}, to the same bits. A form that is rare (a
 *       sign, an exponent, leading zeros, more than 18 digits) is a surprise.
 *   <li>A pattern holds for one instance of {@link VmRuntime}: when the engine knows another one,
 *       the decoder has to compare. It holds for one pair of digests for the same reason.
 * </ul>
 *
 * <p>A surprise costs one pass of the decoder and nothing else. Measured figures and the reasons
 * for the hash instead of the old bytes: architecture decision 70.
 *
 * <p>Immutable, for any thread.
 */
final class ReportPattern {

    /** {@link #match} of a record that is not as it was. */
    static final int SURPRISE = -1;

    /** Slot of a number that the engine does not use. */
    static final char IGNORED = 0xffff;

    /** Slot of the host's stamp. */
    static final char STAMP = 0xfffe;

    /** More rows of one kind than this do not fit a slot. */
    static final int MOST_ROWS = 1 << 10;

    private static final int ROW_SHIFT = 5;
    private static final int NUMBER_MASK = (1 << ROW_SHIFT) - 1;
    private static final SampleNumber[] NUMBERS = SampleNumber.values();

    /** No more digits fit a long for certain. */
    private static final int MOST_DIGITS = 18;

    /** With no more digits a fraction is never rounded up to the next whole number. */
    private static final int MOST_DIGITS_OF_FRACTION = 15;

    private static final long EXACT_DOUBLE = 1L << 53;

    private static final double[] POWERS_OF_TEN = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18
    };

    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long[] NOTHING = {};

    private static final long SEED = 0x9E3779B97F4A7C15L;
    private static final long FACTOR = 0xD6E8FEB86659FD93L; // odd, so invertible
    private static final int ROTATION = 29;

    /** The numbers of the record that was matched last; reused. */
    static final class Staged {
        private long[] bits = new long[64];
        private final char[] text = new char[MOST_DIGITS + 1];
        long stampMillis;

        /** A number of more digits than a double has, rounded as the decoder rounds it. */
        private double parse(byte[] body, int from, int to) {
            for (int at = from; at < to; at++) {
                text[at - from] = (char) body[at];
            }
            return NumberInput.parseDouble(text, 0, to - from, true);
        }

        /** Makes room for that many numbers. */
        Staged room(int slots) {
            if (bits.length < slots) {
                bits = new long[Math.max(slots, bits.length * 2)];
            }
            stampMillis = VmReport.NO_STAMP;
            return this;
        }
    }

    private final VmReport.Running report;

    /** Bytes before each slot, and after the last one. */
    private final char[] stretches;

    private final char[] slots;
    private final long hash;

    /** Numbers in the sample that are no slots, and their bits. */
    private final char[] constants;

    private final long[] constantBits;
    private final long[] macs;

    /** Names of the disks; one array for VMs with the same ones. */
    private final String[] diskNames;

    /** The image of each disk. */
    private final @Nullable VmId[] images;

    /** The LUN of each disk; null if none has one, which is so for nearly all VMs. */
    private final @Nullable String @Nullable [] luns;

    private final boolean nicsReported;
    private final boolean disksReported;
    private final boolean jobsReported;
    private final long disksUsageDigest;
    private final long numaDigest;

    /**
     * A pattern of a record that the decoder has read.
     *
     * @param sample with neither texts of file systems nor NUMA nodes nor jobs
     * @param hash over all stretches, see {@link #hash(byte[], int, int, long)}
     */
    ReportPattern(
            VmReport.Running report, VmSample sample, char[] stretches, char[] slots, long hash) {
        this.report = report;
        this.stretches = stretches;
        this.slots = slots;
        this.hash = hash;
        this.macs = new long[sample.nicCount()];
        for (int row = 0; row < macs.length; row++) {
            macs[row] = sample.nic(row).mac;
        }
        int disks = sample.diskCount();
        String[] names = new String[disks];
        this.images = new @Nullable VmId[disks];
        @Nullable String[] held = new @Nullable String[disks];
        boolean lun = false;
        for (int row = 0; row < disks; row++) {
            VmSample.Disk disk = sample.disk(row);
            names[row] = disk.name;
            images[row] = disk.imageId;
            held[row] = disk.lunId;
            lun |= disk.lunId != null;
        }
        this.diskNames = SharedShapes.of(names);
        this.luns = lun ? held : null;
        this.nicsReported = sample.nicsReported;
        this.disksReported = sample.disksReported;
        this.jobsReported = sample.jobs != null;
        this.disksUsageDigest = sample.disksUsageDigest;
        this.numaDigest = sample.numaDigest;
        StringBuilder numbers = new StringBuilder();
        String filled = new String(slots);
        for (SampleNumber number : NUMBERS) {
            for (int row = 0; row < number.rows(sample); row++) {
                char slot = slot(number, row);
                if (filled.indexOf(slot) < 0 && number.get(sample, row) != number.absent()) {
                    numbers.append(slot);
                }
            }
        }
        this.constants = SharedShapes.of(numbers.toString().toCharArray());
        this.constantBits = constants.length == 0 ? NOTHING : new long[constants.length];
        for (int i = 0; i < constants.length; i++) {
            constantBits[i] = numberOf(constants[i]).get(sample, rowOf(constants[i]));
        }
    }

    /** The slot of a number of the sample. */
    @SuppressWarnings("EnumOrdinal") // an index into an array of this process only
    static char slot(SampleNumber number, int row) {
        return (char) ((row << ROW_SHIFT) | number.ordinal());
    }

    private static SampleNumber numberOf(char slot) {
        return NUMBERS[slot & NUMBER_MASK];
    }

    private static int rowOf(char slot) {
        return slot >>> ROW_SHIFT;
    }

    VmId vmId() {
        return report.vmId();
    }

    /** The report of the record that was matched last. */
    VmReport.Running reportAt(long stampMillis) {
        return new VmReport.Running(
                report.vmId(),
                stampMillis,
                report.name(),
                report.runtime(),
                report.deviceHash(),
                report.tpmHash(),
                report.nvramHash());
    }

    /**
     * Walks the record that begins at {@code from}.
     *
     * @param length of the body
     * @return the position behind the record, or {@link #SURPRISE} when it is not as it was
     */
    int match(byte[] body, int length, int from, Staged staged) {
        staged.room(slots.length);
        int at = from;
        long seen = SEED;
        for (int i = 0; i < slots.length; i++) {
            int end = at + stretches[i];
            if (end >= length) {
                return SURPRISE;
            }
            seen = hash(body, at, end, seen);
            at = number(body, length, end, slots[i], staged, i);
            if (at == SURPRISE) {
                return SURPRISE;
            }
        }
        int end = at + stretches[slots.length];
        if (end > length || hash(body, at, end, seen) != hash) {
            return SURPRISE;
        }
        return end;
    }

    /** The hash before the first stretch. */
    static long seed() {
        return SEED;
    }

    /**
     * The hash after one stretch more. Each stretch is hashed by itself, its words by turns in two
     * lanes, so that no step waits for the one before it: the processor works on several.
     */
    static long hash(byte[] body, int from, int to, long before) {
        long even = SEED;
        long odd = SEED;
        int at = from;
        for (; at <= to - 2 * Long.BYTES; at += 2 * Long.BYTES) {
            even = mixed(even, (long) WORD.get(body, at));
            odd = mixed(odd, (long) WORD.get(body, at + Long.BYTES));
        }
        if (at <= to - Long.BYTES) {
            even = mixed(even, (long) WORD.get(body, at));
            at += Long.BYTES;
        }
        if (at < to) {
            odd = mixed(odd, part(body, at, to));
        }
        // One after the other: an exclusive or of the lanes would lose the bits in both.
        return mixed(mixed(before, even), odd);
    }

    /** Invertible in either of them. */
    private static long mixed(long hash, long word) {
        return Long.rotateLeft(hash ^ word, ROTATION) * FACTOR;
    }

    /**
     * One to seven bytes as the upper ones of a word, nought below them. One load reads them, and
     * shifts drop their neighbours.
     */
    private static long part(byte[] body, int from, int to) {
        int at = Math.min(from, body.length - Long.BYTES); // a message is longer than a word
        long onwards = (long) WORD.get(body, at) >>> (Byte.SIZE * (from - at));
        return onwards << (Byte.SIZE * (Long.BYTES - (to - from)));
    }

    /**
     * Reads a number in its usual form: digits, perhaps a point and more digits.
     *
     * @return the position behind it, or {@link #SURPRISE} when its form is another one
     */
    static int number(byte[] body, int length, int from, char slot, Staged staged, int index) {
        long mantissa = 0;
        long whole = 0;
        int point = -1;
        int at = from;
        for (; at < length; at++) {
            int digit = body[at] - '0';
            if (digit >= 0 && digit <= 9) {
                mantissa = mantissa * 10 + digit;
            } else if (body[at] == '.' && point < 0) {
                point = at;
                whole = mantissa;
            } else {
                break;
            }
        }
        int end = point < 0 ? at : point;
        int digits = at - from - (point < 0 ? 0 : 1);
        if (end == from
                || point == at - 1
                || digits > MOST_DIGITS
                || (body[from] == '0' && end > from + 1)) {
            return SURPRISE;
        }
        if (slot == IGNORED) {
            return at;
        }
        boolean real = slot != STAMP && numberOf(slot).kind.real;
        if (real) {
            double value;
            if (mantissa < EXACT_DOUBLE) {
                // Both operands are exact, so the one division rounds correctly.
                value = point < 0 ? mantissa : mantissa / POWERS_OF_TEN[at - point - 1];
            } else {
                value = staged.parse(body, from, at);
            }
            staged.bits[index] = numberOf(slot).kind.real(value);
            return at;
        }
        if (point >= 0) {
            if (digits > MOST_DIGITS_OF_FRACTION) {
                return SURPRISE;
            }
            mantissa = whole;
        }
        if (slot == STAMP) {
            staged.stampMillis = mantissa;
        } else {
            staged.bits[index] = numberOf(slot).kind.whole(mantissa);
        }
        return at;
    }

    /** Whether the engine still holds the runtime and digests for which the pattern was made. */
    @SuppressWarnings("ReferenceEquality") // an equal one is compared by the decoder
    boolean holdsFor(@Nullable VmRuntime known, VmSample asked) {
        return known == report.runtime()
                && (disksUsageDigest == 0 || asked.knownDisksUsageDigest == disksUsageDigest)
                && (numaDigest == 0 || asked.knownNumaDigest == numaDigest);
    }

    /** Fills an empty sample with the record that was matched last. */
    void fill(VmSample sample, Staged staged) {
        for (long mac : macs) {
            sample.addNic().mac = mac;
        }
        for (int row = 0; row < images.length; row++) {
            VmSample.Disk disk = sample.addDisk();
            disk.name = diskNames[row];
            disk.imageId = images[row];
            disk.lunId = luns == null ? null : luns[row];
        }
        sample.nicsReported = nicsReported;
        sample.disksReported = disksReported;
        sample.jobs = jobsReported ? List.of() : null;
        sample.disksUsageDigest = disksUsageDigest;
        sample.numaDigest = numaDigest;
        for (int i = 0; i < constants.length; i++) {
            numberOf(constants[i]).set(sample, rowOf(constants[i]), constantBits[i]);
        }
        for (int i = 0; i < slots.length; i++) {
            char slot = slots[i];
            if (slot < STAMP) {
                numberOf(slot).set(sample, rowOf(slot), staged.bits[i]);
            }
        }
    }

    /** Whether a sample that a pattern filled equals the decoder's. */
    static boolean isSame(VmSample filled, VmSample decoded) {
        if (filled.nicCount() != decoded.nicCount()
                || filled.diskCount() != decoded.diskCount()
                || filled.nicsReported != decoded.nicsReported
                || filled.disksReported != decoded.disksReported
                || filled.disksUsageDigest != decoded.disksUsageDigest
                || filled.numaDigest != decoded.numaDigest) {
            return false;
        }
        for (SampleNumber number : NUMBERS) {
            for (int row = 0; row < number.rows(decoded); row++) {
                if (number.get(filled, row) != number.get(decoded, row)) {
                    return false;
                }
            }
        }
        return true;
    }
}
