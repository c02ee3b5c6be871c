package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/** A disk as a VM has it. */
public record DiskAttachment(
        @Attribute String id,
        @Attribute String href,
        Boolean active,
        Boolean bootable,
        @JsonProperty("interface") String bus,
        @Nullable String logicalName,
        Boolean passDiscard,
        Boolean readOnly,
        Boolean usesScsiReservation,
        Entity disk,
        Entity vm)
        implements Entity {}
