package org.stillwater.ovirt.model;

/** MAC addresses that VMs may have. */
public record MacPool(
        @Attribute String id,
        @Attribute String href,
        String name,
        String description,
        Boolean allowDuplicates,
        Boolean defaultPool,
        Listing<Range> ranges)
        implements Entity {

    /** Addresses from one to another. */
    public record Range(String from, String to) {}
}
