package org.stillwater.monitoring.history.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TimeZone;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.history.HistoryTier;
import org.stillwater.core.store.StoreUnavailable;

class HistoryRecorderTest {

    private static final HistoryMetric CPU = HistoryMetric.VM_CPU_USAGE;
    private static final UUID VM = new UUID(0x8000_0000_0000_0001L, 1);
    private static final UUID OTHER = new UUID(2, 2);
    private static final Instant HOUR = Recording.START.truncatedTo(ChronoUnit.HOURS);
    private static final Instant LATER = HOUR.plus(3, ChronoUnit.DAYS);

    private final Recording lab = new Recording(DurableHistorySettings.DEFAULT);

    private static Instant minute(int n) {
        return HOUR.plus(n, ChronoUnit.MINUTES);
    }

    private List<HistoryPoint> read(HistoryTier tier) throws StoreUnavailable {
        return lab.store.read(CPU, VM, tier, HOUR.minus(1, ChronoUnit.DAYS), LATER);
    }

    private void passMinutes(int minutes) {
        lab.pass(Duration.ofMinutes(minutes));
    }

    @Test
    void samplesAreTakenAtMultiplesOfTheInterval() throws StoreUnavailable {
        lab.fleet.vm(VM, 7);
        passMinutes(3);
        assertThat(lab.store.intervals()).containsExactly(minute(1), minute(2), minute(3));
        assertThat(read(HistoryTier.MINUTE)).isEqualTo(lab.shown(CPU, VM));
    }

    @Test
    void aStableFleetWritesOneRowPerIntervalAndNoneOfAVm() {
        for (int n = 0; n < 500; n++) {
            lab.fleet.vm(new UUID(9, n), n);
        }
        passMinutes(1);
        assertThat(lab.store.sampleRows()).as("the first interval, in full").isEqualTo(500);
        int rows = lab.store.rows();
        int calls = lab.store.calls();
        passMinutes(10);
        assertThat(lab.store.sampleRows()).isEqualTo(500);
        assertThat(lab.store.rows() - rows).as("one row of each interval").isEqualTo(10);
        assertThat(lab.store.calls() - calls).as("one batch of each").isEqualTo(10);
    }

    @Test
    void everyHourBeginsInFull() {
        lab.fleet.vm(VM, 7);
        passMinutes(60);
        assertThat(lab.store.sampleRows()).isEqualTo(2);
    }

    @Test
    void endedNumbersAreWrittenOnceAsUnknown() throws StoreUnavailable {
        lab.fleet.vm(VM, 7);
        lab.fleet.vm(OTHER, 8);
        passMinutes(2);
        lab.fleet.vms.remove(VM);
        passMinutes(5);
        assertThat(lab.store.sampleRows()).isEqualTo(3);
        assertThat(read(HistoryTier.MINUTE))
                .isEqualTo(lab.shown(CPU, VM))
                .extracting(HistoryPoint::at)
                .containsExactly(minute(1), minute(2));
    }

    @Test
    void staleNumbersAreUnknown() throws StoreUnavailable {
        lab.fleet.vm(VM, 7);
        lab.fleet.observedMillis = minute(2).plusSeconds(40).toEpochMilli();
        passMinutes(6);
        assertThat(read(HistoryTier.MINUTE))
                .extracting(HistoryPoint::at)
                .containsExactly(minute(1), minute(2), minute(3));
    }

    @Test
    void anHourIsRolledUpAsItCloses() throws StoreUnavailable {
        for (int n = 1; n <= 70; n++) {
            lab.fleet.vm(VM, n);
            passMinutes(1);
        }
        assertThat(lab.store.hours()).containsExactly(HOUR);
        assertThat(read(HistoryTier.HOUR)).containsExactly(new HistoryPoint(HOUR, 1, 30, 59, 59));
    }

    @Test
    void anEngineThatStartsWithinAnHourContinuesIt() throws StoreUnavailable {
        lab.fleet.vm(VM, 10);
        passMinutes(20);
        lab.restart();
        lab.fleet.vm(VM, 40);
        passMinutes(45);
        assertThat(read(HistoryTier.HOUR))
                .containsExactly(
                        new HistoryPoint(HOUR, 10, (float) ((20 * 10 + 39 * 40) / 59.0), 40, 59));
    }

    @Test
    void hoursThatClosedWhileTheEngineWasAwayAreMadeUpForAndSoAreDays() throws StoreUnavailable {
        lab.fleet.vm(VM, 10);
        passMinutes(100);
        lab.clock.advance(Duration.ofHours(30));
        lab.restart();
        passMinutes(2);
        assertThat(lab.store.hours()).containsExactly(HOUR, minute(60));
        Instant day = HOUR.truncatedTo(ChronoUnit.DAYS);
        assertThat(lab.store.days()).containsExactly(day);
        assertThat(read(HistoryTier.DAY)).containsExactly(new HistoryPoint(day, 10, 10, 10, 100));
    }

