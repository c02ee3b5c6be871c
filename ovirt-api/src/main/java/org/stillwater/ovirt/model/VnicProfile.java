package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How VMs use a network. */
public record VnicProfile(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Nullable String description,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        PassThrough passThrough,
        Boolean portMirroring,
        Entity network,
        @JsonUnwrapped Inlined inlined)
        implements Entity {
    /** Whether a VM gets the card itself. */
    public record PassThrough(String mode) {}
}
