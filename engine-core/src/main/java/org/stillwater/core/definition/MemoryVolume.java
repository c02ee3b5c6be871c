package org.stillwater.core.definition;

import java.util.UUID;

/**
 * A volume on a storage domain that holds the memory of a stopped VM, or the definition that goes
 * with it (protocol specification §3.7).
 *
 * @param pool the storage pool
 * @param domain the storage domain
 * @param image the image
 * @param volume the volume of the image
 */
public record MemoryVolume(UUID pool, UUID domain, UUID image, UUID volume) {}
