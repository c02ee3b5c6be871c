package org.stillwater.core.schedule;

import java.util.Set;
import java.util.UUID;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;

/**
 * VMs of a cluster that belong on one host, or on different ones. Immutable.
 *
 * @param id identity
 * @param name display name
 * @param description free text, at most 4000 characters; may be empty
 * @param cluster the cluster of its VMs; VMs of other clusters ignore it
 * @param positive whether its VMs belong together; otherwise they belong apart
 * @param enforcing whether a violation keeps a VM from running; otherwise the group is a preference
 * @param members its VMs
 */
public record AffinityGroup(
        UUID id,
        String name,
        String description,
        ClusterId cluster,
        boolean positive,
        boolean enforcing,
        Set<VmId> members) {

    /** Longest description, in characters; that of a cluster has the same bound. */
    public static final int LONGEST_DESCRIPTION = 4_000;

    /** A group without a description. */
    public AffinityGroup(
            UUID id,
            String name,
            ClusterId cluster,
            boolean positive,
            boolean enforcing,
            Set<VmId> members) {
        this(id, name, "", cluster, positive, enforcing, members);
    }

    public AffinityGroup {
        if (description.length() > LONGEST_DESCRIPTION) {
            throw new IllegalArgumentException(
                    "the description of an affinity group has at most 4000 characters");
        }
        members = Set.copyOf(members);
    }

    /** The same group of other VMs. */
    public AffinityGroup withMembers(Set<VmId> others) {
        return new AffinityGroup(id, name, description, cluster, positive, enforcing, others);
    }
}
