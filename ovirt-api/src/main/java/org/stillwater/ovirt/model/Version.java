package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/** A version; {@code build}, {@code revision} and {@code fullVersion} only of software. */
public record Version(
        @Nullable Integer build,
        @Nullable String fullVersion,
        @Nullable Integer major,
        @Nullable Integer minor,
        @Nullable Integer revision) {

    /** A level of compatibility. */
    public static Version of(int major, int minor) {
        return new Version(null, null, major, minor, null);
    }
}
