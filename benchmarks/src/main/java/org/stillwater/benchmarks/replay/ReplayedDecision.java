package org.stillwater.benchmarks.replay;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Something that the engine decided in a replay.
 *
 * @param atMillis when, since the recording began
 * @param subject name of the VM or host
 * @param text decision and reason, on one line
 */
record ReplayedDecision(long atMillis, String subject, String text) {

    private static final String GAP = "  ";

    /** As it is printed. */
    String line() {
        return String.format(Locale.ROOT, "%.3f", atMillis / 1e3) + GAP + subject + GAP + text;
    }

    /** A printed line; null for another text, such as a heading. */
    static @Nullable ReplayedDecision parse(String line) {
        String[] parts = line.split(GAP, 3);
        if (parts.length < 3) {
            return null;
        }
        try {
            return new ReplayedDecision(
                    Math.round(Double.parseDouble(parts[0]) * 1e3), parts[1], parts[2]);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
