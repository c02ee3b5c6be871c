package org.stillwater.monitoring.feed;

import java.util.List;
import java.util.Set;
import org.stillwater.core.id.HostId;

/**
 * Deltas that a subscriber gets at once.
 *
 * @param deltas changes in order, possibly none
 * @param refreshed hosts with new statistics of their VMs since the last batch, each named once for
 *     any number of polls; always empty unless the subscription requested it
 */
public record FeedBatch(List<Delta> deltas, Set<HostId> refreshed) {

    /** No change. */
    public static final FeedBatch EMPTY = new FeedBatch(List.of(), Set.of());

    public FeedBatch {
        deltas = List.copyOf(deltas);
        refreshed = Set.copyOf(refreshed);
    }

    /** Whether it is empty. */
    public boolean isEmpty() {
        return deltas.isEmpty() && refreshed.isEmpty();
    }
}
