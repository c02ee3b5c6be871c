package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/** An address; {@code version} is {@code v4} or {@code v6}. */
public record Ip(
        @Nullable String address,
        @Nullable String gateway,
        @Nullable String netmask,
        @Nullable String version) {}
