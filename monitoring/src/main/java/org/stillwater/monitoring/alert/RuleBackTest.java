package org.stillwater.monitoring.alert;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.AlertCondition;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertSubject;
import org.stillwater.core.alert.BackTest;
import org.stillwater.core.alert.SeriesMeasure;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.history.HistoryAnswer;
import org.stillwater.monitoring.history.HistoryQueries;
import org.stillwater.monitoring.history.HistoryQuery;
import org.stillwater.monitoring.regression.SeriesValues;

/**
 * Evaluates a rule over stored history: memory first, then the database. Bounded in steps, objects,
 * values and time; one at a time. Thread-safe.
 */
public final class RuleBackTest {

    private static final int MOST_STEPS = 10_000;
    private static final int MOST_VALUES = 2_000_000;
    private static final int MOST_OBJECTS = 1_000;
    private static final int MOST_INTERVALS = 1_000;
    private static final Duration MOST_TIME = Duration.ofSeconds(20);

    private final AlertMonitor monitor;
    private final FleetReader fleet;
    private final SeriesValues series;
    private final EngineClock clock;
    private final Duration finest;
    private final Semaphore turn = new Semaphore(1);

    /** That another back-test runs. */
    public static final class Busy extends Exception {

        private static final long serialVersionUID = 1;

        Busy() {
            super("another back-test runs");
        }
    }

    /**
     * Result of the back test.
     *
     * @param from begin of the first step
     * @param to end of the last step
     * @param step time between two evaluations
     * @param coarsest the longest time that a value of history stands for
     * @param objects objects that were evaluated
     * @param leftOut objects that limits left out, or that have no readable history
     * @param fired alerts that would have fired
     * @param intervals the first of them
     */
    public record Answer(
            Instant from,
            Instant to,
            Duration step,
            Duration coarsest,
            int objects,
            int leftOut,
            int fired,
            List<Fired> intervals) {}

    /** An alert that would have fired. */
    public record Fired(AlertSubject subject, Instant from, @Nullable Instant until, int members) {}

    /**
     * A back-test.
     *
     * @param series measured numbers of disks, interfaces and storage domains
     * @param finest time between two evaluations at least
     */
    public RuleBackTest(
            AlertMonitor monitor,
            FleetReader fleet,
            SeriesValues series,
            Duration finest,
            EngineClock clock) {
        this.monitor = monitor;
        this.fleet = fleet;
        this.series = series;
        this.finest = finest;
        this.clock = clock;
    }

    /**
     * Evaluates a rule in whole steps, of which the first may begin up to one step before the time.
     *
     * @throws Busy if another back-test runs
     * @throws StoreUnavailable if no object's history can be read now
     */
    public Answer run(AlertRule rule, Instant from, Instant to) throws Busy, StoreUnavailable {
        if (!turn.tryAcquire()) {
            throw new Busy();
        }
        try {
            long seconds = Math.max(1, Duration.between(from, to).toSeconds());
            long most = Math.ceilDiv(seconds, MOST_STEPS - 1);
            Duration step = Duration.ofSeconds(Math.max(Math.max(1, finest.toSeconds()), most));
            int steps = (int) Math.ceilDiv(seconds, step.toSeconds());
            Instant begin = to.minus(step.multipliedBy(steps)); // the last step ends at the end
            return switch (rule.condition()) {
                case AlertCondition.ChangePoint change ->
                        ofFindings(rule, change, begin, step, steps);
                case AlertCondition.Measured(SeriesMeasure measure, _, _) ->
                        ofSeries(rule, measure, from, to);
                case AlertCondition.Threshold _, AlertCondition.Absence _ ->
                        ofNumbers(rule, begin, step, steps);
            };
        } finally {
            turn.release();
        }
    }

    private Answer ofFindings(
            AlertRule rule,
            AlertCondition.ChangePoint change,
            Instant from,
            Duration step,
            int steps) {
        List<BackTest.Past> objects = new ArrayList<>();
        for (Finding finding : monitor.subjects().findings(change)) {
            double percent = RuleSubjects.percent(finding);
            Instant end = finding.endedAt();
            objects.add(
                    new BackTest.Past(
                            finding.id(),
                            0,
                            i -> {
                                Instant at = from.plus(step.multipliedBy(i));
                                boolean open =
                                        !at.isBefore(finding.detectedAt())
                                                && (end == null || at.isBefore(end));
                                return open ? percent : Double.NaN;
                            }));
        }
        return answer(rule, objects, from, Duration.ZERO, step, steps, step, 0);
    }

    private Answer ofNumbers(AlertRule rule, Instant from, Duration step, int steps)
            throws StoreUnavailable {
        HistoryMetric metric = AlertMonitor.metric(rule.condition());
        if (metric == null) {
            throw new IllegalArgumentException("a rule on numbers has a metric");
        }
        List<UUID> all = monitor.subjects().objects(rule);
        int most = Math.min(MOST_OBJECTS, Math.max(1, MOST_VALUES / steps));
        long started = clock.nanoTime();
        List<BackTest.Past> objects = new ArrayList<>();
        Duration coarsest = step;
        StoreUnavailable trouble = null;
        for (UUID id : all) {
            if (objects.size() >= most
                    || clock.nanoTime() - started > MOST_TIME.toNanos()
                    || Thread.currentThread().isInterrupted()) {
                break;
            }
            try {
                HistoryAnswer history =
                        fleet.history(
                                new HistoryQuery(
                                        metric.subject(),
                                        id,
                                        List.of(metric),
                                        from,
                                        from.plus(step.multipliedBy(steps)),
                                        step));
                if (history.step().compareTo(coarsest) > 0) {
                    coarsest = history.step();
                }
                objects.add(past(id, history, from, step, steps));
            } catch (HistoryQueries.Refused _) {
                // It counts as left out: its history has too many points.
            } catch (StoreUnavailable e) {
                trouble = e;
            }
        }
        if (objects.isEmpty() && trouble != null) {
            throw trouble;
        }
        return answer(
                rule,
                objects,
                from,
                Duration.ZERO,
                step,
                steps,
                coarsest,
                all.size() - objects.size());
    }

