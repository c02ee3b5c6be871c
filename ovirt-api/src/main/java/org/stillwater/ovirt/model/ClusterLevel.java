package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/** A version of clusters, and the processors that it knows. */
public record ClusterLevel(@Attribute String id, @Attribute String href, Listing<CpuType> cpuTypes)
        implements Entity {

    /** A kind of processor. */
    public record CpuType(String name, Integer level, @Nullable String architecture) {}
}
