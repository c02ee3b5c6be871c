package org.stillwater.core.command;

import java.time.Instant;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.vm.VmStatus;

/** Has the host of a VM call off its migration. */
final class CancelMigrationOperation extends VmOperation {

    CancelMigrationOperation(Input input) {
        super(input, VmVerb.CANCEL_MIGRATION, input.limits().pause(), AWAITS_VM);
    }

    /**
     * A host refuses to cancel a migration that has ended, which its next report shows, and one
     * that can no longer be cancelled. After a migration that failed before its transfer began it
     * answers how that one failed: there is no migration left to cancel either.
     */
    @Override
    void refused(HostFailure failure) {
        poll();
        if (AnswerRules.isCalledOff(failure)) {
            accepted();
            return;
        }
        effect(new VmEffect.Release(false));
        if (AnswerRules.isRefusedWith(failure, RefusalCode.MIGRATION_NOT_IN_PROGRESS)) {
            fail(
                    Code.ILLEGAL_STATE,
                    "the host answers that no migration is in progress that it could cancel");
        } else {
            fail(Code.REFUSED, failure.describe());
        }
    }

    @Override
    void progressed(int percent) {
        if (task.movesSince() == null) {
            task = task.moving(now);
        }
    }

    @Override
    boolean isReached() {
        return !vm.status().isMigrating()
                && vm.status().isRunningOrPaused()
                && vm.placement().migratingTo() == null;
    }

    /** A migration that waits in its host still is called off there when its turn comes. */
    @Override
    void overdue() {
        Instant began = operation().startedAt();
        if (task.movesSince() != null) {
            failOverdue(limits.migration());
        } else if (vm.status() == VmStatus.MIGRATING_FROM
                && began != null
                && now.isBefore(began.plus(limits.turn()))) {
            effect(new VmEffect.Deadline(limits.pause()));
        } else {
            super.overdue();
        }
    }

    @Override
    void resume() {
        if (vm.status() == VmStatus.MIGRATING_FROM) {
            call();
        } else {
            awaitAgain();
        }
    }
}
