package org.stillwater.vdsm.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;

/**
 * The patterns of the VMs of one host, in the order of its last poll. A host reports its VMs in the
 * order in which they came to it; when one is gone, the others close up.
 *
 * <p>Holds no more VMs than the last poll had that the engine knows. Used by one thread at a time,
 * for which {@link #begin} sees.
 */
final class PollMemory {

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

        VmId vmId() {
            return vmId;
        }

        @Nullable ReportPattern pattern() {
            return pattern;
        }
    }

    private Map<VmId, Known> byId = new HashMap<>();
    private List<Known> order = new ArrayList<>();

    /** The VMs of the poll that is read; none as long as it has the order of the last one. */
    private List<Known> seen = new ArrayList<>();

    /** Whether the VMs so far were the first {@link #next} of the last poll. */
    private boolean inOrder;

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
        inOrder = true;
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
            }
            reading.set(false);
        }
    }

    /** The VM of the record expected next; null for none. */
    @Nullable Known expected() {
        return next < order.size() ? order.get(next) : null;
    }

    /** The record of the expected VM was as it was. */
    void confirmed(Known known) {
        known.confirmed = true;
        known.nextPause = 1;
        next++;
        if (!inOrder) {
            seen.add(known);
        }
    }

    /**
     * The record of a VM had to be decoded: the one that followed it last time is expected next.
     */
    Known decoded(VmId vmId) {
        Known known = byId.get(vmId);
        if (known != null && inOrder && known == expected()) {
            next++;
            return known;
        }
        leaveOrder();
        if (known == null) {
            known = new Known(vmId);
            byId.put(vmId, known);
        } else if (known.place < order.size() && order.get(known.place) == known) {
            next = known.place + 1;
        }
        seen.add(known);
        return known;
    }

    private void leaveOrder() {
        if (inOrder) {
            inOrder = false;
            seen.addAll(order.subList(0, next));
        }
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

    /**
     * Ends a poll: VMs that it did not mention are forgotten.
     *
     * @param whole whether it was understood to its end; if not, all VMs are
     */
    void end(boolean whole) {
        if (!whole) {
            byId.clear();
            order.clear();
        } else if (!inOrder || next < order.size()) {
            leaveOrder();
            byId.clear();
            for (int place = 0; place < seen.size(); place++) {
                Known known = seen.get(place);
                known.place = place;
                byId.put(known.vmId, known);
            }
            List<Known> before = order;
            order = seen;
            seen = before;
        }
        reading.set(false);
    }
}
