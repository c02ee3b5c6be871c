package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.command.host.HostOperationSettings;
import org.stillwater.command.host.HostOperations;
import org.stillwater.core.command.VmTask.Phase;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.VmCdrom;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.host.HostMonitorSettings;
import org.stillwater.testkit.hypervisor.ModelDataCentre;
import org.stillwater.testkit.hypervisor.ModelHost;

/** Each operation on a VM, on hosts that obey and on hosts that do not. */
class VmOperationsTest {

    private static final UUID NIC = new UUID(4, 1);
    private static final UUID DISK = new UUID(4, 2);

    private CommandLab lab = new CommandLab().withHosts(3).withVm(1);

    private Operation ended(UUID id) {
        Operation operation = lab.operation(id);
        assertThat(operation.isEnded()).as("%s has ended", operation).isTrue();
        return operation;
    }

    private void succeeds(UUID id) {
        assertThat(ended(id).state())
                .as("%s", lab.operation(id))
                .isEqualTo(OperationState.SUCCEEDED);
    }

    private OperationFailure fails(UUID id, OperationFailure.Code code) {
        OperationFailure failure = ended(id).failure();
        assertThat(failure).as("%s", lab.operation(id)).isNotNull();
        assertThat(failure.code()).as(failure.reason()).isEqualTo(code);
        return failure;
    }

