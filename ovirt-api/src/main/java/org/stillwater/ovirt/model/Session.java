package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/** A user at the guest's console. */
public record Session(
        @Attribute String id,
        @Attribute String href,
        Boolean consoleUser,
        @Nullable Ip ip,
        @Nullable String protocol,
        @Nullable SessionUser user,
        Entity vm)
        implements Entity {

    /** The user, as far as the guest reports it. */
    public record SessionUser(
            @Attribute @Nullable String id, @Attribute @Nullable String href, String userName) {}
}
