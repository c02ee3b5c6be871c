package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.history.HistoryMetric.HOST_CPU_USER;
import static org.stillwater.core.history.HistoryMetric.VM_CPU_USER;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.history.HistoryAnswer;
import org.stillwater.monitoring.history.HistoryQuery;

/** An hour of cycles in memory, asked for through the engine. */
class RecentHistoryTest {

    private final Lab lab = new Lab();
    private int stamp = 100;

    @Test
    void theLastHourOfAVmAndItsHostIsThereWithoutAStatement() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        cycles(250);
        int statements = lab.sqlCalls();

        HistoryAnswer ofVm = lastHour(Subject.VM, VM.toUuid(), VM_CPU_USER);
        HistoryAnswer ofHost = lastHour(Subject.HOST, ALPHA.value(), HOST_CPU_USER);

        assertThat(lab.sqlCalls()).isEqualTo(statements);
        for (HistoryAnswer answer : List.of(ofVm, ofHost)) {
            assertThat(answer.step()).isEqualTo(Duration.ofSeconds(15));
            assertThat(answer.sources())
                    .extracting(HistoryAnswer.Source::name)
                    .containsExactly("memory");
            assertThat(answer.series().getFirst().points().stream().filter(Objects::isNull))
                    .as("but for the cycle under way, every step has its sample")
                    .hasSizeLessThanOrEqualTo(2);
            assertThat(answer.points()).isBetween(240, 241);
        }
        assertThat(Objects.requireNonNull(ofHost.series().getFirst().points().get(100)).mean())
                .isEqualTo(20.5);
    }

    @Test
    void aVmWithoutReportsHasAGap() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        cycles(20);
        lab.clock.advance(Duration.ofMinutes(10));
        lab.pump();
        cycles(20);

        HistoryAnswer answer = lastHour(Subject.VM, VM.toUuid(), VM_CPU_USER);
        assertThat(answer.series().getFirst().points().stream().filter(Objects::isNull).count())
                .as("of an hour, 40 cycles are known")
                .isGreaterThan(190);
    }

    @Test
    void anUnknownVmHasNoHistory() throws Exception {
        lab.started();
        HistoryAnswer answer = lastHour(Subject.HOST, new UUID(9, 9), HOST_CPU_USER);
        assertThat(answer.sources()).isEmpty();
        assertThat(answer.series().getFirst().points()).containsOnlyNulls();
    }

    private void cycles(int count) {
        for (int i = 0; i < count; i++) {
            lab.clock.advance(Duration.ofSeconds(15));
            lab.pump();
            lab.host(ALPHA)
                    .answerStatistics(new HostValues().put(HostField.CPU_USER, 20.5).statistics());
            int now = stamp++;
            lab.answer(
                    ALPHA,
                    poll ->
                            poll.running(
                                    VM,
                                    now,
                                    null,
                                    status(VmStatus.UP),
                                    sample -> {
                                        sample.cpuUserPercent = now % 7;
                                        sample.cpuSystemPercent = 1;
                                    }));
            lab.settle();
        }
    }

    private HistoryAnswer lastHour(Subject subject, UUID id, HistoryMetric metric)
            throws Exception {
        Instant now = lab.clock.now();
        return lab.engine
                .fleet()
                .history(
                        new HistoryQuery(
                                subject,
                                id,
                                List.of(metric),
                                now.minus(Duration.ofHours(1)),
                                now,
                                null));
    }
}
