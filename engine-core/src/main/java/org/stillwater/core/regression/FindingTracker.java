package org.stillwater.core.regression;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.regression.FleetSeries.Worsening;

/**
 * Converts the steps of a fleet's series into findings, interval by interval: one finding per
 * cause.
 *
 * <p>A shared cause becomes a finding as soon as almost all members of the object show the step: a
 * fifth of them independently, the others at the begin of these. A step of a single object becomes
 * a finding only after {@value #SETTLING} points, so that the members of a larger cause have time
 * to show theirs. A fleet has many series, and each is tested many times: the more series there
 * are, the clearer a cause must be in the measured values. If single findings come first
 * nevertheless, the finding about the larger object replaces them. A step that belongs to an
 * existing finding joins it.
 *
 * <p>A finding ends when the old level is back, or when the new one has lasted for a whole window.
 * The window still contains the step afterwards; the tracker keeps ended findings for that time, so
 * that it does not detect the step again. Not thread-safe.
 */
public final class FindingTracker {

    /** Largest distance between begins of one cause, in points. */
    static final int TOGETHER = 5;

    /** Age at which a step of a single object becomes a finding, in points. */
    private static final int SETTLING = 11;

    /** Points until the newest ones show a return to the old level. */
    private static final int SHOWN = 2 * MeasuredSeries.RECENT;

    /** Chances of noise to look like a step in one series in a day: one for each point. */
    private static final double CHANCES = 250;

    /** Share of a new cause's members that must show their step independently. */
    private static final double OWN = 0.2;

    /** Queries of the tracker about the fleet. */
    @FunctionalInterface
    public interface Fleet {

        /** Number of VMs that depend on an object; 0 if unknown. */
        int vms(SeriesOwner.Shared object);
    }

    private final FindingOptions options;
    private final Map<UUID, TrackedFinding> known = new LinkedHashMap<>();
    private final StepCheck check = new StepCheck();
    private long refused;

    /**
     * A tracker.
     *
     * @param restored findings of an earlier run of the engine; their steps are not detected again
     */
    public FindingTracker(FindingOptions options, Collection<Finding> restored) {
        this.options = options;
        for (Finding each : restored) {
            known.put(each.id(), TrackedFinding.restored(each));
        }
    }

    /** Number of findings that the limit refused so far. */
    public long refused() {
        return refused;
    }

    /** Findings that are open. */
    public List<Finding> open() {
        return known.values().stream()
                .filter(TrackedFinding::isOpen)
                .map(TrackedFinding::finding)
                .toList();
    }

    /** Changes the users' decisions about a finding; null if it is no longer tracked. */
    public @Nullable Finding change(UUID id, UnaryOperator<Finding> change) {
        TrackedFinding tracked = known.get(id);
        if (tracked == null) {
            return null;
        }
        tracked.finding(change.apply(tracked.finding()));
        return tracked.finding();
    }

    /**
     * Checks the series after the end of an interval.
     *
     * @param recorded recorded changes that may coincide
     * @param now the time
     * @return changes of findings, in order
     */
    public List<FindingEvent> advance(
            FleetSeries series, Collection<RecordedChange> recorded, Fleet fleet, Instant now) {
        List<FindingEvent> events = new ArrayList<>();
        end(series, now, events);
        List<Worsening> steps = series.worsenings(options.leastChange());
        Set<TrackedFinding> touched = new LinkedHashSet<>();
        if (!steps.isEmpty()) {
            locate(series, unexplained(steps, touched), touched);
        }
        for (TrackedFinding each : touched) {
            publish(each, series, recorded, fleet, now, events);
        }
        for (TrackedFinding each : known.values()) {
            if (each.isOpen() && !touched.contains(each) && each.isDue()) {
                each.finding(each.finding().shownBy(each.evidence(series, options.interval())));
                events.add(new FindingEvent.Changed(each.finding()));
            }
        }
        known.values()
                .removeIf(each ->
                        !each.isOpen() && series.interval() - each.index() > 2L * series.window());
        return events;
    }

