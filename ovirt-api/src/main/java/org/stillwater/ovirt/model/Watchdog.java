package org.stillwater.ovirt.model;

/** A watchdog of a VM. */
public record Watchdog(
        @Attribute String id, @Attribute String href, String action, String model, Entity vm)
        implements Entity {}
