package org.stillwater.server.configuration;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The known name that is nearest to an unknown one, by the letters that differ. Stateless. */
final class NearestName {

    private static final int LONGEST = 200;
    private static final int FEW = 2;
    private static final int SHARE = 6;

    private NearestName() {}

    /**
     * The nearest name; null if none is near enough to have been meant: a sixth of its letters may
     * differ, and two in any case. A known name with the same last part counts, too, if it is the
     * only one.
     */
    static @Nullable String of(String unknown, Collection<String> known) {
        String wanted = SettingsTable.spelled(unknown);
        if (wanted.length() > LONGEST) {
            return null;
        }
        String best = null;
        int least = Math.max(FEW, wanted.length() / SHARE) + 1;
        for (String each : known) {
            String spelled = SettingsTable.spelled(each);
            if (Math.abs(spelled.length() - wanted.length()) < least) {
                int distance = distance(wanted, spelled);
                if (distance < least) {
                    least = distance;
                    best = each;
                }
            }
        }
        return best == null ? byLastPart(wanted, known) : best;
    }

    /** Whether a word is another one with one or two wrong letters. */
    static boolean isNearly(String word, String meant) {
        int distance = word.length() > LONGEST ? LONGEST : distance(word, meant);
        return distance > 0 && distance <= FEW;
    }

    private static @Nullable String byLastPart(String wanted, Collection<String> known) {
        String last = wanted.substring(wanted.lastIndexOf('.') + 1);
        String found = null;
        for (String each : known) {
            if (SettingsTable.spelled(each).endsWith("." + last)) {
                if (found != null) {
                    return null;
                }
                found = each;
            }
        }
        return found;
    }

    /** How many letters must be added, left out or changed (Levenshtein). */
    private static int distance(String one, String other) {
        int[] previous = new int[other.length() + 1];
        for (int column = 0; column <= other.length(); column++) {
            previous[column] = column;
        }
        for (int row = 1; row <= one.length(); row++) {
            int[] current = new int[other.length() + 1];
            current[0] = row;
            for (int column = 1; column <= other.length(); column++) {
                int changed =
                        previous[column - 1]
                                + (one.charAt(row - 1) == other.charAt(column - 1) ? 0 : 1);
                current[column] =
                        Math.min(changed, 1 + Math.min(previous[column], current[column - 1]));
            }
            previous = current;
        }
        return previous[other.length()];
    }
}
