package org.stillwater.benchmarks.api;

import java.nio.charset.StandardCharsets;

/**
 * Finds in server-sent events, as their bytes come, where a snapshot ends and when the engine saw
 * the change that an event is about. Used by one thread.
 */
public abstract class StreamScan {

    private static final byte[] SNAPSHOT_END = bytes("event: snapshot-end\n");
    private static final byte[] OBSERVED = bytes("\"observedNanos\":");

    private int inEnd;
    private int inObserved;
    private boolean inNumber;
    private long number;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The snapshot is complete. */
    public abstract void snapshotEnded();

    /** An event about a change that was seen at this time of the engine's monotonic clock. */
    public abstract void changed(long observedNanos);

    /** Looks at the next bytes; snapshots name no such times. */
    public final void bytes(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            byte next = bytes[i];
            if (inNumber) {
                if (next >= '0' && next <= '9') {
                    number = 10 * number + next - '0';
                    continue;
                }
                inNumber = false;
                changed(number);
            }
            inEnd = next == SNAPSHOT_END[inEnd] ? inEnd + 1 : next == SNAPSHOT_END[0] ? 1 : 0;
            if (inEnd == SNAPSHOT_END.length) {
                inEnd = 0;
                snapshotEnded();
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
}
