package org.stillwater.server.api.rows;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.io.SerializedString;

/**
 * Texts of values that successive rows share: the id of a cluster or of a host, the moment of a
 * host's report. Each is made, and encoded as JSON, once until another value replaces it. Used by
 * one thread.
 */
final class SerializedTextCache {

    /** Places; a power of two. A few times the number of hosts with VMs in one answer. */
    private static final int PLACES = 512;

    private final @Nullable Object[] values = new Object[PLACES];
    private final @Nullable SerializedString[] texts = new SerializedString[PLACES];

    /**
     * The text of a value.
     *
     * @param value something immutable with an {@code equals} that its text follows from
     */
    SerializedString of(Object value) {
        int hash = value.hashCode() * 0x9E3779B9;
        int place = hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(PLACES));
        SerializedString known = texts[place];
        if (known != null && value.equals(values[place])) {
            return known;
        }
        SerializedString made = new SerializedString(value.toString());
        values[place] = value;
        texts[place] = made;
        return made;
    }
}
