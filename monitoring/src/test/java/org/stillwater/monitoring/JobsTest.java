package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmJobReport;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.BlockJobType;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.JobState;
import org.stillwater.core.vm.JobType;
import org.stillwater.core.vm.VmJob;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.ScriptedReports;

class JobsTest {

    private static final UUID JOB = new UUID(9, 1);
    private static final UUID DISK = new UUID(9, 2);

    private final Lab lab = new Lab();

    private void oneVmUp() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> reporting(poll, 100, null));
        lab.settle();
    }

    private static void reporting(
            ScriptedReports poll, long stamp, @Nullable List<VmJobReport> jobs) {
        reporting(poll, VM, stamp, jobs);
    }

    private static void reporting(
            ScriptedReports poll, VmId vm, long stamp, @Nullable List<VmJobReport> jobs) {
        poll.running(
                vm,
                stamp,
                null,
                status(VmStatus.UP),
                sample -> sample.jobs = jobs == null ? null : new ArrayList<>(jobs));
    }

    /** The host reports the job for the first time. */
    private void found(long cursor) throws Exception {
        lab.cycle(ALPHA, poll -> reporting(poll, 150, List.of(at(cursor))));
    }

    private static VmJob job(long cursor) {
        return new VmJob(
                JOB, VM, JobState.NORMAL, JobType.BLOCK, BlockJobType.COMMIT, 0, cursor, 100, DISK);
    }

    private static VmJobReport at(long cursor) {
        return new VmJobReport(JOB, JobType.BLOCK, BlockJobType.COMMIT, 0L, cursor, 100L, DISK);
    }

    @Test
    @DisplayName(
            "S72 A job that a host reports is known and saved, followed, and removed at its end")
    void aReportedJobIsKnownUntilItEnds() throws Exception {
        oneVmUp();
        lab.cycle(ALPHA, poll -> reporting(poll, 200, List.of(at(10))));
        assertThat(lab.engine.fleet().jobs().of(VM)).containsExactly(job(10));
        assertThat(lab.jobs.job(JOB)).isEqualTo(job(10));

        lab.cycle(ALPHA, poll -> reporting(poll, 300, List.of(at(20))));
        assertThat(lab.engine.fleet().jobs().of(VM)).containsExactly(job(20));
        assertThat(lab.jobs.job(JOB)).isEqualTo(job(20));

        lab.cycle(ALPHA, poll -> reporting(poll, 400, List.of()));
        assertThat(lab.engine.fleet().jobs().of(VM)).isEmpty();
        assertThat(lab.jobs.job(JOB)).isNull();
        assertThat(lab.counter("stillwater.jobs.updated")).isEqualTo(1);
        assertThat(lab.counter("stillwater.jobs.ended")).isEqualTo(1);
    }

    @Test
    @DisplayName("S71 T27 A list asked for before a job was found does not end it; the next does")
    void aListFromBeforeDoesNotEndAJob() throws Exception {
        oneVmUp();
        found(10);
        lab.cycle(ALPHA, poll -> reporting(poll, 200, List.of(at(20))));
        long before = lab.clock.nanoTime() - lab.settings.hosts().interval().toNanos() * 10;
        lab.engine.fleet().jobs().reported(VM, List.of(), before);
        assertThat(lab.engine.fleet().jobs().of(VM)).containsExactly(job(20));
        assertThat(lab.jobs.job(JOB)).isNotNull();

        lab.cycle(ALPHA, poll -> reporting(poll, 300, List.of()));
        assertThat(lab.engine.fleet().jobs().of(VM)).isEmpty();
        assertThat(lab.jobs.job(JOB)).isNull();
    }

    @Test
    @DisplayName("S72 A job that moved is written, one that stands is not, and silence keeps it")
    void aJobIsWrittenWhenItMoves() throws Exception {
        oneVmUp();
        found(10);
        int calls = lab.jobs.calls();

        lab.cycle(ALPHA, poll -> reporting(poll, 200, List.of(at(20))));
        assertThat(lab.jobs.job(JOB)).isEqualTo(job(20));
        assertThat(lab.jobs.calls() - calls).isEqualTo(1);

        int all = lab.sqlCalls();
        lab.cycle(ALPHA, poll -> reporting(poll, 300, List.of(at(20))));
        lab.cycle(ALPHA, poll -> reporting(poll, 400, null));
        assertThat(lab.sqlCalls()).as("nothing moved").isEqualTo(all);
        assertThat(lab.engine.fleet().jobs().of(VM)).containsExactly(job(20));
    }

    @Test
    @DisplayName(
            "S73 Without jobs, and with jobs of which only the id is known, nothing is written")
    void withoutJobsThereIsNoWork() throws Exception {
        oneVmUp();
        int calls = lab.sqlCalls();
        for (int i = 0; i < 10; i++) {
            long stamp = 200L + i;
            List<VmJobReport> jobs =
                    i % 2 == 0 ? List.of() : List.of(VmJobReport.unreadable(new UUID(9, i)));
            lab.cycle(ALPHA, poll -> reporting(poll, stamp, jobs));
        }
        assertThat(lab.sqlCalls()).isEqualTo(calls);
        assertThat(lab.engine.fleet().jobs().of(VM)).isEmpty();
    }

    @Test
    @DisplayName("S73 A VM without jobs has none while another one has some")
    void onlyTheVmThatIsNamedHasTheJob() throws Exception {
        lab.storedHosts(ALPHA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, ALPHA, VmStatus.UP)
                .started();
        lab.answer(
                ALPHA,
                poll -> {
                    reporting(poll, VM, 100, List.of());
                    reporting(poll, OTHER, 100, List.of());
                });
        lab.cycle(
                ALPHA,
                poll -> {
                    reporting(poll, VM, 200, List.of(at(20)));
                    reporting(poll, OTHER, 200, List.of());
                });
        assertThat(lab.engine.fleet().jobs().of(VM)).containsExactly(job(20));
        assertThat(lab.engine.fleet().jobs().of(OTHER)).isEmpty();
        assertThat(lab.jobs.size()).isEqualTo(1);
    }

    @Test
    @DisplayName("T28 A VM that goes down takes its jobs with it")
    void aStoppedVmHasNoJobs() throws Exception {
        oneVmUp();
        found(10);
        lab.event(
                ALPHA,
                event ->
                        event.exited(
                                VM, 200, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN, "stopped"));
        lab.settle();
        assertThat(lab.status(VM)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.engine.fleet().jobs().of(VM)).isEmpty();
        assertThat(lab.jobs.job(JOB)).isNull();
    }

    @Test
    @DisplayName(
            "S102 A deleted VM leaves nothing behind, and the tail of a poll brings nothing back")
    void aDeletedVmLeavesNothingBehind() throws Exception {
        oneVmUp();
        found(10);
        lab.clock.advance(lab.settings.hosts().interval());
        lab.pump(); // the poll is under way
        lab.clock.advance(Duration.ofMillis(1));

        assertThat(lab.engine.commandAccess().forget(VM)).isTrue();
        assertThat(lab.engine.commandAccess().forget(VM)).isFalse();
        lab.answer(ALPHA, poll -> reporting(poll, 200, List.of(at(20))));
        lab.settle();

        assertThat(lab.engine.fleet().vm(VM)).isNull();
        assertThat(lab.engine.fleet().jobs().of(VM)).isEmpty();
        assertThat(lab.jobs.size()).isZero();
        assertThat(lab.host(ALPHA).domainCallsWaiting()).as("taken in again").isZero();
        assertThat(lab.host(ALPHA).destroyed()).isEmpty();
        assertThat(lab.counter("stillwater.reports", "outcome", "failed")).isZero();
    }

    @Test
    void jobsOfStoppedVmsAreDroppedAtTheStart() throws Exception {
        lab.storedHosts(ALPHA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, ALPHA, VmStatus.DOWN);
        VmJob left =
                new VmJob(
                        new UUID(9, 7),
                        OTHER,
                        JobState.NORMAL,
                        JobType.BLOCK,
                        BlockJobType.COMMIT,
                        0,
                        0,
                        100,
                        DISK);
        lab.jobs.put(job(10));
        lab.jobs.put(left);
        lab.started().settle();
        assertThat(lab.engine.fleet().jobs().of(VM)).containsExactly(job(10));
        assertThat(lab.engine.fleet().jobs().of(OTHER)).isEmpty();
        assertThat(lab.jobs.job(left.id())).isNull();

        // Every report is later than a job of an earlier life.
        lab.answer(ALPHA, poll -> reporting(poll, 100, List.of()));
        lab.settle();
        assertThat(lab.jobs.size()).isZero();
    }

    @Test
    void aRepeatedStartKnowsAJobOnce() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP);
        lab.jobs.put(job(10));
        lab.audit.unavailable("gone");
        assertThatExceptionOfType(StoreUnavailable.class)
                .isThrownBy(lab.engine::startWithoutThreads);

        lab.audit.unavailable(null);
        lab.started().settle();
        assertThat(lab.engine.fleet().jobs().of(VM)).containsExactly(job(10));
        lab.answer(ALPHA, poll -> reporting(poll, 100, List.of(at(10))));
        lab.settle();
        assertThat(lab.jobs.job(JOB)).isEqualTo(job(10));
    }

    @Test
    void whatTheDatabaseDoesNotTakeIsWrittenLater() throws Exception {
        oneVmUp();
        found(10);
        lab.jobs.unavailable("gone");
        lab.cycle(ALPHA, poll -> reporting(poll, 200, List.of(at(20))));
        lab.cycle(ALPHA, poll -> reporting(poll, 300, List.of(at(30))));
        assertThat(lab.engine.fleet().jobs().of(VM)).containsExactly(job(30));
        assertThat(lab.jobs.job(JOB)).isEqualTo(job(10));

        lab.jobs.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(10));
        lab.settle();
        assertThat(lab.jobs.job(JOB)).isEqualTo(job(30));
        lab.cycle(ALPHA, poll -> reporting(poll, 400, List.of()));
        assertThat(lab.jobs.size()).isZero();
    }
}
