package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/** What has an identity and an address of its own, or refers to such a thing. */
public interface Entity {

    /** Identity, unique among its kind; null where only a name is known. */
    @Nullable String id();

    /** Absolute path, without scheme and host. */
    @Nullable String href();
}
