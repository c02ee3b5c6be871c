package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/** An object with an identity and an address of its own, or a reference to one. */
public interface Entity {

    /** Identity, unique among its kind; null where only a name is known. */
    @Nullable String id();

    /** Absolute path, without scheme and host. */
    @Nullable String href();
}
