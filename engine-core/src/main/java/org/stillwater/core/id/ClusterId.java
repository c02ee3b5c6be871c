package org.stillwater.core.id;

import java.util.UUID;

/** Identity of a cluster, chosen by the engine when the cluster is added. */
public record ClusterId(UUID value) implements Comparable<ClusterId> {

    /**
     * The cluster that every database has from the beginning; its number is fixed by the schema.
     */
    public static final ClusterId DEFAULT = new ClusterId(new UUID(0, 1));

    /**
     * Parses the canonical form.
     *
     * @throws IllegalArgumentException if the text is no UUID
     */
    public static ClusterId parse(String text) {
        return new ClusterId(VmId.parse(text).toUuid());
    }

    @Override
    public int compareTo(ClusterId other) {
        return VmId.of(value).compareTo(VmId.of(other.value));
    }

    /** The canonical text form. */
    @Override
    public String toString() {
        return value.toString();
    }
}
