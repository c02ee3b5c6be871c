package org.stillwater.core.alert;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Evaluates a rule over the past, by the evaluator of the present. Stateless. */
public final class BackTest {

    private BackTest() {}

    /**
     * The past of an object.
     *
     * @param id its identity
     * @param first number of the first step in which it exists
     * @param values its value by the number of the step; NaN for none
     */
    public record Past(UUID id, int first, IntToDoubleFunction values) {}

    /**
     * A time in which an alert would have fired.
     *
     * @param subject the object; null for the group of a flood
     * @param from when it would have fired
     * @param until when it would have ended; null if it fires at the end
     * @param members objects that it stands for
     */
    public record Interval(
            @Nullable UUID subject, Instant from, @Nullable Instant until, int members) {}

    /**
     * Alerts that the rule would have fired.
     *
     * @param fired alerts that would have fired
     * @param intervals the first of them, in order
     */
    public record Result(int fired, List<Interval> intervals) {

        public Result {
            intervals = List.copyOf(intervals);
        }
    }

    /**
     * Evaluates.
     *
     * @param from begin of the first step
     * @param steps number of steps
     * @param most intervals in the result
     */
    public static Result run(
            AlertRule rule,
            AlertLimits limits,
            List<Past> objects,
            Instant from,
            Duration step,
            int steps,
            int most) {
        RuleEvaluator evaluator = new RuleEvaluator(rule, limits, List.of());
        Map<UUID, Interval> open = new LinkedHashMap<>();
        List<Interval> closed = new ArrayList<>();
        UUID group = rule.id();
        int fired = 0;
        for (int i = 0; i < steps; i++) {
            Instant now = from.plus(step.multipliedBy(i));
            evaluator.begin(now);
            for (Past each : objects) {
                if (i >= each.first()) {
                    evaluator.sample(
                            each.id().getMostSignificantBits(),
                            each.id().getLeastSignificantBits(),
                            each.values().applyAsDouble(i));
                }
            }
            for (AlertDecision decision : evaluator.end()) {
                switch (decision) {
                    case AlertDecision.Pending _ -> {}
                    case AlertDecision.Fired(UUID subject, _, _) -> {
                        fired++;
                        open.put(subject, new Interval(subject, now, null, 1));
                    }
                    case AlertDecision.Resolved(UUID subject, _) ->
                            close(open.remove(subject), now, closed, most);
                    case AlertDecision.GroupFired(int members) -> {
                        fired++;
                        open.put(group, new Interval(null, now, null, members));
                    }
                    case AlertDecision.GroupGrew(int members) ->
                            open.computeIfPresent(
                                    group, (_, it) -> new Interval(null, it.from(), null, members));
                    case AlertDecision.GroupResolved _ ->
                            close(open.remove(group), now, closed, most);
                }
            }
        }
        closed.addAll(open.values());
        closed.sort(Comparator.comparing(Interval::from));
        return new Result(fired, closed.size() > most ? closed.subList(0, most) : closed);
    }

    private static void close(
            @Nullable Interval interval, Instant until, List<Interval> closed, int most) {
        if (interval != null && closed.size() < most) {
            closed.add(
                    new Interval(interval.subject(), interval.from(), until, interval.members()));
        }
    }
}
