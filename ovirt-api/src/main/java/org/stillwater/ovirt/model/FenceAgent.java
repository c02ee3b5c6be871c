package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/** A device that switches a host's power; its password and secret options are never returned. */
public record FenceAgent(
        @Attribute String id,
        @Attribute String href,
        String address,
        @Nullable Listing<Property> options,
        int order,
        @Nullable Integer port,
        String type,
        @Nullable String username,
        Entity host)
        implements Entity {}
