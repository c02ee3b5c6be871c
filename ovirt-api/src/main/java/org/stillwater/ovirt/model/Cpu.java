package org.stillwater.ovirt.model;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Processors.
 *
 * @param speed MHz, of hosts
 */
public record Cpu(
        @Nullable String architecture,
        @Nullable String name,
        @Nullable BigDecimal speed,
        @Nullable Topology topology,
        @Nullable String type) {

    /** Of a VM or template. */
    public static Cpu of(String architecture, Topology topology) {
        return new Cpu(architecture, null, null, topology, null);
    }
}
