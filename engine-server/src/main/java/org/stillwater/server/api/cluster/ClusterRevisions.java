package org.stillwater.server.api.cluster;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.stillwater.core.id.ClusterId;
import tools.jackson.databind.JsonNode;

/**
 * Revisions of changed clusters. Clusters are few, so each request compares them; a cluster that
 * differs from the time before gets a new revision. Bounded by the number of clusters and of
 * remembered removed ones; thread-safe.
 */
final class ClusterRevisions {

    private static final int MOST_GONE = 1_000;

    private final LongSupplier present;
    private final LongSupplier next;
    private final Map<ClusterId, Seen> known = new LinkedHashMap<>(); // guarded by this
    private final Map<ClusterId, Long> gone = new LinkedHashMap<>(); // guarded by this
    private long oldest = -1; // guarded by this

    /**
     * A cluster as it was last seen.
     *
     * @param tree its content
     * @param revision since which it is so
     */
    record Seen(JsonNode tree, long revision) {}

    /**
     * Present revisions of clusters.
     *
     * @param revision the revision of it
     * @param oldest changes after this revision and later ones are known
     * @param clusters each one
     * @param gone when each cluster was removed, of those that are remembered
     */
    record Present(
            long revision, long oldest, Map<ClusterId, Seen> clusters, Map<ClusterId, Long> gone) {

        Present {
            clusters = Map.copyOf(clusters);
            gone = Map.copyOf(gone);
        }
    }

    /**
     * Nothing is known.
     *
     * @param present returns the present revision
     * @param next makes another one, which is later than all before
     */
    ClusterRevisions(LongSupplier present, LongSupplier next) {
        this.present = present;
        this.next = next;
    }

    /**
     * Compares the clusters with those of the time before.
     *
     * @param read reads them, one thread at a time, so that no comparison meets newer clusters
     */
    synchronized Present look(Supplier<Map<ClusterId, JsonNode>> read) {
        long revision = present.getAsLong();
        Map<ClusterId, JsonNode> trees = read.get();
        if (oldest < 0) {
            oldest = revision;
            trees.forEach((id, tree) -> known.put(id, new Seen(tree, oldest)));
        }
        Map<ClusterId, JsonNode> changed = new HashMap<>();
        trees.forEach((id, tree) -> {
            Seen seen = known.get(id);
            if (seen == null || !seen.tree().equals(tree)) {
                changed.put(id, tree);
            }
        });
        Set<ClusterId> removed = new HashSet<>(known.keySet());
        removed.removeAll(trees.keySet());
        if (!changed.isEmpty() || !removed.isEmpty()) {
            revision = next.getAsLong();
            long now = revision;
            changed.forEach((id, tree) -> {
                known.put(id, new Seen(tree, now));
                gone.remove(id);
            });
            removed.forEach(id -> {
                known.remove(id);
                gone.put(id, now);
            });
            forget();
        }
        return new Present(revision, oldest, known, gone);
    }

    private void forget() {
        var eldest = gone.entrySet().iterator();
        while (gone.size() > MOST_GONE) {
            oldest = Math.max(oldest, eldest.next().getValue());
            eldest.remove();
        }
    }
}
