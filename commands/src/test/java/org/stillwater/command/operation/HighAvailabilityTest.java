package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationParameters.Cause;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.hypervisor.ModelHost;

/** VMs that are started again without being asked (monitoring specification §8, §11). */
class HighAvailabilityTest {

    private final CommandLab lab = new CommandLab().withHosts(3);

    private List<Operation> starts() {
        return lab.commands.operations(operation -> operation.kind() == OperationKind.RUN);
    }

    private void failed(int n) {
        StoredVm vm = lab.vms.vm(CommandLab.vmId(n));
        lab.vms.put(
                new StoredVm(
                        vm.id(),
                        vm.definition(),
                        VmRuntime.INITIAL
                                .with(RuntimeField.STATUS, VmStatus.DOWN)
                                .with(RuntimeField.EXIT_STATUS, ExitStatus.ERROR)
                                .with(RuntimeField.EXIT_REASON, ExitReason.GENERIC_ERROR),
                        VmPlacement.NOWHERE.withRun(vm.placement().run().next())));
    }

    @Test
    void aVmWithoutDomainXmlIsTriedAsSeldomAsARefusedOne() {
        lab.withVm(1, true, null, CpuArchitecture.PPC64, VmCpu.OF_CLUSTER).up(1, 1).settled();
        lab.host(1).crash(CommandLab.vmId(1), "qemu died");
        lab.seconds(3_600);
        List<Operation> starts = starts();
        assertThat(starts)
                .hasSizeBetween(2, 20)
                .allSatisfy(start -> {
                    assertThat(start.tried()).isEmpty();
                    assertThat(start.failure())
                            .isNotNull()
                            .extracting(OperationFailure::code)
                            .isEqualTo(OperationFailure.Code.INVALID);
                });
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.centre.starts()).isZero();
    }

    @Test
    @DisplayName("S16 a highly available VM that fails is started again, once")
    void failure() {
        lab.withVm(1, true, 0).up(1, 1).settled();
        lab.host(1).crash(CommandLab.vmId(1), "qemu died");
        lab.seconds(30);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.centre.starts()).isEqualTo(1);
        assertThat(starts()).hasSize(1);
        assertThat(starts().getFirst().parameters())
                .isEqualTo(new OperationParameters.Run(null, false, Cause.HIGH_AVAILABILITY));
        assertThat(lab.engine().pendingWork().open()).isEmpty();
        assertThat(lab.events()).contains("HA_VM_FAILED");
    }

    @Test
    @DisplayName("S17 a highly available VM that is shut down stays down")
    void shutdown() {
        lab.withVm(1, true, 0).up(1, 1).settled();
        lab.host(1).guestShutsDown(CommandLab.vmId(1));
        lab.seconds(60);
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.centre.starts()).isZero();
        assertThat(lab.engine().pendingWork().open()).isEmpty();
    }

    @Test
    @DisplayName(
            "S19 a VM that is shut down while it starts is a start that failed, and no restart")
    void shutdownWhileStarting() {
        lab.withVm(1, true, 0).settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(5);
        lab.centre.hosts().forEach(host -> host.guestShutsDown(CommandLab.vmId(1)));
        lab.seconds(60);
        assertThat(lab.operation(run).state()).isEqualTo(OperationState.FAILED);
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.centre.starts()).isEqualTo(1);
        assertThat(lab.engine().pendingWork().open()).isEmpty();
    }

    @Test
    @DisplayName("S27 a highly available VM that vanishes is started again")
    void vanished() {
        lab.withVm(1, true, 0).up(1, 1).settled();
        lab.host(1).vanish(CommandLab.vmId(1));
        lab.seconds(60);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.centre.starts()).isEqualTo(1);
    }

    @Test
    @DisplayName("S30 a VM of a host that comes back is as it was, and not started elsewhere")
    void hostComesBack() {
        lab.withVm(1, true, 0).up(1, 1).settled();
        lab.host(1).cutOff();
        lab.seconds(200);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        lab.host(1).heal();
        lab.seconds(60);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.centre.starts()).isZero();
        assertThat(lab.centre.doubles()).isEmpty();
    }

    @Test
    @DisplayName("S31 a VM that is not there any more when its host comes back is started again")
    void hostComesBackWithoutIt() {
        lab.withVm(1, true, 0).up(1, 1).settled();
        lab.host(1).powerOff();
        lab.seconds(200);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UNKNOWN);
        lab.host(1).powerOn();
        lab.seconds(60);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.centre.starts()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "S95 a highly available VM that is down with an error when the engine starts is"
                    + " started")
    void atTheEnginesStart() {
        lab.withVm(1, true, 0);
        failed(1);
        lab.settled();
        lab.seconds(30);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.centre.starts()).isEqualTo(1);
        assertThat(lab.engine().pendingWork().open()).isEmpty();
    }

    @Test
    @DisplayName("S98 with nothing to start, an hour passes without a query")
    void nothingToStart() {
        for (int n = 1; n <= 20; n++) {
            lab.withVm(n, true, n).up(n, 1);
        }
        lab.settled();
        lab.seconds(30);
        int operations = lab.operations.calls();
        int definitions = lab.definitions.calls();
        int vms = lab.vms.calls();
        lab.seconds(3_600);
        // Operations that ended long ago are looked for once an hour.
        assertThat(lab.operations.calls() - operations).isLessThanOrEqualTo(1);
        assertThat(lab.definitions.calls()).isEqualTo(definitions);
        assertThat(lab.vms.calls()).isEqualTo(vms);
    }

    @Test
    @DisplayName("S99 a less urgent VM waits for a more urgent one for a bounded time")
    void priorities() {
        lab.centre.refusing((_, order) ->
                order instanceof VmOrder.Create && order.vmId().equals(CommandLab.vmId(10))
                        ? new HostFailure.Refused(9, "no")
                        : null);
        lab.withVm(10, true, 10).withVm(5, true, 5);
        failed(10);
        failed(5);
        lab.settled();
        lab.seconds(500);
        assertThat(lab.status(5)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.status(10)).isEqualTo(VmStatus.DOWN);
        lab.seconds(150);
        assertThat(lab.status(5)).isEqualTo(VmStatus.UP);
        assertThat(lab.status(10)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.correlations("HA_VM_RESTART_FAILED"))
                .isNotEmpty()
                .containsOnly("high availability");
    }

    @Test
    @DisplayName(
            "S99 VMs are started in the order of their priorities, those of one priority at once")
    void order() {
        List<Integer> started = new ArrayList<>();
        lab.centre.refusing((_, order) -> {
            if (order instanceof VmOrder.Create) {
                started.add((int) order.vmId().leastSignificantBits());
            }
            return null;
        });
        for (int n = 1; n <= 9; n++) {
            lab.withVm(n, true, n / 3);
            failed(n);
        }
        lab.settled();
        lab.seconds(120);
        assertThat(started).hasSize(9);
        assertThat(started.stream().map(n -> n / 3).toList())
                .containsExactly(3, 2, 2, 2, 1, 1, 1, 0, 0);
        assertThat(IntStream.rangeClosed(1, 9).allMatch(n -> lab.status(n) == VmStatus.UP))
                .isTrue();
    }

    @Test
    void aFailedStartIsTriedAgainSoonAndLaterRarely() {
        lab.centre.refusing((_, order) ->
                order instanceof VmOrder.Create ? new HostFailure.Refused(9, "no") : null);
        lab.withVm(1, true, 0);
        failed(1);
        lab.settled();
        lab.seconds(10 * 31 + 20);
        long soon = starts().size();
        assertThat(soon).isBetween(9L, 12L);
        lab.seconds(600);
        assertThat(starts()).hasSize((int) soon);
        lab.seconds(1_800);
        assertThat(starts()).hasSize((int) soon + 1);
        lab.centre.refusing((_, _) -> null);
        lab.seconds(1_830);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
    }

    @Test
    @DisplayName("S21 a VM that ended as part of its reboot is started again")
    void coldRebootIsGivenUp() {
        lab.centre.refusing((_, order) ->
                order instanceof VmOrder.Create ? new HostFailure.Refused(9, "no") : null);
        lab.withVm(1).up(1, 1).settled();
        UUID reboot = lab.accepted(1, OperationKind.REBOOT, new OperationParameters.Reboot(true));
        lab.seconds(900);
        assertThat(lab.events())
                .contains("COLD_REBOOT_FAILED", "EXCEEDED_MAXIMUM_NUM_OF_COLD_REBOOT_VM_ATTEMPTS");
        assertThat(lab.operation(reboot).state()).isEqualTo(OperationState.FAILED);
        assertThat(starts()).hasSize(10);
        assertThat(lab.open()).isEmpty();
    }

    /** No VM can be started on any host. */
    private void noStarts() {
        lab.centre.refusing((_, order) ->
                order instanceof VmOrder.Create ? new HostFailure.Refused(9, "no") : null);
    }

    @Test
    void aColdRebootThatFailedBeforeACrashIsTriedAgain() {
        noStarts();
        lab.withVm(1).up(1, 1).settled();
        UUID reboot = lab.accepted(1, OperationKind.REBOOT, new OperationParameters.Reboot(true));
        lab.seconds(60);
        assertThat(lab.events()).contains("COLD_REBOOT_FAILED");
        assertThat(lab.open()).hasSize(1);
        lab.crash();
        lab.centre.refusing((_, _) -> null);
        lab.seconds(60);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.operation(reboot).state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(lab.open()).isEmpty();
    }

    @Test
    void anOpenColdRebootDoesNotKeepAFailedVmDownAfterCrashes() {
        noStarts();
        lab.withVm(1, true, 0).up(1, 1).settled();
        UUID reboot = lab.accepted(1, OperationKind.REBOOT, new OperationParameters.Reboot(true));
        lab.seconds(60);
        lab.centre.hosts().forEach(ModelHost::cutOff);
        lab.crash(); // the restart that its failure asks for is taken over, and finds no host
        lab.seconds(400);
        lab.crash();
        lab.centre.hosts().forEach(ModelHost::heal);
        lab.centre.refusing((_, _) -> null);
        lab.seconds(120);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.operation(reboot).state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(lab.open()).isEmpty();
    }

    @Test
    void attemptsOfAColdRebootAreCountedAcrossCrashes() {
        noStarts();
        lab.withVm(1).up(1, 1).settled();
        lab.accepted(1, OperationKind.REBOOT, new OperationParameters.Reboot(true));
        for (int life = 0; life < 30; life++) {
            lab.seconds(50);
            lab.crash();
        }
        lab.seconds(900);
        assertThat(
                        lab.operations.all().stream()
                                .filter(operation -> operation.kind() == OperationKind.RUN))
                .hasSize(10);
        assertThat(lab.open()).isEmpty();
        lab.centre.refusing((_, _) -> null);
        lab.crash();
        lab.seconds(300);
        assertThat(lab.status(1)).as("it was given up").isEqualTo(VmStatus.DOWN);
    }

    @Test
    void aVmThatRanSinceItsFailedColdRebootIsUnchanged() {
        noStarts();
        lab.withVm(1).up(1, 1).settled();
        lab.accepted(1, OperationKind.REBOOT, new OperationParameters.Reboot(true));
        lab.seconds(40);
        lab.host(2).put(CommandLab.vmId(1)); // a user starts it by hand
        lab.seconds(60);
        lab.centre.refusing((_, _) -> null);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        lab.host(2).guestShutsDown(CommandLab.vmId(1));
        lab.seconds(60);
        lab.crash();
        lab.seconds(300);
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.centre.starts()).isZero();
    }

    @Test
    void aRemovedVmIsNotStarted() {
        lab.withVm(1, true, 0);
        failed(1);
        lab.start();
        lab.vms.remove(CommandLab.vmId(1));
        lab.seconds(60);
        assertThat(lab.centre.starts()).isZero();
        assertThat(lab.open()).isEmpty();
    }

    @Test
    void aHundredVmsAreStartedByOneSchedulingPassAndFewCalls() {
        lab.withHosts(10);
        for (int n = 1; n <= 100; n++) {
            lab.withVm(n, true, 0);
            failed(n);
        }
        lab.start();
        int before = lab.operations.calls();
        lab.seconds(40);
        for (int n = 1; n <= 100; n++) {
            assertThat(lab.status(n)).isEqualTo(VmStatus.UP);
        }
        assertThat(lab.operations.calls() - before).isLessThan(20);
        // The start of the engine reads definitions, pools, groups, saved memories and leases once
        // each.
        assertThat(lab.definitions.calls()).isLessThan(7);
    }

    @Test
    void aCrashAtAnyMomentNeitherLosesARestartNorDoublesIt() {
        for (int crashAfterMillis = 0; crashAfterMillis < 30_000; crashAfterMillis += 500) {
            CommandLab one = new CommandLab().withHosts(3).withVm(1, true, 0).up(1, 1);
            one.settled();
            one.host(1).crash(CommandLab.vmId(1), "qemu died");
            one.centre.advance(Duration.ofMillis(crashAfterMillis), one::pump);
            one.crash();
            one.seconds(120);
            assertThat(one.status(1)).as("after %s ms", crashAfterMillis).isEqualTo(VmStatus.UP);
            assertThat(one.centre.doubles()).isEmpty();
            assertThat(one.centre.homes(CommandLab.vmId(1))).hasSize(1);
            assertThat(one.engine().pendingWork().open()).isEmpty();
            assertThat(one.open()).isEmpty();
        }
    }

    @Test
    void hostsThatAreAboutToBeUpAreWaitedFor() {
        lab.withVm(1, true, 0);
        failed(1);
        for (int n = 1; n <= 3; n++) {
            lab.host(n).cutOff();
        }
        lab.start();
        lab.seconds(20);
        assertThat(lab.centre.starts()).isZero();
        assertThat(starts()).hasSize(1);
        for (int n = 1; n <= 3; n++) {
            lab.host(n).heal();
        }
        lab.seconds(60);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(starts()).hasSize(1);
        assertThat(lab.engine().fleet().host(CommandLab.hostId(1)).state().status())
                .isEqualTo(HostStatus.UP);
    }

    @Test
    void aRefusedRequestIsNotTheStartUnderWay() {
        lab.withVm(1, true, 0).up(1, 1).settled();
        lab.centre.failingStarts((_, _) -> true);
        lab.host(1).crash(CommandLab.vmId(1), "qemu died");
        for (int i = 0; i < 10 && lab.centre.starts() == 0; i++) {
            lab.seconds(1);
        }
        assertThat(starts().getFirst().step()).contains("waits until it is up");
        lab.operations.unavailable("gone");
        assertThat(lab.ask(1, OperationKind.POWER_OFF, OperationParameters.NONE))
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> assertThat(refused.why()).isEqualTo(Answer.Why.UNAVAILABLE));
        lab.operations.unavailable(null);
        lab.seconds(25);
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.open()).isEmpty();
        lab.centre.failingStarts((_, _) -> false);
        lab.seconds(60);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(starts()).hasSize(2);
        assertThat(lab.engine().pendingWork().open()).isEmpty();
    }
}
