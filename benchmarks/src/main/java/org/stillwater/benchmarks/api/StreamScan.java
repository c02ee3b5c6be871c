package org.stillwater.benchmarks.api;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Finds in server-sent events, as their bytes come, the end of a snapshot, the number of events
 * behind it, and, if times are wanted, the time at which the engine saw the change of an event.
 * Events without a time cost next to nothing, because the reader shares the machine with the
 * engine. Used by one thread.
 */
public abstract class StreamScan {

    /** Lines of an event: its name, its id, its data, and the empty one. */
    private static final int LINES = 4;

    private static final byte[] SNAPSHOT_END = bytes("event: snapshot-end\n");
    private static final byte[] OBSERVED = bytes("\"observedNanos\":");
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final long LOW_BITS = 0x7F7F7F7F7F7F7F7FL;
    private static final long LINE_ENDS = 0x0A0A0A0A0A0A0A0AL;

    private final boolean timed;
    private boolean ended;
    private int inEnd;
    private int inObserved;
    private boolean inNumber;
    private long number;
    private long lines;

    /**
     * A scan from the beginning of a stream.
     *
     * @param timed whether times of changes are looked for
     */
    protected StreamScan(boolean timed) {
        this.timed = timed;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The snapshot is complete. */
    public abstract void snapshotEnded();

    /** An event about a change that was seen at this time of the engine's monotonic clock. */
    public abstract void changed(long observedNanos);

    /** Events since the snapshot ended; half of one is none. */
    public final long events() {
        return lines / LINES;
    }

    /** Looks at the next bytes; they hold no comments. Snapshots name no times of changes. */
    public final void bytes(byte[] bytes, int from, int to) {
        int begin = ended ? from : end(bytes, from, to);
        lines += lines(bytes, begin, to);
        if (timed) {
            times(bytes, begin, to);
        }
    }

    /** End of the first line of the snapshot's end, or of the bytes. */
    private int end(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            byte next = bytes[i];
            inEnd = next == SNAPSHOT_END[inEnd] ? inEnd + 1 : next == SNAPSHOT_END[0] ? 1 : 0;
            if (inEnd == SNAPSHOT_END.length) {
                ended = true;
                lines = 1 - LINES; // its other lines are still to come
                snapshotEnded();
                return i + 1;
            }
        }
        return to;
    }

    private void times(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            byte next = bytes[i];
            if (inNumber) {
                if (next >= '0' && next <= '9') {
                    number = 10 * number + next - '0';
                    continue;
                }
                inNumber = false;
                changed(number);
            }
            inObserved =
                    next == OBSERVED[inObserved] ? inObserved + 1 : next == OBSERVED[0] ? 1 : 0;
            if (inObserved == OBSERVED.length) {
                inObserved = 0;
                inNumber = true;
                number = 0;
            }
        }
    }

    /** Ends of lines, counted eight bytes at a time. */
    static int lines(byte[] bytes, int from, int to) {
        int count = 0;
        int i = from;
        for (; i + Long.BYTES <= to; i += Long.BYTES) {
            long other = (long) LONGS.get(bytes, i) ^ LINE_ENDS;
            // The highest bit of each byte that is zero here, and of no other.
            count += Long.bitCount(~(((other & LOW_BITS) + LOW_BITS) | other | LOW_BITS));
        }
        for (; i < to; i++) {
            if (bytes[i] == '\n') {
                count++;
            }
        }
        return count;
    }
}
