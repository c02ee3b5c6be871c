package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A user. */
public record User(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Nullable String description,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        String department,
        Entity domain,
        String domainEntryId,
        String email,
        String lastName,
        String namespace,
        String principal,
        String userName,
        @JsonUnwrapped Inlined inlined)
        implements Entity {}
