package org.stillwater.server.api.rows;

/**
 * The age of a value.
 *
 * @param seconds since it was seen to be so, at least 0; NaN if that is not known
 * @param state {@link #CURRENT_STATE} or {@link #STALE}
 */
public record ValueAge(double seconds, String state) {

    static final String CURRENT_STATE = "current";
    static final String STALE = "stale";

    /** State of a missing value. */
    static final String UNKNOWN = "unknown";

    /** It is so now. */
    public static final ValueAge CURRENT = new ValueAge(0, CURRENT_STATE);

    public static ValueAge of(long now, long seenMillis, boolean stale) {
        return new ValueAge(
                seenMillis == 0 ? Double.NaN : Math.max(0, now - seenMillis) / 1e3,
                stale ? STALE : CURRENT_STATE);
    }
}
