package org.stillwater.xapi.host;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;

/**
 * A host of a pool in the engine's words. Two of them are equal when nothing changed but its
 * numbers.
 *
 * @param id its identity
 * @param ref how the pool calls it now
 * @param name its name in the pool
 * @param address its own address, which metrics are read from
 * @param coordinator whether it answers for the pool
 * @param enabled whether the pool starts VMs there
 * @param live whether the pool hears of it
 * @param memoryBytes physical memory
 * @param bootEpochSeconds when it booted, by its own clock; null if the pool does not tell
 * @param capabilities what it is
 * @param hardware what its firmware says
 */
public record PoolHost(
        HostId id,
        String ref,
        String name,
        String address,
        boolean coordinator,
        boolean enabled,
        boolean live,
        long memoryBytes,
        @Nullable Long bootEpochSeconds,
        HostCapabilities capabilities,
        HostHardware hardware) {}
