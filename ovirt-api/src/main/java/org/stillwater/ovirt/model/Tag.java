package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/**
 * A word on entities.
 *
 * @param vm the VM that has it, in a list of the VM's tags
 * @param host the host that has it, in a list of the host's tags
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
