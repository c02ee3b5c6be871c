package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A network interface of a VM. */
public record Nic(
        @Attribute String id,
        @Attribute String href,
        @Nullable Actions actions,
        String name,
        @Nullable String description,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        Boolean linked,
        Mac mac,
        Boolean plugged,
        @JsonProperty("interface") String model,
        Boolean synced,
        @Nullable Entity network,
        Entity vm,
        @Nullable Entity vnicProfile,
        @JsonUnwrapped Inlined inlined)
        implements Entity {}
