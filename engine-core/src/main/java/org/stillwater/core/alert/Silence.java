package org.stillwater.core.alert;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Keeps alerts from being delivered for some time. They are evaluated and shown nevertheless.
 *
 * @param id identity
 * @param matchers an alert must match all of them
 * @param startsAt inclusive
 * @param endsAt exclusive
 * @param author the user that made it
 * @param comment why
 */
public record Silence(
        UUID id,
        List<Matcher> matchers,
        Instant startsAt,
        Instant endsAt,
        String author,
        String comment) {

    private static final int MOST = 20;
    private static final int LONGEST = 1_000;

    /**
     * A condition on a label.
     *
     * @param label its name; an alert without it has an empty one
     * @param value value that it is compared with, whole and case-sensitive
     * @param equal whether it must be equal, rather than different
     */
    public record Matcher(String label, String value, boolean equal) {

        public Matcher {
            if (label.isBlank() || label.length() > 100 || value.length() > LONGEST) {
                throw new IllegalArgumentException(
                        "a matcher has a label of 1 to 100 characters and a value of at most 1000");
            }
        }

        /** Whether it matches an alert that lacks the label. */
        boolean matchesAbsence() {
            return value.isEmpty() == equal;
        }

        boolean matches(Map<String, String> labels) {
            return labels.getOrDefault(label, "").equals(value) == equal;
        }
    }

    public Silence {
        matchers = List.copyOf(matchers);
        if (matchers.isEmpty() || matchers.size() > MOST) {
            throw new IllegalArgumentException("a silence has 1 to " + MOST + " matchers");
        }
        if (!startsAt.isBefore(endsAt)) {
            throw new IllegalArgumentException("a silence ends after it starts");
        }
        if (comment.length() > LONGEST) {
            throw new IllegalArgumentException("comment has at most " + LONGEST + " characters");
        }
    }

    /**
     * Whether it covers every alert that lacks the labels of its matchers, as one with a misspelt
     * label does. Alertmanager refuses such silences.
     */
    public boolean coversAbsence() {
        return matchers.stream().allMatch(Matcher::matchesAbsence);
    }

    /** Whether it lasts. */
    public boolean isActive(Instant now) {
        return !now.isBefore(startsAt) && now.isBefore(endsAt);
    }

    /** Whether it keeps an alert from being delivered. */
    public boolean covers(Alert alert, Instant now) {
        return isActive(now) && matchers.stream().allMatch(each -> each.matches(alert.labels()));
    }
}
