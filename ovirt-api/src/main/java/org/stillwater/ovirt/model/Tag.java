package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/** A word on entities. */
public record Tag(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Nullable String description,
        @Nullable Entity parent)
        implements Entity {}
