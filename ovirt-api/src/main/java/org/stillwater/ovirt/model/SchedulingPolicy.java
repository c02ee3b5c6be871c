package org.stillwater.ovirt.model;

/** How hosts are chosen for VMs. */
public record SchedulingPolicy(
        @Attribute String id,
        @Attribute String href,
        String name,
        String description,
        Boolean defaultPolicy,
        Boolean locked)
        implements Entity {}
