package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.vm.VmStatus;

/** A host whose VMs are pushed, as from a relay. */
class PushedHostTest {

    private final Lab lab = new Lab();

    @BeforeEach
    void start() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        lab.answer(ALPHA, poll -> poll.running(VM, 100, status(VmStatus.UP)));
        lab.settle();
    }

    private void oneInterval() {
        lab.clock.advance(lab.settings.hosts().interval());
        lab.pump();
        lab.host(ALPHA).answerStatistics();
        lab.settle();
    }

    private List<AuditEntry> audited(AuditEvent event) {
        return lab.engine.audit().recent().stream()
                .filter(entry -> entry.event() == event)
                .toList();
    }

    @Test
    void itIsNotPolledAndEachListIsTaken() {
        lab.host(ALPHA).pushes(null);
        oneInterval();
        oneInterval();
        assertThat(lab.host(ALPHA).pollsWaiting()).isZero();
        assertThat(audited(AuditEvent.HOST_PUSHED)).hasSize(1);

        lab.host(ALPHA).listener().vmsPushed();
        lab.pump();
        assertThat(lab.host(ALPHA).pollsWaiting()).isOne();
        lab.answer(ALPHA, poll -> poll.running(VM, 200, status(VmStatus.PAUSED)));
        assertThat(lab.status(VM)).isEqualTo(VmStatus.PAUSED);
    }

    @Test
    void withinOneIntervalItIsPolledAgainAndTheReasonIsRecorded() {
        lab.host(ALPHA).pushes(null);
        oneInterval();
        lab.host(ALPHA).pushes("relay rack-7 lags");
        oneInterval();

        assertThat(lab.host(ALPHA).pollsWaiting()).isOne();
        assertThat(audited(AuditEvent.HOST_POLLED_AGAIN))
                .singleElement()
                .satisfies(entry ->
                        assertThat(entry.details())
                                .isEqualTo(Map.of("reason", "relay rack-7 lags")));
    }

    @Test
    void aHostThatWasNeverPushedCausesNoEntry() {
        lab.host(ALPHA).pushes("no relay is connected");
        oneInterval();

        assertThat(audited(AuditEvent.HOST_POLLED_AGAIN)).isEmpty();
    }
}
