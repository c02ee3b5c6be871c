package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.command.VmVerb;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.StoredVm;

/** Runs of VMs that were found on hosts. */
class FoundVmOperationsTest {

    private static final FoundDefinition COMPLETE =
            new FoundDefinition(true, List.of(), List.of("device sound ich6"));
    private static final FoundDefinition INCOMPLETE =
            new FoundDefinition(true, List.of("disk vdb: its bus is ide"), List.of());

    private final CommandLab lab = new CommandLab().withHosts(2).withVm(1);

    private static VmSpecification equipped(FoundDefinition found) {
        return VmSpecification.BARE
                .withDevices(
                        List.of(
                                new VmDisk(
                                        new UUID(4, 1),
                                        "disk1",
                                        new VmDisk.Place.File("/srv/data"),
                                        VmDisk.Bus.VIRTIO,
                                        VmDisk.Format.RAW,
                                        null,
                                        false,
                                        false)),
                        null,
                        List.of(
                                new VmInterface(
                                        new UUID(4, 2), "nic1", "56:6f:00:00:00:01", "blue")))
                .withFound(found);
    }

    @BeforeEach
    void found() {
        StoredVm stored = Objects.requireNonNull(lab.vms.vm(CommandLab.vmId(1)));
        lab.vms.put(
                new StoredVm(
                        stored.id(),
                        stored.definition().named("external-vm1", VmOrigin.EXTERNAL),
                        stored.runtime(),
                        stored.placement()));
    }

    private void define(@Nullable VmSpecification specification) {
        VmStatic vm = Objects.requireNonNull(lab.vms.vm(CommandLab.vmId(1))).definition();
        lab.definitions.put(CommandLab.vmId(1), new Definition(vm, specification, 0, null, null));
    }

    private String refusal(OperationKind kind, OperationParameters parameters) {
        Answer answer = lab.ask(1, kind, parameters);
        assertThat(answer).isInstanceOf(Answer.Refused.class);
        Answer.Refused refused = (Answer.Refused) answer;
        assertThat(refused.why()).isEqualTo(Answer.Why.CONFLICT);
        assertThat(lab.open()).isEmpty();
        assertThat(lab.operations.all()).isEmpty();
        return refused.reason();
    }

    private List<VmOrder.Create> starts() {
        return IntStream.rangeClosed(1, 2)
                .mapToObj(lab::host)
                .flatMap(host -> host.orders(VmOrder.Create.class).stream())
                .toList();
    }

    @Test
    void theHostGetsTheDevicesThatAFoundVmHad() {
        define(equipped(COMPLETE));
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(20);
        assertThat(lab.operation(run).state()).isEqualTo(OperationState.SUCCEEDED);
        assertThat(starts())
                .singleElement()
                .satisfies(create ->
                        assertThat(create.xml())
                                .contains("/srv/data", "56:6f:00:00:00:01", "bridge=\"blue\""));
    }

    @Test
    void noRunBeginsWithADefinitionThatLacksAPart() {
        define(equipped(INCOMPLETE));
        lab.settled();
        assertThat(refusal(OperationKind.RUN, OperationParameters.Run.DEFAULT))
                .startsWith(
                        "the VM was found on a host, and its definition lacks: disk vdb: its bus is"
                                + " ide. ")
                .contains("foundOnHost");
        assertThat(starts()).isEmpty();

        define(equipped(INCOMPLETE).withFound(null)); // as a user confirms it
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(20);
        assertThat(lab.operation(run).state()).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void aFoundVmWithoutADefinitionIsNotStartedBare() {
        define(null);
        lab.settled();
        assertThat(refusal(OperationKind.RUN, OperationParameters.Run.DEFAULT))
                .contains("has not reported its devices");
    }

    @Test
    void whatEndsInANewRunIsRefusedAsWell() {
        define(equipped(INCOMPLETE));
        lab.up(1, 1).settled();
        assertThat(refusal(OperationKind.SUSPEND, OperationParameters.NONE)).contains("lacks");
        assertThat(refusal(OperationKind.REBOOT, new OperationParameters.Reboot(true)))
                .contains("lacks");
        UUID off = lab.accepted(1, OperationKind.POWER_OFF);
        lab.seconds(20);
        assertThat(lab.operation(off).state()).isEqualTo(OperationState.SUCCEEDED);
    }

    /** The definition may change between the admission and the order to the host. */
    @Test
    void theOrderToTheHostIsCheckedToo() {
        lab.settled();
        Definition lacking =
                new Definition(
                        Objects.requireNonNull(lab.vms.vm(CommandLab.vmId(1))).definition(),
                        equipped(INCOMPLETE),
                        0,
                        null,
                        null);
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        lab.commands
                                .orders()
                                .order(
                                        Operation.on(
                                                CommandLab.vmId(1),
                                                new UUID(7, 7),
                                                OperationKind.RUN,
                                                OperationParameters.Run.DEFAULT,
                                                CommandLab.TESTER,
                                                0,
                                                lab.clock.now()),
                                        lacking,
                                        CommandLab.hostId(1),
                                        VmVerb.CREATE,
                                        null,
                                        null))
                .withMessageContaining("lacks: disk vdb");
    }
}
