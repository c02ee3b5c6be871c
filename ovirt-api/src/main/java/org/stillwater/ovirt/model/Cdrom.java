package org.stillwater.ovirt.model;

import org.jspecify.annotations.Nullable;

/** A CD-ROM drive. */
public record Cdrom(@Attribute String id, @Attribute String href, @Nullable Entity file, Entity vm)
        implements Entity {}
