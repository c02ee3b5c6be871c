package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of a job. */
public record Step(
        @Attribute String id,
        @Attribute String href,
        String description,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        @Nullable Instant endTime,
        Boolean external,
        Integer number,
        @Nullable Integer progress,
        Instant startTime,
        String status,
        String type,
        @Nullable Entity executionHost,
        Entity job,
        @JsonUnwrapped Inlined inlined)
        implements Entity {}
