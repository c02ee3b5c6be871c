package org.stillwater.core.id;

import java.util.UUID;

/** Identity of a host, chosen by the engine when the host is added. */
public record HostId(UUID value) implements Comparable<HostId> {

    /**
     * Parses the canonical form.
     *
     * @throws IllegalArgumentException if the text is no UUID
     */
    public static HostId parse(String text) {
        return new HostId(VmId.parse(text).toUuid());
    }

    @Override
    public int compareTo(HostId other) {
        return VmId.of(value).compareTo(VmId.of(other.value));
    }

    /** The canonical text form. */
    @Override
    public String toString() {
        return value.toString();
    }
}
