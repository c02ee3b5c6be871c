package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.VM;

import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.ParkedReport;
import org.stillwater.monitoring.vm.ReportSource;
import org.stillwater.monitoring.vm.Staleness;
import org.stillwater.monitoring.vm.VmManager;

/** Reports without stamps, as from pools: the engine's clock orders a host's messages. */
class UnstampedReportsTest {

    private static final int BOOT = 1;
    private static final int SESSION = 1;

    private final Lab lab = new Lab();
    private VmManager vm;
    private long now;

    @BeforeEach
    void aVmThatItsHostHasReported() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP).started();
        vm = lab.engine.manager(VM);
        now = lab.clock.nanoTime();
        vm.lock();
        vm.accepted(event(now), VmReport.NO_STAMP, true, now, 0);
        vm.unlock();
    }

    /** It waited while a command held the VM, and the newer one was analysed before it. */
    @Test
    void aParkedEventIsOlderThanTheNewestReport() {
        assertThat(staleness(event(now - 1))).isEqualTo(Staleness.OLDER_THAN_LAST_REPORT);
        assertThat(staleness(event(now))).isEqualTo(Staleness.FRESH);
        assertThat(staleness(event(now + 1))).isEqualTo(Staleness.FRESH);
    }

    /** A list is requested before it is made, and contains events in between. */
    @Test
    void aListRequestedBeforeTheEventIsFresh() {
        assertThat(staleness(poll(now - 1))).isEqualTo(Staleness.FRESH);
    }

    @Test
    void anEventOfALaterConnectionIsFresh() {
        ReportSource later = new ReportSource(ALPHA, BOOT, SESSION + 1, false, now - 1);

        assertThat(staleness(later)).isEqualTo(Staleness.FRESH);
    }

    /** The event came in the middle of the analysis of a list that was made before it. */
    @Test
    void aListDoesNotReplaceAParkedEventThatIsNewer() {
        vm.park(parked(event(now + 2)));
        vm.park(parked(poll(now + 1)));

        assertThat(taken().source().complete()).isFalse();
    }

    @Test
    void aNewerEventReplacesAParkedList() {
        vm.park(parked(poll(now + 1)));
        vm.park(parked(event(now + 2)));

        assertThat(taken().source().complete()).isFalse();
    }

    private ParkedReport taken() {
        vm.lock();
        try {
            return Objects.requireNonNull(vm.takeParked(ALPHA));
        } finally {
            vm.unlock();
        }
    }

    private Staleness staleness(ReportSource source) {
        vm.lock();
        try {
            return vm.staleness(source, VmReport.NO_STAMP);
        } finally {
            vm.unlock();
        }
    }

    private ParkedReport parked(ReportSource source) {
        VmReport report =
                new VmReport.Running(VM, VmReport.NO_STAMP, "vm", vm.state().runtime(), null);
        return new ParkedReport(
                source, report, vm.state().runtime(), source.fetchedNanos(), () -> {});
    }

    private static ReportSource event(long nanos) {
        return new ReportSource(ALPHA, BOOT, SESSION, false, nanos);
    }

    private static ReportSource poll(long nanos) {
        return new ReportSource(ALPHA, BOOT, SESSION, true, nanos);
    }
}
