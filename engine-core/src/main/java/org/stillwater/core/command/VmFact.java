package org.stillwater.core.command;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.OperationFailure;

/** Something that an operation on a VM may have to follow. */
public sealed interface VmFact {

    /** A fact about a search for a host, or about an attempt on one. */
    sealed interface OfPlacement extends VmFact {}

    /** Its turn came. */
    record Begin() implements VmFact {}

    /** The engine was restarted while it was under way. */
    record Resumed() implements VmFact {}

    /**
     * A host was chosen.
     *
     * @param host the host
     * @param why one clause for people
     * @param remains hosts that hold something of the VM which is to be removed before it starts,
     *     and is not known to be: the chosen host, for an earlier run or a migration that failed;
     *     another host, if the VM may run there
     */
    record Placed(HostId host, String why, List<HostId> remains) implements OfPlacement {}

    /**
     * No host will do.
     *
     * @param why the deficit of each host, for people
     */
    record Nowhere(String why) implements OfPlacement {}

    /** The volumes for the VM's memory exist. */
    record Prepared() implements VmFact {}

    /**
     * They cannot be created.
     *
     * @param code kind of failure
     * @param reason one clause for people
     */
    record NotPrepared(OperationFailure.Code code, String reason) implements VmFact {}

    /** The decision about the VM is durable. */
    record Committed() implements VmFact {}

    /**
     * The database refuses the decision about the VM.
     *
     * @param reason one clause for people
     */
    record CommitRefused(String reason) implements VmFact {}

    /**
     * The host answered, or will not.
     *
     * @param failure null for success
     */
    record Answered(@Nullable HostFailure failure) implements VmFact {}

    /**
     * The host answered with success, and failed to carry the order out.
     *
     * @param failure why
     */
    record OrderFailed(HostFailure failure) implements VmFact {}

    /**
     * The host was not called, because no request could be built.
     *
     * @param code kind of failure
     * @param reason one clause for people
     */
    record NotAsked(OperationFailure.Code code, String reason) implements VmFact {}

    /** The VM changed, or may have. */
    record Seen() implements VmFact {}

    /**
     * Monitoring found that a start or migration failed, and left it to this operation.
     *
     * @param generation the run of the VM that failed, or that was to migrate
     */
    record TryElsewhere(long generation) implements OfPlacement {}

    /**
     * A host is to run no more VMs, and has not launched this one.
     *
     * @param host the host
     * @param why one clause for people
     */
    record LeaveHost(HostId host, String why) implements OfPlacement {}

    /** A migration moved on. */
    record Progressed(int percent) implements VmFact {}

    /** Its time limit is over. */
    record TimedOut() implements VmFact {}

    /** A user cancelled it. */
    record Cancel() implements VmFact {}
}
