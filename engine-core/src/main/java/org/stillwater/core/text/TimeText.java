package org.stillwater.core.text;

import java.time.Duration;
import java.util.Locale;

/** How sentences write the time that something took. */
public final class TimeText {

    private static final long SECOND = 1_000;
    private static final long TENTH = 100;

    private TimeText() {}

    /**
     * Such as {@code 850 ms}, {@code 6 s}, {@code 1.1 s} or {@code 20 s}: tenths up to ten seconds,
     * whole seconds beyond. Negative times are 0.
     */
    public static String of(Duration time) {
        long millis = Math.max(0, time.toMillis());
        if (millis < SECOND) {
            return millis + " ms";
        }
        if (millis >= 10 * SECOND || millis % SECOND < TENTH) {
            return millis / SECOND + " s";
        }
        return String.format(Locale.ROOT, "%d.%d s", millis / SECOND, millis % SECOND / TENTH);
    }
}
