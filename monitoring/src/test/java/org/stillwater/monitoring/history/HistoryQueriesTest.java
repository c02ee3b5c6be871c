package org.stillwater.monitoring.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.stillwater.core.history.HistoryMetric.VM_CPU_USAGE;
import static org.stillwater.core.history.HistoryMetric.VM_MEMORY_USAGE;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.history.HistoryTier;
import org.stillwater.core.history.SampleRing;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.VirtualClock;

class HistoryQueriesTest {

    private static final UUID ID = new UUID(1, 2);
    private static final Duration CADENCE = Duration.ofSeconds(15);

    private final VirtualClock clock = new VirtualClock();
    private final HistorySettings settings = HistorySettings.DEFAULT;
    private final List<String> reads = new ArrayList<>();
    private @Nullable SampleRing ring;
    private boolean databaseAnswers = true;

    private final HistoryQueries queries =
            new HistoryQueries(
                    settings,
                    (subject, id) ->
                            ring == null || subject != Subject.VM || !id.equals(ID)
                                    ? null
                                    : ring.samples(),
                    CADENCE,
                    clock);

    @Test
    void theLastHourComesFromMemoryAlone() throws Exception {
        withDatabase();
        remember(Duration.ofMinutes(90));

        HistoryAnswer answer = queries.answer(ask(Duration.ofHours(1), null));

        assertThat(reads).isEmpty();
        assertThat(answer.step()).isEqualTo(CADENCE);
        assertThat(answer.points()).isEqualTo(240);
        assertThat(answer.sources())
                .extracting(HistoryAnswer.Source::name)
                .containsExactly("memory");
        assertThat(points(answer)).doesNotContainNull().hasSize(240);
        assertThat(answer.missing()).isNull();
    }

    @Test
    void stepsAreMultiplesAndHaveMinimumMeanMaximumAndCount() throws Exception {
        remember(Duration.ofMinutes(10));

        HistoryAnswer answer = queries.answer(ask(Duration.ofMinutes(2), Duration.ofMinutes(1)));

        assertThat(answer.from().getEpochSecond() % 60).isZero();
        HistoryPoint whole = Objects.requireNonNull(points(answer).get(1));
        assertThat(whole.count()).isEqualTo(4);
        assertThat(whole.max() - whole.min()).isEqualTo(3);
        assertThat(whole.mean()).isEqualTo((whole.min() + whole.max()) / 2);
        assertThat(whole.at()).isEqualTo(answer.at(1));
    }

    @Test
    void gapsStayGaps() throws Exception {
        remember(Duration.ofMinutes(5));
        clock.advance(Duration.ofMinutes(10));
        remember(Duration.ofMinutes(5));

        HistoryAnswer answer = queries.answer(ask(Duration.ofMinutes(20), Duration.ofMinutes(1)));

        List<Integer> counts =
                points(answer).stream().map(point -> point == null ? 0 : point.count()).toList();
        assertThat(counts).contains(0).contains(4);
        assertThat(counts.subList(6, 14)).containsOnly(0);
    }

    @Test
    void aSampleOfAHostThatIsPolledSeldomCountsUntilTheNext() throws Exception {
        queries.sampledWithin(Duration.ofMinutes(2));
        for (int i = 0; i < 10; i++) {
            remember(CADENCE);
            clock.advance(Duration.ofMinutes(2).minus(CADENCE));
        }
        clock.advance(Duration.ofMinutes(10)); // silent
        remember(CADENCE);

        HistoryAnswer answer = queries.answer(ask(Duration.ofMinutes(29), CADENCE));

        List<Boolean> known = points(answer).stream().map(point -> point != null).toList();
        assertThat(known.subList(0, 60)).doesNotContain(false);
        assertThat(known.subList(76, 108)).doesNotContain(true);
    }

    @Test
    void severalMetricsAreReturnedInTheRequestedOrder() throws Exception {
        remember(Duration.ofMinutes(5));

        HistoryAnswer answer =
                queries.answer(
                        new HistoryQuery(
                                Subject.VM,
                                ID,
                                List.of(VM_MEMORY_USAGE, VM_CPU_USAGE),
                                clock.now().minusSeconds(60),
                                clock.now(),
                                null));

        assertThat(answer.series())
                .extracting(HistoryAnswer.Series::metric)
                .containsExactly(VM_MEMORY_USAGE, VM_CPU_USAGE);
        assertThat(answer.series().getFirst().points()).as("never known").containsOnlyNulls();
        assertThat(answer.series().getLast().points()).doesNotContainNull();
    }

