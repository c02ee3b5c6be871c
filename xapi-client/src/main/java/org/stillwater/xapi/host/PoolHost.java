package org.stillwater.xapi.host;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;

/**
 * A host of a pool in the engine's words. Two of them are equal when nothing changed but its
 * numbers.
 *
 * @param id its identity
 * @param ref the pool's present reference to it
 * @param name its name in the pool
 * @param address its own address, the source of its metrics
 * @param coordinator whether it is the coordinator of the pool
 * @param enabled whether the pool starts VMs there
 * @param live whether the pool has contact with it
 * @param memoryBytes physical memory
 * @param bootEpochSeconds time of its boot, by its own clock; null if the pool does not report it
 * @param capabilities its capabilities
 * @param hardware its firmware's data
 * @param tags its tags in the pool, sorted, each once
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
        HostHardware hardware,
        List<String> tags) {}
