package org.stillwater.core.command;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.stillwater.core.command.VmTask.Phase;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmStatus;

/**
 * Migrates a VM to another host. Hosts take a migration at once, and let it wait while as many are
 * under way as they allow: its transfer has begun when its progress is reported for the first time.
 */
final class MigrateOperation extends PlacedOperation {

    private static final String MIGRATES = "migrates";

    MigrateOperation(Input input) {
        super(
                input,
                VmVerb.MIGRATE,
                input.limits().turn().plus(input.limits().migration()),
                "waits until its host begins the transfer");
    }

    @Override
    void begin() {
        if (isOnTarget()) {
            fail(Code.ILLEGAL_STATE, "the VM is on the chosen host by now");
        } else {
            super.begin();
        }
    }

    @Override
    void announce() {
        commit(
                vm.runtime().with(RuntimeField.STATUS, VmStatus.MIGRATING_FROM),
                vm.placement().withMigratingTo(target()),
                new VmCommands(InFlight.MIGRATE, vm.commands().coldReboot(), false));
    }

    @Override
    boolean isStillBegun() {
        return vm.status() == VmStatus.MIGRATING_FROM
                && Objects.equals(vm.placement().migratingTo(), operation().target());
    }

    /** The destination may be the cause: another one may work. */
    @Override
    void notAsked(Code code, String reason) {
        tryElsewhere(code, reason);
    }

    @Override
    void refused(HostFailure failure) {
        if (AnswerRules.isRefusedWith(failure, RefusalCode.MIGRATION_LIMIT)) {
            awaitTurn(failure);
        } else {
            super.refused(failure);
        }
    }

    /** As many migrations are under way as hosts allow: the host is checked again in a while. */
    private void awaitTurn(HostFailure failure) {
        Instant since = operation().startedAt();
        revert(failure.describe());
        effect(new VmEffect.Release(false));
        if (task.cancelled()) {
            cancelled("was cancelled");
        } else if (since != null && !now.isBefore(since.plus(limits.turn()))) {
            fail(
                    Code.REFUSED,
                    "hosts took no more migrations for %d s: %s"
                            .formatted(limits.turn().toSeconds(), failure.describe()));
        } else {
            task = task.with(operation().placed(null, failure.describe()));
            go(Phase.PLACING, "waits until hosts take more migrations");
            effect(new VmEffect.FindHostLater(limits.turnRetry()));
        }
    }

    @Override
    void progressed(int percent) {
        boolean begins = task.movesSince() == null;
        if (begins) {
            task = task.moving(now);
        }
        task = task.with(operation().at(percent));
        if (begins && task.phase() == Phase.AWAITING) {
            await(MIGRATES);
        }
    }

    /** Before the transfer begins, its host lets it wait as long as others are under way. */
    @Override
    Duration patience() {
        return task.movesSince() == null ? super.patience() : limits.migration();
    }

    @Override
    void await(String step) {
        super.await(task.movesSince() == null ? step : MIGRATES);
    }

    @Override
    boolean isReached() {
        VmStatus status = vm.status();
        return isOnTarget()
                && (status.isRunning() || status == VmStatus.PAUSED)
                && !status.isMigrating();
    }

    @Override
    String reached() {
        return "arrived";
    }

    /**
     * Looks again at a forgotten migration; monitoring's work about it comes once it is durable.
     */
    @Override
    void lookOn() {
        if (!isForgotten()) {
            task = task.isAtRest(); // it may be forgotten once more
        } else if (!task.left()) {
            task = task.hasLeft();
            effect(new VmEffect.Deadline(limits.pause()));
        }
    }

    /** Whether the VM no longer migrates, and monitoring no longer waits for it. */
    private boolean isForgotten() {
        return !vm.status().isMigrating()
                && vm.commands().inFlight() != InFlight.MIGRATE
                && !isOnTarget();
    }

    @Override
    void overdue() {
        Instant moves = task.movesSince();
        if (!isForgotten()) {
            // The deadline may be that of the time before the transfer began.
            if (moves == null || !now.isBefore(moves.plus(limits.migration()))) {
                super.overdue();
            }
        } else if (task.cancelled()) {
            cancelled("was cancelled");
        } else {
            fail(
                    Code.NOT_REACHED,
                    "it does not migrate any more: the VM is " + vm.status().label());
        }
    }

    @Override
    String failed() {
        return "the migration failed";
    }

    @Override
    boolean mayLinger() {
        return false;
    }

    @Override
    void cancel() {
        if (task.phase() == Phase.COMMITTING) {
            revert("was cancelled");
            effect(new VmEffect.Release(false));
            cancelled("was cancelled before its host was asked");
        } else {
            super.cancel();
        }
    }

    @Override
    void revert(String reason) {
        if (vm.status() == VmStatus.MIGRATING_FROM) {
            restore(VmStatus.MIGRATING_FROM, vm.placement().withMigratingTo(null));
        } else {
            drop();
        }
    }

    @Override
    void resume() {
        VmStatus status = vm.status();
        if (status.isMigrating()) {
            task =
                    task.with(
                            operation()
                                    .placed(
                                            status == VmStatus.MIGRATING_FROM
                                                    ? vm.placement().migratingTo()
                                                    : vm.runOn(),
                                            operation().explanation()));
            follow(new VmCommands(InFlight.MIGRATE, false, false));
        } else if (operation().target() != null && isOnTarget()) {
            task = task.in(Phase.AWAITING, operation());
            look();
        } else {
            admitAgain();
        }
    }
}
