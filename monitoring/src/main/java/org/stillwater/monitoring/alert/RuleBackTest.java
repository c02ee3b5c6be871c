package org.stillwater.monitoring.alert;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.AlertCondition;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertSubject;
import org.stillwater.core.alert.BackTest;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.history.HistoryAnswer;
import org.stillwater.monitoring.history.HistoryQueries;
import org.stillwater.monitoring.history.HistoryQuery;

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
     * @param finest time between two evaluations at least
     */
    public RuleBackTest(
            AlertMonitor monitor, FleetReader fleet, Duration finest, EngineClock clock) {
        this.monitor = monitor;
        this.fleet = fleet;
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
            return rule.condition() instanceof AlertCondition.ChangePoint change
                    ? ofFindings(rule, change, begin, step, steps)
                    : ofNumbers(rule, begin, step, steps);
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
        return answer(rule, objects, from, step, steps, step, 0);
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
        return answer(rule, objects, from, step, steps, coarsest, all.size() - objects.size());
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

    private Answer answer(
            AlertRule rule,
            List<BackTest.Past> objects,
            Instant from,
            Duration step,
            int steps,
            Duration coarsest,
            int leftOut) {
        BackTest.Result result =
                BackTest.run(
                        rule,
                        monitor.settings().limits(),
                        objects,
                        from,
                        step,
                        steps,
                        MOST_INTERVALS);
        AlertSubject.Kind kind = rule.condition().kind();
        List<Fired> intervals = new ArrayList<>();
        for (BackTest.Interval each : result.intervals()) {
            UUID subject = each.subject();
            intervals.add(
                    new Fired(
                            subject == null
                                    ? new AlertSubject(
                                            AlertSubject.Kind.GROUP, rule.id(), rule.alert())
                                    : monitor.subjects().named(kind, subject),
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
