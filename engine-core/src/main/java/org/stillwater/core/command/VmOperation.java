package org.stillwater.core.command;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.command.VmTask.Phase;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.vm.VmStatus;

/**
 * The state machine that all operations on VMs share, for one decision: a fact goes in, and the
 * operation's next state comes out with the effects that lead there.
 *
 * <pre>
 *   QUEUED      Begin: refused by {@link VmRules}, or {@link #prepare} (a host, volumes), or begin
 *   COMMITTING  {@link #announce} made the intention known; it becomes durable
 *   CALLING     the host gets the call {@link #verb}
 *   AWAITING    reports are compared with {@link #isReached} and {@link #missed}, until
 *               {@link #patience} is over
 *   ENDED
 * </pre>
 *
 * <p>An operation that is taken back ends at once until it is {@link VmTask#isBegun begun}, and is
 * marked afterwards. After a restart of the engine, {@link #resume} reads from the VM how far the
 * operation came; no step is repeated that may have been executed.
 *
 * <p>Each subclass is one kind of operation. It overrides the questions in the second half of this
 * class; the answers here are those of most operations. Not thread-safe; used for one decision.
 */
abstract sealed class VmOperation extends StepBuilder
        permits PlacedOperation,
                StopOperation,
                AnsweredOperation,
                CancelMigrationOperation,
                PauseOperation,
                SuspendOperation,
                WarmRebootOperation {

    static final String AWAITS_VM = "waits for the VM";

    /** Inputs of a decision; see {@link VmOperationMachine}. */
    record Input(
            VmTask task,
            VmFacts vm,
            Instant now,
            CommandLimits limits,
            Function<HostId, String> hostNames) {}

    final CommandLimits limits;
    final VmVerb verb;
    private final Duration patience;
    private final String awaits;

    /**
     * An operation of one kind.
     *
     * @param verb verb of the request to the host
     * @param patience how long the VM may take then
     * @param awaits text of the operation's step meanwhile, one clause for people
     */
    VmOperation(Input input, VmVerb verb, Duration patience, String awaits) {
        super(input.task(), input.vm(), input.now());
        this.limits = input.limits();
        this.verb = verb;
        this.patience = patience;
        this.awaits = awaits;
    }

    /** Step that follows from a fact. */
    final VmStep decide(VmFact fact) {
        switch (fact) {
            case VmFact.Begin _ -> {
                if (task.phase() == Phase.QUEUED) {
                    admit();
                }
            }
            case VmFact.Resumed _ -> resume();
            case VmFact.OfPlacement placement -> placement(placement);
            case VmFact.Prepared _ -> {
                if (task.phase() == Phase.PREPARING) {
                    beginPrepared();
                }
            }
            case VmFact.NotPrepared(Code code, String reason) -> {
                if (task.phase() == Phase.PREPARING) {
                    fail(code, "the volumes for its memory cannot be created: " + reason);
                }
            }
            case VmFact.Committed _ -> {
                if (task.phase() == Phase.COMMITTING) {
                    committed();
                }
            }
            case VmFact.CommitRefused(String reason) -> commitRefused(reason);
            case VmFact.Answered(HostFailure failure) -> answered(failure);
            case VmFact.OrderFailed(HostFailure failure) -> {
                if (task.phase() == Phase.AWAITING && !isReached() && !isDoneAlready(failure)) {
                    notDone(failure);
                }
            }
            case VmFact.NotAsked(Code code, String reason) -> {
                if (task.phase() == Phase.CALLING) {
                    notAsked(code, reason);
                }
            }
            case VmFact.Seen _ -> {
                if (task.phase() == Phase.AWAITING) {
                    look();
                } else if (task.phase() == Phase.RESUMING && !mayBeOutdated()) {
                    admitAgain();
                }
            }
            case VmFact.Progressed(int percent) -> {
                // A migration that was not ordered yet makes no progress: it is another one's.
                if (task.phase() == Phase.CALLING || task.phase() == Phase.AWAITING) {
                    progressed(percent);
                }
            }
            case VmFact.TimedOut _ -> timedOut();
            case VmFact.Cancel _ -> cancel();
        }
        return step();
    }

    // ----------------------------------------------------------------- the shared state machine

    /** Begins the operation when its turn comes. */
    final void admit() {
        if (isAllowed("")) {
            prepare();
        }
    }

    /** Begins after a preparation, during which the VM may have changed. */
    final void beginPrepared() {
        if (isAllowed(" by now")) {
            begin();
        }
    }

    /** Whether the VM's status allows the operation, which ends otherwise. */
    private boolean isAllowed(String when) {
        String refusal = refusal();
        if (refusal != null) {
            String status = vm.status().label();
            fail(Code.ILLEGAL_STATE, "the VM is %s%s: %s".formatted(status, when, refusal));
        }
        return refusal == null;
    }

    private @Nullable String refusal() {
        return VmRules.refusal(operation().kind(), operation().parameters(), vm);
    }

    void begin() {
        if (vm.status() != VmStatus.POWERING_DOWN) {
            task = task.from(vm.status());
        }
        announce();
    }

    void committed() {
        if (isStillBegun()) {
            call();
        } else {
            task = task.isAtRest(); // observations of an earlier attempt are void
            effect(new VmEffect.Release(false));
            await(awaits);
            lookAfterCall();
        }
    }

    private void commitRefused(String reason) {
        if (task.phase() == Phase.COMMITTING) {
            revert(reason);
            effect(new VmEffect.Release(false));
        }
        if (task.phase() == Phase.COMMITTING || task.phase() == Phase.PREPARING) {
            fail(Code.INTERNAL, "the database refuses the row of the VM: " + reason);
        }
    }

    final void call() {
        HostId host = callee();
        if (host == null) {
            effect(new VmEffect.Release(false));
            fail(Code.ILLEGAL_STATE, "it is on no host by now");
            return;
        }
        VmVerb verb = verb();
        task = task.isAtRest();
        go(Phase.CALLING, "asks the host");
        effect(new VmEffect.Call(host, verb));
    }

    void answered(@Nullable HostFailure failure) {
        if (task.phase() != Phase.CALLING) {
            return;
        }
        if (failure == null || isDoneAlready(failure)) {
            accepted();
        } else if (AnswerRules.isCertain(failure)) {
            notDone(failure);
        } else {
            unanswered(failure);
        }
    }

    /** The order certainly had no effect. */
    private void notDone(HostFailure failure) {
        if (AnswerRules.isPassing(failure) && isToBeRepeated()) {
            beginLater(failure);
        } else {
            refused(failure);
        }
    }

    /** Whether an order that another operation was in the way of may be given again. */
    boolean isToBeRepeated() {
        Instant since = task.busy(now).busySince();
        return !task.cancelled() && since != null && now.isBefore(since.plus(limits.busy()));
    }

    /**
     * Begins again after a pause, in which the VM is shown as it is: the other operation may have
     * brought it to a status that does not allow this one.
     */
    private void beginLater(HostFailure failure) {
        revert(failure.describe());
        effect(new VmEffect.Release(false));
        task = task.busy(now);
        go(
                Phase.QUEUED,
                "is tried again every %d s: %s"
                        .formatted(limits.busyRetry().toSeconds(), failure.describe()));
        effect(new VmEffect.BeginLater(limits.busyRetry()));
    }

    /** The host did not answer and may have acted: its reports show it, or it stops responding. */
    final void awaitReports(String what) {
        HostId host = callee();
        task = task.lingering(true);
        effect(new VmEffect.Release(true));
        await("waits for reports of the host, which " + what);
        if (host != null) {
            effect(new VmEffect.Poll(host));
        }
        lookAfterCall();
    }

    final void awaitAgain() {
        await(awaits);
        look();
    }

    /** Compares the VM with the goal of an operation that awaits it. */
    void look() {
        if (isReached()) {
            succeed(reached());
            return;
        }
        OperationFailure missed = missed();
        if (missed == null) {
            lookOn();
        } else if (task.cancelled()) {
            cancelled("was cancelled");
        } else {
            fail(missed);
        }
    }

    private void timedOut() {
        switch (task.phase()) {
            case AWAITING -> overdue();
            case RESUMING -> admitAgain();
            case CALLING -> effect(new VmEffect.Release(true)); // the call continues
            case QUEUED, PLACING, PREPARING, COMMITTING, CLEARING, ENDED -> {}
        }
    }

    final void failOverdue(Duration most) {
        fail(
                Code.TIMED_OUT,
                "it took longer than %s s; the VM is %s"
                        .formatted(most.toSeconds(), vm.status().label()));
    }

    /**
     * Begins an operation that may not have begun before the restart. It was admitted for a state
     * of the VM that may not have become durable: if it would be refused now, hosts get time to
     * report the VM again.
     */
    final void admitAgain() {
        if (task.phase() != Phase.RESUMING && mayBeOutdated()) {
            go(Phase.RESUMING, "waits for reports of hosts about the VM");
            effect(new VmEffect.Deadline(limits.pause()));
            poll();
        } else {
            task = task.in(Phase.QUEUED, operation());
            admit();
        }
    }

    /** Whether it would be refused for a status that a host will confirm or correct. */
    private boolean mayBeOutdated() {
        return vm.status().isRunningOrPaused() && refusal() != null;
    }

    // -------------------------------------------------------- methods of the kinds of operations

    /** Makes the preparations of the operation; then begins it. */
    void prepare() {
        begin();
    }

    /** Records the intended step; then calls the host. */
    void announce() {
        call();
    }

    /** Whether hosts reported no other state of the VM while the intention became durable. */
    boolean isStillBegun() {
        return isOnHost();
    }

    /** The host of the call; null if it was removed. */
    @Nullable HostId callee() {
        return vm.runOn();
    }

    /** Verb of the request to the host. */
    VmVerb verb() {
        return verb;
    }

    /** Whether a refusal shows that the goal was reached already. */
    boolean isDoneAlready(HostFailure failure) {
        return false;
    }

    /** The host accepted the order. */
    void accepted() {
        effect(new VmEffect.Release(true));
        await(awaits);
        lookAfterCall();
    }

    /** The request certainly had no effect on the host. */
    void refused(HostFailure failure) {
        giveUp(Code.REFUSED, failure.describe());
    }

    /** The host may have done it. */
    void unanswered(HostFailure failure) {
        awaitReports("did not answer: " + failure.describe());
    }

    /** No request can be built for the host; another host would get none either. */
    void notAsked(Code code, String reason) {
        giveUp(code, reason);
    }

    /** Checks the VM for the first time since the call was due. */
    void lookAfterCall() {
        look();
    }

    /** A search for a host, or the failure of an attempt on one. */
    void placement(VmFact.OfPlacement fact) {}

    /** A migration of the VM moved on. */
    void progressed(int percent) {}

    /** How long the VM may take. */
    Duration patience() {
        return patience;
    }

    /** Begins to wait for the VM. */
    void await(String step) {
        go(Phase.AWAITING, step);
        effect(new VmEffect.Deadline(patience()));
    }

    /** Whether the VM is in the requested state. */
    abstract boolean isReached();

    String reached() {
        return "the VM is " + vm.status().label();
    }

    /** Why the goal can no longer be reached; null while it can. */
    @Nullable OperationFailure missed() {
        if (vm.status() == VmStatus.UNKNOWN) {
            return new OperationFailure(
                    Code.HOST_LOST, "its host stopped responding; its state is unknown");
        }
        return vm.status().isNotRunning() ? missedByEnd() : missedWhileRunning();
    }

    /** The same of a VM that ended. */
    @Nullable OperationFailure missedByEnd() {
        return notReached("it ended" + because());
    }

    /** The same of a VM that has a process. */
    @Nullable OperationFailure missedWhileRunning() {
        return null;
    }

    /** The goal is neither reached nor missed. */
    void lookOn() {}

    /** The patience with the VM is over. */
    void overdue() {
        failOverdue(patience());
    }

    void cancel() {
        if (task.isBegun()) {
            task = task.taggedCancelled();
        } else {
            cancelled("was cancelled before it began");
        }
    }

    /** Shows the VM as it was before the intention was made known, unless hosts reported since. */
    void revert(String reason) {}

    /** The engine was restarted: the state of the VM shows how far the operation came. */
    void resume() {
        if (vm.status().isNotRunning() || isReached()) {
            awaitAgain();
        } else {
            admitAgain();
        }
    }

    /** Fails an operation that did not change the VM. */
    private void giveUp(Code code, String reason) {
        revert(reason);
        effect(new VmEffect.Release(false));
        fail(code, reason);
    }
}