    /** By the intervals of the series, each when it was over: live rules know it only then. */
    private Answer ofSeries(AlertRule rule, SeriesMeasure measure, Instant from, Instant to)
            throws StoreUnavailable {
        Duration step = series.interval();
        long millis = step.toMillis();
        long end = Math.floorDiv(to.toEpochMilli(), millis);
        Duration span = Duration.between(from, to);
        Duration read = span.compareTo(series.reach()) > 0 ? series.reach() : span;
        int steps = Math.clamp(Math.ceilDiv(read.toMillis(), millis), 1, MOST_STEPS);
        long first = end - steps;
        boolean _ = monitor.subjects().measured().areKnown();
        List<SeriesSubjects.Member> all =
                new ArrayList<>(monitor.subjects().measured().members(rule.scope(), measure));
        all.sort(Comparator.comparing(SeriesSubjects.Member::id));
        int most = MOST_VALUES / steps;
        List<SeriesSubjects.Member> chosen = new ArrayList<>();
        Set<String> owners = new LinkedHashSet<>();
        for (SeriesSubjects.Member each : all) {
            if (chosen.size() < MOST_OBJECTS && owners.size() + each.series().size() <= most) {
                chosen.add(each);
                each.series().forEach(one -> owners.add(one.owner().name()));
            }
        }
        long started = clock.nanoTime();
        Map<String, float[]> past =
                series.past(
                        measure.metric(),
                        owners,
                        first,
                        steps,
                        () ->
                                clock.nanoTime() - started <= MOST_TIME.toNanos()
                                        && !Thread.currentThread().isInterrupted());
        List<BackTest.Past> objects = new ArrayList<>();
        for (SeriesSubjects.Member each : chosen) {
            List<float[]> parts = new ArrayList<>();
            for (SeriesSubjects.Measured one : each.series()) {
                float[] values = past.get(one.owner().name());
                if (values != null) {
                    parts.add(values);
                }
            }
            if (parts.size() == each.series().size()) {
                double[] values = mean(measure, parts, steps);
                objects.add(new BackTest.Past(each.id(), first(values), i -> values[i]));
            }
        }
        return answer(
                rule,
                objects,
                Instant.ofEpochMilli(first * millis),
                step,
                step,
                steps,
                step,
                all.size() - objects.size());
    }

    private static double[] mean(SeriesMeasure measure, List<float[]> parts, int steps) {
        double[] values = new double[steps];
        for (int i = 0; i < steps; i++) {
            double sum = 0;
            int known = 0;
            for (float[] each : parts) {
                if (!Float.isNaN(each[i])) {
                    sum += each[i];
                    known++;
                }
            }
            values[i] = known == 0 ? Double.NaN : measure.number(sum / known);
        }
        return values;
    }

    private static BackTest.Past past(
            UUID id, HistoryAnswer history, Instant from, Duration step, int steps) {
        List<@Nullable HistoryPoint> points = history.series().getFirst().points();
        double[] values = new double[steps];
        Arrays.fill(values, Double.NaN);
        for (int i = 0; i < steps; i++) {
            long at = Duration.between(history.from(), from.plus(step.multipliedBy(i))).toMillis();
            long index = Math.floorDiv(at, history.step().toMillis());
            HistoryPoint point =
                    index >= 0 && index < points.size() ? points.get((int) index) : null;
            if (point != null) {
                values[i] = point.mean();
            }
        }
        return new BackTest.Past(id, first(values), i -> values[i]);
    }

    /** The step of the first value: an object has none before it exists. 0 without any value. */
    private static int first(double[] values) {
        for (int i = 0; i < values.length; i++) {
            if (!Double.isNaN(values[i])) {
                return i;
            }
        }
        return 0;
    }

    /** The answer; {@code lag} is the time from the begin of a step to its evaluation. */
    private Answer answer(
            AlertRule rule,
            List<BackTest.Past> objects,
            Instant from,
            Duration lag,
            Duration step,
            int steps,
            Duration coarsest,
            int leftOut) {
        BackTest.Result result =
                BackTest.run(
                        rule,
                        monitor.limits(rule.condition()),
                        objects,
                        from.plus(lag),
                        step,
                        steps,
                        MOST_INTERVALS);
        AlertCondition condition = rule.condition();
        List<Fired> intervals = new ArrayList<>();
        for (BackTest.Interval each : result.intervals()) {
            UUID subject = each.subject();
            intervals.add(
                    new Fired(
                            subject == null
                                    ? new AlertSubject(
                                            AlertSubject.Kind.GROUP, rule.id(), rule.alert())
                                    : monitor.subjects().named(condition, subject),
                            each.from(),
                            each.until(),
                            each.members()));
        }
        return new Answer(
                from,
                from.plus(step.multipliedBy(steps)),
                step,
                coarsest,
                objects.size(),
                leftOut,
                result.fired(),
                intervals);
    }
}
