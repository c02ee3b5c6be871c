package org.stillwater.core.command;

import org.stillwater.core.model.VmStatus;
import org.stillwater.core.operation.Operation;

/**
 * An operation on a VM while it is under way. What stands here beside the operation is forgotten at
 * a restart; {@link VmFact.Resumed} finds it again from the state of the VM.
 *
 * @param operation the operation
 * @param phase what it waits for
 * @param mayLinger whether the VM may have been started on the last target although nobody saw it:
 *     what is left there must be removed before it is started elsewhere
 * @param left whether the VM was seen in another status since the host was asked
 * @param elsewhere whether monitoring found meanwhile that it failed where it was tried
 * @param cancelled whether it is to end as soon as it can
 * @param before the status that the VM is shown in again if what was made known is not done
 */
public record VmTask(
        Operation operation,
        Phase phase,
        boolean mayLinger,
        boolean left,
        boolean elsewhere,
        boolean cancelled,
        VmStatus before) {

    /** What an operation waits for. */
    public enum Phase {
        /** Its turn. */
        QUEUED,
        /** What hosts report of the VM since the engine was restarted; then its turn again. */
        RESUMING,
        /** A host. */
        PLACING,
        /** The answer of the host that was chosen to the removal of what an earlier run left. */
        PREPARING,
        /** The database. */
        COMMITTING,
        /** The host's answer. */
        CALLING,
        /** The host's answer to the removal of what may be left of a failed start. */
        CLEARING,
        /** What hosts report of the VM. */
        AWAITING,
        /** Nothing any more. */
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

    /** An operation of which nothing is known but what it waits for. */
    public static VmTask in(Operation operation, Phase phase) {
        return new VmTask(operation, phase, false, false, false, false, VmStatus.UP);
    }

    /** The same with a host chosen that it does not use yet. */
    public VmTask promised(org.stillwater.core.model.HostId host) {
        return with(operation.placed(host, operation.explanation()));
    }

    /** The same, which waits with a host chosen that it does not use yet. */
    public VmTask waiting(String step, java.time.Instant now) {
        return with(operation.doing(step, now));
    }

    VmTask in(Phase next, Operation newOperation) {
        return new VmTask(newOperation, next, mayLinger, left, elsewhere, cancelled, before);
    }

    VmTask with(Operation newOperation) {
        return new VmTask(newOperation, phase, mayLinger, left, elsewhere, cancelled, before);
    }

    VmTask lingering(boolean may) {
        return new VmTask(operation, phase, may, left, elsewhere, cancelled, before);
    }

    VmTask hasLeft() {
        return left
                ? this
                : new VmTask(operation, phase, mayLinger, true, elsewhere, cancelled, before);
    }

    VmTask isAtRest() {
        return left
                ? new VmTask(operation, phase, mayLinger, false, elsewhere, cancelled, before)
                : this;
    }

    VmTask isToGoElsewhere(boolean whether) {
        return new VmTask(operation, phase, mayLinger, left, whether, cancelled, before);
    }

    /** The same, which is to end as soon as it can. */
    public VmTask taggedCancelled() {
        return cancelled
                ? this
                : new VmTask(operation, phase, mayLinger, left, elsewhere, true, before);
    }

    VmTask from(VmStatus status) {
        return new VmTask(operation, phase, mayLinger, left, elsewhere, cancelled, status);
    }
}
