package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.model.ExitReason;
import org.stillwater.core.model.ExitStatus;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.StatisticsStore.Sample;
import org.stillwater.core.report.VmSample;

class StatisticsDumpTest {

    private static final Duration INTERVAL = Duration.ofSeconds(60);

    private final Lab lab = new Lab().with(MonitoringSettings.DEFAULT.withDumpInterval(INTERVAL));
    private long stamp = 100;

    private void twoVmsUp() throws Exception {
        lab.storedHosts(ALPHA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, ALPHA, VmStatus.UP)
                .started();
        answer(numbers(10), numbers(10));
    }

    private static Consumer<VmSample> numbers(long elapsed) {
        return sample -> {
            sample.cpuUserPercent = 12.5;
            sample.cpuSystemPercent = 0.5;
            sample.elapsedSeconds = elapsed;
            sample.memoryUsagePercent = 40;
            sample.memoryBufferedKibibytes = 1_024;
            sample.disksUsageDigest = 5;
            sample.disksUsage = "[]";
        };
    }

    private static Sample sample(long elapsed) {
        return new Sample(VM, 12.5, 0.5, elapsed, 3, 40, null, "[]", 1_024L, null);
    }

    private void answer(Consumer<VmSample> first, Consumer<VmSample> second) {
        long at = stamp++;
        lab.answer(
                ALPHA,
                poll -> {
                    poll.running(VM, at, null, status(VmStatus.UP), first);
                    poll.running(OTHER, at, null, status(VmStatus.UP), second);
                });
        lab.settle();
    }

    private void cycle(Consumer<VmSample> first, Consumer<VmSample> second) {
        lab.clock.advance(lab.settings.hosts().interval());
        lab.pump();
        lab.host(ALPHA).answerStatistics();
        answer(first, second);
    }

    @Test
    @DisplayName("S105 Samples are at most an interval old, in at most one batch per interval")
    void samplesAreAtMostAnIntervalOld() throws Exception {
        twoVmsUp();
        int others = lab.sqlCalls();
        assertThat(lab.statistics.calls()).as("the first dump comes after an interval").isZero();
        int seconds = 10;
        for (int minute = 1; minute <= 10; minute++) {
            for (int i = 0; i < 4; i++) {
                seconds += 15;
                cycle(numbers(seconds), numbers(10));
            }
            lab.clock.advance(Duration.ofMillis(1));
            lab.pump();
            assertThat(lab.statistics.calls())
                    .as("dumps by minute %d", minute)
                    .isLessThanOrEqualTo(minute);
            assertThat(lab.statistics.sample(VM).elapsedSeconds())
                    .as("sample in minute %d", minute)
                    .isBetween(seconds - 60L, (long) seconds);
        }
        assertThat(lab.statistics.calls()).isGreaterThanOrEqualTo(9);
        assertThat(lab.statistics.rows())
                .as("the VM whose values stand was written once")
                .isEqualTo(lab.statistics.calls() + 1);
        assertThat(lab.sqlCalls()).as("no cycle had anything to do with it").isEqualTo(others);
    }

    @Test
    @DisplayName("S105 A stable VM is not written again")
    void aStableVmIsNotWrittenAgain() throws Exception {
        twoVmsUp();
        lab.clock.advance(INTERVAL);
        lab.pump();
        assertThat(lab.statistics.sample(VM)).isEqualTo(sample(10));
        assertThat(lab.statistics.calls()).isEqualTo(1);
        for (int i = 0; i < 5; i++) {
            lab.clock.advance(INTERVAL);
            lab.pump();
        }
        assertThat(lab.statistics.calls()).isEqualTo(1);
    }

    @Test
    @DisplayName("S105 A database that is away costs a dump, and the next one makes up for it")
    void anAbsentDatabaseCostsOneDump() throws Exception {
        twoVmsUp();
        lab.statistics.unavailable("gone");
        lab.clock.advance(INTERVAL);
        lab.pump();
        assertThat(lab.counter("stillwater.dwh.skipped")).isEqualTo(1);
        assertThat(lab.engine.health().writer().notDurableSince())
                .as("the writer has nothing to do with it")
                .isNull();
        lab.clock.advance(INTERVAL.dividedBy(2));
        lab.pump();
        assertThat(lab.statistics.calls()).as("not tried again at once").isEqualTo(1);

        lab.statistics.unavailable(null);
        lab.clock.advance(INTERVAL.dividedBy(2));
        lab.pump();
        assertThat(lab.statistics.sample(VM)).isEqualTo(sample(10));
        assertThat(lab.statistics.rows()).isEqualTo(2);
    }

    @Test
    void aVmThatStoppedIsSampledAsSuchOnce() throws Exception {
        twoVmsUp();
        lab.clock.advance(INTERVAL);
        lab.pump();
        lab.event(
                ALPHA,
                event ->
                        event.exited(
                                VM,
                                9_000,
                                ExitStatus.NORMAL,
                                ExitReason.ADMIN_SHUTDOWN,
                                "stopped"));
        for (int i = 0; i < 3; i++) {
            lab.clock.advance(INTERVAL);
            lab.pump();
        }
        assertThat(lab.statistics.sample(VM))
                .isEqualTo(new Sample(VM, 0.0, 0.0, 0L, 0, 0, 0, null, null, null));
        assertThat(lab.statistics.calls()).isEqualTo(2);
    }

    @Test
    void aVmOfWhichNothingIsKnownYetIsLeftAlone() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.clock.advance(INTERVAL.multipliedBy(3));
        lab.pump();
        assertThat(lab.statistics.calls()).isZero();
    }

    @Test
    void aVmThatStoppedWhileTheEngineWasAwayUsesNothing() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.DOWN).started();
        lab.clock.advance(INTERVAL.multipliedBy(3));
        lab.pump();
        assertThat(lab.statistics.sample(VM))
                .isEqualTo(new Sample(VM, 0.0, 0.0, 0L, 0, 0, 0, null, null, null));
        assertThat(lab.statistics.calls()).isEqualTo(1);
    }

    @Test
    void zeroIsNever() throws Exception {
        lab.with(MonitoringSettings.DEFAULT.withDumpInterval(Duration.ZERO));
        twoVmsUp();
        lab.clock.advance(INTERVAL.multipliedBy(10));
        lab.pump();
        assertThat(lab.statistics.calls()).isZero();
    }
}
