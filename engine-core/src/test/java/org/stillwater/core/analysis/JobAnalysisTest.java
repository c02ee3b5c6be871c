package org.stillwater.core.analysis;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.analysis.JobAnalysis.KnownJob;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmJobReport;
import org.stillwater.core.vm.BlockJobType;
import org.stillwater.core.vm.JobState;
import org.stillwater.core.vm.JobType;
import org.stillwater.core.vm.VmJob;

class JobAnalysisTest {

    private static final VmId VM = new VmId(1, 2);
    private static final UUID ONE = new UUID(3, 1);
    private static final UUID TWO = new UUID(3, 2);
    private static final UUID DISK = new UUID(4, 1);

    private static VmJob job(UUID id, long cursor) {
        return new VmJob(
                id, VM, JobState.NORMAL, JobType.BLOCK, BlockJobType.COMMIT, 0, cursor, 100, DISK);
    }

    private static KnownJob started(UUID id, long cursor, @Nullable Long startedNanos) {
        return new KnownJob(job(id, cursor), startedNanos);
    }

    private static VmJobReport report(UUID id, long cursor) {
        return new VmJobReport(id, JobType.BLOCK, BlockJobType.COMMIT, 0L, cursor, 100L, DISK);
    }

    private static JobAnalysis.Outcome decide(KnownJob known, VmJobReport... reported) {
        return JobAnalysis.decide(VM, List.of(known), List.of(reported), 1_000);
    }

    @Test
    void anEqualJobIsNothing() {
        KnownJob known = started(ONE, 10, 5L);
        assertThat(decide(known, report(ONE, 10)))
                .isEqualTo(
                        new JobAnalysis.Outcome(List.of(known), List.of(), List.of(), List.of()));
    }

    @Test
    void theStateAloneIsNotWorthARow() {
        KnownJob fresh = new KnownJob(job(ONE, 10).in(JobState.UNKNOWN), 5L);
        JobAnalysis.Outcome outcome = decide(fresh, report(ONE, 10));
        assertThat(outcome.updated()).isEmpty();
        assertThat(outcome.known()).containsExactly(started(ONE, 10, 5L));
    }

    @Test
    @DisplayName("S72 A job that moved is updated and keeps its start time")
    void aJobThatMovedIsUpdatedAndKeepsItsStartTime() {
        JobAnalysis.Outcome outcome = decide(started(ONE, 10, 5L), report(ONE, 20));
        assertThat(outcome.updated()).containsExactly(job(ONE, 20));
        assertThat(outcome.known()).containsExactly(started(ONE, 20, 5L));
        assertThat(outcome.ended()).isEmpty();
    }

    @Test
    void aJobThatIsNotReportedEnded() {
        JobAnalysis.Outcome outcome = decide(started(ONE, 10, 5L));
        assertThat(outcome.ended()).containsExactly(ONE);
        assertThat(outcome.known()).isEmpty();
    }

    @Test
    void aJobThatIsReportedForTheFirstTimeIsKnownFromThen() {
        JobAnalysis.Outcome outcome = decide(started(ONE, 10, 5L), report(TWO, 10));
        assertThat(outcome.found()).containsExactly(job(TWO, 10));
        assertThat(outcome.known()).containsExactly(started(TWO, 10, 1_000L));
        assertThat(outcome.updated()).isEmpty();
        assertThat(outcome.ended()).containsExactly(ONE);
    }

    @Test
    void aNewJobOfWhichOnlyTheIdCouldBeReadIsNotKnown() {
        JobAnalysis.Outcome outcome =
                decide(
                        started(ONE, 10, 5L),
                        report(ONE, 10),
                        VmJobReport.unreadable(TWO),
                        new VmJobReport(TWO, JobType.BLOCK, null, 0L, 1L, 2L, DISK));
        assertThat(outcome.found()).isEmpty();
        assertThat(outcome.known()).containsExactly(started(ONE, 10, 5L));
    }

    @Test
    void numbersThatANewJobDoesNotReportAreZero() {
        VmJobReport bare =
                new VmJobReport(TWO, JobType.BLOCK, BlockJobType.COMMIT, null, null, null, null);
        assertThat(bare.asNew(VM))
                .isEqualTo(
                        new VmJob(
                                TWO,
                                VM,
                                JobState.NORMAL,
                                JobType.BLOCK,
                                BlockJobType.COMMIT,
                                0,
                                0,
                                0,
                                null));
    }

    @Test
    void aJobOfAnEarlierLifeOfTheEngineIsOlderThanEveryReport() {
        assertThat(decide(started(ONE, 10, null)).ended()).containsExactly(ONE);
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                -1,
                1,
                -5_000_000_000L,
                Long.MAX_VALUE - 5,
                Long.MIN_VALUE + 3,
                Long.MAX_VALUE,
                Long.MIN_VALUE
            })
    @DisplayName("S71 T27 A list requested before the start has no effect, for any clock")
    void aListFromBeforeTheStartIsIgnored(long started) {
        KnownJob known = started(ONE, 10, started);
        for (long earlier : new long[] {started, started - 1, started - 1_000_000_000_000L}) {
            assertThat(JobAnalysis.decide(VM, List.of(known), List.of(), earlier))
                    .as("asked for at %d", earlier)
                    .isEqualTo(
                            new JobAnalysis.Outcome(
                                    List.of(known), List.of(), List.of(), List.of()));
            assertThat(
                            JobAnalysis.decide(
                                            VM, List.of(known), List.of(report(ONE, 99)), earlier)
                                    .updated())
                    .isEmpty();
        }
        for (long later : new long[] {started + 1, started + 1_000_000_000_000L}) {
            assertThat(JobAnalysis.decide(VM, List.of(known), List.of(), later).ended())
                    .as("asked for at %d", later)
                    .containsExactly(ONE);
        }
    }

    @Test
    void unreportedFieldsOfAJobStay() {
        KnownJob known = started(ONE, 10, 5L);
        assertThat(decide(known, VmJobReport.unreadable(ONE)).updated()).isEmpty();
        VmJob moved =
                new VmJob(
                        ONE,
                        VM,
                        JobState.NORMAL,
                        JobType.BLOCK,
                        BlockJobType.COMMIT,
                        7,
                        10,
                        200,
                        DISK);
        assertThat(decide(known, new VmJobReport(ONE, null, null, 7L, null, 200L, null)).updated())
                .containsExactly(moved);
    }

    @Test
    void manyJobsAreSortedOutOneByOne() {
        KnownJob young = started(new UUID(3, 3), 1, 2_000L);
        JobAnalysis.Outcome outcome =
                JobAnalysis.decide(
                        VM,
                        List.of(started(ONE, 10, 5L), started(TWO, 10, null), young),
                        List.of(report(TWO, 11)),
                        1_000);
        assertThat(outcome.ended()).containsExactly(ONE);
        assertThat(outcome.updated()).containsExactly(job(TWO, 11));
        assertThat(outcome.known()).containsExactly(started(TWO, 11, null), young);
    }

    @Test
    void progressIsKnownOnceTheEndIs() {
        VmJobReport bare =
                new VmJobReport(ONE, JobType.BLOCK, BlockJobType.COMMIT, null, 5L, null, DISK);
        assertThat(bare.over(job(ONE, 0)).progressPercent()).isEqualTo(5);
        assertThat(requireNonNull(bare.asNew(VM)).progressPercent()).isNull();
        assertThat(job(ONE, 0).progressPercent()).isZero();
        assertThat(job(ONE, 99).progressPercent()).isEqualTo(99);
        assertThat(job(ONE, 250).progressPercent()).isEqualTo(100);
    }
}
