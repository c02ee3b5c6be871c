package org.stillwater.core.schedule;

import java.util.ArrayList;
import java.util.List;

/** A VM that waits for a host while VMs are placed. Belongs to one pass; not shared. */
final class RequestState {

    final PlacementRequest request;

    /** Its turn. */
    final int turn;

    /** Affinity groups that bind it. */
    final List<GroupOccupancy> groups = new ArrayList<>(0);

    /** Hosts that it is on by now, of the hosts of the pass; only if it is in a group. */
    final List<HostCapacity> present = new ArrayList<>(0);

    /** For each host, the filter that rejects it independent of other placements, or −1. */
    final byte[] fixed;

    /** The relevant filters among those that are not fixed, in their order. */
    int[] filters = {};

    /** The weights that matter to it. */
    HostWeight[] weights = {};

    /**
     * Whether positive groups count it on its present host; false while all of them leave together.
     */
    private boolean counted = true;

    RequestState(PlacementRequest request, int turn, byte[] fixed) {
        this.request = request;
        this.turn = turn;
        this.fixed = fixed;
    }

    /** Whether groups of this kind count it on a host. */
    boolean isCountedOn(HostCapacity room, boolean positive) {
        return (counted || !positive) && present.contains(room);
    }

    /** The number of positive groups that count it. */
    int countedBound() {
        int bound = 0;
        if (counted) {
            for (HostCapacity room : present) {
                bound += GroupOccupancy.binds(room.host.status()) ? 1 : 0;
            }
        }
        return bound;
    }

    /** Its positive groups no longer count it where it is: all of them leave. */
    void withdraw() {
        counted = false;
        eachPositive(true);
    }

    /** The contrary. */
    void stay() {
        counted = true;
        eachPositive(false);
    }

    private void eachPositive(boolean leaves) {
        for (GroupOccupancy group : groups) {
            if (group.group.positive()) {
                for (HostCapacity room : present) {
                    if (leaves) {
                        group.remove(room);
                    } else {
                        group.add(room);
                    }
                }
            }
        }
    }

    /** Takes its part of a host. */
    void take(HostCapacity room) {
        room.take(request);
        for (GroupOccupancy group : groups) {
            group.add(room);
        }
    }

    /** Gives its part of a host back. */
    void giveBack(HostCapacity room) {
        room.giveBack(request);
        for (GroupOccupancy group : groups) {
            group.remove(room);
        }
    }
}
