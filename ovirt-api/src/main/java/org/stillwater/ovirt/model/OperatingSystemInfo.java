package org.stillwater.ovirt.model;

/** A kind of system that a VM may be defined for. */
public record OperatingSystemInfo(
        @Attribute String id,
        @Attribute String href,
        String name,
        String description,
        String architecture,
        Entity largeIcon,
        Entity smallIcon)
        implements Entity {}
