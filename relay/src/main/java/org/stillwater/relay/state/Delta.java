package org.stillwater.relay.state;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What changed in the state of one host after one sequence up to another. Values are absolute, so a
 * delta fits every state from its base up to its sequence, and applying it twice changes nothing.
 *
 * @param epoch which life of the relay's state the sequences count in
 * @param base the sequence after which everything that changed is here; 0 for the whole state,
 *     which replaces what the receiver has
 * @param sequence the sequence that the receiver has reached afterwards
 * @param changes new and changed records
 * @param removed records that are gone
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
     * @param set cells that are new or changed
     * @param cleared keys of cells that are gone
     */
    public record Change(UUID id, Cells set, List<Integer> cleared) {
        public Change {
            cleared = List.copyOf(cleared);
        }
    }
}
