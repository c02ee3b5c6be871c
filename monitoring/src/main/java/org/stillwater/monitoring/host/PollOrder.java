package org.stillwater.monitoring.host;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;

/**
 * Finds the VMs of one host's messages. A host reports its VMs in the same order in each poll, so
 * the VM that stood at this place of the last poll is most likely the one: its id is compared, and
 * the registry, of which each look-up reads three uncached objects, is not read.
 *
 * <p>Used by one thread.
 */
final class PollOrder {

    private static final int FIRST_PLACES = 16;

    private final VmRegistry registry;
    private @Nullable VmManager[] places = new @Nullable VmManager[FIRST_PLACES];
    private int next;
    private int membership;

    PollOrder(VmRegistry registry) {
        this.registry = registry;
        this.membership = registry.membership();
    }

    /** Another message begins. */
    void begin() {
        next = 0;
    }

    /** The VM of the next report, or null if it is not known. */
    @Nullable VmManager find(VmId id) {
        int present = registry.membership();
        if (present != membership) {
            // One of them may have been removed.
            Arrays.fill(places, null);
            membership = present;
        }
        if (next == places.length) {
            places = Arrays.copyOf(places, 2 * places.length);
        }
        VmManager expected = places[next];
        if (expected == null || !expected.id().equals(id)) {
            expected = registry.find(id);
            places[next] = expected;
        }
        next++;
        return expected;
    }
}
