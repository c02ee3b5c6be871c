package org.stillwater.cli;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/** Texts of the engine in the form in which a terminal, a spreadsheet or a URL takes them. */
final class Texts {

    private Texts() {}

    /**
     * Whether a terminal shows the character and nothing else. Names of VMs come from hosts:
     * control characters could move the cursor or change the title, and bidirectional ones (UAX 9)
     * could make a line read as another.
     */
    static boolean isHarmless(char c) {
        return !Character.isISOControl(c)
                && (c < '\u200e' || c > '\u200f')
                && (c < '\u2028' || c > '\u202e')
                && (c < '\u2066' || c > '\u2069');
    }

    /** The character as JSON writes it. */
    static String escaped(char c) {
        return String.format(Locale.ROOT, "\\u%04x", (int) c);
    }

    /** A text in one line that does nothing to a terminal. */
    static String visible(String text) {
        int i = 0;
        while (i < text.length() && isHarmless(text.charAt(i))) {
            i++;
        }
        if (i == text.length()) {
            return text;
        }
        StringBuilder visible = new StringBuilder();
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            visible.append(isHarmless(c) ? String.valueOf(c) : escaped(c));
        }
        return visible.toString();
    }

    /** {@code 1 VM}, {@code 2 VMs}. */
    static String counted(String number, String noun) {
        return number + " " + noun + (number.equals("1") ? "" : "s");
    }

    /**
     * A field of CSV (RFC 4180). A text that a spreadsheet would read as a formula begins with an
     * apostrophe, as in the CSV of the engine.
     */
    static String csv(String text) {
        String harmless =
                !text.isEmpty() && "=+-@\t\r".indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
        return harmless.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r')
                ? '"' + harmless.replace("\"", "\"\"") + '"'
                : harmless;
    }

    /** A text as a part of a path or query (RFC 3986). */
    static String encoded(String text) {
        StringBuilder out = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (each & 0xff);
            boolean plain =
                    (c >= 'a' && c <= 'z')
                            || (c >= 'A' && c <= 'Z')
                            || (c >= '0' && c <= '9')
                            || "-._~".indexOf(c) >= 0;
            out.append(plain ? String.valueOf(c) : String.format(Locale.ROOT, "%%%02X", (int) c));
        }
        return out.toString();
    }

    /**
     * A time span: {@code 90s}, {@code 10m}, {@code 6h}, {@code 1d}, or ISO 8601. Its nanoseconds
     * fit into a {@code long}.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Duration duration(String text) {
        String lower = text.strip().toLowerCase(Locale.ROOT);
        try {
            return bounded(lower);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is no time span such as 90s, 10m or 6h", e);
        }
    }

    private static Duration bounded(String text) {
        Duration span = unbounded(text);
        long _ = span.toNanos(); // fails beyond 292 years
        return span;
    }

    private static Duration unbounded(String text) {
        if (text.startsWith("p")) {
            return Duration.parse(text);
        }
        long number = Long.parseLong(text.substring(0, Math.max(0, text.length() - 1)));
        return switch (text.charAt(text.length() - 1)) {
            case 's' -> Duration.ofSeconds(number);
            case 'm' -> Duration.ofMinutes(number);
            case 'h' -> Duration.ofHours(number);
            case 'd' -> Duration.ofDays(number);
            default -> throw new IllegalArgumentException(text);
        };
    }
}
