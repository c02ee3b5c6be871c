package org.stillwater.vdsm.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.VmId;

/**
 * The patterns of the VMs of one host, in the order of its last poll. A host reports its VMs in the
 * order in which they came to it; when one is gone, the others close up.
 *
 * <p>Holds no more VMs than the last poll had that the engine knows. Used by one thread at a time,
 * for which {@link #begin} sees.
 */
final class PollMemory {

    /** Lists of slots that VMs share: one for each combination of devices. */
    private static final int MOST_SHARED = 64;

    /**
     * Longest pause, in polls, between two attempts to learn a VM with deviating records; each
     * failure doubles the pause.
     */
    private static final int LONGEST_PAUSE = 64;

    /** The remembered state of one VM. */
    static final class Known {
        private final VmId vmId;
        private @Nullable ReportPattern pattern;
        private int place;
        private int pause;
        private int nextPause = 1;
        private boolean confirmed;

        private Known(VmId vmId) {
            this.vmId = vmId;
        }

        @Nullable ReportPattern pattern() {
            return pattern;
        }
    }

    private Map<VmId, Known> byId = new HashMap<>();
    private List<Known> order = new ArrayList<>();
    private List<Known> seen = new ArrayList<>();
    private final Map<String, char[]> shared = new HashMap<>();
    private int next;
    private final AtomicBoolean reading = new AtomicBoolean();

    /**
     * Begins a poll. False if another one is being read: two polls of one host do not share this.
     */
    boolean begin() {
        if (!reading.compareAndSet(false, true)) {
            return false;
        }
        seen.clear();
        next = 0;
        return true;
    }

    /** Forgets all VMs, unless a poll is being read. Any thread. */
    void forget() {
        if (reading.compareAndSet(false, true)) {
            if (!order.isEmpty() || !byId.isEmpty()) {
                byId = new HashMap<>();
                order = new ArrayList<>();
                seen = new ArrayList<>();
                shared.clear();
            }
            reading.set(false);
        }
    }

    /** The VM whose record is expected next; null for none. */
    @Nullable Known expected() {
        return next < order.size() ? order.get(next) : null;
    }

    /** The record of the expected VM was as it was. */
    void confirmed(Known known) {
        known.confirmed = true;
        known.nextPause = 1;
        next++;
        seen.add(known);
    }

    /**
     * The record of a VM had to be decoded: the one that followed it last time is expected next.
     */
    Known decoded(VmId vmId) {
        Known known = byId.get(vmId);
        if (known == null) {
            known = new Known(vmId);
            byId.put(vmId, known);
        } else if (known.place < order.size() && order.get(known.place) == known) {
            next = known.place + 1;
        }
        seen.add(known);
        return known;
    }

    /** Whether a search for the pattern of a decoded VM is likely to pay. */
    boolean wantsPattern(Known known) {
        if (known.pattern != null) {
            known.pattern = null;
            if (!known.confirmed) {
                known.nextPause = Math.min(known.nextPause * 2, LONGEST_PAUSE);
            }
            known.confirmed = false;
            known.pause = known.nextPause - 1;
        }
        if (known.pause > 0) {
            known.pause--;
            return false;
        }
        return true;
    }

    void learn(Known known, @Nullable ReportPattern pattern) {
        known.pattern = pattern;
    }

    /** One array for all VMs that have these slots. */
    char[] shared(char[] slots) {
        if (shared.size() >= MOST_SHARED) {
            shared.clear();
        }
        return shared.computeIfAbsent(new String(slots), _ -> slots);
    }

    /**
     * Ends a poll: VMs that it did not mention are forgotten.
     *
     * @param whole whether it was understood to its end; if not, all VMs are
     */
    void end(boolean whole) {
        if (!whole) {
            byId.clear();
            order.clear();
        } else {
            if (!seen.equals(order)) {
                byId.clear();
                for (int place = 0; place < seen.size(); place++) {
                    Known known = seen.get(place);
                    known.place = place;
                    byId.put(known.vmId, known);
                }
            }
            List<Known> before = order;
            order = seen;
            seen = before;
        }
        reading.set(false);
    }
}
