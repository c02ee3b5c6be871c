package org.stillwater.server.api.alert;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;

/**
 * One page of alerts, the newest first. A cursor is the last alert of a page: alerts that fire or
 * are removed between two requests neither repeat nor hide another one.
 *
 * @param alerts of this page
 * @param total alerts of all pages
 * @param next cursor of the next page; null at the end
 */
record AlertPage(List<Alert> alerts, int total, @Nullable String next) {

    private static final char SEPARATOR = '_';

    private static final Comparator<Place> NEWEST_FIRST =
            Comparator.comparing(Place::firedAt).reversed().thenComparing(Place::id);

    private record Place(Instant firedAt, UUID id) {

        static Place of(Alert alert) {
            return new Place(alert.firedAt(), alert.id());
        }

        static Place parse(String cursor) {
            int end = cursor.indexOf(SEPARATOR);
            try {
                if (end > 0) {
                    return new Place(
                            Instant.parse(cursor.substring(0, end)),
                            Ids.uuid(cursor.substring(end + 1)));
                }
            } catch (DateTimeParseException | ApiException _) {
                // No page has such a cursor.
            }
            throw ApiException.badRequest("cursor must be next of the previous page")
                    .about("cursor");
        }

        String cursor() {
            return firedAt.toString() + SEPARATOR + id;
        }
    }

    /**
     * Cuts a page.
     *
     * @param all alerts in any order
     * @param cursor {@code next} of the previous page; empty for the first one
     * @param most alerts of a page
     */
    static AlertPage of(List<Alert> all, String cursor, int most) {
        Place after = cursor.isBlank() ? null : Place.parse(cursor.strip());
        List<Alert> rest =
                all.stream()
                        .filter(each ->
                                after == null || NEWEST_FIRST.compare(after, Place.of(each)) < 0)
                        .sorted(Comparator.comparing(Place::of, NEWEST_FIRST))
                        .toList();
        List<Alert> page = rest.subList(0, Math.min(most, rest.size()));
        return new AlertPage(
                page,
                all.size(),
                page.size() < rest.size() ? Place.of(page.getLast()).cursor() : null);
    }

    /** Severities of a query by commas; all when it is empty. */
    static Set<AlertSeverity> severities(String query) {
        if (query.isBlank()) {
            return EnumSet.allOf(AlertSeverity.class);
        }
        Set<AlertSeverity> wanted = EnumSet.noneOf(AlertSeverity.class);
        for (String word : query.split(",", -1)) {
            AlertSeverity found = null;
            for (AlertSeverity each : AlertSeverity.values()) {
                if (each.label().equals(word.strip())) {
                    found = each;
                }
            }
            if (found == null) {
                throw ApiException.badRequest(
                                "severity must be info, warning or critical, or several by commas")
                        .about("severity");
            }
            wanted.add(found);
        }
        return wanted;
    }
}
