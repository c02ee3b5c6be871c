package org.stillwater.core.id;

import java.util.UUID;

/** Identity of a data centre, chosen by the engine when the data centre is added. */
public record DataCentreId(UUID value) implements Comparable<DataCentreId> {

    /**
     * The data centre that every database has from the beginning; its number is fixed by the
     * schema.
     */
    public static final DataCentreId DEFAULT = new DataCentreId(new UUID(0, 1));

    /**
     * Parses the canonical form.
     *
     * @throws IllegalArgumentException if the text is no UUID
     */
    public static DataCentreId parse(String text) {
        return new DataCentreId(VmId.parse(text).toUuid());
    }

    @Override
    public int compareTo(DataCentreId other) {
        return VmId.of(value).compareTo(VmId.of(other.value));
    }

    /** The canonical text form. */
    @Override
    public String toString() {
        return value.toString();
    }
}
