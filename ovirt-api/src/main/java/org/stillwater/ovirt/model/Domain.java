package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;

/** Directory in which users are known. */
public record Domain(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        @JsonUnwrapped Inlined inlined)
        implements Entity {}
