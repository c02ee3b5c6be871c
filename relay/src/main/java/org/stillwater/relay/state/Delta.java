package org.stillwater.relay.state;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Changes of the state of one host between two sequences. Values are absolute, so a delta applies
 * to every state from its base up to its sequence, and a second application has no effect.
 *
 * @param epoch identity of the relay's state to which the sequences belong
 * @param base the sequence before the first contained change; 0 for the whole state, which replaces
 *     the receiver's state
 * @param sequence the sequence of the receiver after it has applied the delta
 * @param changes new and changed records
 * @param removed removed records
 * @param sum checksum of the whole state at that sequence; null for none
 */
public record Delta(
        long epoch,
        long base,
        long sequence,
        List<Change> changes,
        List<UUID> removed,
        @Nullable Long sum) {

    public Delta {
        changes = List.copyOf(changes);
        removed = List.copyOf(removed);
        if (base < 0 || sequence < base) {
            throw new IllegalArgumentException("a delta from " + base + " to " + sequence);
        }
    }

    /** Whether this is the whole state. */
    public boolean isSnapshot() {
        return base == 0;
    }

    /**
     * A new or changed record.
     *
     * @param id the record
     * @param set new or changed cells
     * @param cleared keys of removed cells
     */
    public record Change(UUID id, Cells set, List<Integer> cleared) {
        public Change {
            cleared = List.copyOf(cleared);
        }
    }
}
