package org.stillwater.ovirt.model;

/** VMs that belong together, or apart. */
public record AffinityGroup(
        @Attribute String id,
        @Attribute String href,
        String name,
        Boolean enforcing,
        Boolean positive,
        Listing<Entity> vms,
        Entity cluster)
        implements Entity {}
