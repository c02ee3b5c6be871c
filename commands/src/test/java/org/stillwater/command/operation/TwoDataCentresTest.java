package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.vm.VmStatus;

/**
 * Commands in two data centres, of which each has its own names and addresses, and hosts on which
 * VMs of the other never run. Hosts 1 and 2 are of the first, host 3 is of the second.
 */
class TwoDataCentresTest {

    private final HostLab hosts = new HostLab(2);
    private final CommandLab lab = hosts.lab.withNorth(3).settled();

    private static OperationParameters defined(String text) {
        return new OperationParameters.Definition(text);
    }

    private void added(int vm, String text) {
        succeeded(lab.accepted(vm, OperationKind.ADD_VM, defined(text)));
    }

    private void succeeded(UUID id) {
        assertThat(lab.operation(id).state())
                .as("%s", lab.operation(id))
                .isEqualTo(OperationState.SUCCEEDED);
    }

    private void refused(Answer answer, String... words) {
        assertThat(answer).isInstanceOf(Answer.Refused.class);
        assertThat(((Answer.Refused) answer).reason()).contains(words);
    }

    @Test
    void eachHasItsOwnNamesAndAddresses() {
        added(1, "7 0 default 0a");
        added(2, "7 0 north 0a");
        refused(
                lab.ask(3, OperationKind.ADD_VM, defined("7 0 default 0b")),
                "there is already a VM vm7");
        refused(
                lab.ask(3, OperationKind.ADD_VM, defined("8 0 north 0a")),
                "the MAC address 56:00:00:00:00:0a belongs to the VM vm7");
        refused(
                lab.ask(2, OperationKind.UPDATE_VM, defined("7 0 default 0a")),
                "Default",
                "there is already a VM vm7");
        refused(
                lab.ask(2, OperationKind.UPDATE_VM, defined("9 0 default 0a")),
                "Default",
                "the MAC address 56:00:00:00:00:0a belongs to the VM vm7");
        succeeded(lab.accepted(2, OperationKind.UPDATE_VM, defined("9 0 default 0c")));
        added(4, "7 0 north 0a");
        hosts.wellEnded();
    }

    @Test
    void concurrentRequestsForOneNameConflictWithinADataCentreOnly() {
        List<CompletableFuture<Answer>> answers =
                lab.commands.submit(
                        List.of(
                                new OperationRequest(
                                        CommandLab.vmId(1),
                                        OperationKind.ADD_VM,
                                        defined("7 0 default 0a")),
                                new OperationRequest(
                                        CommandLab.vmId(2),
                                        OperationKind.ADD_VM,
                                        defined("7 0 north 0a")),
                                new OperationRequest(
                                        CommandLab.vmId(3),
                                        OperationKind.ADD_VM,
                                        defined("7 0 default 0b"))),
                        CommandLab.TESTER);
        lab.pump();
        assertThat(answers.get(0).join()).isInstanceOf(Answer.Accepted.class);
        assertThat(answers.get(1).join()).isInstanceOf(Answer.Accepted.class);
        refused(answers.get(2).join(), "is giving the name vm7 to another VM");
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.status(2)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.engine().fleet().vm(CommandLab.vmId(3))).isNull();
        hosts.wellEnded();
    }

    @Test
    void vmsRunAndMoveWithinTheirDataCentreOnly() {
        for (int vm = 1; vm <= 3; vm++) {
            added(vm, "%d 0 north 0%d".formatted(vm, vm));
            UUID run = lab.accepted(vm, OperationKind.RUN);
            lab.seconds(30);
            succeeded(run);
            hosts.up(vm, 3);
        }
        Operation away = lab.operation(lab.accepted(1, OperationKind.MIGRATE));
        lab.seconds(100);
        OperationFailure failure = lab.operation(away.id()).failure();
        assertThat(Objects.requireNonNull(failure).code()).isEqualTo(OperationFailure.Code.NO_HOST);
        hosts.up(1, 3);
        hosts.wellEnded();
    }

    @Test
    void vmsOfASilentHostAreNotStartedInTheOtherDataCentre() {
        hosts.withAgent(3);
        added(1, "1 0 north 01");
        added(2, "2 0 default 02");
        UUID north = lab.accepted(1, OperationKind.RUN);
        UUID south = lab.accepted(2, OperationKind.RUN);
        lab.seconds(330);
        succeeded(north);
        succeeded(south);
        lab.host(3).powerOff();
        lab.host(3).cutOff();
        lab.seconds(300);
        assertThat(hosts.power.fenced).containsExactly(CommandLab.hostId(3));
        assertThat(hosts.only(OperationKind.FENCE).state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.centre.homes(CommandLab.vmId(1))).isEmpty();
        hosts.up(2, 1, 2);

        lab.host(3).heal();
        lab.host(3).powerOn();
        for (int i = 0; i < 3_000 && lab.status(1) != VmStatus.UP; i++) {
            lab.seconds(1);
        }
        assertThat(lab.engine().fleet().host(CommandLab.hostId(3)).state().status())
                .isEqualTo(HostStatus.UP);
        hosts.up(1, 3);
        assertThat(lab.centre.doubles()).isEmpty();
    }
}
