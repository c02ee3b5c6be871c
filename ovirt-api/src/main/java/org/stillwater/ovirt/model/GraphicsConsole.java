package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/** A way to view a VM's screen. */
public record GraphicsConsole(
        @Attribute String id,
        @Attribute String href,
        @Nullable Actions actions,
        @Nullable String address,
        @Nullable Integer port,
        String protocol,
        @Nullable Integer tlsPort,
        Entity vm)
        implements Entity {}
