package org.stillwater.core.regression;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A regression of the fleet: its object, begin and size, and the recorded changes that coincide
 * with its begin. Immutable.
 *
 * @param id identity, derived from object and begin: the same regression keeps it after a restart
 * @param where the lowest object with members that share the change while its siblings do not
 * @param begin most likely begin
 * @param earliest first time of the 95 % interval of the begin
 * @param latest last time of that interval
 * @param detectedAt time of its detection
 * @param interval time between two points
 * @param changes the degradations, the clearest first
 * @param members names of the objects that changed, at most {@value #MOST_MEMBERS}
 * @param memberCount number of the objects that changed
 * @param vms number of VMs that it affects
 * @param coincidences recorded changes near the begin, the most likely first
 * @param evidence points before and after the begin of some members
 * @param endedAt time of its end, null while it lasts
 * @param ending reason of its end, null while it lasts
 * @param acknowledged acknowledgement by a user, null for none
 * @param silencedUntil end of its silence, null if it is not silenced
 */
public record Finding(
        UUID id,
        SeriesOwner.Shared where,
        Instant begin,
        Instant earliest,
        Instant latest,
        Instant detectedAt,
        Duration interval,
        List<Change> changes,
        List<String> members,
        int memberCount,
        int vms,
        List<Coincidence> coincidences,
        List<Evidence> evidence,
        @Nullable Instant endedAt,
        @Nullable Ending ending,
        @Nullable Acknowledgement acknowledged,
        @Nullable Instant silencedUntil) {

    /** Most members with a stored name. */
    public static final int MOST_MEMBERS = 1_000;

    /** Most members with stored points for a metric. */
    public static final int MOST_EVIDENCE = 3;

    /** Reason of a finding's end. */
    public enum Ending {
        /** The series returned to the old level. */
        RECOVERED("recovered"),
        /** The new level has lasted for a whole window and is the normal one now. */
        ADOPTED("adopted"),
        /** A finding about a larger object contains its members. */
        MERGED("merged");

        private final String label;

        Ending(String label) {
            this.label = label;
        }

        /** Name in the API. */
        public String label() {
            return label;
        }
    }

    /**
     * A degradation of one metric.
     *
     * @param metric the metric
     * @param relativeChange median of the members' changes: 0.3 is three tenths more
     * @param low lower end of its 95 % interval
     * @param high upper end of it
     * @param confidence probability that noise alone does not cause such a change, 0 to 1
     * @param before geometric mean of the members' old levels, in the unit of the metric
     * @param after geometric mean of the members' new levels
     * @param perHour sum of the members' losses per hour, in the metric's unit of impact
     */
    public record Change(
            RegressionMetric metric,
            double relativeChange,
            double low,
            double high,
            double confidence,
            double before,
            double after,
            double perHour) {}

    /**
     * Points of one member.
     *
     * @param metric the metric
     * @param member the object
     * @param first begin of the first point's interval
     * @param values the points, null for a gap
     * @param times time of each point; empty if the points are an interval apart
     * @param marks restarts, migrations and times without an engine, by the position of the first
     *     point after each; rows of earlier engines have none
     */
    public record Evidence(
            RegressionMetric metric,
            String member,
            Instant first,
            List<@Nullable Double> values,
            List<Instant> times,
            List<Mark> marks) {

        public Evidence {
            // Not List.copyOf: it refuses the gaps.
            values = Collections.unmodifiableList(new ArrayList<>(values));
            times = List.copyOf(times);
            marks = List.copyOf(Objects.requireNonNullElse(marks, List.of()));
            if (!times.isEmpty() && times.size() != values.size()) {
                throw new IllegalArgumentException(
                        times.size() + " times of " + values.size() + " points");
            }
        }

        /** Points that are an interval apart. */
        public Evidence(
                RegressionMetric metric,
                String member,
                Instant first,
                List<@Nullable Double> values) {
            this(metric, member, first, values, List.of(), List.of());
        }
    }

    /**
     * Acknowledgement of a finding by a user.
     *
     * @param by the user
     * @param at its time
     * @param comment the user's comment, may be empty
     */
    public record Acknowledgement(String by, Instant at, String comment) {}

    public Finding {
        changes = List.copyOf(changes);
        members = List.copyOf(members);
        coincidences = List.copyOf(coincidences);
        evidence = List.copyOf(evidence);
        if ((endedAt == null) != (ending == null)) {
            throw new IllegalArgumentException("a finding that ended has an ending");
        }
        if (changes.isEmpty()) {
            throw new IllegalArgumentException("a finding has a change");
        }
    }

    /** Whether it lasts. */
    public boolean isOpen() {
        return endedAt == null;
    }

    /** Whether it raises no events at this time. */
    public boolean isSilenced(Instant now) {
        return silencedUntil != null && now.isBefore(silencedUntil);
    }

    /** Its duration so far, or until its end. */
    public Duration lasted(Instant now) {
        Duration lasted = Duration.between(begin, endedAt == null ? now : endedAt);
        return lasted.isNegative() ? Duration.ZERO : lasted;
    }

    /** A copy that has ended. */
    public Finding ended(Instant at, Ending why) {
        return with(evidence, at, why, acknowledged, silencedUntil);
    }

    /** A copy with this acknowledgement, or without one. */
    public Finding acknowledged(@Nullable Acknowledgement by) {
        return with(evidence, endedAt, ending, by, silencedUntil);
    }

    /** A copy that is silenced until this time, or not silenced. */
    public Finding silenced(@Nullable Instant until) {
        return with(evidence, endedAt, ending, acknowledged, until);
    }

    /** A copy with newer points. */
    public Finding shownBy(List<Evidence> newer) {
        return with(newer, endedAt, ending, acknowledged, silencedUntil);
    }

    /** A copy that keeps the detection and has this later state. */
    private Finding with(
            List<Evidence> points,
            @Nullable Instant end,
            @Nullable Ending why,
            @Nullable Acknowledgement by,
            @Nullable Instant silence) {
        return new Finding(
                id,
                where,
                begin,
                earliest,
                latest,
                detectedAt,
                interval,
                changes,
                members,
                memberCount,
                vms,
                coincidences,
                points,
                end,
                why,
                by,
                silence);
    }
}
