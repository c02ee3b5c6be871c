package org.stillwater.ovirt.model;

/**
 * VMs that belong together, or apart. Members of all sorts are listed, also where there are none:
 * Ansible's module counts the hosts of a group.
 */
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
        Listing<Entity> hosts,
        Listing<Entity> vms,
        Listing<Entity> hostLabels,
        Listing<Entity> vmLabels,
        Entity cluster)
        implements Entity {

    /** How its VMs or hosts are bound. */
    public record Rule(Boolean enabled, Boolean enforcing, Boolean positive) {}
}