    /** As while the disk is too full: nothing is written, and old samples must go. */
    @Test
    void samplesThatCannotBeRolledUpAreNotKept() throws StoreUnavailable {
        lab.fleet.vm(VM, 10);
        passMinutes(10);
        lab.clock.advance(Duration.ofHours(30));
        lab.store.refuseRollUps("no room");
        lab.restart();
        passMinutes(1);
        assertThat(lab.store.intervals()).doesNotContain(minute(1)).isNotEmpty();
    }

    @Test
    void aDayIsRolledUpAsItCloses() throws StoreUnavailable {
        lab.fleet.vm(VM, 10);
        passMinutes(60);
        lab.fleet.vm(VM, 40);
        passMinutes(120);
        Instant day = HOUR.truncatedTo(ChronoUnit.DAYS);
        assertThat(lab.store.days()).containsExactly(day);
        assertThat(read(HistoryTier.DAY).getFirst().count()).isEqualTo(179);
        assertThat(read(HistoryTier.DAY).getFirst().mean())
                .isCloseTo((60 * 10 + 119 * 40) / 179.0, within(1e-5));
    }

    @Test
    void aShortAbsenceOfTheDatabaseCostsNothing() throws StoreUnavailable {
        lab.fleet.vm(VM, 7);
        passMinutes(2);
        lab.store.unavailable("gone");
        lab.fleet.vm(VM, 8);
        passMinutes(5);
        DurableHistoryState away = lab.recorder.state();
        assertThat(away.waiting()).isEqualTo(5);
        assertThat(away.notDurableSince()).isNotNull();
        assertThat(away.notDurableReason()).contains("gone");
        assertThat(lab.recorder.ageSeconds()).isGreaterThanOrEqualTo(300);
        lab.store.unavailable(null);
        passMinutes(1);
        assertThat(lab.store.intervals()).hasSize(8);
        assertThat(read(HistoryTier.MINUTE)).isEqualTo(lab.shown(CPU, VM));
        assertThat(lab.recorder.state())
                .isEqualTo(new DurableHistoryState(true, 0, minute(8), null, null, 0));
    }

    @Test
    void aLongAbsenceIsBoundedAndSumsOfHoursContinue() throws StoreUnavailable {
        lab.fleet.vm(VM, 7);
        passMinutes(2);
        lab.store.unavailable("gone");
        passMinutes(30);
        assertThat(lab.recorder.state().waiting()).isEqualTo(10);
        assertThat(lab.recorder.state().leftOut()).isEqualTo(20);
        assertThat(lab.skipped("backlog")).isEqualTo(20);
        lab.fleet.vm(VM, 9);
        passMinutes(5);
        lab.store.unavailable(null);
        passMinutes(40);
        assertThat(read(HistoryTier.MINUTE)).isEqualTo(lab.shown(CPU, VM));
        assertThat(read(HistoryTier.HOUR).getFirst().count())
                .as("memory knows more of the hour than was written")
                .isEqualTo(59);
        assertThat(lab.recorder.state().leftOut()).isZero();
    }

    @Test
    void closedHoursThatWaitAreBounded() throws StoreUnavailable {
        lab.fleet.vm(VM, 7);
        passMinutes(2);
        lab.store.unavailable("gone");
        passMinutes(6 * 60);
        assertThat(lab.meters.get("stillwater.history.hours.given.up").counter().count())
                .isEqualTo(3);
        lab.store.unavailable(null);
        passMinutes(5);
        assertThat(lab.store.hours())
                .as("the oldest was rolled up from what was durable of it")
                .containsExactly(HOUR, minute(180), minute(240), minute(300));
        assertThat(read(HistoryTier.HOUR))
                .extracting(HistoryPoint::count)
                .containsExactly(12, 60, 60, 60);
    }

    @Test
    void anAnswerThatWasLostDoublesNothing() throws StoreUnavailable {
        lab.fleet.vm(VM, 7);
        lab.store.loseAnswers(3);
        passMinutes(70);
        lab.store.loseAnswers(1);
        passMinutes(60);
        assertThat(read(HistoryTier.MINUTE)).isEqualTo(lab.shown(CPU, VM));
        assertThat(read(HistoryTier.HOUR)).extracting(HistoryPoint::count).containsExactly(59, 60);
    }

