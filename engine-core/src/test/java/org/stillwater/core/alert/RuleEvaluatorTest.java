package org.stillwater.core.alert;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Evaluation of alert rules")
class RuleEvaluatorTest {

    private static final Instant BEGIN = Instant.parse("2026-11-20T03:10:00Z");
    private static final UUID ONE = new UUID(0, 1);
    private static final UUID TWO = new UUID(0, 2);
    private static final double NONE = Double.NaN;

    private RuleEvaluator evaluator = new RuleEvaluator(busy(2), AlertLimits.DEFAULT, List.of());
    private int minute;

    private static AlertRule busy(int flood) {
        return AlertRuleTest.rule("vm.usageCpuPercent > 90", Duration.ofMinutes(2), flood);
    }

    private Instant at(int minutes) {
        return BEGIN.plus(Duration.ofMinutes(minutes));
    }

    /** A pass a minute later, with the values of VMs 1, 2, … */
    private List<AlertDecision> pass(double... values) {
        evaluator.begin(at(minute++));
        for (int i = 0; i < values.length; i++) {
            evaluator.sample(0, i + 1, values[i]);
        }
        return evaluator.end();
    }

    @Test
    void aConditionThatLastsIsPendingThenFiresAndResolves() {
        assertThat(pass(50, 95)).containsExactly(new AlertDecision.Pending(TWO, 95));
        assertThat(pass(50, 96)).isEmpty();
        assertThat(pass(50, 97)).containsExactly(new AlertDecision.Fired(TWO, at(0), 97));
        assertThat(pass(50, 98)).isSameAs(List.of());
        assertThat(pass(50, 90))
                .containsExactly(new AlertDecision.Resolved(TWO, AlertResolution.CONDITION));
    }

    @Test
    void aShortBreakBeginsAnew() {
        pass(95);
        pass(50);
        pass(95);
        assertThat(pass(95)).isEmpty();
        assertThat(pass(95)).containsExactly(new AlertDecision.Fired(ONE, at(2), 95));
    }

    /** A rule whose alerts fire on for three minutes. */
    private static AlertRule kept(Duration lasting, int flood) {
        AlertRule rule = busy(flood);
        return new AlertRule(
                rule.id(),
                1,
                rule.alert(),
                rule.expr(),
                lasting,
                Duration.ofMinutes(3),
                rule.scope(),
                rule.severity(),
                rule.labels(),
                rule.annotations(),
                true,
                flood);
    }

    @Test
    void anAlertThatComesAndGoesFiresOnceWithKeepFiring() {
        evaluator = new RuleEvaluator(kept(Duration.ZERO, 2), AlertLimits.DEFAULT, List.of());
        assertThat(pass(95)).contains(new AlertDecision.Fired(ONE, at(0), 95));
        for (int i = 0; i < 4; i++) {
            assertThat(pass(50)).isEmpty();
            assertThat(pass(50)).isEmpty();
            assertThat(pass(95)).as("the time begins anew").isEmpty();
        }
        for (int i = 0; i < 3; i++) {
            assertThat(pass(50)).isEmpty();
        }
        assertThat(pass(50))
                .containsExactly(new AlertDecision.Resolved(ONE, AlertResolution.CONDITION));
    }

    @Test
    void keepFiringHoldsForObjectsThatAreGoneAndForFloodsAndNotForPendingConditions() {
        evaluator = new RuleEvaluator(kept(Duration.ZERO, 1), AlertLimits.DEFAULT, List.of());
        assertThat(pass(95, 95)).contains(new AlertDecision.GroupFired(2));
        for (int i = 0; i < 3; i++) {
            assertThat(pass()).isEmpty();
        }
        assertThat(pass()).containsExactly(new AlertDecision.GroupResolved());

        evaluator =
                new RuleEvaluator(kept(Duration.ofMinutes(2), 2), AlertLimits.DEFAULT, List.of());
        pass(95);
        pass(95);
        pass(50);
        assertThat(evaluator.pending()).isZero();
    }

    @Test
    void anObjectThatIsGoneResolvesItsAlert() {
        pass(95);
        pass(95);
        pass(95);
        assertThat(pass()).containsExactly(new AlertDecision.Resolved(ONE, AlertResolution.GONE));
    }

    @Test
    void aMetricWithoutAValueResolvesWhenThePatienceIsOver() {
        pass(95);
        pass(95);
        pass(95);
        for (int i = 0; i < 5; i++) {
            assertThat(pass(NONE)).isEmpty();
        }
        assertThat(pass(NONE))
                .containsExactly(new AlertDecision.Resolved(ONE, AlertResolution.NO_DATA));
    }

    @Test
    void absenceFiresWhereNothingIsMeasured() {
        evaluator =
                new RuleEvaluator(
                        AlertRuleTest.rule("absent(host.cpuLoad)", Duration.ofMinutes(1), 5),
                        AlertLimits.DEFAULT,
                        List.of());
        pass(NONE, 1);
        assertThat(pass(NONE, 1)).containsExactly(new AlertDecision.Fired(ONE, at(0), NONE));
        assertThat(pass(3, 1))
                .containsExactly(new AlertDecision.Resolved(ONE, AlertResolution.CONDITION));
    }

    @Test
    void aFloodIsOneAlert() {
        pass(95, 95, 95);
        pass(95, 95, 95);
        assertThat(pass(95, 95, 95)).containsExactly(new AlertDecision.GroupFired(3));
        assertThat(pass(95, 1, 1)).isEmpty();
        assertThat(pass(1, 1, 1)).containsExactly(new AlertDecision.GroupResolved());
    }

