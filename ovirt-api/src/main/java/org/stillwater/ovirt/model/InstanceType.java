package org.stillwater.ovirt.model;

/** A size that VMs may have. Sizes in bytes. */
public record InstanceType(
        @Attribute String id,
        @Attribute String href,
        String name,
        String description,
        Cpu cpu,
        Long memory)
        implements Entity {}