    @Test
    void aClockSetForwardLeavesAGap() throws StoreUnavailable {
        lab.fleet.vm(VM, 7);
        passMinutes(10);
        lab.clock.set(Duration.ofMinutes(100));
        passMinutes(20);
        assertThat(lab.store.intervals()).hasSize(10 + 20).doesNotHaveDuplicates();
        assertThat(lab.skipped("late")).isEqualTo(100);
        assertThat(read(HistoryTier.MINUTE)).isEqualTo(lab.shown(CPU, VM));
        assertThat(read(HistoryTier.HOUR))
                .containsExactly(
                        new HistoryPoint(HOUR, 7, 7, 7, 10),
                        new HistoryPoint(minute(60), 7, 7, 7, 9));
    }

    @Test
    void aClockSetBackRepeatsNothingAndRecordsMissingSamples() throws StoreUnavailable {
        lab.fleet.vm(VM, 7);
        passMinutes(30);
        lab.clock.set(Duration.ofMinutes(-12));
        lab.fleet.vm(VM, 9);
        passMinutes(60);
        assertThat(lab.store.intervals()).hasSize(78).doesNotHaveDuplicates();
        assertThat(lab.skipped("another")).isBetween(10.0, 13.0);
        assertThat(read(HistoryTier.MINUTE)).isEqualTo(lab.shown(CPU, VM));
        assertThat(read(HistoryTier.HOUR))
                .as("computed from what is saved: no minute counts twice")
                .containsExactly(
                        new HistoryPoint(HOUR, 7, (float) ((30 * 7 + 29 * 9) / 59.0), 9, 59));
    }

    @Test
    void anHourThatIsLivedTwiceIsRolledUpFromAllOfItsSamples() throws StoreUnavailable {
        lab.fleet.vm(VM, 7);
        passMinutes(30);
        lab.clock.set(Duration.ofHours(2)); // a wrong clock, for five minutes
        passMinutes(5);
        lab.clock.set(Duration.ofHours(-2));
        lab.fleet.vm(VM, 9);
        passMinutes(180);
        assertThat(read(HistoryTier.MINUTE)).isEqualTo(lab.shown(CPU, VM));
        List<HistoryPoint> hours = read(HistoryTier.HOUR);
        assertThat(hours).extracting(HistoryPoint::count).containsExactly(54, 60, 60);
        assertThat(hours.getFirst().mean()).isCloseTo((30 * 7 + 24 * 9) / 54.0, within(1e-5));
        assertThat(hours.get(2).min()).as("what the wrong clock said stays").isEqualTo(7);
    }

    @Test
    void aBugInTheFleetCostsItsInterval() throws StoreUnavailable {
        lab.fleet.vm(VM, 7);
        passMinutes(2);
        double[] broken = new double[3];
        lab.fleet.vms.put(OTHER, broken);
        lab.clock.advance(Duration.ofMinutes(1));
        assertThat(lab.recorder.sampleDue()).isTrue();
        lab.fleet.vms.remove(OTHER);
        assertThat(lab.skipped("failed")).isEqualTo(1);
        passMinutes(3);
        assertThat(lab.store.intervals())
                .containsExactly(minute(1), minute(2), minute(4), minute(5), minute(6));
        assertThat(read(HistoryTier.MINUTE)).hasSize(5);
    }

    @Test
    void excludedNumbersAreNotRecorded() {
        Recording off = new Recording(DurableHistorySettings.DEFAULT.withEnabled(false));
        off.fleet.vm(VM, 7);
        off.pass(Duration.ofHours(2));
        assertThat(off.store.calls()).isZero();
        assertThat(off.recorder.state().enabled()).isFalse();
        assertThat(off.recorder.ageSeconds()).isNaN();
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 30);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void readPointsEqualTheSamplesInEveryHistory(long seed) throws StoreUnavailable {
        Random random = new Random(seed);
        List<UUID> ids = List.of(VM, OTHER, new UUID(3, 3), new UUID(4, 4));
        for (int step = 0; step < 150; step++) {
            for (UUID id : ids) {
                change(random, id);
            }
            switch (random.nextInt(25)) {
                case 0 -> lab.store.unavailable("away");
                case 1, 2 -> lab.store.unavailable(null);
                case 3 -> lab.store.loseAnswers(1 + random.nextInt(3));
                case 4 -> lab.restart();
                case 5 -> lab.clock.set(Duration.ofSeconds(random.nextInt(7_200)));
                case 6 -> lab.clock.set(Duration.ofSeconds(-random.nextInt(7_200)));
                default -> {
                    // nothing but time
                }
            }
            lab.pass(Duration.ofSeconds(random.nextInt(6) * 60 + 10));
        }
        lab.store.unavailable(null);
        passMinutes(180);

        List<Instant> intervals = lab.store.intervals();
        assertThat(intervals).as("seed %d", seed).doesNotHaveDuplicates();
        for (HistoryMetric metric : HistoryMetric.values()) {
            for (UUID id : ids) {
                List<HistoryPoint> read =
                        lab.store.read(metric, id, HistoryTier.MINUTE, Instant.EPOCH, Instant.MAX);
                assertThat(read)
                        .as("seed %d, %s of %s", seed, metric, id)
                        .isEqualTo(lab.shown(metric, id));
                for (HistoryPoint hour :
                        lab.store.read(metric, id, HistoryTier.HOUR, Instant.EPOCH, Instant.MAX)) {
                    assertThat(hour.count()).as("seed %d", seed).isBetween(1, 60);
                    assertThat(hour.mean())
                            .as("seed %d", seed)
                            .isBetween(hour.min() - 0.01, hour.max() + 0.01);
                }
            }
        }
        List<Instant> past =
                intervals.stream()
                        .map(at -> at.truncatedTo(ChronoUnit.HOURS))
                        .filter(at ->
                                at.isBefore(intervals.getLast().truncatedTo(ChronoUnit.HOURS)))
                        .distinct()
                        .toList();
        assertThat(lab.store.hours())
                .as("seed %d: every hour with samples is rolled up", seed)
                .containsAll(past);
    }

