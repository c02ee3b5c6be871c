package org.stillwater.core.regression;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A recorded change close to the begin of a regression. It does not prove a cause.
 *
 * @param kind kind of the changed object
 * @param text the change
 * @param at when the first of its objects changed
 * @param share share of the regression's members that the change concerns, 0 to 1
 */
public record Coincidence(RecordedChange.Kind kind, String text, Instant at, double share) {

    /** Most coincidences of a finding. */
    private static final int MOST = 10;

    /** The same change of several objects. */
    private record Change(RecordedChange.Kind kind, String text) {}

    private static final class Tally {
        private Instant at = Instant.MAX;
        private final Set<SeriesOwner.Shared> subjects = new HashSet<>();
    }

    /**
     * The changes within the interval of a begin: ordered by the number of concerned members, then
     * by the distance from the begin.
     *
     * @param changes candidates
     * @param members the objects that degraded
     * @param begin most likely begin
     * @param from begin of the interval, including the delay until an effect shows
     * @param until end of the interval
     */
    public static List<Coincidence> ranked(
            Collection<RecordedChange> changes,
            Collection<SeriesOwner> members,
            Instant begin,
            Instant from,
            Instant until) {
        Map<Change, Tally> tallies = new LinkedHashMap<>();
        for (RecordedChange each : changes) {
            if (each.at().isBefore(from) || each.at().isAfter(until)) {
                continue;
            }
            Tally tally =
                    tallies.computeIfAbsent(new Change(each.kind(), each.text()), _ -> new Tally());
            tally.subjects.addAll(each.subjects());
            if (each.at().isBefore(tally.at)) {
                tally.at = each.at();
            }
        }
        List<Coincidence> found = new ArrayList<>();
        tallies.forEach((change, tally) -> {
            long concerned =
                    members.stream()
                            .filter(member ->
                                    member.shared().stream().anyMatch(tally.subjects::contains))
                            .count();
            if (concerned > 0) {
                found.add(
                        new Coincidence(
                                change.kind(),
                                change.text(),
                                tally.at,
                                (double) concerned / members.size()));
            }
        });
        found.sort(
                Comparator.comparingDouble(Coincidence::share)
                        .reversed()
                        .thenComparing(each -> Duration.between(each.at(), begin).abs())
                        .thenComparing(Coincidence::kind)
                        .thenComparing(Coincidence::text));
        return List.copyOf(found.subList(0, Math.min(MOST, found.size())));
    }
}