    @Test
    void olderHistoryIsReadFromTheFinestTierThatReachesBack() throws Exception {
        withDatabase();
        remember(Duration.ofMinutes(10));
        Instant oldest = Objects.requireNonNull(Objects.requireNonNull(ring).samples().oldest());

        HistoryAnswer answer = queries.answer(ask(Duration.ofHours(1), null));

        assertThat(answer.step()).as("no finer than the minutes").isEqualTo(Duration.ofMinutes(1));
        assertThat(reads).containsExactly("MINUTE " + answer.from() + " " + oldest);
        assertThat(answer.sources())
                .extracting(HistoryAnswer.Source::name)
                .containsExactly("minute", "memory");
        assertThat(points(answer)).doesNotContainNull();
    }

    @Test
    void theNewestPartThatIsNotRolledUpComesFromFinerTiers() throws Exception {
        withDatabase();
        clock.advance(Duration.ofMinutes(40));
        remember(Duration.ofMinutes(10));
        Instant hour = Steps.floor(clock.now(), Duration.ofHours(1));
        Instant oldest = Objects.requireNonNull(Objects.requireNonNull(ring).samples().oldest());

        HistoryAnswer answer = queries.answer(ask(Duration.ofDays(20), null));

        assertThat(answer.step()).isEqualTo(Duration.ofHours(1));
        assertThat(reads)
                .containsExactly(
                        "HOUR " + answer.from() + " " + hour, "MINUTE " + hour + " " + oldest);
        assertThat(answer.sources())
                .extracting(HistoryAnswer.Source::resolution)
                .containsExactly(Duration.ofHours(1), Duration.ofMinutes(1), CADENCE);
        assertThat(points(answer)).doesNotContainNull();
    }

    @Test
    void anHourOnItsWayToTheDatabaseIsReadFromItsMinutes() throws Exception {
        withDatabase();
        clock.advance(Duration.ofMinutes(10));
        lateHour = Steps.floor(clock.now(), Duration.ofHours(1)).minus(Duration.ofHours(1));

        HistoryAnswer answer = queries.answer(ask(Duration.ofDays(20), null));

        assertThat(reads.getLast()).startsWith("MINUTE " + lateHour);
        assertThat(points(answer)).doesNotContainNull();
    }

    @Test
    void yearsComeFromDaysHoursAndMinutes() throws Exception {
        withDatabase();

        HistoryAnswer answer = queries.answer(ask(Duration.ofDays(1_000), null));

        assertThat(answer.step()).isEqualTo(Duration.ofDays(2));
        assertThat(reads).extracting(read -> read.substring(0, 3)).startsWith("DAY");
        assertThat(points(answer)).doesNotContainNull();
    }

    @Test
    void aStepFinerThanTheStoredOneBecomesCoarser() throws Exception {
        withDatabase();

        HistoryAnswer answer =
                queries.answer(
                        new HistoryQuery(
                                Subject.VM,
                                ID,
                                List.of(VM_CPU_USAGE),
                                clock.now().minus(Duration.ofDays(30)),
                                clock.now().minus(Duration.ofDays(29)),
                                Duration.ofMinutes(1)));

        assertThat(answer.step()).isEqualTo(Duration.ofHours(1));
        assertThat(points(answer)).hasSizeBetween(24, 25);
    }

    @Test
    void memoryAnswersWhileTheDatabaseIsAway() throws Exception {
        withDatabase();
        remember(Duration.ofMinutes(10));
        databaseAnswers = false;

        HistoryAnswer answer = queries.answer(ask(Duration.ofHours(1), null));

        assertThat(answer.missing()).contains("away");
        assertThat(answer.sources())
                .extracting(HistoryAnswer.Source::name)
                .containsExactly("memory");
        assertThat(points(answer))
                .startsWith((HistoryPoint) null)
                .contains(points(answer).getLast());
        assertThat(points(answer).stream().filter(Objects::nonNull)).hasSizeBetween(10, 11);
    }

    @Test
    void withoutMemoryAndDatabaseThereIsNoAnswer() {
        withDatabase();
        databaseAnswers = false;

        assertThatExceptionOfType(StoreUnavailable.class)
                .isThrownBy(() -> queries.answer(ask(Duration.ofHours(1), null)));
    }