    private void change(Random random, UUID id) {
        switch (random.nextInt(6)) {
            case 0 -> {
                lab.fleet.vms.remove(id);
                lab.fleet.hosts.remove(id);
            }
            case 1 -> {
                lab.fleet.vm(id, random.nextInt(100));
                double[] host = new double[HistoryMetric.of(Subject.HOST).size()];
                Arrays.fill(host, random.nextInt(4) == 0 ? Double.NaN : random.nextInt(100));
                lab.fleet.hosts.put(id, host);
            }
            default -> {
                // as it was
            }
        }
    }

    @Test
    @DisplayName("a leap second repeats no minute, inserted or smeared or left out")
    void leapSeconds() throws StoreUnavailable {
        for (int milliseconds : new int[] {-1000, -500, 1000}) {
            Recording now = new Recording(DurableHistorySettings.DEFAULT);
            now.fleet.vm(VM, 7);
            now.pass(Duration.ofMinutes(59)); // the last step is the first after a minute began
            now.clock.advance(Duration.ofSeconds(40)); // 23:59:60 is 23:59:59 again
            now.step();
            now.clock.set(Duration.ofMillis(milliseconds));
            now.step();
            now.pass(Duration.ofMinutes(70));
            assertThat(now.store.intervals())
                    .as("%d ms", milliseconds)
                    .hasSize(milliseconds > 0 ? 130 : 129) // until 23:10:01, or just before 23:10
                    .doesNotHaveDuplicates();
            assertThat(
                            now
                                    .store
                                    .read(
                                            CPU,
                                            VM,
                                            HistoryTier.HOUR,
                                            HOUR.minus(1, ChronoUnit.DAYS),
                                            LATER)
                                    .stream()
                                    .map(HistoryPoint::count))
                    .containsExactly(59, 60);
        }
    }

    @Test
    @DisplayName("a clock step back at a minute's beginning does not record the minute twice")
    void stepBackOverAMinute() {
        lab.fleet.vm(VM, 7);
        passMinutes(5);
        lab.clock.set(Duration.ofSeconds(-30));
        passMinutes(5);
        assertThat(lab.store.intervals()).doesNotHaveDuplicates().hasSizeBetween(9, 10);
    }

    @Test
    @DisplayName("a day of 23 or 25 hours of the operator's zone has every hour once, in UTC")
    void daylightSavingTime() throws StoreUnavailable {
        TimeZone before = TimeZone.getDefault();
        try {
            TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
            for (String change : new String[] {"2026-03-29T00:00:20Z", "2026-10-25T00:00:20Z"}) {
                Recording now = new Recording(DurableHistorySettings.DEFAULT);
                now.clock.set(Duration.between(Recording.START, Instant.parse(change)));
                now.restart();
                now.fleet.vm(VM, 7);
                now.pass(Duration.ofHours(4));
                Instant first = Instant.parse(change).truncatedTo(ChronoUnit.HOURS);
                assertThat(now.store.intervals()).hasSize(240).doesNotHaveDuplicates();
                assertThat(now.store.hours())
                        .containsExactly(
                                first,
                                first.plus(1, ChronoUnit.HOURS),
                                first.plus(2, ChronoUnit.HOURS),
                                first.plus(3, ChronoUnit.HOURS));
            }
        } finally {
            TimeZone.setDefault(before);
        }
    }
}
