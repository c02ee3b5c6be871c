package org.stillwater.core.operation;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;

/**
 * VMs that are alike, of which users get one each. Immutable.
 *
 * @param id identity
 * @param name unique name, 1–255 characters
 * @param description free text, at most 4 000 characters; may be empty
 * @param cluster the cluster with the hosts that run its VMs
 * @param stateful whether a VM keeps its user's changes; a stateless one is as new after each run
 * @param size how many VMs it is to have, 0–100 000
 * @param prestarted how many free VMs are to be up, 0 to its size
 * @param mostPerUser how many VMs a user may have, at least 1
 * @param template the definition of its VMs as JSON, in which {@code ?} stands for the number of
 *     the VM; null for a pool to which VMs are added by hand
 * @param members its VMs, each with its user: null for a free one
 */
public record VmPool(
        UUID id,
        String name,
        String description,
        ClusterId cluster,
        boolean stateful,
        int size,
        int prestarted,
        int mostPerUser,
        @Nullable String template,
        SortedMap<VmId, @Nullable String> members) {

    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_DESCRIPTION = 4_000;
    private static final int LARGEST = 100_000;

    public VmPool {
        if (name.isBlank() || name.length() > LONGEST_NAME) {
            throw new IllegalArgumentException("a pool's name has 1 to 255 characters");
        }
        if (description.length() > LONGEST_DESCRIPTION) {
            throw new IllegalArgumentException("a pool's description has at most 4000 characters");
        }
        if (size < 0 || size > LARGEST) {
            throw new IllegalArgumentException("a pool's size is 0 to 100000, not " + size);
        }
        if (prestarted < 0 || prestarted > size) {
            throw new IllegalArgumentException(
                    "a pool has 0 to " + size + " prestarted VMs, not " + prestarted);
        }
        if (mostPerUser < 1) {
            throw new IllegalArgumentException("a user may have at least 1 VM of a pool");
        }
        members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
    }

    /** The same with other VMs. */
    public VmPool with(SortedMap<VmId, @Nullable String> newMembers) {
        return new VmPool(
                id,
                name,
                description,
                cluster,
                stateful,
                size,
                prestarted,
                mostPerUser,
                template,
                newMembers);
    }

    /** The same with another template. */
    public VmPool withTemplate(@Nullable String newTemplate) {
        return new VmPool(
                id,
                name,
                description,
                cluster,
                stateful,
                size,
                prestarted,
                mostPerUser,
                newTemplate,
                members);
    }
}
