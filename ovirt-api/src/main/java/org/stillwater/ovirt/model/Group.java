package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;

/** A group of users. */
public record Group(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        Entity domain,
        String domainEntryId,
        String namespace,
        @JsonUnwrapped Inlined inlined)
        implements Entity {}
