package org.stillwater.monitoring.explain;

import java.time.Duration;
import java.util.Locale;

/** Time spans in readable form. */
final class Ages {

    private Ages() {}

    /** Such as {@code 0.3 s}, {@code 45 s}, {@code 12 min}, {@code 5 h} or {@code 3 d}. */
    static String text(Duration span) {
        Duration age = span.isNegative() ? Duration.ZERO : span;
        if (age.compareTo(Duration.ofSeconds(10)) < 0) {
            return String.format(Locale.ROOT, "%.1f s", age.toMillis() / 1e3);
        }
        if (age.compareTo(Duration.ofMinutes(2)) < 0) {
            return age.toSeconds() + " s";
        }
        if (age.compareTo(Duration.ofHours(2)) < 0) {
            return age.toMinutes() + " min";
        }
        return age.compareTo(Duration.ofDays(2)) < 0 ? age.toHours() + " h" : age.toDays() + " d";
    }
}
