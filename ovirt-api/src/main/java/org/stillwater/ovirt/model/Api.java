package org.stillwater.ovirt.model;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The root of the API. */
public record Api(
        @Unwrapped List<Link> link,
        ProductInfo productInfo,
        SpecialObjects specialObjects,
        @Nullable Summary summary,
        Instant time,
        Entity authenticatedUser,
        Entity effectiveUser) {

    /** Product that serves the API. */
    public record ProductInfo(String instanceId, String name, String vendor, Version version) {}

    /** Entities that are always there. */
    public record SpecialObjects(Entity blankTemplate, Entity rootTag) {}

    /** Numbers of entities. */
    public record Summary(Count hosts, Count storageDomains, Count users, Count vms) {}

    /** How many there are, and how many of them are up. */
    public record Count(Integer active, Integer total) {}
}
