package org.stillwater.core.schedule;

import java.util.Set;
import java.util.UUID;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.model.VmId;

/**
 * VMs of a cluster that belong on one host, or on different ones. Immutable.
 *
 * @param id identity
 * @param name what people call it
 * @param cluster the cluster of its VMs; VMs of others are not bound by it
 * @param positive whether its VMs belong together; else they are to be kept apart
 * @param enforcing whether a VM rather runs nowhere than against it; else it is a wish
 * @param members its VMs
 */
public record AffinityGroup(
        UUID id,
        String name,
        ClusterId cluster,
        boolean positive,
        boolean enforcing,
        Set<VmId> members) {

    public AffinityGroup {
        members = Set.copyOf(members);
    }
}
