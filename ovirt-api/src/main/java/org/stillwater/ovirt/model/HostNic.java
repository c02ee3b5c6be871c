package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A network interface of a host. */
public record HostNic(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Nullable String description,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        @Nullable String adAggregatorId,
        @Nullable String baseInterface,
        @Nullable Bonding bonding,
        Boolean bridged,
        @Nullable String bootProtocol,
        @Nullable Boolean customConfiguration,
        @Nullable Ip ip,
        @Nullable Ip ipv6,
        @Nullable Mac mac,
        @Nullable Integer mtu,
        @Nullable Long speed,
        @Nullable String status,
        @Nullable Vlan vlan,
        Entity host,
        @Nullable Entity network,
        @JsonUnwrapped Inlined inlined)
        implements Entity {
    /** Several cards as one. */
    public record Bonding(
            @Nullable Entity activeSlave,
            @Nullable Mac adPartnerMac,
            @Nullable Listing<Property> options,
            Listing<Entity> slaves) {}

    /** A VLAN. */
    public record Vlan(@Attribute Integer id) {}
}
