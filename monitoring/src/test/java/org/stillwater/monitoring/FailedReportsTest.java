package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.host.HostTrouble;

/** Reports of one VM that the engine does not process, for want of a correct engine. */
class FailedReportsTest {

    private static final int CYCLES = 3;

    private final Lab lab = new Lab();

    @Test
    void aReportThatIsNotProcessedIsCountedAndLoggedOnceAndCostsOneVm() throws Exception {
        lab.storedHosts(ALPHA)
                .storedVm(VM, ALPHA, VmStatus.UP)
                .storedVm(OTHER, ALPHA, VmStatus.UP)
                .started();
        lab.answer(
                ALPHA,
                poll ->
                        poll.running(VM, 100, status(VmStatus.UP))
                                .running(OTHER, 100, status(VmStatus.UP)));
        lab.settle();
        double failed = lab.counter("stillwater.reports", "outcome", "failed");
        double malformed = lab.counter("stillwater.reports", "outcome", "malformed");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger log = (Logger) LoggerFactory.getLogger(HostMonitor.class);
        lines.start();
        log.addAppender(lines);
        try {
            for (int i = 1; i <= CYCLES; i++) {
                int stamp = 100 + i;
                lab.cycle(
                        ALPHA,
                        poll ->
                                poll.failing(VM, new IllegalStateException("a bug"))
                                        .running(OTHER, stamp, status(VmStatus.PAUSED)));
            }
        } finally {
            log.detachAppender(lines);
        }

        assertThat(lab.status(OTHER)).isEqualTo(VmStatus.PAUSED);
        assertThat(lab.status(VM)).as("mentioned, so not absent").isEqualTo(VmStatus.UP);
        assertThat(lab.counter("stillwater.reports", "outcome", "failed") - failed)
                .isEqualTo(CYCLES);
        assertThat(lab.counter("stillwater.reports", "outcome", "malformed")).isEqualTo(malformed);
        assertThat(health().warnings()).containsEntry("report not processed", (long) CYCLES);
        assertThat(List.copyOf(lines.list))
                .filteredOn(line -> line.getFormattedMessage().contains("vm=" + VM))
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.getFormattedMessage()).contains("report not processed");
                    assertThat(line.getThrowableProxy().getMessage()).isEqualTo("a bug");
                });
    }

    private HostHealth health() {
        return lab.engine.fleet().hostHealth().getFirst();
    }

    private void poll(int stamp, boolean fails) {
        lab.cycle(
                ALPHA,
                poll -> {
                    if (fails) {
                        poll.failing(VM, new IllegalStateException("a bug"));
                    } else {
                        poll.running(VM, stamp, status(VmStatus.UP));
                    }
                });
    }

    @Test
    void aHostIsInTroubleUntilAPollWithoutSuchAReport() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.settle();
        assertThat(health().trouble()).isEqualTo(HostTrouble.WELL);

        poll(101, true);
        HostHealth first = health();
        poll(102, true);
        HostHealth second = health();

        assertThat(first.trouble()).isEqualTo(HostTrouble.ANALYSIS_FAILED);
        assertThat(first.reason())
                .isEqualTo(
                        "the report about a VM could not be processed, which is a defect of the"
                                + " engine: vm=%s: java.lang.IllegalStateException: a bug",
                        VM);
        assertThat(second.analysis()).isEqualTo(first.analysis());
        assertThat(lab.engine.health().unwell()).hasSize(1);

        poll(103, false);

        assertThat(health().trouble()).isEqualTo(HostTrouble.WELL);
        assertThat(health().analysis()).isNull();
        assertThat(lab.engine.health().unwell()).isEmpty();
    }
}
