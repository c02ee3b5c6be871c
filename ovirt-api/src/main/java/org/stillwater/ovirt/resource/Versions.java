package org.stillwater.ovirt.resource;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.model.Version;

/** Versions out of texts. */
final class Versions {

    private static final int LONGEST = 200;
    private static final Pattern NUMBERS =
            Pattern.compile(
                    "([0-9]{1,6})(?:\\.([0-9]{1,6}))?(?:\\.([0-9]{1,6}))?(?:\\.([0-9]{1,6}))?");

    private Versions() {}

    /** Its text, and the numbers at its beginning. */
    static Version of(String text) {
        return of(text, text);
    }

    /** A text to show, and the numbers at the beginning of another. */
    static Version of(String shown, String text) {
        String bounded = text.length() <= LONGEST ? text : text.substring(0, LONGEST);
        Matcher numbers = NUMBERS.matcher(bounded);
        if (!numbers.lookingAt()) {
            return new Version(null, shown, null, null, null);
        }
        return new Version(
                number(numbers.group(3)),
                shown,
                number(numbers.group(1)),
                number(numbers.group(2)),
                number(numbers.group(4)));
    }

    private static @Nullable Integer number(@Nullable String digits) {
        return digits == null ? null : Integer.valueOf(digits);
    }
}