    @Test
    void onlyMemoryIsReadOnRequest() throws Exception {
        withDatabase();
        remember(Duration.ofMinutes(10));
        HistoryAnswer answer =
                queries.answer(
                        new HistoryQuery(
                                Subject.VM,
                                ID,
                                List.of(VM_CPU_USAGE),
                                clock.now().minus(Duration.ofHours(2)),
                                clock.now(),
                                null,
                                true));
        assertThat(reads).isEmpty();
        assertThat(answer.sources())
                .extracting(HistoryAnswer.Source::name)
                .containsExactly("memory");
        assertThat(answer.missing()).isNull();
    }

    @Test
    void withoutADatabaseMemoryIsAll() throws Exception {
        assertThat(points(queries.answer(ask(Duration.ofHours(1), null)))).containsOnlyNulls();
        remember(Duration.ofMinutes(1));
        assertThat(points(queries.answer(ask(Duration.ofDays(1), null))))
                .contains((HistoryPoint) null);
    }

    @Test
    void tooManyPointsAreRefusedWithARemedy() {
        assertThatThrownBy(() -> queries.answer(ask(Duration.ofDays(10), Duration.ofSeconds(15))))
                .isInstanceOf(HistoryQueries.Refused.class)
                .hasMessageContaining("20000")
                .hasMessageContaining("ask for a step of PT1M or more");
    }

    @Test
    void theFutureIsNotRead() throws Exception {
        Instant now = clock.now();
        assertThatExceptionOfType(HistoryQueries.Refused.class)
                .isThrownBy(() -> queries.answer(at(now, now.plusSeconds(60), null)));
        assertThatExceptionOfType(HistoryQueries.Refused.class)
                .isThrownBy(
                        () -> queries.answer(at(now.minusSeconds(5), now.minusSeconds(5), null)));
        HistoryAnswer answer =
                queries.answer(
                        at(now.minusSeconds(60), now.plusSeconds(3_600), Duration.ofSeconds(15)));
        assertThat(answer.points()).isLessThanOrEqualTo(5);
    }

    @Test
    void theDefaultStepKeepsWithinTheLimitOfAnAnswer() throws Exception {
        for (Duration time :
                List.of(Duration.ofMinutes(1), Duration.ofDays(1), Duration.ofDays(900))) {
            HistoryAnswer answer =
                    queries.answer(
                            new HistoryQuery(
                                    Subject.VM,
                                    ID,
                                    HistoryMetric.of(Subject.VM),
                                    clock.now().minus(time),
                                    clock.now(),
                                    null));
            assertThat(answer.points()).as("%s", time).isBetween(4, 502);
        }
    }

    private @Nullable Instant lateHour;

    /** A database that has a point for every time of every tier. */
    private void withDatabase() {
        queries.readFrom(
                new DurableHistory(
                        (metric, id, tier, from, to) -> {
                            if (!databaseAnswers) {
                                throw new StoreUnavailable("away", null);
                            }
                            reads.add(tier + " " + from + " " + to);
                            List<HistoryPoint> points = new ArrayList<>();
                            Instant at = Steps.ceiling(from, tier.width());
                            while (at.isBefore(to)) {
                                if (tier != HistoryTier.HOUR || !at.equals(lateHour)) {
                                    points.add(HistoryPoint.sample(at, 5));
                                }
                                at = at.plus(tier.width());
                            }
                            return points;
                        },
                        Duration.ofMinutes(1),
                        Duration.ofHours(24),
                        Duration.ofDays(60),
                        Duration.ofDays(1_826)));
    }

    /** A sample every 15 s, CPU usage counting up to a hundred. */
    private void remember(Duration time) {
        SampleRing kept = ring == null ? new SampleRing(settings.format(Subject.VM)) : ring;
        ring = kept;
        double[] values = new double[HistoryMetric.of(Subject.VM).size()];
        Arrays.fill(values, Double.NaN);
        for (long i = 0; i < time.dividedBy(CADENCE); i++) {
            values[VM_CPU_USAGE.index()] = clock.now().getEpochSecond() / 15 % 60;
            kept.add(clock.now().toEpochMilli(), values);
            clock.advance(CADENCE);
        }
    }

    private HistoryQuery ask(Duration time, @Nullable Duration step) {
        return at(clock.now().minus(time), clock.now(), step);
    }

    private static HistoryQuery at(Instant from, Instant to, @Nullable Duration step) {
        return new HistoryQuery(Subject.VM, ID, List.of(VM_CPU_USAGE), from, to, step);
    }

    private static List<@Nullable HistoryPoint> points(HistoryAnswer answer) {
        return answer.series().getFirst().points();
    }
}
