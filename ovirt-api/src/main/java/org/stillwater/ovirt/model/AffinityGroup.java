package org.stillwater.ovirt.model;

/** VMs that belong together, or apart. */
public record AffinityGroup(
        @Attribute String id,
        @Attribute String href,
        String name,
        String description,
        Boolean enforcing,
        Boolean positive,
        Integer priority,
        Rule vmsRule,
        Rule hostsRule,
        Listing<Entity> vms,
        Entity cluster)
        implements Entity {

    /** How its VMs or hosts are bound. */
    public record Rule(Boolean enabled, Boolean enforcing, Boolean positive) {}
}
