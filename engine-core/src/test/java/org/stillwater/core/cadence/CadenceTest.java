package org.stillwater.core.cadence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CadenceTest {

    private static final Duration SHORTEST = Duration.ofSeconds(5);
    private static final Duration ORDINARY = Duration.ofSeconds(15);
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final Duration VIEWED = Duration.ofSeconds(12);
    private static final CadenceLimits LIMITS = new CadenceLimits(SHORTEST, ORDINARY, LONGEST);

    private Pace pace = Pace.begin(LIMITS);

    private static HostActivity activity(HostActivity.@Nullable Polled polled) {
        return new HostActivity(polled, null, 0, false, false, null, 1);
    }

    private static HostActivity viewed(HostActivity.@Nullable Polled polled, double stretch) {
        return new HostActivity(polled, null, 0, false, true, null, stretch);
    }

    /** A poll in which so many of 100 VMs moved, one interval after the last. */
    private HostActivity.Polled poll(int moved) {
        return new HostActivity.Polled(100, moved, pace.interval());
    }

    private void polled(int moved) {
        pace = Cadence.next(LIMITS, pace, activity(poll(moved)));
    }

    private Duration until(Duration interval, int moved) {
        Duration passed = Duration.ZERO;
        for (int i = 0; i < 100 && !pace.interval().equals(interval); i++) {
            passed = passed.plus(pace.interval());
            polled(moved);
        }
        return passed;
    }

    @Test
    void aHostBeginsWithTheOrdinaryInterval() {
        assertThat(pace.interval()).isEqualTo(ORDINARY);
        assertThat(pace.reason().code()).isEqualTo("starting");
        pace = Cadence.next(LIMITS, pace, activity(null));
        assertThat(pace.interval()).isEqualTo(ORDINARY);
        assertThat(pace.reason().code()).isEqualTo("starting");
    }

    @Test
    void aQuietHostReachesTheLongestIntervalWithinTenMinutes() {
        assertThat(until(LONGEST, 0)).isLessThan(Duration.ofMinutes(10));
        assertThat(pace.interval()).isEqualTo(LONGEST);
        assertThat(pace.reason()).isEqualTo(new CadenceReason.Quiet(0));
    }

    @Test
    void aBurstLeadsToTheShortestIntervalAtOnce() {
        until(LONGEST, 0);
        polled(40);
        assertThat(pace.interval()).isEqualTo(SHORTEST);
        assertThat(pace.reason()).isEqualTo(new CadenceReason.Moving(40));
    }

    @Test
    void aHostInTheBandKeepsItsInterval() {
        polled(0);
        Duration before = pace.interval();
        for (int i = 0; i < 20; i++) {
            polled(5 + i % 6);
            assertThat(pace.interval()).isEqualTo(before);
        }
    }

    @Test
    void moreMovementShortensInProportion() {
        until(LONGEST, 0);
        polled(20);
        assertThat(pace.calmNanos()).isEqualTo(LONGEST.toNanos() / 2.0);
    }

    @Test
    void aPollSoonAfterAnotherShowsNoQuiet() {
        Pace before = pace;
        pace =
                Cadence.next(
                        LIMITS,
                        pace,
                        activity(new HostActivity.Polled(100, 0, Duration.ofSeconds(1))));
        assertThat(pace.calmNanos()).isEqualTo(before.calmNanos());
    }

    @Test
    void aHostWithoutVmsIsQuiet() {
        pace = Cadence.next(LIMITS, pace, activity(new HostActivity.Polled(0, 0, ORDINARY)));
        assertThat(pace.calmNanos()).isGreaterThan((double) ORDINARY.toNanos());
    }

    @Test
    void aViewedHostIsPolledInTimeWithAnyBudget() {
        until(LONGEST, 0);
        pace = Cadence.next(LIMITS, pace, viewed(null, 1));
        assertThat(pace.interval()).isEqualTo(VIEWED);
        assertThat(pace.reason()).isEqualTo(new CadenceReason.Viewed());
        pace = Cadence.next(LIMITS, pace, viewed(poll(50), 24));
        assertThat(pace.interval()).isEqualTo(VIEWED);
        pace = Cadence.next(LIMITS, pace, viewed(poll(50), 1));
        assertThat(pace.interval()).isEqualTo(SHORTEST);
        assertThat(pace.reason().code()).isEqualTo("moving");
    }

    @Test
    void aHostNoLongerViewedReturnsToItsInterval() {
        until(LONGEST, 0);
        pace = Cadence.next(LIMITS, pace, viewed(null, 1));
        pace = Cadence.next(LIMITS, pace, activity(poll(0)));
        assertThat(pace.interval()).isEqualTo(LONGEST);
    }

    @Test
    void aRuleBoundsTheIntervalAndNeverBelowThatOfAView() {
        until(LONGEST, 0);
        pace = Cadence.next(LIMITS, pace, ruled(Duration.ofSeconds(30)));
        assertThat(pace.interval()).isEqualTo(Duration.ofSeconds(30));
        assertThat(pace.reason()).isEqualTo(new CadenceReason.Rule());
        pace = Cadence.next(LIMITS, pace, ruled(Duration.ZERO));
        assertThat(pace.interval()).isEqualTo(VIEWED);
    }

    private static HostActivity ruled(Duration atMost) {
        return new HostActivity(null, null, 0, false, false, atMost, 1);
    }

    @Test
    void anOperationGetsTheShortestIntervalAndTheBudgetAtMostThatOfAView() {
        until(LONGEST, 0);
        pace = Cadence.next(LIMITS, pace, operation(2, false, 1));
        assertThat(pace.interval()).isEqualTo(SHORTEST);
        assertThat(pace.reason()).isEqualTo(new CadenceReason.Operation(2));
        pace = Cadence.next(LIMITS, pace, operation(0, true, 1.2));
        assertThat(pace.interval()).isEqualTo(Duration.ofSeconds(6));
        pace = Cadence.next(LIMITS, pace, operation(2, false, 24));
        assertThat(pace.interval()).isEqualTo(VIEWED);
    }

    private static HostActivity operation(int vms, boolean commanded, double stretch) {
        return new HostActivity(null, null, vms, commanded, false, null, stretch);
    }

    @Test
    void aHostThatIsNotWellKeepsTheOrdinaryInterval() {
        until(LONGEST, 0);
        CadenceReason trouble = new CadenceReason.Trouble("its status is connecting");
        pace =
                Cadence.next(
                        LIMITS,
                        pace,
                        new HostActivity(poll(90), trouble, 3, true, true, SHORTEST, 5));
        assertThat(pace.interval()).isEqualTo(ORDINARY);
        assertThat(pace.reason()).isEqualTo(trouble);
    }

    @Test
    void theBudgetIsNamedAsTheReason() {
        polled(40);
        pace =
                Cadence.next(
                        LIMITS, pace, new HostActivity(poll(40), null, 0, false, false, null, 3));
        assertThat(pace.interval()).isGreaterThanOrEqualTo(ORDINARY);
        assertThat(pace.reason()).isEqualTo(new CadenceReason.Budget(3));
        assertThat(pace.reason().text()).contains("a factor of 3.0");
    }

    @Test
    void limitsThatAreOneAreNoLadder() {
        CadenceLimits one = new CadenceLimits(ORDINARY, ORDINARY, ORDINARY);
        Pace only = Pace.begin(one);
        for (int moved : new int[] {0, 0, 90, 7}) {
            only = Cadence.next(one, only, activity(new HostActivity.Polled(100, moved, ORDINARY)));
            assertThat(only.interval()).isEqualTo(ORDINARY);
        }
        assertThatThrownBy(() -> new CadenceLimits(ORDINARY, SHORTEST, LONGEST))
                .isInstanceOf(IllegalArgumentException.class);
    }

    static LongStream seeds() {
        return LongStream.range(0, 40);
    }

    /** In every history, the interval is within its limits and short enough for readers. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theIntervalIsWithinItsLimits(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 500; i++) {
            boolean viewed = random.nextInt(4) == 0;
            Duration rule = random.nextInt(4) == 0 ? Duration.ofSeconds(random.nextInt(200)) : null;
            double stretch = random.nextBoolean() ? 1 : 1 + 23 * random.nextDouble();
            HostActivity activity =
                    new HostActivity(
                            random.nextInt(3) == 0
                                    ? null
                                    : new HostActivity.Polled(
                                            random.nextInt(50),
                                            random.nextInt(50),
                                            Duration.ofSeconds(random.nextInt(120))),
                            random.nextInt(20) == 0 ? new CadenceReason.Pushed() : null,
                            random.nextInt(5) == 0 ? 1 : 0,
                            random.nextInt(9) == 0,
                            viewed,
                            rule,
                            stretch);
            pace = Cadence.next(LIMITS, pace, activity);
            assertThat(pace.interval()).isBetween(SHORTEST, LONGEST);
            assertThat(CadenceReason.CODES).contains(pace.reason().code());
            if (activity.held() != null) {
                assertThat(pace.interval()).isEqualTo(ORDINARY);
            } else if (viewed || activity.operations() > 0 || activity.commanded()) {
                assertThat(pace.interval()).isLessThanOrEqualTo(VIEWED);
            } else if (rule != null) {
                assertThat(pace.interval())
                        .isLessThanOrEqualTo(rule.compareTo(VIEWED) < 0 ? VIEWED : rule);
            }
        }
    }

    /** Under steady movement the interval settles: noise does not move it back and forth. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void steadyMovementDoesNotFlap(long seed) {
        Random random = new Random(seed);
        double perSecond = 0.0005 + 0.02 * random.nextDouble();
        int changes = 0;
        for (int i = 0; i < 300; i++) {
            double share = 1 - Math.exp(-perSecond * pace.interval().toMillis() / 1000.0);
            int moved = 0;
            for (int vm = 0; vm < 400; vm++) {
                moved += random.nextDouble() < share ? 1 : 0;
            }
            Duration before = pace.interval();
            pace =
                    Cadence.next(
                            LIMITS,
                            pace,
                            activity(new HostActivity.Polled(400, moved, pace.interval())));
            if (i >= 50 && !pace.interval().equals(before)) {
                changes++;
            }
        }
        assertThat(changes).as("changes in 250 polls").isLessThan(25);
    }
}
