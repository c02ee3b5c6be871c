package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A set of permits. */
public record Role(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Nullable String description,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        Boolean administrative,
        @JsonProperty("mutable") Boolean changeable,
        @JsonUnwrapped Inlined inlined)
        implements Entity {}
