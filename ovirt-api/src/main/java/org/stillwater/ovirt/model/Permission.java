package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/** A role, its user, and its object. */
public record Permission(
        @Attribute String id,
        @Attribute String href,
        @Nullable Entity cluster,
        @Nullable Entity group,
        Entity role,
        @Nullable Entity user,
        @Nullable Entity vm)
        implements Entity {}
