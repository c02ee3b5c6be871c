package org.stillwater.ovirt.model;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * A number of an entity.
 *
 * @param values none if it is not known
 */
public record Statistic(
        @Attribute String id,
        @Attribute String href,
        String name,
        String description,
        String kind,
        String type,
        String unit,
        Listing<Value> values,
        @Nullable Entity disk,
        @Nullable Entity host,
        @Nullable Entity hostNic,
        @Nullable Entity hostNumaNode,
        @Nullable Entity nic,
        @Nullable Entity vm)
        implements Entity {

    /** A value: a number, or a text. */
    public record Value(@Nullable BigDecimal datum, @Nullable String detail) {}
}