    @Test
    void theOrderOfObjectsChangesNothing() {
        AlertRule rule = AlertRuleTest.rule("vm.usageCpuPercent > 90", Duration.ZERO, 9);
        RuleEvaluator up = new RuleEvaluator(rule, AlertLimits.DEFAULT, List.of());
        RuleEvaluator down = new RuleEvaluator(rule, AlertLimits.DEFAULT, List.of());
        for (double value : new double[] {95, 95, 20, 95}) {
            up.begin(BEGIN);
            down.begin(BEGIN);
            for (int i = 1; i <= 9; i++) {
                up.sample(0, i, value);
                down.sample(0, 10 - i, value);
            }
            assertThat(up.end()).isEqualTo(down.end());
        }
    }

    @Test
    void alertsOfAFormerLifeContinueAndDoNotFireAgain() {
        Alert alert =
                Alert.fired(
                        busy(2),
                        new AlertSubject(AlertSubject.Kind.VM, ONE, "web"),
                        99,
                        BEGIN,
                        BEGIN,
                        1);
        evaluator = new RuleEvaluator(busy(2), AlertLimits.DEFAULT, List.of(alert));

        assertThat(pass(95)).isEmpty();
        assertThat(pass(10))
                .containsExactly(new AlertDecision.Resolved(ONE, AlertResolution.CONDITION));
    }

    private static RuleEvaluator withAFloodOfThree() {
        return new RuleEvaluator(
                busy(2),
                AlertLimits.DEFAULT,
                List.of(
                        Alert.fired(
                                busy(2),
                                new AlertSubject(
                                        AlertSubject.Kind.GROUP, busy(2).id(), "3 objects"),
                                NONE,
                                BEGIN,
                                BEGIN,
                                3)));
    }

    @Test
    void aFloodOfAFormerLifeContinuesAndItsMembersDoNotFireAgain() {
        evaluator = withAFloodOfThree();

        assertThat(pass(NONE, NONE, NONE)).as("before the first reports").isEmpty();
        assertThat(pass(95, NONE, NONE)).containsExactly(new AlertDecision.Pending(ONE, 95));
        pass(95, 95, 95);
        assertThat(pass(95, 95, 95)).as("the first one returns").isEmpty();
        assertThat(pass(95, 95, 95)).as("the others return").isEmpty();
        assertThat(pass(1, 1, 1)).containsExactly(new AlertDecision.GroupResolved());
    }

    @Test
    void aFloodOfAFormerLifeThatIsOverEndsWhenThePatienceIsOver() {
        evaluator = withAFloodOfThree();

        for (int i = 0; i < 5; i++) {
            assertThat(pass(1, 1, 1)).isEmpty();
        }
        assertThat(pass(1, 1, 1)).containsExactly(new AlertDecision.GroupResolved());
    }

    @Test
    void objectsBeyondTheLimitAreCounted() {
        evaluator = new RuleEvaluator(busy(2), new AlertLimits(2, Duration.ZERO), List.of());
        pass(95, 95, 95);
        assertThat(evaluator.refused()).isEqualTo(1);
        assertThat(evaluator.pending()).isEqualTo(2);
    }

    @Test
    void thePastIsEvaluatedLikeThePresent() {
        double[] values = {1, 95, 95, 95, 95, 1, 95, 1, 95, 95, 95, 95};
        BackTest.Result result =
                BackTest.run(
                        busy(2),
                        AlertLimits.DEFAULT,
                        List.of(new BackTest.Past(ONE, 0, i -> values[i])),
                        BEGIN,
                        Duration.ofMinutes(1),
                        values.length,
                        10);

        assertThat(result.fired()).isEqualTo(2);
        assertThat(result.intervals())
                .containsExactly(
                        new BackTest.Interval(ONE, at(3), at(5), 1),
                        new BackTest.Interval(ONE, at(10), null, 1));
    }

    @Test
    @DisplayName("a clock step forth or back neither fires a condition early nor late")
    void clockSteps() {
        for (int hours : new int[] {5, -5}) {
            evaluator = new RuleEvaluator(busy(2), AlertLimits.DEFAULT, List.of());
            minute = 1000;
            pass(95);
            evaluator.clockWasSet(Duration.ofHours(hours));
            minute += hours * 60;
            assertThat(pass(95)).as("%d h", hours).isEmpty();
            assertThat(pass(95))
                    .containsExactly(new AlertDecision.Fired(ONE, at(1000 + hours * 60), 95));
            assertThat(pass(NONE)).isEmpty();
            evaluator.clockWasSet(Duration.ofHours(hours));
            minute += hours * 60;
            assertThat(pass(NONE)).as("no data for a minute").isEmpty();
        }
    }

    @Test
    void anObjectIsNotAbsentBeforeItExists() {
        double[] values = {NONE, NONE, NONE, 3, NONE, NONE, 3};
        BackTest.Result result =
                BackTest.run(
                        AlertRuleTest.rule("absent(host.cpuLoad)", Duration.ofMinutes(1), 5),
                        AlertLimits.DEFAULT,
                        List.of(
                                new BackTest.Past(ONE, 3, i -> values[i]),
                                new BackTest.Past(TWO, 0, i -> values[i])),
                        BEGIN,
                        Duration.ofMinutes(1),
                        values.length,
                        10);

        assertThat(result.intervals())
                .containsExactlyInAnyOrder(
                        new BackTest.Interval(TWO, at(1), at(3), 1),
                        new BackTest.Interval(ONE, at(5), at(6), 1),
                        new BackTest.Interval(TWO, at(5), at(6), 1));
    }
}
