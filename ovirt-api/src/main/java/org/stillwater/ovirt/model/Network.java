package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A logical network. */
public record Network(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Nullable String description,
        @Nullable String comment,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        Integer mtu,
        @Nullable Boolean required,
        Boolean stp,
        @Nullable String status,
        Listing<String> usages,
        String vdsmName,
        HostNic.@Nullable Vlan vlan,
        Entity dataCenter,
        @JsonUnwrapped Inlined inlined)
        implements Entity {}
