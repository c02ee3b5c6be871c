package org.stillwater.core.regression;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A regression of the fleet: where, since when, how much, and which recorded changes coincide with
 * its begin. Immutable.
 *
 * @param id identity, made from where and when: the same regression has the same one after a
 *     restart
 * @param where the lowest object whose members share the change while its siblings do not
 * @param begin most likely begin
 * @param earliest first time of the 95 % interval of the begin
 * @param latest last time of that interval
 * @param detectedAt when it was found
 * @param interval time between two points
 * @param changes what became worse, the clearest first
 * @param members names of the objects that changed, at most {@value #MOST_MEMBERS}
 * @param memberCount number of the objects that changed
 * @param vms number of VMs that it affects
 * @param coincidences recorded changes near the begin, the most likely first
 * @param evidence points before and after the begin of some members
 * @param endedAt when it ended, null while it lasts
 * @param ending why it ended, null while it lasts
 * @param acknowledged that a user knows of it, null if none said so
 * @param silencedUntil until when it raises no events, null for not silenced
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

    /** Members whose names are kept. */
    public static final int MOST_MEMBERS = 1_000;

    /** Members whose points are kept for a metric. */
    public static final int MOST_EVIDENCE = 3;

    /** Why a finding ended. */
    public enum Ending {
        /** The old level is back. */
        RECOVERED("recovered"),
        /** The new level has lasted for a whole window and is the usual one now. */
        ADOPTED("adopted"),
        /** A finding about a larger object has its members. */
        MERGED("merged");

        private final String label;

        Ending(String label) {
            this.label = label;
        }

        /** The name that clients know. */
        public String label() {
            return label;
        }
    }

    /**
     * What became worse.
     *
     * @param metric of which metric
     * @param relativeChange median of the members' changes: 0.3 is three tenths more
     * @param low lower end of its 95 % interval
     * @param high upper end of it
     * @param confidence that noise alone makes no such change, 0 to 1
     * @param before geometric mean of the members' old levels, in the unit of the metric
     * @param after of their new levels
     * @param perHour sum of the members' losses in an hour, in the unit of impact of the metric
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
     * @param metric what was measured
     * @param member on which object
     * @param first begin of the first point's interval
     * @param values the points, null for a gap
     * @param times when each point was measured; empty if they are an interval apart
     */
    public record Evidence(
            RegressionMetric metric,
            String member,
            Instant first,
            List<@Nullable Double> values,
            List<Instant> times) {

        public Evidence {
            // Not List.copyOf: it refuses the gaps.
            values = Collections.unmodifiableList(new ArrayList<>(values));
            times = List.copyOf(times);
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
            this(metric, member, first, values, List.of());
        }
    }

    /**
     * That a user knows of a finding.
     *
     * @param by the user
     * @param at when
     * @param comment what the user says, perhaps empty
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

    /** How long it has lasted, or did. */
    public Duration lasted(Instant now) {
        Duration lasted = Duration.between(begin, endedAt == null ? now : endedAt);
        return lasted.isNegative() ? Duration.ZERO : lasted;
    }

    /** The same, ended. */
    public Finding ended(Instant at, Ending why) {
        return with(evidence, at, why, acknowledged, silencedUntil);
    }

    /** The same, known to a user, or no longer. */
    public Finding acknowledged(@Nullable Acknowledgement by) {
        return with(evidence, endedAt, ending, by, silencedUntil);
    }

    /** The same, silenced until then, or no longer. */
    public Finding silenced(@Nullable Instant until) {
        return with(evidence, endedAt, ending, acknowledged, until);
    }

    /** The same with newer points. */
    public Finding shownBy(List<Evidence> newer) {
        return with(newer, endedAt, ending, acknowledged, silencedUntil);
    }

    /** What was found stays; what happened to it since is new. */
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
