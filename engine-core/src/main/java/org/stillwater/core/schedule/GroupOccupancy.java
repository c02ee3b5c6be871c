package org.stillwater.core.schedule;

import org.stillwater.core.host.HostStatus;

/**
 * The hosts of an affinity group's VMs during placement. Belongs to one pass; not shared.
 *
 * <p>A VM on a host that does not answer binds no other VM to that host: the others of its group
 * could not be started before people have repaired it.
 */
final class GroupOccupancy {

    final AffinityGroup group;
    private final int[] byHost;
    private int bound;

    GroupOccupancy(AffinityGroup group, int hosts) {
        this.group = group;
        this.byHost = new int[hosts];
    }

    static boolean binds(HostStatus status) {
        return status.isInContact();
    }

    void add(HostCapacity room) {
        byHost[room.index]++;
        bound += binds(room.host.status()) ? 1 : 0;
    }

    void remove(HostCapacity room) {
        byHost[room.index]--;
        bound -= binds(room.host.status()) ? 1 : 0;
    }

    /** Number of other VMs of the group on this host. */
    int others(RequestState vm, HostCapacity room) {
        int there = byHost[room.index];
        return there > 0 && vm.isCountedOn(room, group.positive()) ? there - 1 : there;
    }

    /** Number of other VMs of the group on hosts that answer. */
    int othersBound(RequestState vm) {
        return bound - vm.countedBound();
    }
}
