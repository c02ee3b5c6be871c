package org.stillwater.relay.state;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A receiver's copy of one host's state at a relay. Not thread-safe; it returns copies of its maps.
 *
 * <p>A delta is applied if it begins at or before the present sequence and ends after it. So a
 * repeated, late or lost delta does no harm: the mirror ignores it, or detects the gap and requests
 * all changes after its own sequence.
 */
public final class HostMirror {

    private final int mostCells;
    private final Map<UUID, Cells> records = new HashMap<>();
    private long epoch;
    private boolean bound;
    private long sequence;
    private long cells;

    /** Result of a delta. */
    public enum Outcome {
        /** The state has reached the delta's sequence. */
        APPLIED,
        /** The state had reached that sequence before. */
        REPEATED,
        /** A delta in between is missing: request all changes after {@link #sequence()}. */
        GAP,
        /** It belongs to another epoch of the relay's state. */
        FOREIGN,
        /** The checksum differs: the mirror dropped its state; request the whole state. */
        DRIFTED,
        /** The state would exceed the limit; the mirror dropped it. */
        TOO_LARGE
    }

    /**
     * A mirror without state.
     *
     * @param mostCells most cells over all records
     */
    public HostMirror(int mostCells) {
        this.mostCells = mostCells;
    }

    /** Accepts deltas of this epoch from now on. The state of another epoch is dropped. */
    public void bind(long newEpoch) {
        if (!bound || epoch != newEpoch) {
            forget();
            epoch = newEpoch;
            bound = true;
        }
    }

    /** Drops the state; the epoch stays. */
    public void forget() {
        records.clear();
        cells = 0;
        sequence = 0;
    }

    /** The sequence of the state; 0 without a state. */
    public long sequence() {
        return sequence;
    }

    /** The epoch of the state, if there is one. */
    public long epoch() {
        return epoch;
    }

    /** Records in the state. */
    public int size() {
        return records.size();
    }

    /** The cells of a record; null for none. */
    public @Nullable Cells get(UUID id) {
        return records.get(id);
    }

    /** A copy of the whole state. */
    public Map<UUID, Cells> records() {
        return Map.copyOf(records);
    }

    /** Applies a delta, or returns the reason for a refusal. */
    public Outcome apply(Delta delta) {
        if (!bound || delta.epoch() != epoch) {
            return Outcome.FOREIGN;
        }
        if (delta.sequence() <= sequence) {
            return Outcome.REPEATED;
        }
        if (delta.base() > sequence) {
            return Outcome.GAP;
        }
        if (delta.isSnapshot()) {
            forget();
        }
        for (Delta.Change change : delta.changes()) {
            Cells before = Objects.requireNonNullElse(records.get(change.id()), Cells.NONE);
            Cells after =
                    before.size() == 0 && change.cleared().isEmpty()
                            ? change.set()
                            : before.patched(change.set(), change.cleared());
            records.put(change.id(), after);
            cells += after.size() - before.size();
            if (cells + records.size() > mostCells) {
                forget();
                return Outcome.TOO_LARGE;
            }
        }
        for (UUID gone : delta.removed()) {
            Cells before = records.remove(gone);
            cells -= before == null ? 0 : before.size();
        }
        sequence = delta.sequence();
        Long sum = delta.sum();
        if (sum != null && sum != sum()) {
            forget();
            return Outcome.DRIFTED;
        }
        return Outcome.APPLIED;
    }

    /** The checksum of the whole state. */
    public long sum() {
        long sum = 0;
        for (Map.Entry<UUID, Cells> each : records.entrySet()) {
            sum += each.getValue().sum(Checksum.ofRecord(each.getKey()));
        }
        return sum;
    }
}
