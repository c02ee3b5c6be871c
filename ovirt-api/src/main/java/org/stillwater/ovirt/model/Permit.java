package org.stillwater.ovirt.model;

/** Something that a role allows. */
public record Permit(
        @Attribute String id,
        @Attribute String href,
        String name,
        Boolean administrative,
        Entity role)
        implements Entity {}