    @Test
    void aVmThatIsRunIsStartedOnOneHostAndSucceedsOnceItIsUp() {
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        assertThat(lab.operation(run).state()).isEqualTo(OperationState.RUNNING);
        lab.seconds(5);
        assertThat(lab.status(1)).isEqualTo(VmStatus.POWERING_UP);
        assertThat(lab.operation(run).isEnded()).isFalse();
        lab.seconds(10);
        succeeds(run);
        assertThat(lab.centre.starts()).isEqualTo(1);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.operation(run).explanation()).isNotBlank();
        assertThat(lab.vm(1).state().placement().run().generation()).isEqualTo(1);
        assertThat(lab.vm(1).state().placement().run().bootTime()).isNotNull();
        assertThat(lab.events()).contains("USER_RUN_VM");
    }

    @Test
    void theHostGetsTheDefinitionAsDomainXml() {
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(20);
        succeeds(run);
        VmOrder.Create create =
                lab.centre
                        .host(lab.operation(run).target())
                        .orders(VmOrder.Create.class)
                        .getFirst();
        assertThat(create.xml()).contains(CommandLab.vmId(1).toString()).contains("vm1");
    }

    @Test
    void aStartThatIsRefusedIsTriedElsewhereAndNotOnTheSameHostAgain() {
        lab.centre.refusing((host, order) ->
                order instanceof VmOrder.Create && !host.id().equals(CommandLab.hostId(3))
                        ? new HostFailure.Refused(9, "bad parameters")
                        : null);
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(20);
        succeeds(run);
        assertThat(lab.operation(run).target()).isEqualTo(CommandLab.hostId(3));
        assertThat(lab.centre.starts()).isEqualTo(1);
    }

    /** A host whose pool does something else with the VM; the orders that it was given. */
    private List<VmOrder> busyWhile(boolean[] busy) {
        List<VmOrder> given = new ArrayList<>();
        lab.centre.refusing((_, order) -> {
            given.add(order);
            return busy[0]
                    ? new HostFailure.Refused(
                            RefusalCode.BUSY, "OTHER_OPERATION_IN_PROGRESS: snapshot is under way")
                    : null;
        });
        return given;
    }

    private UUID repeatedly(OperationKind kind) {
        VmStatus before = kind == OperationKind.RUN ? VmStatus.DOWN : VmStatus.UP;
        if (before == VmStatus.UP) {
            lab.up(1, 1);
        }
        lab.settled();
        UUID id = lab.accepted(1, kind);
        lab.seconds(1);
        assertThat(lab.operation(id).state()).isEqualTo(OperationState.RUNNING);
        assertThat(lab.operation(id).step())
                .isEqualTo(
                        "is tried again every 2 s: the host answered code -1:"
                                + " OTHER_OPERATION_IN_PROGRESS: snapshot is under way");
        assertThat(lab.operation(id).attempts()).isEmpty();
        assertThat(lab.status(1)).isEqualTo(before);
        assertThat(lab.isHeld(1)).isFalse();
        return id;
    }

    @ParameterizedTest
    @EnumSource(
            value = OperationKind.class,
            names = {"RUN", "SHUTDOWN", "POWER_OFF", "REBOOT", "RESET", "PAUSE", "MIGRATE"})
    @DisplayName("X43 an order that another operation is in the way of is given again")
    void busyForAMoment(OperationKind kind) {
        boolean[] busy = {true};
        List<VmOrder> given = busyWhile(busy);
        UUID id = repeatedly(kind);
        lab.seconds(9);
        int orders = given.size();
        assertThat(orders).as("one in two or three seconds").isBetween(4, 6);
        busy[0] = false;
        lab.seconds(60);
        succeeds(id);
        Class<?> type = given.getFirst().getClass();
        assertThat(given).filteredOn(type::isInstance).hasSize(orders + 1);
    }

    @ParameterizedTest
    @EnumSource(
            value = OperationKind.class,
            names = {"RUN", "SHUTDOWN", "POWER_OFF", "REBOOT", "RESET", "PAUSE", "MIGRATE"})
    @DisplayName("X43 an order that stays refused fails with the refusal after half a minute")
    void busyForLong(OperationKind kind) {
        List<VmOrder> given = busyWhile(new boolean[] {true});
        UUID id = repeatedly(kind);
        lab.seconds(28);
        assertThat(lab.operation(id).isEnded()).isFalse();
        lab.seconds(6);
        OperationFailure failure =
                fails(
                        id,
                        kind == OperationKind.MIGRATE
                                ? OperationFailure.Code.NO_HOST // two destinations
                                : OperationFailure.Code.REFUSED);
        assertThat(failure.reason()).contains("snapshot is under way");
        assertThat(given).hasSizeBetween(11, 19);
        int orders = given.size();
        lab.seconds(30);
        assertThat(given).hasSize(orders);
        assertThat(lab.status(1))
                .isEqualTo(kind == OperationKind.RUN ? VmStatus.DOWN : VmStatus.UP);
    }

    @Test
    @DisplayName("X43 an operation that waits for another one is cancelled at once")
    void busyAndCancelled() {
        List<VmOrder> given = busyWhile(new boolean[] {true});
        UUID id = repeatedly(OperationKind.SHUTDOWN);
        assertThat(lab.commands.cancel(id, CommandLab.TESTER)).isNull();
        lab.seconds(1);
        assertThat(ended(id).state()).isEqualTo(OperationState.CANCELLED);
        int orders = given.size();
        lab.seconds(10);
        assertThat(given).hasSize(orders);
    }

    @Test
    @DisplayName("X43 the other operation may leave a VM that does not allow this one")
    void busyUntilItIsTooLate() {
        List<VmOrder> given = busyWhile(new boolean[] {true});
        UUID id = repeatedly(OperationKind.PAUSE);
        lab.host(1).guestShutsDown(CommandLab.vmId(1));
        lab.seconds(3);
        assertThat(fails(id, OperationFailure.Code.ILLEGAL_STATE).reason())
                .startsWith("the VM is down");
        assertThat(given).hasSizeLessThan(3);
    }

    @Test
    @DisplayName("X45 an order that fails after its host accepted it fails its operation")
    void failsLater() {
        List<VmOrder> given = busyWhile(new boolean[] {false});
        lab.centre.deafGuests(_ -> true);
        lab.up(1, 1).settled();
        UUID id = lab.accepted(1, OperationKind.SHUTDOWN);
        lab.seconds(2);
        assertThat(lab.status(1)).isEqualTo(VmStatus.POWERING_DOWN);
        HostFailure failure = new HostFailure.Refused(16, "VM_MISSING_PV_DRIVERS vm1");
        VmOrder.Shutdown order = (VmOrder.Shutdown) given.getFirst();
        lab.host(1)
                .failLater(
                        new VmOrder.Shutdown(
                                order.vmId(), 0, order.message(), false, null, order.force()),
                        failure);
        lab.seconds(1);
        assertThat(lab.operation(id).isEnded()).as("an order of another operation").isFalse();
        lab.host(1).failLater(order, failure);
        lab.seconds(1);
        assertThat(fails(id, OperationFailure.Code.REFUSED).reason())
                .isEqualTo("the host answered code 16: VM_MISSING_PV_DRIVERS vm1");
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        lab.host(1).failLater(order, failure);
        lab.seconds(1);
        assertThat(lab.open()).isEmpty();
    }

    @Test
    @DisplayName("X43, X45 an order that another operation stops later is given again")
    void busyLater() {
        List<VmOrder> given = busyWhile(new boolean[] {false});
        lab.centre.deafGuests(_ -> given.size() < 2);
        lab.up(1, 1).settled();
        UUID id = lab.accepted(1, OperationKind.SHUTDOWN);
        lab.seconds(2);
        lab.host(1)
                .failLater(
                        given.getFirst(),
                        new HostFailure.Refused(
                                RefusalCode.BUSY, "OTHER_OPERATION_IN_PROGRESS: snapshot"));
        lab.seconds(1);
        assertThat(lab.operation(id).step()).startsWith("is tried again every 2 s");
        lab.seconds(30);
        succeeds(id);
    }

    @Test
    @DisplayName("X45 a start that fails later is tried on another host")
    void startFailsLater() {
        List<VmOrder> given = busyWhile(new boolean[] {false});
        lab.centre.neverLaunching((_, _) -> given.size() < 2);
        lab.settled();
        UUID id = lab.accepted(1, OperationKind.RUN);
        lab.seconds(2);
        HostId first = lab.operation(id).target();
        assertThat(lab.status(1)).isEqualTo(VmStatus.WAIT_FOR_LAUNCH);
        lab.centre
                .host(first)
                .failLater(
                        given.getFirst(),
                        new HostFailure.Refused(
                                RefusalCode.OUT_OF_MEMORY, "HOST_NOT_ENOUGH_FREE_MEMORY 2 1"));
        lab.seconds(60);
        succeeds(id);
        assertThat(lab.operation(id).attempts())
                .singleElement()
                .isEqualTo(
                        new Operation.Attempt(
                                first,
                                "the host answered code 14: HOST_NOT_ENOUGH_FREE_MEMORY 2 1"));
        assertThat(lab.operation(id).target()).isNotEqualTo(first);
    }

    @Test
    @DisplayName("X45 a start that another client cancelled is not tried on another host")
    void startIsCancelledElsewhere() {
        List<VmOrder> given = busyWhile(new boolean[] {false});
        lab.centre.neverLaunching((_, _) -> true);
        lab.settled();
        UUID id = lab.accepted(1, OperationKind.RUN);
        lab.seconds(2);
        ModelHost host = lab.centre.host(lab.operation(id).target());
        host.failLater(
                given.getFirst(), new HostFailure.Refused(RefusalCode.CANCELLED, "TASK_CANCELLED"));
        host.vanish(CommandLab.vmId(1));
        lab.seconds(60);
        assertThat(fails(id, OperationFailure.Code.REFUSED).reason()).contains("TASK_CANCELLED");
        assertThat(given).hasSize(1);
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
    }

    @Test
    @DisplayName("S18 a start that fails is tried on other hosts, three at the most")
    void aStartThatFailsEverywhereIsGivenUpAfterThreeHosts() {
        lab.centre.failingStarts((_, _) -> true);
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(60);
        OperationFailure failure = fails(run, OperationFailure.Code.NOT_REACHED);
        assertThat(failure.reason()).contains("failed to start");
        assertThat(lab.operation(run).tried()).hasSize(3);
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.engine().pendingWork().open()).isEmpty();
    }

    @Test
    @DisplayName("S28 a VM that vanishes while it starts is started elsewhere")
    void aVmThatVanishesWhileItStarts() {
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(4);
        lab.centre.hosts().forEach(host -> host.vanish(CommandLab.vmId(1)));
        lab.seconds(60);
        succeeds(run);
        assertThat(lab.centre.starts()).isEqualTo(2);
        assertThat(lab.operation(run).tried()).hasSize(1);
    }

    @Test
    void withoutRoomTheOperationHasTheReason() {
        for (int n = 1; n <= 3; n++) {
            lab.host(n).of(4, 600);
        }
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(120);
        OperationFailure failure = fails(run, OperationFailure.Code.NO_HOST);
        assertThat(failure.reason()).contains("MiB");
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.centre.starts()).isZero();
    }

    /** Host 3 emulates a machine type that the others lack. */
    private void hostsThatDiffer() {
        lab.host(1).emulating(List.of("pc", "q35"), "nx,spec_ctrl,model_Haswell");
        lab.host(2).emulating(List.of("pc", "q35"), "nx,spec_ctrl,model_Haswell");
        lab.host(3)
                .emulating(
                        List.of("pc", "q35", "pc-q35-rhel9.4.0"),
                        "nx,spec_ctrl,pdpe1gb,model_Haswell,model_EPYC");
    }

    @Test
    void aVmIsStartedOnlyWhereItsMachineTypeIsEmulated() {
        hostsThatDiffer();
        lab.withVm(2, false, "pc-q35-rhel9.4.0", null, VmCpu.OF_CLUSTER)
                .withVm(3, false, "pc-q35-rhel99.0", null, VmCpu.OF_CLUSTER)
                .settled();
        UUID somewhere = lab.accepted(2, OperationKind.RUN);
        UUID nowhere = lab.accepted(3, OperationKind.RUN);
        lab.seconds(120);
        succeeds(somewhere);
        assertThat(lab.operation(somewhere).target()).isEqualTo(CommandLab.hostId(3));
        assertThat(fails(nowhere, OperationFailure.Code.NO_HOST).reason())
                .contains("it does not emulate pc-q35-rhel99.0");
        assertThat(lab.status(3)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.centre.starts()).isEqualTo(1);
    }

    @Test
    void aVmIsStartedOnlyOnProcessorsWithTheFlagsOfItsCpu() {
        hostsThatDiffer();
        lab.withVm(2, false, null, null, new VmCpu.Named("EPYC", Set.of("spec-ctrl", "pdpe1gb")))
                .withVm(3, false, null, null, new VmCpu.Named("EPYC-Genoa", Set.of()))
                .withVm(4, false, null, null, new VmCpu.Named("Haswell", Set.of("nosuchflag")))
                .withVm(5, false, null, null, VmCpu.OF_HOST)
                .settled();
        UUID somewhere = lab.accepted(2, OperationKind.RUN);
        UUID model = lab.accepted(3, OperationKind.RUN);
        UUID feature = lab.accepted(4, OperationKind.RUN);
        UUID anywhere = lab.accepted(5, OperationKind.RUN);
        lab.seconds(120);
        succeeds(somewhere);
        succeeds(anywhere);
        assertThat(lab.operation(somewhere).target()).isEqualTo(CommandLab.hostId(3));
        assertThat(fails(model, OperationFailure.Code.NO_HOST).reason())
                .contains("for EPYC-Genoa its processors lack model_EPYC-Genoa");
        assertThat(fails(feature, OperationFailure.Code.NO_HOST).reason())
                .contains("for Haswell its processors lack nosuchflag");
        assertThat(lab.centre.starts()).isEqualTo(2);
    }

    @Test
    void aDefinitionForOneRunDefinesItsResources() throws StoreUnavailable {
        hostsThatDiffer();
        lab.withVm(2, false, "nope", null, VmCpu.OF_CLUSTER);
        Definition forOnce =
                lab.definitions.load(List.of(CommandLab.vmId(2))).get(CommandLab.vmId(2));
        lab.withHostCommands(made ->
                        new HostOperations(
                                HostOperationSettings.DEFAULT,
                                new ScriptedPowerFence(made),
                                _ -> forOnce))
                .settled();
        UUID usual = lab.accepted(1, OperationKind.RUN);
        lab.seconds(20);
        succeeds(usual);
        UUID off = lab.accepted(1, OperationKind.POWER_OFF);
        lab.seconds(2);
        succeeds(off);
        UUID once =
                lab.accepted(
                        1,
                        OperationKind.RUN,
                        new OperationParameters.Run(
                                null, false, OperationParameters.Cause.REQUEST, "text"));
        lab.seconds(120);
        assertThat(fails(once, OperationFailure.Code.NO_HOST).reason())
                .contains("it does not emulate nope");
    }

    @Test
    void aVmThatMakesNoDomainIsNotTriedOnOneHostAfterTheOther() {
        lab.withVm(2, false, null, CpuArchitecture.S390X, VmCpu.OF_CLUSTER).settled();
        UUID run = lab.accepted(2, OperationKind.RUN);
        lab.seconds(2);
        OperationFailure failure = fails(run, OperationFailure.Code.INVALID);
        assertThat(failure.reason())
                .isEqualTo("VMs of architecture S390X cannot be started yet, only x86_64");
        assertThat(lab.operation(run).tried()).isEmpty();
        assertThat(lab.status(2)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.vm(2).state().runtime().exitMessage()).isEqualTo(failure.reason());
        assertThat(lab.vm(2).state().placement().runOn()).isNull();
        lab.seconds(60);
        assertThat(lab.status(2)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.isHeld(2)).isFalse();
        assertThat(lab.open()).isEmpty();
        assertThat(lab.centre.hosts()).allSatisfy(host -> assertThat(host.orders()).isEmpty());
        assertThat(lab.engine().pendingWork().open()).isEmpty();
    }

    @Test
    void aVmWithAnUnreadableSpecificationCostsNothingButItsOwnOperations() {
        lab.withUnreadableVm(2, false).settled();
        UUID run = lab.accepted(2, OperationKind.RUN);
        UUID other = lab.accepted(1, OperationKind.RUN);
        lab.seconds(5);
        assertThat(fails(run, OperationFailure.Code.INVALID).reason())
                .isEqualTo("the VM's stored specification cannot be read: no cpu");
        assertThat(lab.operation(run).tried()).as("it is not a VM without devices").isEmpty();
        assertThat(lab.status(2)).isEqualTo(VmStatus.DOWN);
        lab.seconds(60);
        succeeds(other);
        assertThat(lab.ask(2, OperationKind.REMOVE_VM, OperationParameters.NONE))
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> {
                            assertThat(refused.why()).isEqualTo(Answer.Why.CONFLICT);
                            assertThat(refused.reason()).contains("cannot be read: no cpu");
                        });
        assertThat(lab.vm(2)).as("its protection is not known").isNotNull();
    }

    @Test
    void aVmThatWaitsForLaunchTakesItsMemoryOfTheHost() {
        lab = new CommandLab().withHosts(1).withVm(1).withVm(2).up(1, 1);
        lab.host(1).of(64, 1_900);
        lab.settled();
        UUID beside = lab.accepted(2, OperationKind.RUN);
        lab.seconds(120);
        fails(beside, OperationFailure.Code.NO_HOST);
        lab.host(1).stuckInLaunch(CommandLab.vmId(1)); // and no operation concerns it
        lab.seconds(20);
        assertThat(lab.status(1)).isEqualTo(VmStatus.WAIT_FOR_LAUNCH);
        UUID again = lab.accepted(2, OperationKind.RUN);
        lab.seconds(120);
        fails(again, OperationFailure.Code.NO_HOST);
    }

    @Test
    void aStartWhoseAnswerIsLostIsNotStartedTwice() {
        lab.centre.losingAnswers((_, order) -> order instanceof VmOrder.Create);
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(400);
        succeeds(run);
        assertThat(lab.centre.starts()).isEqualTo(1);
        assertThat(lab.centre.doubles()).isEmpty();
    }

    @Test
    void aGuestIsShutDown() {
        lab.up(1, 1).settled();
        UUID shutdown = lab.accepted(1, OperationKind.SHUTDOWN);
        assertThat(lab.status(1)).isEqualTo(VmStatus.POWERING_DOWN);
        lab.seconds(10);
        succeeds(shutdown);
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.host(1).status(CommandLab.vmId(1))).isNull();
    }

    @Test
    void aGuestThatIgnoresAShutdownIsReportedAndCanBePoweredOff() {
        lab.centre.deafGuests(_ -> true);
        lab.up(1, 1).settled();
        UUID shutdown = lab.accepted(1, OperationKind.SHUTDOWN);
        lab.seconds(40);
        fails(shutdown, OperationFailure.Code.NOT_REACHED);
        UUID off = lab.accepted(1, OperationKind.POWER_OFF);
        lab.seconds(2);
        succeeds(off);
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.events())
                .contains("USER_STOP_VM", "VM_DOWN")
                .doesNotContain("VM_DOWN_ERROR");
    }

    @Test
    void theDelayOfAShutdownDoesNotCountAsTimeOfTheGuest() {
        lab.centre.times(
                new ModelDataCentre.Times(
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(10),
                        Duration.ofMinutes(11), // the delay, and a moment
                        Duration.ofSeconds(8),
                        Duration.ofSeconds(12),
                        Duration.ofSeconds(180)));
        lab.up(1, 1).settled();
        UUID shutdown =
                lab.accepted(
                        1,
                        OperationKind.SHUTDOWN,
                        new OperationParameters.Shutdown("the house is closed", 650));
        lab.seconds(655);
        assertThat(lab.operation(shutdown).state()).isEqualTo(OperationState.RUNNING);
        lab.seconds(10);
        succeeds(shutdown);
    }

    @Test
    void aPowerOffIsExpectedForTheTimeOfTheSetting() {
        for (int window : List.of(10, 60)) {
            lab =
                    new CommandLab()
                            .with(
                                    HostMonitorSettings.DEFAULT.withPowerOffWindow(
                                            Duration.ofSeconds(window)))
                            .withHosts(1)
                            .withVm(1)
                            .up(1, 1);
            lab.centre.refusing((_, order) ->
                    order instanceof VmOrder.Destroy
                            ? new HostFailure.Unreachable("it goes unheard")
                            : null);
            lab.centre.losingAnswers((_, order) -> order instanceof VmOrder.Destroy);
            lab.settled();
            lab.accepted(1, OperationKind.POWER_OFF);
            assertThat(isAbsenceExpected()).isTrue();
            lab.seconds(window - 1);
            assertThat(isAbsenceExpected()).as("%d s", window - 1).isTrue();
            lab.seconds(2);
            assertThat(isAbsenceExpected()).as("%d s", window + 1).isFalse();
        }
    }

    private boolean isAbsenceExpected() {
        return Boolean.TRUE.equals(
                lab.engine()
                        .commandAccess()
                        .decide(
                                CommandLab.vmId(1),
                                vm -> vm.commands(lab.clock.nanoTime()).poweringOff()));
    }

    @Test
    void aPowerOffEndsAWaitingShutdown() {
        lab.centre.times(
                new ModelDataCentre.Times(
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(10),
                        Duration.ofMinutes(5),
                        Duration.ofSeconds(8),
                        Duration.ofSeconds(12),
                        Duration.ofSeconds(180)));
        lab.up(1, 1).settled();
        UUID shutdown = lab.accepted(1, OperationKind.SHUTDOWN);
        lab.seconds(2);
        UUID off = lab.accepted(1, OperationKind.POWER_OFF);
        lab.seconds(2);
        succeeds(off);
        succeeds(shutdown);
    }

    @Test
    void aVmIsPausedAndContinues() {
        lab.up(1, 1).settled();
        UUID pause = lab.accepted(1, OperationKind.PAUSE);
        lab.seconds(1);
        succeeds(pause);
        assertThat(lab.status(1)).isEqualTo(VmStatus.PAUSED);
        UUID resume = lab.accepted(1, OperationKind.RESUME);
        lab.seconds(1);
        succeeds(resume);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
    }

    @Test
    void aVmIsSuspendedAndResumedFromItsSavedMemory() {
        lab.up(1, 1).settled();
        UUID suspend = lab.accepted(1, OperationKind.SUSPEND);
        assertThat(lab.operation(suspend).step()).isEqualTo("creates the volumes for its memory");
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        lab.seconds(8);
        assertThat(lab.status(1)).isEqualTo(VmStatus.SAVING_STATE);
        lab.seconds(20);
        succeeds(suspend);
        assertThat(lab.status(1)).isEqualTo(VmStatus.SUSPENDED);
        String handle = lab.host(1).orders(VmOrder.Hibernate.class).getFirst().volumeHandle();
        UUID resume = lab.accepted(1, OperationKind.RESUME);
        lab.seconds(20);
        succeeds(resume);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        VmOrder.Create create =
                lab.centre
                        .host(lab.operation(resume).target())
                        .orders(VmOrder.Create.class)
                        .getFirst();
        assertThat(create.dump()).isNotNull();
        assertThat(handle).contains(create.dump().image().toString());
    }

    @Test
    void aVmMigrates() {
        lab.up(1, 1).settled();
        UUID migrate = lab.accepted(1, OperationKind.MIGRATE);
        assertThat(lab.status(1)).isEqualTo(VmStatus.MIGRATING_FROM);
        lab.seconds(7);
        assertThat(lab.operation(migrate).progress()).isEqualTo(50);
        lab.seconds(10);
        succeeds(migrate);
        assertThat(lab.vm(1).state().placement().runOn())
                .isEqualTo(lab.operation(migrate).target())
                .isNotEqualTo(CommandLab.hostId(1));
        assertThat(lab.centre.homes(CommandLab.vmId(1))).hasSize(1);
        assertThat(lab.events()).contains("VM_MIGRATION_START", "VM_MIGRATION_DONE");
        String asked = CommandLab.TESTER.correlation();
        assertThat(lab.correlations("VM_MIGRATION_START")).containsExactly(asked);
        assertThat(lab.correlations("VM_MIGRATION_DONE")).containsExactly(asked);
    }

    @Test
    void aMigrationThatFailsIsTriedToAnotherHost() {
        lab.centre.failingMigrations((host, _) -> host.id().equals(CommandLab.hostId(2)));
        lab.up(1, 1).settled();
        UUID migrate = lab.accepted(1, OperationKind.MIGRATE);
        lab.seconds(60);
        succeeds(migrate);
        assertThat(lab.vm(1).state().placement().runOn()).isEqualTo(CommandLab.hostId(3));
        assertThat(lab.operation(migrate).tried()).containsExactly(CommandLab.hostId(2));
        assertThat(lab.engine().pendingWork().open()).isEmpty();
    }

    @Test
    @DisplayName("a migration that its host lets wait has all of its patience left when it moves")
    void aMigrationThatWaitsInItsHost() {
        lab.up(1, 1).settled();
        lab.centre.times(slowMigrations(Duration.ofHours(5).plusMinutes(30)));
        lab.host(1).occupied(2);
        UUID migrate = lab.accepted(1, OperationKind.MIGRATE, to(2));
        lab.seconds(600);
        assertThat(lab.status(1)).isEqualTo(VmStatus.MIGRATING_FROM);
        assertThat(lab.operation(migrate).progress()).isZero();
        assertThat(lab.operation(migrate).step())
                .isEqualTo("waits until its host begins the transfer");
        lab.seconds(2_400);
        lab.host(1).occupied(0);
        lab.seconds(9_910);
        assertThat(lab.operation(migrate).step()).isEqualTo("migrates");
        assertThat(lab.operation(migrate).progress()).isEqualTo(50);
        lab.seconds(9_910);
        succeeds(migrate);
        assertThat(lab.vm(1).state().placement().runOn()).isEqualTo(CommandLab.hostId(2));
        assertThat(lab.host(1).orders(VmOrder.Migrate.class)).hasSize(1);
    }

    private static ModelDataCentre.Times slowMigrations(Duration migration) {
        ModelDataCentre.Times usual = ModelDataCentre.Times.DEFAULT;
        return new ModelDataCentre.Times(
                usual.launch(),
                usual.boot(),
                usual.shutdown(),
                usual.suspend(),
                migration,
                usual.callTimeout());
    }

    @Test
    void aMigrationThatWaitsInItsHostIsCancelledWhenItsTurnComes() {
        lab.up(1, 1).settled();
        lab.host(1).occupied(2);
        UUID migrate = lab.accepted(1, OperationKind.MIGRATE, to(2));
        lab.seconds(2);
        UUID cancel = lab.accepted(1, OperationKind.CANCEL_MIGRATION);
        lab.seconds(600);
        assertThat(lab.operation(cancel).isEnded()).isFalse();
        lab.host(1).occupied(0);
        lab.seconds(20);
        succeeds(cancel);
        assertThat(ended(migrate).state()).isEqualTo(OperationState.CANCELLED);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.vm(1).state().placement().runOn()).isEqualTo(CommandLab.hostId(1));
    }

    /** VDSM answers 47 when the migration has ended, and 12 when it failed before its transfer. */
    @ParameterizedTest
    @ValueSource(ints = {47, 12})
    void aHostWithoutAMigrationToCancelReportsThis(int code) {
        lab.up(1, 1).settled();
        lab.centre.refusing((_, order) ->
                order instanceof VmOrder.CancelMigration
                        ? new HostFailure.Refused(code, "Migration not in progress")
                        : null);
        UUID migrate = lab.accepted(1, OperationKind.MIGRATE);
        lab.seconds(2);
        UUID cancel = lab.accepted(1, OperationKind.CANCEL_MIGRATION);
        lab.seconds(40);
        if (code == 47) {
            assertThat(fails(cancel, OperationFailure.Code.ILLEGAL_STATE).reason())
                    .contains("no migration is in progress");
        } else {
            // It awaits the VM's result, as after any other answer.
            assertThat(ended(cancel).state()).isEqualTo(OperationState.SUCCEEDED);
        }
        assertThat(ended(migrate).isEnded()).isTrue();
        assertThat(lab.open()).isEmpty();
    }

    @Test
    void remainsOfACancelledMigrationAreRemovedByItsSource() {
        lab.up(1, 1).settled();
        UUID migrate = lab.accepted(1, OperationKind.MIGRATE, to(2));
        lab.seconds(2);
        UUID cancel = lab.accepted(1, OperationKind.CANCEL_MIGRATION);
        lab.seconds(60);
        succeeds(cancel);
        assertThat(ended(migrate).state()).isEqualTo(OperationState.CANCELLED);
        assertThat(lab.host(2).status(CommandLab.vmId(1))).isNull();
        assertThat(lab.host(2).orders(VmOrder.Destroy.class)).isEmpty();
    }

    @Test
    void aPoweredOffVmIsRemovedOnce() {
        lab.up(1, 1).settled();
        UUID off = lab.accepted(1, OperationKind.POWER_OFF);
        lab.seconds(60);
        succeeds(off);
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.host(1).orders(VmOrder.Destroy.class)).hasSize(1);
        UUID run = lab.accepted(1, OperationKind.RUN, runOn(1));
        lab.seconds(60);
        succeeds(run);
        assertThat(lab.host(1).orders(VmOrder.Destroy.class)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = OperationKind.class,
            names = {"SHUTDOWN", "REBOOT", "MIGRATE"})
    void aVmThatPowersUpCanBeStoppedRebootedAndMoved(OperationKind kind) {
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN, runOn(1));
        lab.seconds(5);
        assertThat(lab.status(1)).isEqualTo(VmStatus.POWERING_UP);
        UUID next = lab.accepted(1, kind);
        lab.seconds(60);
        succeeds(next);
        switch (kind) {
            case SHUTDOWN -> {
                fails(run, OperationFailure.Code.OVERTAKEN);
                assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
            }
            case MIGRATE -> {
                succeeds(run);
                assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
                assertThat(lab.vm(1).state().placement().runOn())
                        .isNotEqualTo(CommandLab.hostId(1));
            }
            default -> {
                assertThat(ended(run).isEnded()).isTrue();
                assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
            }
        }
        assertThat(lab.centre.starts()).isEqualTo(1);
        assertThat(lab.open()).isEmpty();
    }

    @Test
    void aVmThatWaitsForLaunchIsNotMovedYet() {
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(1);
        assertThat(lab.ask(1, OperationKind.MIGRATE, OperationParameters.Migrate.DEFAULT))
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> assertThat(refused.why()).isEqualTo(Answer.Why.CONFLICT));
        lab.seconds(30);
        succeeds(run);
    }

    @Test
    @DisplayName("a failed start on few hosts names each host's answer")
    void whyAStartFailedOnTheOnlyHosts() {
        lab = new CommandLab().withHosts(2).withVm(1);
        lab.centre.refusing((host, order) ->
                order instanceof VmOrder.Create
                        ? new HostFailure.Refused(9, "no " + host.definition().name())
                        : null);
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(60);
        assertThat(fails(run, OperationFailure.Code.NO_HOST).reason())
                .contains("host1: the host answered code 9: no host1")
                .contains("host2: the host answered code 9: no host2")
                .contains("no other host fits");
    }

    @Test
    void whyAStartFailedOnAsManyHostsAsAreTried() {
        lab.centre.refusing((host, order) ->
                order instanceof VmOrder.Create
                        ? new HostFailure.Refused(9, "no " + host.definition().name())
                        : null);
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(60);
        assertThat(fails(run, OperationFailure.Code.REFUSED).reason())
                .startsWith("it was tried on 3 hosts: ")
                .contains("host1: the host answered code 9: no host1")
                .contains("host2: the host answered code 9: no host2")
                .contains("host3: the host answered code 9: no host3");
    }

    /** The engine is killed while the second host is to be asked. */
    @Test
    void whyAStartFailedBeforeARestartOfTheEngineIsKept() {
        lab.centre.refusing((host, order) -> {
            if (order instanceof VmOrder.Create) {
                lab.vms.unavailable("slow");
                return new HostFailure.Refused(9, "no " + host.definition().name());
            }
            return null;
        });
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(10);
        assertThat(lab.operation(run).tried()).hasSize(1);
        lab.vms.unavailable(null);
        lab.centre.refusing((host, order) ->
                order instanceof VmOrder.Create
                        ? new HostFailure.Refused(9, "no " + host.definition().name())
                        : null);
        lab.crash();
        lab.seconds(120);
        assertThat(fails(run, OperationFailure.Code.REFUSED).reason())
                .startsWith("it was tried on 3 hosts: ")
                .contains("host1: the host answered code 9: no host1")
                .contains("host2: the host answered code 9: no host2")
                .contains("host3: the host answered code 9: no host3");
    }

    /** A host answers polls before it carries out a start; the engine closes meanwhile. */
    @Test
    void aVmThatIsBeingStartedIsNotLostToAPollWhileTheEngineCloses() {
        lab.centre.refusing((_, order) ->
                order instanceof VmOrder.Create ? new HostFailure.TimedOut("create", 1) : null);
        lab.settled();
        var _ =
                lab.commands.submit(
                        List.of(
                                new OperationRequest(
                                        CommandLab.vmId(1),
                                        OperationKind.RUN,
                                        OperationParameters.NONE)),
                        CommandLab.TESTER);
        while (lab.stepped.pump() || lab.commands.pump()) {
            // until the host has the request
        }
        assertThat(lab.status(1)).isEqualTo(VmStatus.WAIT_FOR_LAUNCH);

        lab.commands.close();
        for (int second = 0; second < 30; second++) {
            lab.centre.advance(
                    Duration.ofSeconds(1),
                    () -> {
                        while (lab.centre.step() || lab.stepped.pump()) {
                            // until nothing is left to do
                        }
                    });
        }

        assertThat(lab.status(1)).isEqualTo(VmStatus.WAIT_FOR_LAUNCH);
        assertThat(lab.engine().pendingWork().open()).isEmpty();
    }

    @Test
    void aMigrationIsCancelled() {
        lab.up(1, 1).settled();
        UUID migrate = lab.accepted(1, OperationKind.MIGRATE);
        lab.seconds(2);
        UUID cancel = lab.accepted(1, OperationKind.CANCEL_MIGRATION);
        lab.seconds(20);
        succeeds(cancel);
        assertThat(ended(migrate).state()).isEqualTo(OperationState.CANCELLED);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.vm(1).state().placement().runOn()).isEqualTo(CommandLab.hostId(1));
        assertThat(lab.engine().pendingWork().open()).isEmpty();
    }

    /** Where a VM came from, its host may speak of the migration that brought it here. */
    @Test
    void progressOfAMigrationCountsFromItsOrder() {
        Set<Phase> phases = EnumSet.noneOf(Phase.class);
        for (int steps = 0; steps < 60 && !phases.contains(Phase.AWAITING); steps++) {
            lab = new CommandLab().withHosts(3).withVm(1).up(1, 1).settled();
            UUID first = lab.accepted(1, OperationKind.MIGRATE);
            lab.seconds(20);
            succeeds(first);
            UUID migrate = begunMigration(steps);
            lab.host(1).sayProgress(CommandLab.vmId(1), 63);
            boolean _ = lab.host(1).step();
            lab.pumpMonitoring();
            for (int more = 0; more < 8; more++) {
                Phase phase =
                        Objects.requireNonNull(lab.commands.context().registry().open(migrate))
                                .phase();
                phases.add(phase);
                if (phase != Phase.CALLING && phase != Phase.AWAITING) {
                    assertThat(lab.operation(migrate).progress()).as("in %s", phase).isZero();
                }
                boolean _ = lab.stepOnce();
            }
        }
        assertThat(phases).contains(Phase.QUEUED, Phase.COMMITTING, Phase.CALLING, Phase.AWAITING);
    }

    @Test
    void aMigrationIsTakenBackInEveryPhase() {
        Set<Phase> phases = EnumSet.noneOf(Phase.class);
        for (int steps = 0; steps < 60 && !phases.contains(Phase.AWAITING); steps++) {
            lab = new CommandLab().withHosts(3).withVm(1).up(1, 1).settled();
            UUID migrate = begunMigration(steps);
            phases.add(
                    Objects.requireNonNull(lab.commands.context().registry().open(migrate))
                            .phase());
            assertThat(lab.commands.cancel(migrate, CommandLab.TESTER)).isNull();
            assertThat(lab.commands.cancel(migrate, CommandLab.TESTER)).isNull();
            lab.seconds(40);
            assertThat(ended(migrate).state())
                    .as("after %d steps", steps)
                    .isEqualTo(OperationState.CANCELLED);
            assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
            assertThat(lab.vm(1).state().placement())
                    .satisfies(
                            placed -> assertThat(placed.runOn()).isEqualTo(CommandLab.hostId(1)),
                            placed -> assertThat(placed.migratingTo()).isNull());
            assertThat(lab.host(1).orders(VmOrder.CancelMigration.class))
                    .as("after %d steps", steps)
                    .hasSameSizeAs(lab.host(1).orders(VmOrder.Migrate.class));
            assertThat(lab.open()).isEmpty();
            assertThat(lab.isHeld(1)).isFalse();
        }
        assertThat(phases).contains(Phase.QUEUED, Phase.COMMITTING, Phase.CALLING, Phase.AWAITING);
    }

    @Test
    void aMigrationThatIsTakenBackBeforeACrashEnds() {
        Phase last = Phase.QUEUED;
        for (int steps = 0; steps < 60 && last != Phase.AWAITING; steps++) {
            lab = new CommandLab().withHosts(3).withVm(1).up(1, 1).settled();
            UUID migrate = begunMigration(steps);
            last = Objects.requireNonNull(lab.commands.context().registry().open(migrate)).phase();
            assertThat(lab.commands.cancel(migrate, CommandLab.TESTER)).isNull();
            for (int i = 0; i < 2; i++) {
                boolean _ = lab.stepOnce();
            }
            lab.crash();
            lab.seconds(120);
            assertThat(lab.status(1)).as("after %d steps", steps).isEqualTo(VmStatus.UP);
            assertThat(lab.open()).isEmpty();
            assertThat(lab.operations.all()).allMatch(Operation::isEnded);
        }
    }

    /** A migration that so many things were done for. */
    private UUID begunMigration(int steps) {
        CompletableFuture<Answer> _ =
                lab.commands
                        .submit(
                                List.of(
                                        new OperationRequest(
                                                CommandLab.vmId(1),
                                                OperationKind.MIGRATE,
                                                OperationParameters.Migrate.DEFAULT)),
                                CommandLab.TESTER)
                        .getFirst();
        for (int i = 0; i < steps; i++) {
            if (!lab.stepOnce()) {
                lab.centre.advance(Duration.ofMillis(20), () -> {});
            }
        }
        return lab.open().getFirst().operation().id();
    }

    @Test
    @DisplayName("a paused VM that its host does not release stays paused, and is reported once")
    void aPausedVmWhoseMigrationIsRefused() {
        lab.up(1, 1).settled();
        succeeds(paused());
        lab.centre.refusing((_, order) ->
                order instanceof VmOrder.Migrate
                        ? new HostFailure.Refused(12, "Fatal error during migration")
                        : null);
        UUID migrate = lab.accepted(1, OperationKind.MIGRATE);
        lab.seconds(60);
        fails(migrate, OperationFailure.Code.NO_HOST);
        assertThat(lab.status(1)).isEqualTo(VmStatus.PAUSED);
        assertThat(lab.events()).containsOnlyOnce("VM_PAUSED");
    }

    @Test
    void aPausedVmMigratesAndStaysPaused() {
        lab.up(1, 1).settled();
        succeeds(paused());
        UUID migrate = lab.accepted(1, OperationKind.MIGRATE);
        lab.seconds(60);
        succeeds(migrate);
        assertThat(lab.status(1)).isEqualTo(VmStatus.PAUSED);
        assertThat(lab.vm(1).state().placement().runOn()).isNotEqualTo(CommandLab.hostId(1));
    }

    private UUID paused() {
        UUID pause = lab.accepted(1, OperationKind.PAUSE);
        lab.seconds(5);
        return pause;
    }

    @Test
    void aGuestIsRebooted() {
        lab.up(1, 1).settled();
        UUID reboot = lab.accepted(1, OperationKind.REBOOT);
        lab.seconds(20);
        succeeds(reboot);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.host(1).orders(VmOrder.Shutdown.class).getFirst().reboot()).isTrue();
        assertThat(lab.centre.starts()).isZero();
    }

    @Test
    @DisplayName("S20 a cold reboot ends the process and starts the VM with its next configuration")
    void aColdReboot() {
        lab.up(1, 1).settled();
        UUID reboot = lab.accepted(1, OperationKind.REBOOT, new OperationParameters.Reboot(true));
        lab.seconds(60);
        succeeds(reboot);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.centre.starts()).isEqualTo(1);
        assertThat(lab.events()).contains("COLD_REBOOT_VM_DOWN");
        assertThat(lab.engine().pendingWork().open()).isEmpty();
    }

    @Test
    void aVmIsReset() {
        lab.up(1, 1).settled();
        UUID reset = lab.accepted(1, OperationKind.RESET);
        lab.pump();
        succeeds(reset);
        assertThat(lab.host(1).orders(VmOrder.Reset.class)).hasSize(1);
    }

    @Test
    @DisplayName("T6 a console ticket names its user, whom no report takes away")
    void aConsoleTicket() {
        lab.up(1, 1).settled();
        List<CompletableFuture<Answer>> answers =
                lab.commands.submit(
                        List.of(
                                new OperationRequest(
                                        CommandLab.vmId(1),
                                        OperationKind.CONSOLE_TICKET,
                                        new OperationParameters.Console("eve", null, 120),
                                        "secret word")),
                        CommandLab.TESTER);
        lab.seconds(20);
        assertThat(answers.getFirst().join())
                .isInstanceOfSatisfying(
                        Answer.Accepted.class, accepted -> succeeds(accepted.operation().id()));
        assertThat(lab.vm(1).state().placement().run().consoleUser()).isEqualTo("eve");
        VmOrder.SetTicket order = lab.host(1).orders(VmOrder.SetTicket.class).getFirst();
        assertThat(order.password()).isEqualTo("secret word");
        assertThat(order.console()).isNull();
        assertThat(lab.operations.all().toString()).doesNotContain("secret word");
    }

    @Test
    void aTicketIsForTheConsoleThatTheRequestNames() {
        lab.up(1, 1).settled();
        List<CompletableFuture<Answer>> answers =
                lab.commands.submit(
                        List.of(
                                new OperationRequest(
                                        CommandLab.vmId(1),
                                        OperationKind.CONSOLE_TICKET,
                                        new OperationParameters.Console(
                                                "eve", null, 120, VmConsole.Protocol.VNC),
                                        "secret")),
                        CommandLab.TESTER);
        lab.seconds(20);
        assertThat(answers.getFirst().join())
                .isInstanceOfSatisfying(
                        Answer.Accepted.class, accepted -> succeeds(accepted.operation().id()));
        VmOrder.SetTicket order = lab.host(1).orders(VmOrder.SetTicket.class).getFirst();
        assertThat(order.console()).isEqualTo(VmConsole.Protocol.VNC);
        assertThat(order.parameters())
                .containsEntry("userName", "eve")
                .containsEntry("vncUsername", "vnc-" + CommandLab.vmId(1))
                .containsEntry("fips", "false");
    }

    @Test
    void anImpossibleRequestIsRefusedWithStateAndReason() {
        lab.settled();
        for (OperationKind kind :
                List.of(
                        OperationKind.SHUTDOWN,
                        OperationKind.POWER_OFF,
                        OperationKind.REBOOT,
                        OperationKind.RESET,
                        OperationKind.PAUSE,
                        OperationKind.RESUME,
                        OperationKind.SUSPEND,
                        OperationKind.MIGRATE,
                        OperationKind.CANCEL_MIGRATION,
                        OperationKind.CONSOLE_TICKET,
                        OperationKind.CHANGE_CD,
                        OperationKind.PLUG_DEVICE,
                        OperationKind.UNPLUG_DEVICE)) {
            Answer answer = lab.ask(1, kind, OperationParameters.NONE);
            assertThat(answer)
                    .as(kind.label())
                    .isInstanceOfSatisfying(
                            Answer.Refused.class,
                            refused -> {
                                assertThat(refused.why()).isEqualTo(Answer.Why.CONFLICT);
                                assertThat(refused.reason()).startsWith("the VM is down: ");
                            });
        }
        assertThat(lab.open()).isEmpty();
        assertThat(lab.operations.all()).isEmpty();
    }

    /** A VM that is up, with a drive, an interface and a disk. */
    private void equipped() {
        lab.definitions.put(
                CommandLab.vmId(1),
                new Definition(
                        CommandLab.vmStatic(1, false, false),
                        VmSpecification.BARE.withDevices(
                                List.of(
                                        new VmDisk(
                                                DISK,
                                                "data",
                                                new VmDisk.Place.File("/srv/data"),
                                                VmDisk.Bus.VIRTIO,
                                                VmDisk.Format.RAW,
                                                null,
                                                false,
                                                false)),
                                new VmCdrom(new UUID(4, 3), "/isos/first.iso"),
                                List.of(
                                        new VmInterface(
                                                NIC, "nic1", "56:6f:00:00:00:01", "ovirtmgmt"))),
                        0,
                        null,
                        null));
        lab.up(1, 1).settled();
    }

    private String currentCd() {
        return lab.vm(1).state().runtime().text(RuntimeField.CURRENT_CD);
    }

    @Test
    void theCdOfAVmThatRunsIsExchangedAndEjected() {
        equipped();
        UUID changed =
                lab.accepted(
                        1, OperationKind.CHANGE_CD, new OperationParameters.Cd("/isos/other.iso"));
        lab.seconds(1);
        succeeds(changed);
        assertThat(lab.host(1).orders(VmOrder.ChangeCd.class))
                .containsExactly(
                        new VmOrder.ChangeCd(CommandLab.vmId(1), "sata", 2, "/isos/other.iso"));
        assertThat(currentCd()).isEqualTo("/isos/other.iso");
        UUID ejected = lab.accepted(1, OperationKind.CHANGE_CD, new OperationParameters.Cd(null));
        lab.seconds(1);
        succeeds(ejected);
        assertThat(lab.host(1).orders(VmOrder.ChangeCd.class).getLast().path()).isEmpty();
        assertThat(currentCd()).isEmpty();
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        UUID off = lab.accepted(1, OperationKind.POWER_OFF);
        lab.seconds(20);
        succeeds(off);
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(20);
        succeeds(run);
        assertThat(currentCd()).as("a new run has the CD of its definition").isNull();
    }

    @Test
    void aHostWithoutTheCdReportsThis() {
        equipped();
        lab.centre.refusing((_, order) ->
                order instanceof VmOrder.ChangeCd
                        ? new HostFailure.Refused(
                                RefusalCode.NO_SUCH_CD, "Drive image file could not be found")
                        : null);
        UUID changed =
                lab.accepted(1, OperationKind.CHANGE_CD, new OperationParameters.Cd("/no.iso"));
        lab.seconds(1);
        assertThat(fails(changed, OperationFailure.Code.REFUSED).reason())
                .contains("could not be found");
        assertThat(currentCd()).isNull();
    }

    @Test
    void devicesOfAVmThatRunsArePluggedAndUnplugged() {
        equipped();
        UUID plugged =
                lab.accepted(
                        1,
                        OperationKind.PLUG_DEVICE,
                        new OperationParameters.Device(
                                OperationParameters.DeviceType.INTERFACE, NIC));
        lab.seconds(1);
        succeeds(plugged);
        UUID unplugged =
                lab.accepted(
                        1,
                        OperationKind.UNPLUG_DEVICE,
                        new OperationParameters.Device(OperationParameters.DeviceType.DISK, DISK));
        lab.seconds(1);
        succeeds(unplugged);
        List<VmOrder.Plug> orders = lab.host(1).orders(VmOrder.Plug.class);
        assertThat(orders).extracting(VmOrder.Plug::in).containsExactly(true, false);
        assertThat(orders.getFirst().xml()).contains("56:6f:00:00:00:01", "ua-" + NIC);
        assertThat(orders.getLast().xml()).contains("ua-" + DISK);
        UUID unknown =
                lab.accepted(
                        1,
                        OperationKind.PLUG_DEVICE,
                        new OperationParameters.Device(
                                OperationParameters.DeviceType.INTERFACE, DISK));
        lab.seconds(1);
        assertThat(fails(unknown, OperationFailure.Code.INVALID).reason())
                .contains("does not have the interface");
    }

    @Test
    void aDeviceIsNotPluggedTwiceBecauseTheEngineWasRestarted() {
        equipped();
        lab.centre.losingAnswers((_, order) -> order instanceof VmOrder.Plug);
        UUID plugged =
                lab.accepted(
                        1,
                        OperationKind.PLUG_DEVICE,
                        new OperationParameters.Device(
                                OperationParameters.DeviceType.INTERFACE, NIC));
        lab.crash();
        lab.seconds(10);
        fails(plugged, OperationFailure.Code.INTERRUPTED);
        assertThat(lab.host(1).orders(VmOrder.Plug.class)).hasSize(1);
    }

    @Test
    void oneVmHasOneOperationAtATime() {
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        Answer second = lab.ask(1, OperationKind.RUN, OperationParameters.Run.DEFAULT);
        assertThat(second)
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> assertThat(refused.why()).isEqualTo(Answer.Why.CONFLICT));
        lab.seconds(20);
        succeeds(run);
    }

    @Test
    void withoutADatabaseNothingBegins() {
        lab.settled();
        lab.operations.unavailable("gone");
        assertThat(lab.ask(1, OperationKind.RUN, OperationParameters.Run.DEFAULT))
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> assertThat(refused.why()).isEqualTo(Answer.Why.UNAVAILABLE));
        assertThat(lab.open()).isEmpty();
        lab.operations.unavailable(null);
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(20);
        succeeds(run);
    }

    @Test
    void nothingIsStartedBeforeItIsDurable() {
        lab.settled();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(20);
        succeeds(run);
        UUID off = lab.accepted(1, OperationKind.POWER_OFF);
        lab.seconds(2);
        succeeds(off);
        lab.vms.unavailable("gone");
        UUID again = lab.accepted(1, OperationKind.RUN);
        lab.seconds(10);
        assertThat(lab.centre.starts()).isEqualTo(1);
        lab.vms.unavailable(null);
        lab.seconds(60);
        succeeds(again);
        assertThat(lab.centre.starts()).isEqualTo(2);
        assertThat(lab.centre.doubles()).isEmpty();
    }

    /**
     * It arrived there by a migration whose end no host reported, while its start became durable.
     */
    @Test
    void aVmOnItsHostIsNeitherDownNorStartedElsewhereAfterAnyAnswer() {
        lab.centre.refusing((_, order) ->
                order instanceof VmOrder.Create
                        ? new HostFailure.Refused(16, "unexpected exception")
                        : null);
        lab.settled();
        lab.vms.unavailable("slow");
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(1);
        HostId target = Objects.requireNonNull(lab.operation(run).target());
        lab.centre.host(target).put(CommandLab.vmId(1));
        lab.seconds(16);
        assertThat(lab.status(1)).isEqualTo(VmStatus.WAIT_FOR_LAUNCH);
        lab.vms.unavailable(null);
        lab.seconds(12);
        succeeds(run);
        assertThat(lab.operation(run).target()).isEqualTo(target);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(
                        lab.centre.hosts().stream()
                                .mapToInt(host -> host.orders(VmOrder.Create.class).size())
                                .sum())
                .isOne();
        assertThat(lab.events()).doesNotContain("VM_STARTED_OUTSIDE_ENGINE");
    }

    @Test
    void eachAttemptHoldsTheVmForAsLongAsItMay() {
        lab.centre.refusing((_, order) -> {
            if (order instanceof VmOrder.Create) {
                lab.vms.unavailable("slow again");
                return new HostFailure.Refused(16, "unexpected exception");
            }
            return null;
        });
        lab.settled();
        lab.vms.unavailable("slow");
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(10);
        lab.vms.unavailable(null);
        int seconds = 10;
        while (lab.operation(run).tried().isEmpty()) {
            lab.seconds(1);
            seconds++;
        }
        assertThat(seconds).as("the first attempt is over").isLessThan(28);
        lab.seconds(31 - seconds);
        assertThat(lab.isHeld(1)).as("by the second attempt").isTrue();
        lab.seconds(seconds + 1);
        assertThat(lab.isHeld(1)).isFalse();
    }

    @Test
    @DisplayName("T2 a poll that was asked for before a command changed the VM is not taken in")
    void anOldPoll() {
        lab.up(1, 1).settled();
        lab.engine().administration().refresh(CommandLab.hostId(1));
        UUID shutdown = lab.accepted(1, OperationKind.SHUTDOWN);
        assertThat(lab.status(1)).isEqualTo(VmStatus.POWERING_DOWN);
        lab.seconds(10);
        succeeds(shutdown);
        assertThat(lab.events()).doesNotContain("VM_POWER_DOWN_FAILED");
    }

    /** The VM was shut down, which is not durable yet, so that its record is still on its host. */
    private void justShutDown() {
        lab.up(1, 1).settled();
        UUID shutdown = lab.accepted(1, OperationKind.SHUTDOWN);
        lab.seconds(1);
        lab.vms.unavailable("slow");
        lab.seconds(60);
        assertThat(lab.status(1)).as("%s", lab.operation(shutdown)).isEqualTo(VmStatus.DOWN);
    }

    private static OperationParameters runOn(int host) {
        return new OperationParameters.Run(
                CommandLab.hostId(host), false, OperationParameters.Cause.REQUEST);
    }

    @Test
    void remainsOfTheLastRunAreRemovedBeforeAStart() {
        justShutDown();
        UUID run = lab.accepted(1, OperationKind.RUN, runOn(1));
        lab.vms.unavailable(null);
        lab.seconds(60);
        succeeds(run);
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.operation(run).target()).isEqualTo(CommandLab.hostId(1));
        assertThat(lab.host(1).orders(VmOrder.Destroy.class)).hasSize(1);
        assertThat(lab.host(1).orders(VmOrder.Create.class)).hasSize(1);
        assertThat(lab.centre.doubles()).isEmpty();
    }

    @Test
    void aVmIsNotStartedBesideRemainsOfItsLastRun() {
        lab.centre.refusing((host, order) ->
                order instanceof VmOrder.Destroy && host.id().equals(CommandLab.hostId(1))
                        ? new HostFailure.Refused(42, "it does not go")
                        : null);
        justShutDown();
        UUID pinned = lab.accepted(1, OperationKind.RUN, runOn(1));
        lab.vms.unavailable(null);
        lab.seconds(60);
        assertThat(fails(pinned, OperationFailure.Code.REFUSED).reason())
                .contains("earlier run")
                .contains("it does not go");
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        UUID anywhere = lab.accepted(1, OperationKind.RUN);
        lab.seconds(20);
        succeeds(anywhere);
        assertThat(lab.operation(anywhere).target()).isNotEqualTo(CommandLab.hostId(1));
        assertThat(lab.host(1).orders(VmOrder.Create.class)).isEmpty();
    }

    @Test
    void nothingIsRemovedBeforeTheEndOfTheLastRunIsDurable() {
        justShutDown();
        UUID run = lab.accepted(1, OperationKind.RUN, runOn(1));
        lab.seconds(60);
        assertThat(lab.operation(run).isEnded()).isFalse();
        assertThat(lab.operation(run).step()).contains("earlier run");
        assertThat(lab.host(1).orders(VmOrder.Destroy.class)).isEmpty();
        lab.vms.unavailable(null);
        lab.seconds(60);
        succeeds(run);
        assertThat(lab.host(1).orders(VmOrder.Destroy.class)).hasSize(1);
    }

    @Test
    void aStartThatWaitsForTheRemovalOfTheLastRunIsTakenBackAtOnce() {
        justShutDown();
        UUID run = lab.accepted(1, OperationKind.RUN, runOn(1));
        assertThat(lab.commands.cancel(run, CommandLab.TESTER)).isNull();
        lab.pump();
        assertThat(ended(run).state()).isEqualTo(OperationState.CANCELLED);
        lab.vms.unavailable(null);
        lab.seconds(60);
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.centre.starts()).isZero();
    }

    @Test
    void aVmShownAsDownMayBeStartedAtOnce() {
        lab.up(1, 1).settled();
        UUID shutdown = lab.accepted(1, OperationKind.SHUTDOWN);
        lab.seconds(1);
        for (int i = 0; i < 600 && lab.status(1) != VmStatus.DOWN; i++) {
            // Commands do not look at it meanwhile.
            lab.centre.advance(
                    Duration.ofMillis(100),
                    () -> {
                        lab.centre.step();
                        lab.stepped.pump();
                    });
        }
        assertThat(lab.status(1)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.operation(shutdown).isEnded()).isFalse();
        UUID run = lab.accepted(1, OperationKind.RUN);
        lab.seconds(20);
        succeeds(shutdown);
        succeeds(run);
    }

    @Test
    void remainsOfAVmAreRemovedBeforeItMigratesBack() {
        lab.up(1, 1).settled();
        UUID there = lab.accepted(1, OperationKind.MIGRATE, to(2));
        lab.seconds(1);
        lab.vms.unavailable("slow");
        lab.seconds(60);
        succeeds(there);
        UUID back = lab.accepted(1, OperationKind.MIGRATE, to(1));
        assertThat(lab.operation(back).step()).contains("earlier run");
        assertThat(lab.host(1).orders(VmOrder.Destroy.class)).isEmpty();
        lab.vms.unavailable(null);
        lab.seconds(60);
        succeeds(back);
        assertThat(lab.vm(1).state().placement().runOn()).isEqualTo(CommandLab.hostId(1));
        assertThat(lab.status(1)).isEqualTo(VmStatus.UP);
        assertThat(lab.host(1).orders(VmOrder.Destroy.class)).hasSize(1);
        assertThat(lab.centre.doubles()).isEmpty();
    }

    private static OperationParameters to(int host) {
        return new OperationParameters.Migrate(CommandLab.hostId(host), "");
    }

    @Test
    @DisplayName(
            "a clock step forth or back, or a leap second, changes no time-out of an operation")
    void clockSteps() {
        int usual = secondsOfAShutdownThatFails(Duration.ZERO);
        assertThat(usual).isBetween(2, 60);
        for (Duration step :
                List.of(Duration.ofDays(3), Duration.ofDays(-3), Duration.ofSeconds(-1))) {
            assertThat(secondsOfAShutdownThatFails(step)).as("%s", step).isEqualTo(usual);
        }
    }

    private int secondsOfAShutdownThatFails(Duration step) {
        lab = new CommandLab().withHosts(1).withVm(1);
        lab.centre.deafGuests(_ -> true);
        lab.up(1, 1).settled();
        UUID shutdown = lab.accepted(1, OperationKind.SHUTDOWN);
        int seconds = 0;
        while (!lab.operation(shutdown).isEnded() && seconds < 100) {
            if (seconds == 1) {
                lab.clock.jump(step);
            }
            lab.seconds(1);
            seconds++;
        }
        fails(shutdown, OperationFailure.Code.NOT_REACHED);
        return seconds;
    }
}
