package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.vm.ExitReason.MIGRATION_SUCCEEDED;
import static org.stillwater.core.vm.ExitReason.USER_SHUTDOWN;
import static org.stillwater.core.vm.ExitStatus.NORMAL;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.testkit.ScriptedHost;
import org.stillwater.testkit.ScriptedReports;

/** No report covers the VMs of a host that is left alone: found by the simulation. */
class UnwatchedHostTest {

    private static final Duration REFRESH = Duration.ofSeconds(3);

    private final Lab lab = new Lab();

    @Test
    void vmsOfAHostThatGoesIntoMaintenanceWhileItIsSilentAreUnknown() throws Exception {
        silentWithOneVm();

        order(new HostFact.Maintain(null));

        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.MAINTENANCE);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UNKNOWN);
    }

    @Test
    void vmsOfAHostThatIsRebootedAreUnknown() throws Exception {
        upWithOneVm();

        order(new HostFact.Reboot());

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UNKNOWN);
    }

    @Test
    void aVmIsUnknownOnceACommandReleasesIt() throws Exception {
        silentWithOneVm();
        SteppedEngine commands = new SteppedEngine(lab.engine);
        commands.lock(VM);
        order(new HostFact.Maintain(null));
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);

        commands.unlock(VM);
        commands.abandon();
        lab.clock.advance(REFRESH);
        lab.settle();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UNKNOWN);
    }

    @Test
    void anEngineThatStartsKnowsNothingOfVmsOnAHostInMaintenance() throws Exception {
        lab.hosts.put(Lab.definition(ALPHA), HostStatus.MAINTENANCE);
        lab.storedVm(VM, ALPHA, VmStatus.UP);

        lab.started();
        lab.clock.advance(REFRESH);
        lab.settle();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UNKNOWN);
    }

    @Test
    void lateMessagesOfAClosedConnectionAreIgnored() throws Exception {
        silentWithOneVm();
        ScriptedHost host = lab.host(ALPHA);
        Objects.requireNonNull(
                lab.engine.administration().order(ALPHA, new HostFact.Maintain(null)));
        ScriptedReports event = ScriptedReports.event(lab.clock.nanoTime());

        host.listener().connected();
        host.listener().vmsChanged(event.running(VM, 9, status(VmStatus.PAUSED)));
        lab.settle();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.UNKNOWN);
        assertThat(event.isClosed()).isTrue();
        assertThat(Objects.requireNonNull(lab.engine.fleet().host(ALPHA)).connected()).isFalse();
    }

    @Test
    void aVmThatMigratedToAHostThatIsLeftAloneIsUnknown() throws Exception {
        lab.storedHosts(ALPHA);
        lab.hosts.put(Lab.definition(BETA), HostStatus.MAINTENANCE);
        lab.vms.put(
                new StoredVm(
                        VM,
                        Lab.defined(VM, VmOrigin.OVIRT),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.MIGRATING_FROM),
                        VmPlacement.on(ALPHA).withMigratingTo(BETA)));
        lab.started();

        lab.event(ALPHA, event -> event.exited(VM, 9, NORMAL, MIGRATION_SUCCEEDED, "")).settle();

        assertThat(lab.owner(VM)).isEqualTo(BETA);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UNKNOWN);
    }

    @Test
    void aHostThatBootedBetweenItsRemovalAndItsReturnIsBelieved() throws Exception {
        upWithOneVm();
        lab.event(ALPHA, event -> event.exited(VM, 900_000, NORMAL, USER_SHUTDOWN, "")).settle();
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("cut"));
        lab.settle();
        order(new HostFact.Maintain(null));
        assertThat(lab.engine.administration().removeHost(ALPHA, Duration.ofSeconds(1)))
                .isInstanceOf(OrderAnswer.Followed.class);

        assertThat(lab.engine.administration().addHost(Lab.definition(ALPHA))).isTrue();
        lab.settle();
        lab.connect(ALPHA);
        lab.answer(ALPHA, poll -> poll.running(VM, 1_000, status(VmStatus.POWERING_UP))).settle();

        assertThat(lab.status(VM)).isEqualTo(VmStatus.POWERING_UP);
    }

    private void upWithOneVm() throws Exception {
        lab.storedHosts(ALPHA);
        lab.storedVm(VM, ALPHA, VmStatus.UP);
        lab.started();
        lab.answer(ALPHA, poll -> poll.running(VM, 1, status(VmStatus.UP))).settle();
    }

    private void silentWithOneVm() throws Exception {
        upWithOneVm();
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("cut"));
        lab.settle();
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.CONNECTING);
    }

    private void order(HostFact.Order order) {
        assertThat(lab.engine.administration().order(ALPHA, order)).isNotNull();
        lab.settle();
        assertThat(lab.hostStatus(ALPHA).isRefreshed()).isFalse();
    }
}
