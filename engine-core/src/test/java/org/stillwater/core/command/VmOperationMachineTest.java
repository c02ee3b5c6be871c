package org.stillwater.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

class VmOperationMachineTest {

    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");
    private static final VmId VM = new VmId(1, 1);
    private static final HostId HERE = new HostId(new UUID(1, 1));
    private static final HostId THERE = new HostId(new UUID(1, 2));

    private final VmOperationMachine machine = new VmOperationMachine(CommandLimits.DEFAULT);

    private static VmTask migrationThatLooksForAHost() {
        return VmTask.in(
                Operation.on(
                        VM,
                        new UUID(2, 1),
                        OperationKind.MIGRATE,
                        OperationParameters.Migrate.DEFAULT,
                        new Operation.Origin("tester", "test"),
                        1,
                        NOW),
                VmTask.Phase.PLACING);
    }

    private static VmFacts upOn(HostId host) {
        return new VmFacts(
                VM,
                new VmStatic("vm", VmOrigin.OVIRT, false, 64, 64, 1, 1, 1, List.of()),
                VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                VmPlacement.on(host),
                VmCommands.NONE);
    }

    private VmStep placedOn(HostId host) {
        return machine.decide(
                migrationThatLooksForAHost(),
                upOn(HERE),
                new VmFact.Placed(host, "it is the best", List.of()),
                NOW);
    }

    @Test
    void aMigrationIsRecordedBeforeTheCallToItsHost() {
        assertThat(placedOn(THERE).task().phase()).isEqualTo(VmTask.Phase.COMMITTING);
    }

    /** It went there by itself, or ended and began again, while a host was looked for. */
    @Test
    void noVmMigratesToTheHostThatItIsOn() {
        VmStep step = placedOn(HERE);

        Operation operation = step.task().operation();
        assertThat(operation.state()).isEqualTo(OperationState.FAILED);
        assertThat(operation.failure().code()).isEqualTo(Code.ILLEGAL_STATE);
        assertThat(step.effects()).noneMatch(VmEffect.Change.class::isInstance);
    }

    /** A start on a host that was asked and refuses. */
    private VmStep startRefused(boolean saidToRun, int code) {
        VmTask asked =
                VmTask.in(
                        Operation.on(
                                        VM,
                                        new UUID(2, 2),
                                        OperationKind.RUN,
                                        OperationParameters.Run.DEFAULT,
                                        new Operation.Origin("tester", "test"),
                                        1,
                                        NOW)
                                .placed(THERE, "it is the best"),
                        VmTask.Phase.CALLING);
        VmFacts starting = upOn(THERE);
        return machine.decide(
                asked,
                new VmFacts(
                        VM,
                        starting.definition(),
                        starting.runtime().with(RuntimeField.STATUS, VmStatus.WAIT_FOR_LAUNCH),
                        starting.placement(),
                        new VmCommands(VmCommands.InFlight.RUN, false, false),
                        saidToRun,
                        false),
                new VmFact.Answered(new HostFailure.Refused(code, "unexpected exception")),
                NOW);
    }

    @ParameterizedTest
    @ValueSource(ints = {RefusalCode.UNEXPECTED, RefusalCode.BUSY})
    void aReportedVmIsAwaitedAfterAnyAnswerOfItsHost(int code) {
        VmStep step = startRefused(true, code);

        assertThat(step.task().phase()).isEqualTo(VmTask.Phase.AWAITING);
        assertThat(step.effects())
                .contains(new VmEffect.Release(true), new VmEffect.Poll(THERE))
                .noneMatch(VmEffect.Change.class::isInstance);
    }

    @Test
    void aStartThatIsRefusedIsTriedElsewhere() {
        VmStep step = startRefused(false, RefusalCode.UNEXPECTED);

        assertThat(step.task().phase()).isEqualTo(VmTask.Phase.PLACING);
        assertThat(step.effects()).anyMatch(VmEffect.Change.class::isInstance);
    }

    /** A start on the host of the second attempt, which is the second run. */
    private VmStep foundToHaveFailed(VmTask.Phase phase, long run) {
        VmTask task =
                VmTask.in(
                        Operation.on(
                                        VM,
                                        new UUID(2, 2),
                                        OperationKind.RUN,
                                        OperationParameters.Run.DEFAULT,
                                        new Operation.Origin("tester", "test"),
                                        0,
                                        NOW)
                                .placed(THERE, "it is the best"),
                        phase);
        VmFacts starting = upOn(THERE);
        return machine.decide(
                task,
                new VmFacts(
                        VM,
                        starting.definition(),
                        starting.runtime().with(RuntimeField.STATUS, VmStatus.WAIT_FOR_LAUNCH),
                        starting.placement().withRun(starting.placement().run().next().next()),
                        new VmCommands(VmCommands.InFlight.RUN, false, false)),
                new VmFact.TryElsewhere(run),
                NOW);
    }

