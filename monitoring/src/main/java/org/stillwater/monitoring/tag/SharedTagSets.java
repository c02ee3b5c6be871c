package org.stillwater.monitoring.tag;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.stillwater.core.cluster.Tag;

/**
 * The different sets of tags: objects with the same tags share one. Bounded by twice the sets in
 * use. Guarded by the registry's monitor.
 */
final class SharedTagSets {

    /** So many different sets of tags are kept before unused ones are dropped. */
    private static final int FEW_SETS = 1_024;

    private final Map<List<Tag>, TagSet> sets = new HashMap<>();
    private int most = FEW_SETS;

    /**
     * The set of these tags.
     *
     * @param tags by name
     * @param vms sets in use by VMs
     * @param hosts sets in use by hosts
     */
    TagSet of(List<Tag> tags, Collection<TagSet> vms, Collection<TagSet> hosts) {
        if (tags.isEmpty()) {
            return TagSet.NONE;
        }
        TagSet known = sets.get(tags);
        if (known == null) {
            known = new TagSet(tags);
            if (sets.size() >= most) {
                dropUnused(vms, hosts);
            }
            sets.put(known.tags(), known);
        }
        return known;
    }

    /** Seldom enough: at least as many sets are new since the last time as are in use. */
    private void dropUnused(Collection<TagSet> vms, Collection<TagSet> hosts) {
        sets.clear();
        vms.forEach(set -> sets.put(set.tags(), set));
        hosts.forEach(set -> sets.put(set.tags(), set));
        most = Math.max(FEW_SETS, 2 * sets.size());
    }
}