    private void end(FleetSeries series, Instant now, List<FindingEvent> events) {
        for (TrackedFinding each : known.values()) {
            long age = series.interval() - each.index();
            if (!each.isOpen() || age < SHOWN) {
                continue;
            }
            Finding.Ending why =
                    each.isRecovered(series)
                            ? Finding.Ending.RECOVERED
                            : age >= series.window() ? Finding.Ending.ADOPTED : null;
            if (why != null) {
                Finding last =
                        each.hasSteps()
                                ? each.finding().shownBy(each.evidence(series, options.interval()))
                                : each.finding();
                each.finding(last.ended(now, why));
                events.add(new FindingEvent.Ended(each.finding()));
            }
        }
    }

    /**
     * Steps that no finding about a shared object explains; steps of an existing finding join it.
     */
    private List<Worsening> unexplained(List<Worsening> steps, Set<TrackedFinding> touched) {
        List<Worsening> left = new ArrayList<>();
        for (Worsening step : steps) {
            TrackedFinding of = explaining(step);
            if (of == null) {
                left.add(step);
            } else if (of.isOpen() && !of.isLone() && of.add(step)) {
                touched.add(of);
            } else if (of.isOpen() && of.isLone()) {
                left.add(step); // a larger object may be the cause
            }
        }
        return left;
    }

    private @Nullable TrackedFinding explaining(Worsening step) {
        TrackedFinding lone = null;
        for (TrackedFinding each : known.values()) {
            if (!each.isNear(step.point().index())) {
                continue;
            }
            if (each.isLone() && each.explains(step)) {
                lone = each;
            } else if (each.explains(step)
                    || step.series().owner().shared().contains(each.where())) {
                return each;
            }
        }
        return lone;
    }

    private void locate(FleetSeries series, List<Worsening> steps, Set<TrackedFinding> touched) {
        Map<RegressionMetric, List<Worsening>> byMetric = new EnumMap<>(RegressionMetric.class);
        for (Worsening step : steps) {
            if (step.series().silent() < SETTLING) { // otherwise it shows when the load returns
                byMetric.computeIfAbsent(step.series().metric(), _ -> new ArrayList<>()).add(step);
            }
        }
        List<Cause> shared = new ArrayList<>();
        List<Cause> lone = new ArrayList<>();
        byMetric.forEach((metric, found) -> locate(series, metric, found, shared, lone));
        for (Cause cause : shared) {
            long own = cause.steps().stream().filter(step -> step.point().confidence() > 0).count();
            boolean isOld = series.interval() - cause.index() >= SETTLING;
            if (own >= (isOld ? 1 : Math.max(2, OWN * cause.steps().size()))
                    && (isOpen(cause) || isClear(cause, series.size()))) {
                join(cause, touched);
            }
        }
        for (Cause cause : lone) {
            Worsening step = cause.steps().getFirst();
            TrackedFinding of = explaining(step);
            if (of != null) {
                if (of.isOpen() && of.add(step)) {
                    touched.add(of);
                }
            } else if (step.point().confidence() > 0
                    && series.interval() - cause.index() >= SETTLING
                    && StepCheck.canTell(step.series(), cause.index())
                    && isClear(cause, series.size())) {
                join(cause, touched);
            }
        }
    }

    /**
     * Whether its members show it in the measured values: the errors of independent steps add up.
     * The least significant error is about the largest error of this many normal variables.
     */
    private boolean isClear(Cause cause, int series) {
        double least = Math.sqrt(2 * Math.log(CHANCES * Math.max(1, series)));
        double errors = 0;
        int known = 0;
        for (Worsening step : cause.steps()) {
            double own =
                    check.errors(
                            step.series(), step.point().index(), step.point().relativeChange());
            if (!Double.isNaN(own)) {
                errors += step.series().metric().isWorse(own) ? Math.abs(own) : -Math.abs(own);
                known++;
            }
        }
        return known > 0 && errors >= least * Math.sqrt(known);
    }

    private boolean isOpen(Cause cause) {
        return known.values().stream()
                .anyMatch(each ->
                        each.isOpen()
                                && each.where().equals(cause.where())
                                && each.isNear(cause.index()));
    }

