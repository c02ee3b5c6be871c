package org.stillwater.relay.state;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a receiver knows of one host's state at a relay. Not thread-safe; the maps that it hands out
 * are copies.
 *
 * <p>A delta is taken when it begins at or before the present sequence and ends after it. So a
 * repeated, late or lost one does no harm: it is left out, or the gap is seen and the sequence that
 * is there is asked for again.
 */
public final class HostMirror {

    private final int mostCells;
    private final Map<UUID, Cells> records = new HashMap<>();
    private long epoch;
    private boolean bound;
    private long sequence;
    private long cells;

    /** What became of a delta. */
    public enum Outcome {
        /** The state is at the delta's sequence now. */
        APPLIED,
        /** The state is at that sequence or beyond it already. */
        REPEATED,
        /** Something between is missing: ask for everything after {@link #sequence()}. */
        GAP,
        /** It belongs to a life of the relay's state that is not the present one. */
        FOREIGN,
        /** The checksum does not fit: the state was forgotten, ask for all of it. */
        DRIFTED,
        /** The state would be larger than allowed; it was forgotten. */
        TOO_LARGE
    }

    /**
     * A mirror that knows nothing.
     *
     * @param mostCells most cells over all records
     */
    public HostMirror(int mostCells) {
        this.mostCells = mostCells;
    }

    /** From now on deltas of this epoch are taken. What is known of another one is forgotten. */
    public void bind(long newEpoch) {
        if (!bound || epoch != newEpoch) {
            forget();
            epoch = newEpoch;
            bound = true;
        }
    }

    /** Forgets the state; the epoch stays. */
    public void forget() {
        records.clear();
        cells = 0;
        sequence = 0;
    }

    /** The sequence that the state is at; 0 for no state. */
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

    /** Takes a delta, or says why not. */
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
