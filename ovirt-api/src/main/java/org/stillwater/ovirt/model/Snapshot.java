package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import java.util.List;

/** A snapshot of a VM. */
public record Snapshot(
        @Attribute String id,
        @Attribute String href,
        String description,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        Instant date,
        Boolean persistMemorystate,
        String snapshotStatus,
        String snapshotType,
        Entity vm,
        @JsonUnwrapped Inlined inlined)
        implements Entity {}