    /** The database was away, so the failure of the first attempt arrives late. */
    @ParameterizedTest
    @EnumSource(
            value = VmTask.Phase.class,
            names = {"COMMITTING", "CALLING", "AWAITING"})
    void aFailureOfAnEarlierAttemptDoesNotAffectTheNextOne(VmTask.Phase phase) {
        VmStep late = foundToHaveFailed(phase, 1);
        assertThat(late.effects()).isEmpty();
        assertThat(late.task().elsewhere()).isFalse();
        assertThat(late.task().phase()).isEqualTo(phase);

        VmStep own = foundToHaveFailed(phase, 2);
        assertThat(own.task().elsewhere()).isEqualTo(phase != VmTask.Phase.AWAITING);
        assertThat(own.task().phase() != phase).isEqualTo(phase == VmTask.Phase.AWAITING);
    }

    /** Its host reports it as paused, as migrating after all, and then as up. */
    @Test
    void aMigrationThatIsForgottenAgainEndsAgainSoon() {
        VmEffect soon = new VmEffect.Deadline(CommandLimits.DEFAULT.pause());
        VmTask task = migrationThatLooksForAHost();
        task = VmTask.in(task.operation().placed(THERE, "it is the best"), VmTask.Phase.AWAITING);

        VmStep paused = seen(task, VmStatus.PAUSED);
        assertThat(paused.effects()).contains(soon);
        VmStep migrates = seen(paused.task(), VmStatus.MIGRATING_FROM);
        assertThat(migrates.effects()).isEmpty();
        VmStep up = seen(migrates.task(), VmStatus.UP);
        assertThat(up.effects()).contains(soon);
        assertThat(seen(up.task(), VmStatus.UP).effects()).as("once").isEmpty();
    }

    private VmStep seen(VmTask task, VmStatus status) {
        VmFacts vm = upOn(HERE);
        return machine.decide(
                task,
                new VmFacts(
                        VM,
                        vm.definition(),
                        vm.runtime().with(RuntimeField.STATUS, status),
                        vm.placement(),
                        VmCommands.NONE),
                new VmFact.Seen(),
                NOW);
    }

    private static VmFacts saved(boolean isOfPool, VmStatus status) {
        return new VmFacts(
                VM,
                upOn(HERE).definition(),
                VmRuntime.INITIAL.with(RuntimeField.STATUS, status),
                VmPlacement.NOWHERE,
                VmCommands.NONE,
                false,
                isOfPool);
    }

    private static VmTask powerOff() {
        return VmTask.of(
                Operation.on(
                        VM,
                        new UUID(2, 3),
                        OperationKind.POWER_OFF,
                        OperationParameters.NONE,
                        new Operation.Origin("tester", "test"),
                        1,
                        NOW));
    }

    /** The engine shows what the pool reports, not what it was ordered to do. */
    @Test
    void aPoolDropsTheMemoryOfASuspendedVmItself() {
        VmFacts suspended = saved(true, VmStatus.SUSPENDED);
        VmStep asked = machine.decide(powerOff(), suspended, new VmFact.Begin(), NOW);
        assertThat(asked.effects()).containsExactly(new VmEffect.DropMemory());
        assertThat(asked.task().phase()).isEqualTo(VmTask.Phase.CALLING);

        VmStep begun = machine.decide(asked.task(), suspended, new VmFact.Answered(null), NOW);
        assertThat(begun.task().phase()).isEqualTo(VmTask.Phase.AWAITING);
        assertThat(begun.effects()).noneMatch(VmEffect.Change.class::isInstance);
        assertThat(machine.decide(begun.task(), suspended, new VmFact.Seen(), NOW).task().phase())
                .isEqualTo(VmTask.Phase.AWAITING);

        VmStep again = machine.decide(begun.task(), suspended, new VmFact.Resumed(), NOW);
        assertThat(again.effects()).as("a restart").containsExactly(new VmEffect.DropMemory());

        VmStep late =
                machine.decide(
                        begun.task(),
                        suspended,
                        new VmFact.OrderFailed(
                                new HostFailure.Refused(RefusalCode.UNEXPECTED, "no")),
                        NOW);
        assertThat(late.task().operation().state()).isEqualTo(OperationState.FAILED);

        VmStep down =
                machine.decide(begun.task(), saved(true, VmStatus.DOWN), new VmFact.Seen(), NOW);
        assertThat(down.task().operation().state()).isEqualTo(OperationState.SUCCEEDED);
    }

    /** The pool's report came before its answer; no other one follows. */
    @Test
    void aPoolThatIsFasterThanItsAnswerIsNotAwaited() {
        VmStep asked =
                machine.decide(
                        powerOff(), saved(true, VmStatus.SUSPENDED), new VmFact.Begin(), NOW);
        VmStep answered =
                machine.decide(
                        asked.task(), saved(true, VmStatus.DOWN), new VmFact.Answered(null), NOW);
        assertThat(answered.task().operation().state()).isEqualTo(OperationState.SUCCEEDED);
    }

    @Test
    void theEngineDropsTheMemoryOfOtherVms() {
        VmStep dropped =
                machine.decide(
                        powerOff(), saved(false, VmStatus.SUSPENDED), new VmFact.Begin(), NOW);
        assertThat(dropped.task().phase()).isEqualTo(VmTask.Phase.COMMITTING);
        assertThat(dropped.effects())
                .singleElement()
                .isInstanceOfSatisfying(
                        VmEffect.Change.class,
                        change -> assertThat(change.runtime().status()).isEqualTo(VmStatus.DOWN));
    }
}
