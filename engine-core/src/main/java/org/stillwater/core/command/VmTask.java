package org.stillwater.core.command;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.vm.VmStatus;

/**
 * An operation on a VM while it is under way. A restart loses the other components than the
 * operation; {@link VmFact.Resumed} finds it again from the state of the VM.
 *
 * @param operation the operation
 * @param phase the awaited event
 * @param mayLinger whether the VM may have been started on the last target without a report of it:
 *     remains there must be removed before it is started elsewhere
 * @param left whether the VM was seen in another status since the call to the host
 * @param elsewhere whether monitoring found meanwhile that it failed where it was tried
 * @param cancelled whether it is to end as soon as it can
 * @param before the status that the VM is shown in again if the recorded step does not happen
 * @param movesSince when its host first reported the progress of the migration; null before: the
 *     host lets migrations wait until it has room for them
 * @param busySince when its order was first refused because another operation was under way; null
 *     before
 */
public record VmTask(
        Operation operation,
        Phase phase,
        boolean mayLinger,
        boolean left,
        boolean elsewhere,
        boolean cancelled,
        VmStatus before,
        @Nullable Instant movesSince,
        @Nullable Instant busySince) {

    /** Event that an operation waits for. */
    public enum Phase {
        /** Its turn. */
        QUEUED,
        /** Reports of hosts about the VM since the engine was restarted; then its turn again. */
        RESUMING,
        /** A host. */
        PLACING,
        /** Preparations before its begin, on the chosen host or on the storage. */
        PREPARING,
        /** The database. */
        COMMITTING,
        /** The host's answer. */
        CALLING,
        /** The host's answer to the removal of possible remains of a failed start. */
        CLEARING,
        /** Reports of hosts about the VM. */
        AWAITING,
        /** No awaited event. */
        ENDED
    }

    /** Whether something was done for it: until then it can be taken back at once. */
    public boolean isBegun() {
        return switch (phase) {
            case QUEUED, RESUMING, PLACING, PREPARING -> false;
            case COMMITTING, CALLING, CLEARING, AWAITING, ENDED -> true;
        };
    }

    /** An operation that waits for its turn. */
    public static VmTask of(Operation operation) {
        return in(operation, Phase.QUEUED);
    }

    /** An operation with only its awaited event known. */
    public static VmTask in(Operation operation, Phase phase) {
        return new VmTask(operation, phase, false, false, false, false, VmStatus.UP, null, null);
    }

    /** The same with a host chosen that it does not use yet. */
    public VmTask promised(HostId host) {
        return with(operation.placed(host, operation.explanation()));
    }

    /** The same, which waits with a host chosen that it does not use yet. */
    public VmTask waiting(String step, Instant now) {
        return with(operation.doing(step, now));
    }

    VmTask in(Phase next, Operation newOperation) {
        return new VmTask(
                newOperation,
                next,
                mayLinger,
                left,
                elsewhere,
                cancelled,
                before,
                movesSince,
                busySince);
    }

    VmTask with(Operation newOperation) {
        return in(phase, newOperation);
    }

    VmTask lingering(boolean may) {
        return new VmTask(
                operation, phase, may, left, elsewhere, cancelled, before, movesSince, busySince);
    }

    VmTask hasLeft() {
        return left ? this : leaving(true);
    }

    VmTask isAtRest() {
        return left ? leaving(false) : this;
    }

    private VmTask leaving(boolean whether) {
        return new VmTask(
                operation,
                phase,
                mayLinger,
                whether,
                elsewhere,
                cancelled,
                before,
                movesSince,
                busySince);
    }

    VmTask isToGoElsewhere(boolean whether) {
        return new VmTask(
                operation,
                phase,
                mayLinger,
                left,
                whether,
                cancelled,
                before,
                movesSince,
                busySince);
    }

    /** The same, which is to end as soon as it can. */
    public VmTask taggedCancelled() {
        return cancelled
                ? this
                : new VmTask(
                        operation,
                        phase,
                        mayLinger,
                        left,
                        elsewhere,
                        true,
                        before,
                        movesSince,
                        busySince);
    }

    VmTask from(VmStatus status) {
        return new VmTask(
                operation,
                phase,
                mayLinger,
                left,
                elsewhere,
                cancelled,
                status,
                movesSince,
                busySince);
    }

    /** The same after it failed on its target, which answered so. */
    VmTask failedOnTarget(String answer) {
        return new VmTask(
                operation.failedOnTarget(answer),
                phase,
                mayLinger,
                left,
                elsewhere,
                cancelled,
                before,
                null,
                busySince);
    }

    /** The same, with an order that is refused now for another operation, or was before. */
    VmTask busy(Instant now) {
        Instant since = busySince == null ? now : busySince;
        return new VmTask(
                operation, phase, mayLinger, left, elsewhere, cancelled, before, movesSince, since);
    }

    /**
     * The same, with a migration that moves on since this time; null while its host lets it wait.
     */
    VmTask moving(@Nullable Instant since) {
        return new VmTask(
                operation, phase, mayLinger, left, elsewhere, cancelled, before, since, busySince);
    }
}