    private static void locate(
            FleetSeries series,
            RegressionMetric metric,
            List<Worsening> found,
            List<Cause> shared,
            List<Cause> lone) {
        List<MeasuredSeries> measured =
                series.all(metric).stream()
                        .filter(each -> each.silent() < SETTLING && each.hasLevel())
                        .toList();
        List<Worsening> steps = new ArrayList<>(found);
        alike(series, measured, found, steps);
        Map<String, List<ChangePoint>> points = new HashMap<>();
        for (Worsening step : steps) {
            points.computeIfAbsent(step.series().owner().name(), _ -> new ArrayList<>())
                    .add(step.point());
        }
        List<SeriesOwner> owners = measured.stream().map(MeasuredSeries::owner).toList();
        for (Regression each : Regression.perCause(owners, points, TOGETHER)) {
            (each.where() == null ? lone : shared).add(Cause.of(each, steps));
        }
    }

    /**
     * Adds the steps of series that do not show one independently yet, at the begin of most steps:
     * the members of one cause show theirs at different times.
     */
    private static void alike(
            FleetSeries series,
            List<MeasuredSeries> measured,
            List<Worsening> found,
            List<Worsening> steps) {
        List<Worsening> burst = List.of();
        for (Worsening each : found) {
            List<Worsening> near =
                    found.stream()
                            .filter(step ->
                                    Math.abs(step.point().index() - each.point().index())
                                            <= TOGETHER)
                            .toList();
            if (near.size() > burst.size()) {
                burst = near;
            }
        }
        long[] begins = burst.stream().mapToLong(step -> step.point().index()).sorted().toArray();
        double[] changes =
                burst.stream()
                        .mapToDouble(step -> step.point().relativeChange())
                        .sorted()
                        .toArray();
        if (begins.length == 0) {
            return;
        }
        long begin = begins[begins.length / 2];
        double change = changes[changes.length / 2];
        Set<String> known = new HashSet<>();
        burst.forEach(step -> known.add(step.series().owner().name()));
        for (MeasuredSeries each : measured) {
            if (!known.contains(each.owner().name())) {
                ChangePoint point = each.shared(begin, series.interval(), change);
                if (point != null) {
                    steps.add(new Worsening(each, point));
                }
            }
        }
    }

    /**
     * A located change.
     *
     * @param where the cause's object; for a change of a single object, that object
     */
    private record Cause(SeriesOwner.Shared where, long index, List<Worsening> steps) {

        static Cause of(Regression regression, List<Worsening> candidates) {
            Set<String> members = Set.copyOf(regression.members());
            List<Worsening> steps = new ArrayList<>();
            for (Worsening each : candidates) {
                if (members.contains(each.series().owner().name())
                        && Math.abs(each.point().index() - regression.index()) <= TOGETHER) {
                    steps.add(each);
                }
            }
            SeriesOwner.Shared where = regression.where();
            return new Cause(
                    where == null ? steps.getFirst().series().owner().shared().getFirst() : where,
                    regression.index(),
                    steps);
        }
    }

    private void join(Cause cause, Set<TrackedFinding> touched) {
        TrackedFinding target = null;
        for (TrackedFinding each : known.values()) {
            if (each.isOpen() && each.where().equals(cause.where()) && each.isNear(cause.index())) {
                target = each;
            }
        }
        for (TrackedFinding each : touched) {
            if (each.where().equals(cause.where()) && each.isNear(cause.index())) {
                target = each;
            }
        }
        if (target == null) {
            target = new TrackedFinding(cause.where(), cause.index());
        }
        for (Worsening step : cause.steps()) {
            if (target.add(step)) {
                touched.add(target);
            }
        }
    }

    private void publish(
            TrackedFinding tracked,
            FleetSeries series,
            Collection<RecordedChange> recorded,
            Fleet fleet,
            Instant now,
            List<FindingEvent> events) {
        boolean begins = !known.containsValue(tracked);
        if (begins && open().size() >= options.mostFindings()) {
            refused++;
            return;
        }
        Finding built = tracked.build(series, recorded, fleet, options, now);
        if (!begins) {
            events.add(new FindingEvent.Changed(built));
            return;
        }
        known.put(built.id(), tracked);
        for (TrackedFinding each : known.values()) {
            if (each != tracked
                    && each.isOpen()
                    && each.isLone()
                    && each.all().stream().anyMatch(tracked::explains)) {
                each.finding(each.finding().ended(now, Finding.Ending.MERGED));
                events.add(new FindingEvent.Ended(each.finding()));
            }
        }
        events.add(new FindingEvent.Began(built));
    }
}
