package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/**
 * A reference to an entity: the member that holds it has the name of the entity.
 *
 * @param name only where the entity itself may be gone (events)
 */
public record Reference(
        @Attribute @Nullable String id, @Attribute @Nullable String href, @Nullable String name)
        implements Entity {

    /** A reference to an existing entity. */
    public Reference(String id, String href) {
        this(id, href, null);
    }
}
