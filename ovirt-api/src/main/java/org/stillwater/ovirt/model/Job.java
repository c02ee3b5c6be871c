package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Request to the engine. */
public record Job(
        @Attribute String id,
        @Attribute String href,
        @Nullable Actions actions,
        String description,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        Boolean autoCleared,
        @Nullable Instant endTime,
        Boolean external,
        Instant lastUpdated,
        Instant startTime,
        String status,
        Entity owner,
        @JsonUnwrapped Inlined inlined)
        implements Entity {}
