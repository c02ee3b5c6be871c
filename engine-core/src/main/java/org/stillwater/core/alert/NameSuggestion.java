package org.stillwater.core.alert;

import java.util.Collection;
import java.util.Locale;

/** Words that may have been meant. Stateless. */
final class NameSuggestion {

    private static final int LONGEST = 200;

    private NameSuggestion() {}

    /** A hint such as {@code ; is "metric" meant?}; empty if nothing is near. */
    static String hint(String unknown, Collection<String> known) {
        if (unknown.length() > LONGEST) {
            return "";
        }
        String best = "";
        int least = Math.max(2, unknown.length() / 3) + 1;
        for (String each : known.stream().sorted().toList()) {
            int distance =
                    distance(unknown.toLowerCase(Locale.ROOT), each.toLowerCase(Locale.ROOT));
            if (distance < least) {
                least = distance;
                best = each;
            }
        }
        return best.isEmpty() ? "" : "; is \"" + best + "\" meant?";
    }

    /** Letters that are added, left out or changed. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int i = 0; i < row.length; i++) {
            row[i] = i;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int above = row[j];
                int change = one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1;
                row[j] = Math.min(Math.min(row[j], row[j - 1]) + 1, diagonal + change);
                diagonal = above;
            }
        }
        return row[other.length()];
    }
}
