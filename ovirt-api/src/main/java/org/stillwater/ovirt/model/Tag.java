package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/**
 * A word on entities.
 *
 * @param vm the VM that has it, where it is told as one of its tags
 * @param host the host that has it, where it is told as one of its tags
 */
public record Tag(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Nullable String description,
        @Nullable Entity parent,
        @Nullable Entity host,
        @Nullable Entity vm)
        implements Entity {}
