package org.stillwater.ovirt.model;

/** Something installed in the guest. */
public record Application(@Attribute String id, @Attribute String href, String name, Entity vm)
        implements Entity {}
