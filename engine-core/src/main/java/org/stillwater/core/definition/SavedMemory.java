package org.stillwater.core.definition;

import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The two volumes to which a VM is saved: its memory, and the further state that its host keeps of
 * it. Both are on one storage domain.
 *
 * @param memory the volume of its memory
 * @param configuration the volume of the rest
 */
public record SavedMemory(MemoryVolume memory, MemoryVolume configuration) {

    private static final Pattern COMMA = Pattern.compile(",");
    private static final int PARTS = 6;

    /**
     * Volumes in this order of identities: domain, pool, image and volume of the memory, image and
     * volume of the configuration (protocol specification §3.7).
     *
     * @throws IllegalArgumentException if it is anything else
     */
    public static SavedMemory parse(String handle) {
        String[] parts = COMMA.split(handle, -1);
        if (parts.length != PARTS) {
            throw new IllegalArgumentException("saved memory is named by six identities");
        }
        UUID domain = UUID.fromString(parts[0]);
        UUID pool = UUID.fromString(parts[1]);
        return new SavedMemory(
                new MemoryVolume(
                        pool, domain, UUID.fromString(parts[2]), UUID.fromString(parts[3])),
                new MemoryVolume(
                        pool, domain, UUID.fromString(parts[4]), UUID.fromString(parts[5])));
    }

    /** The same as hosts expect it, and as it is stored. */
    public String handle() {
        return String.join(
                ",",
                memory.domain().toString(),
                memory.pool().toString(),
                memory.image().toString(),
                memory.volume().toString(),
                configuration.image().toString(),
                configuration.volume().toString());
    }
}
