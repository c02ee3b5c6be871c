package org.stillwater.core.history;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The newest samples of a few metrics in one array of bytes, that grows and shrinks between a few
 * dozen bytes and a limit.
 *
 * <p>Not thread-safe: one writer at a time, and readers as {@link #samples} has it. Adding a sample
 * allocates nothing, except when the array has to grow or may shrink: a dozen times in the life of
 * a ring with samples alike.
 *
 * <h2>How samples are kept</h2>
 *
 * <p>A value is a whole number of 16 bits ({@link Resolution}), a time is in seconds. The array
 * begins with the oldest and the newest sample, in full; behind them lies a ring of records, each
 * with the differences of a sample from the one before it, in units of 4 bits:
 *
 * <pre>
 *   1   the time since the sample before, as 7 more than it differs from the spacing;
 *       15: a time of its own, which is the spacing from then on; 14: a row, see below
 *   6   per metric 2 bits: 0 it is as before, 1 it changed by up to 8 either way, 2 by up to 136,
 *       3 its number follows
 *   4   the time, s, if it is one of its own
 *   1   per metric that changed a little: by how much
 *   2   per metric that changed more
 *   4   per metric that changed a lot, became known or unknown
 *   1   if it takes that to end with a byte
 * </pre>
 *
 * <p>A row is two bytes, the second of which counts the samples in a row that equal the one before,
 * each one spacing after the other. So a value that stays costs two bits at most, and an unchanged
 * VM costs two bytes in 255 samples. A time may be off by a second: within that, samples of a row
 * count as evenly spaced.
 *
 * <p>The oldest sample is dropped by applying the first record to it; neither copies the records
 * behind it. Times never go back: a sample that is older than the newest ones replaces them, since
 * a clock that was put back makes them ones of the future.
 *
 * <p>It is long because the layout of the bytes is known here only.
 */
public final class SampleRing {

    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    // The head of the array.

    /** Offset of the first record, counted from the first byte behind the samples. */
    private static final int HEAD = 0;

    /** How many bytes the records take. */
    static final int USED = 2;

    /** Whether the last record is a row, which may be lengthened. */
    private static final int IN_ROW = 4;

    /** Offset of the oldest sample; the newest follows. */
    static final int OLDEST = 5;

    // A sample in full.

    /** When it was taken, s since the epoch, unsigned; 0 in an empty ring. */
    static final int TIME = 0;

    /** Offset in a sample of the expected spacing of the next one, s. */
    private static final int SPACING = 4;

    /** Its values, as {@link Resolution} numbers them. */
    static final int CODES = 6;

    // A record.

    private static final int ON_TIME = 7;
    private static final int ROW = 14;
    private static final int OWN_TIME = 15;

    private static final int LITTLE = 1;
    private static final int MORE = 2;
    private static final int ANEW = 3;

    private static final int LITTLE_CHANGE = 8;
    private static final int LARGEST_CHANGE = LITTLE_CHANGE + 128;

    static final int ROW_BYTES = 2;
    private static final int LONGEST_ROW = 255;
    private static final long LATEST_TIME = 0xffff_ffffL;

    /** How far a time may be off, s. */
    private static final int TOLERANCE_SECONDS = 1;

    /** From this spacing on, a row may take in samples that are off by that, s. */
    private static final int LEAST_TOLERANT_SPACING = 5;

    private static final int FIRST_RECORDS_BYTES = 15;

    private final RingFormat format;
    private byte[] bytes;

    /** Samples that were dropped early. */
    private int cutShort;

    /** An empty ring. */
    public SampleRing(RingFormat format) {
        this.format = format;
        this.bytes = new byte[shortestArray(format)];
    }

    private static int shortestArray(RingFormat format) {
        return records(format) + FIRST_RECORDS_BYTES;
    }

    /** Offset of the records. */
    static int records(RingFormat format) {
        return OLDEST + 2 * sampleBytes(format);
    }

    /** Size of a sample in full, in bytes. */
    static int sampleBytes(RingFormat format) {
        return CODES + Short.BYTES * format.size();
    }

    private int newest() {
        return OLDEST + sampleBytes(format);
    }

    /**
     * Adds a sample.
     *
     * @param epochMillis when it was taken; after 1970, kept in seconds
     * @param values in the order of the format's metrics; NaN for unknown values. Not kept
     * @return how many samples were dropped before their time because the bytes are used up
     */
    public int add(long epochMillis, double[] values) {
        char[] codes = new char[format.size()];
        format.code(values, codes);
        return add(epochMillis, codes);
    }

    /**
     * Adds a sample whose values {@link RingFormat#code} turned into numbers: without garbage, if
     * the array of numbers is used again.
     *
     * @param codes not kept
     * @return how many samples were dropped before their time because the bytes are used up
     */
    public int add(long epochMillis, char[] codes) {
        int before = cutShort;
        append(Math.clamp(epochMillis / 1000, 1, LATEST_TIME), codes);
        return cutShort - before;
    }

    /**
     * A copy of the present samples. A reader that is not the writer makes sure, with a version
     * that the writer changes, that nothing was added meanwhile: it uses no copy that was taken
     * then.
     */
    public Samples samples() {
        return new Samples(format, bytes.clone());
    }

    /** Length of the array. */
    int arrayLength() {
        return bytes.length;
    }

    private void append(long time, char[] codes) {
        long last = time(bytes, newest());
        long now = time;
        if (now < last - TOLERANCE_SECONDS) {
            forgetAfter(now);
            last = time(bytes, newest());
        } else {
            now = Math.max(now, last);
        }
        while (!isEmpty() && time(bytes, OLDEST) < now - format.spanSeconds()) {
            dropOldest();
        }
        if (isEmpty()) {
            begin(now, codes);
            shrink();
            return;
        }
        // Samples older than the span are gone, so the time since the newest one fits into 16 bits.
        int since = (int) (now - last);
        int late = since - number(bytes, newest() + SPACING);
        int units = changedUnits(codes);
        if (units == 0 && Math.abs(late) <= tolerance(since - late)) {
            addToRow(codes);
        } else {
            boolean ownTime = late < -ON_TIME || late >= ROW - ON_TIME;
            addRecord(now, since, ownTime ? OWN_TIME : late + ON_TIME, units, codes);
        }
        shrink();
    }

    /**
     * None where a second is much: there, rows would make samples of one second of those of two.
     */
    private static int tolerance(int spacing) {
        return spacing < LEAST_TOLERANT_SPACING ? 0 : TOLERANCE_SECONDS;
    }

    private boolean isEmpty() {
        return time(bytes, OLDEST) == 0;
    }

    private void begin(long time, char[] codes) {
        clear();
        putTime(OLDEST, time);
        for (int i = 0; i < format.size(); i++) {
            putNumber(codeAt(OLDEST, i), codes[i]);
        }
        System.arraycopy(bytes, OLDEST, bytes, newest(), sampleBytes(format));
    }

    /** How many units of 4 bits the changes from the newest sample take. */
    private int changedUnits(char[] codes) {
        int units = 0;
        for (int i = 0; i < format.size(); i++) {
            int before = number(bytes, codeAt(newest(), i));
            units += units(kind(before, codes[i]));
        }
        return units;
    }

    private static int kind(int before, int code) {
        int change = Math.abs(code - before);
        if (change == 0) {
            return 0;
        }
        boolean known = before != Resolution.UNKNOWN && code != Resolution.UNKNOWN;
        return !known || change > LARGEST_CHANGE ? ANEW : change > LITTLE_CHANGE ? MORE : LITTLE;
    }

    private static int units(int kind) {
        return kind == ANEW ? 4 : kind;
    }

    private void addToRow(char[] codes) {
        int used = number(bytes, USED);
        int count = position(used - 1);
        if (bytes[IN_ROW] != 0 && (bytes[count] & LONGEST_ROW) < LONGEST_ROW) {
            bytes[count]++;
        } else {
            long now = time(bytes, newest()) + number(bytes, newest() + SPACING);
            if (!makeRoom(ROW_BYTES)) {
                begin(now, codes);
                return;
            }
            used = number(bytes, USED);
            bytes[position(used)] = (byte) (ROW << 4);
            bytes[position(used + 1)] = 1;
            putNumber(USED, used + ROW_BYTES);
            bytes[IN_ROW] = 1;
        }
        putTime(newest(), time(bytes, newest()) + number(bytes, newest() + SPACING));
    }

    private void addRecord(long now, int since, int tag, int units, char[] codes) {
        int kindUnits = kindUnits(format);
        int all = 1 + kindUnits + (tag == OWN_TIME ? 4 : 0) + units;
        if (!makeRoom((all + 1) / 2)) {
            begin(now, codes);
            return;
        }
        int used = number(bytes, USED);
        int kindAt = 2 * used + 1;
        int at = kindAt + kindUnits;
        putUnits(2 * used, 1, tag);
        if (tag == OWN_TIME) {
            at = putUnits(at, 4, since);
            putNumber(newest() + SPACING, since);
        }
        int kinds = 0;
        for (int i = 0; i < format.size(); i++) {
            int before = number(bytes, codeAt(newest(), i));
            int code = codes[i];
            int kind = kind(before, code);
            kinds = (kinds << 2) | kind;
            if (kind != 0) {
                at = putUnits(at, units(kind), kind == ANEW ? code : folded(code - before, kind));
                putNumber(codeAt(newest(), i), code);
            }
        }
        putUnits(kindAt, kindUnits, kinds << (2 * (format.size() & 1)));
        putNumber(USED, (at + 1) / 2);
        bytes[IN_ROW] = 0;
        putTime(newest(), now);
    }

    /** A change as a number that is not negative: changes back first, then those forth. */
    private static int folded(int change, int kind) {
        int smaller = kind == MORE ? LITTLE_CHANGE : 0;
        int most = kind == MORE ? LARGEST_CHANGE : LITTLE_CHANGE;
        return change < 0 ? change + most : change + most - 2 * smaller - 1;
    }

    private static int unfolded(int value, int kind) {
        int smaller = kind == MORE ? LITTLE_CHANGE : 0;
        int most = kind == MORE ? LARGEST_CHANGE : LITTLE_CHANGE;
        return value < most - smaller ? value - most : value - most + 2 * smaller + 1;
    }

    /** Two bits per metric, in whole units. */
    private static int kindUnits(RingFormat format) {
        return (format.size() + 1) / 2;
    }

    /** False if the ring is empty then, which is as good. */
    private boolean makeRoom(int size) {
        while (capacity() - number(bytes, USED) < size) {
            if (bytes.length < format.longestArray()) {
                resize(Math.min(2 * bytes.length, format.longestArray()));
            } else {
                dropOldest();
                cutShort++;
                if (isEmpty()) {
                    return false;
                }
            }
        }
        return true;
    }

    private int capacity() {
        return bytes.length - records(format);
    }

    /** Halves an array most of which is free; never so that it would have to grow at once. */
    private void shrink() {
        int half = Math.max(bytes.length / 2, shortestArray(format));
        if (half < bytes.length && number(bytes, USED) < (half - records(format)) / 2) {
            resize(half);
        }
    }

    private void resize(int length) {
        byte[] next = new byte[length];
        int records = records(format);
        int head = number(bytes, HEAD);
        int used = number(bytes, USED);
        int first = Math.min(used, capacity() - head);
        System.arraycopy(bytes, 0, next, 0, records);
        System.arraycopy(bytes, records + head, next, records, first);
        System.arraycopy(bytes, records, next, records + first, used - first);
        SHORT.set(next, HEAD, (short) 0);
        bytes = next;
    }

    private void clear() {
        Arrays.fill(bytes, 0, records(format), (byte) 0);
    }

    /** The second sample becomes the oldest one, if there is a second. */
    private void dropOldest() {
        int used = number(bytes, USED);
        if (used == 0) {
            clear();
            return;
        }
        int taken;
        if (isRow(bytes, records(format), 0)) {
            putTime(OLDEST, time(bytes, OLDEST) + number(bytes, OLDEST + SPACING));
            taken = --bytes[position(1)] == 0 ? ROW_BYTES : 0;
        } else {
            taken = apply(format, bytes, 0, bytes, OLDEST);
        }
        putNumber(HEAD, (number(bytes, HEAD) + taken) % capacity());
        putNumber(USED, used - taken);
        if (used == taken) {
            bytes[IN_ROW] = 0;
        }
    }

    /** Drops the samples that are newer than this, by going through the others. */
    private void forgetAfter(long time) {
        if (time(bytes, OLDEST) > time) {
            clear();
            return;
        }
        int used = number(bytes, USED);
        System.arraycopy(bytes, OLDEST, bytes, newest(), sampleBytes(format));
        bytes[IN_ROW] = 0;
        int kept = 0;
        while (kept < used) {
            long left = time - time(bytes, newest());
            if (isRow(bytes, records(format), kept)) {
                int spacing = number(bytes, newest() + SPACING);
                int row = rowLength(bytes, records(format), kept);
                int part = spacing == 0 ? row : (int) Math.min(row, left / spacing);
                if (part == 0) {
                    break;
                }
                bytes[position(kept + 1)] = (byte) part;
                putTime(newest(), time(bytes, newest()) + (long) part * spacing);
                bytes[IN_ROW] = 1;
                kept += ROW_BYTES;
                if (part < row) {
                    break;
                }
            } else {
                if (since(format, bytes, kept, number(bytes, newest() + SPACING)) > left) {
                    break;
                }
                kept = apply(format, bytes, kept, bytes, newest());
                bytes[IN_ROW] = 0;
            }
        }
        putNumber(USED, kept);
    }

    static boolean isRow(byte[] bytes, int records, int offset) {
        return (bytes[position(bytes, records, offset)] & 0xff) >>> 4 == ROW;
    }

    static int rowLength(byte[] bytes, int records, int offset) {
        return bytes[position(bytes, records, offset + 1)] & LONGEST_ROW;
    }

    /** Time since the sample before, s, by a record that is no row. */
    private static int since(RingFormat format, byte[] bytes, int offset, int spacing) {
        int records = records(format);
        int tag = units(bytes, records, 2 * offset, 1);
        return tag == OWN_TIME
                ? units(bytes, records, 2 * offset + 1 + kindUnits(format), 4)
                : spacing + tag - ON_TIME;
    }

    /**
     * Turns a sample into the one after it.
     *
     * @param offset of the record with the differences, which is no row
     * @param sample the array that the sample is in
     * @param at where in it
     * @return offset of the next record
     */
    static int apply(RingFormat format, byte[] bytes, int offset, byte[] sample, int at) {
        int records = records(format);
        int since = since(format, bytes, offset, number(sample, at + SPACING));
        int kindAt = 2 * offset + 1;
        int next = kindAt + kindUnits(format);
        if (units(bytes, records, 2 * offset, 1) == OWN_TIME) {
            next += 4;
            SHORT.set(sample, at + SPACING, (short) since);
        }
        INT.set(sample, at + TIME, (int) (time(sample, at) + since));
        int kinds = units(bytes, records, kindAt, kindUnits(format)) >>> (2 * (format.size() & 1));
        for (int i = 0; i < format.size(); i++) {
            int kind = (kinds >>> (2 * (format.size() - 1 - i))) & 3;
            if (kind != 0) {
                int value = units(bytes, records, next, units(kind));
                int codeAt = codeAt(at, i);
                int code = kind == ANEW ? value : number(sample, codeAt) + unfolded(value, kind);
                SHORT.set(sample, codeAt, (short) code);
                next += units(kind);
            }
        }
        return (next + 1) / 2;
    }

    /** Turns a sample into the next one of a row. */
    static void applyRow(byte[] sample) {
        INT.set(sample, TIME, (int) (time(sample, 0) + number(sample, SPACING)));
    }

    /** Offset of a metric's number in a sample. */
    static int codeAt(int sample, int metric) {
        return sample + CODES + Short.BYTES * metric;
    }

    /** Index of the n-th byte of the records. */
    private int position(int offset) {
        return position(bytes, records(format), offset);
    }

    /** The n-th byte; records take no more than the ring, so none wraps around twice. */
    private static int position(byte[] bytes, int records, int offset) {
        int at = records + number(bytes, HEAD) + offset;
        return at < bytes.length ? at : at - (bytes.length - records);
    }

    /** A number of this count of 4-bit units, beginning at this one. */
    private static int units(byte[] bytes, int records, int at, int count) {
        int value = 0;
        for (int i = at; i < at + count; i++) {
            int both = bytes[position(bytes, records, i / 2)];
            value = (value << 4) | (((i & 1) == 0 ? both >>> 4 : both) & 0xf);
        }
        return value;
    }

    private int putUnits(int at, int count, int value) {
        for (int i = 0; i < count; i++) {
            int unit = (value >>> (4 * (count - 1 - i))) & 0xf;
            int position = position((at + i) / 2);
            bytes[position] =
                    (byte)
                            (((at + i) & 1) == 0
                                    ? (bytes[position] & 0xf) | (unit << 4)
                                    : (bytes[position] & 0xf0) | unit);
        }
        return at + count;
    }

    static int number(byte[] bytes, int at) {
        return (short) SHORT.get(bytes, at) & 0xffff;
    }

    private void putNumber(int at, int value) {
        SHORT.set(bytes, at, (short) value);
    }

    /** The time of the current sample. */
    static long time(byte[] bytes, int sample) {
        return (int) INT.get(bytes, sample + TIME) & LATEST_TIME;
    }

    private void putTime(int sample, long value) {
        INT.set(bytes, sample + TIME, (int) value);
    }
}
