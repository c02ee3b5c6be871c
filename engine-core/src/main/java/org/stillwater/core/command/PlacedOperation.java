package org.stillwater.core.command;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.command.VmTask.Phase;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmStatus;

/**
 * An operation that searches for a host first, and for another one after a failure: it is {@link
 * Phase#PLACING} before it begins and after each failed attempt. Remains of the VM on a host are
 * removed before it starts ({@link Phase#PREPARING}) and before it is tried elsewhere ({@link
 * Phase#CLEARING}).
 */
abstract sealed class PlacedOperation extends VmOperation permits StartOperation, MigrateOperation {

    private final Function<HostId, String> hostNames;

    PlacedOperation(Input input, VmVerb verb, Duration patience, String awaits) {
        super(input, verb, patience, awaits);
        this.hostNames = input.hostNames();
    }

    /** Text about the failure, for a VM that monitoring found failed. */
    abstract String failed();

    @Override
    void prepare() {
        findHost("looks for a host");
    }

    final void findHost(String step) {
        go(Phase.PLACING, step);
        effect(new VmEffect.FindHost());
    }

    @Override
    final void placement(VmFact.OfPlacement fact) {
        switch (fact) {
            case VmFact.Placed placed -> {
                if (task.phase() == Phase.PLACING) {
                    placed(placed);
                }
            }
            case VmFact.Nowhere(String why) -> {
                if (task.phase() == Phase.PLACING) {
                    nowhere(why);
                }
            }
            case VmFact.TryElsewhere(long run) -> {
                if (run < vm.generation()) {
                    return; // of an attempt that the host's own answer ended before
                }
                if (task.phase() == Phase.AWAITING) {
                    tryElsewhere(Code.NOT_REACHED, failed() + because());
                } else if (task.phase() == Phase.CALLING || task.phase() == Phase.COMMITTING) {
                    task = task.isToGoElsewhere(true);
                }
            }
            case VmFact.LeaveHost(HostId host, String why) -> {
                if (task.phase() == Phase.AWAITING) {
                    leaveHost(host, why);
                }
            }
        }
    }

    private void placed(VmFact.Placed placed) {
        task = task.with(operation().placed(placed.host(), placed.why()));
        if (placed.remains().isEmpty()) {
            beginPrepared();
            return;
        }
        // On a request for the VM now, the host would answer that it has it; and then, that it is
        // down.
        go(
                Phase.PREPARING,
                placed.remains().equals(List.of(placed.host()))
                        ? "removes leftovers of an earlier run from the host"
                        : "removes leftovers of a migration from its destination host");
        effect(new VmEffect.Clear(placed.remains()));
    }

    private void nowhere(String why) {
        task = task.with(operation().placed(null, why));
        fail(
                Code.NO_HOST,
                operation().tried().isEmpty()
                        ? why
                        : "it failed on the hosts that were tried (%s), and no other host fits: %s"
                                .formatted(answers(), why));
    }

    @Override
    final void answered(@Nullable HostFailure failure) {
        switch (task.phase()) {
            case PREPARING -> remainsAnswered(failure);
            case CLEARING -> clearingAnswered(failure);
            case QUEUED, RESUMING, PLACING, COMMITTING, CALLING, AWAITING, ENDED ->
                    super.answered(failure);
        }
    }

    /** No request was sent to the target yet: another host may work. */
    private void remainsAnswered(@Nullable HostFailure failure) {
        if (failure == null || AnswerRules.isRemoved(failure)) {
            beginPrepared();
            return;
        }
        Code code = AnswerRules.isCertain(failure) ? Code.REFUSED : Code.HOST_LOST;
        String reason =
                "leftovers of an earlier run or a migration cannot be removed from a host: "
                        + failure.describe();
        task = task.failedOnTarget(reason);
        if (!endsHere(code, reason)) {
            findHost("looks for another host");
        }
    }

    private void clearingAnswered(@Nullable HostFailure failure) {
        if (failure == null || AnswerRules.isRemoved(failure)) {
            task = task.lingering(false);
            effect(new VmEffect.Release(true));
            cleared();
            return;
        }
        String reason =
                "the last host does not answer and may still have leftovers of the start: "
                        + failure.describe();
        if (vm.status() == VmStatus.WAIT_FOR_LAUNCH) {
            revert(reason);
        }
        effect(new VmEffect.Release(false));
        fail(Code.HOST_LOST, reason);
    }

    @Override
    void refused(HostFailure failure) {
        boolean cancelledElsewhere = AnswerRules.isCancelled(failure) && !task.cancelled();
        if (vm.status() == VmStatus.PAUSED || cancelledElsewhere) {
            super.refused(failure);
        } else {
            tryElsewhere(Code.REFUSED, failure.describe());
        }
    }

    @Override
    final void accepted() {
        if (task.elsewhere()) {
            task = task.lingering(true);
        }
        super.accepted();
    }

    /** Continues with a failure that monitoring detected during the host's call. */
    @Override
    final void lookAfterCall() {
        if (task.elsewhere()) {
            task = task.isToGoElsewhere(false);
            tryElsewhere(Code.NOT_REACHED, failed() + because());
        } else {
            look();
        }
    }

    /** The attempt on the target failed. */
    final void tryElsewhere(Code code, String reason) {
        HostId last = operation().target();
        boolean mayLinger = mayLinger();
        revert(reason);
        effect(new VmEffect.Release(false));
        task = task.failedOnTarget(reason);
        if (endsHere(code, reason)) {
            return;
        }
        if (mayLinger && last != null) {
            clear(last);
        } else {
            findHost("looks for another host");
        }
    }

    /** Whether the failed attempt may have left something of the VM on its target. */
    boolean mayLinger() {
        return task.mayLinger();
    }

    /** The host is to run no more VMs. */
    void leaveHost(HostId host, String why) {}

    final void clear(HostId host) {
        go(Phase.CLEARING, "removes leftovers of the failed start");
        effect(new VmEffect.Call(host, VmVerb.DESTROY));
    }

    /** No leftovers of the start remain on the host where it failed last. */
    private void cleared() {
        List<HostId> tried = operation().tried();
        HostId only = pinned();
        if (only != null && !task.cancelled()) {
            fail(
                    Code.NO_HOST,
                    "it may run on %s only: %s".formatted(hostNames.apply(only), answer(only)));
        } else if (tried.isEmpty() || !endsHere(Code.NOT_REACHED, answer(tried.getLast()))) {
            findHost("looks for another host");
        }
    }

    /** Ends an operation that failed on its last target if it is not to be tried elsewhere. */
    private boolean endsHere(Code code, String reason) {
        int tried = operation().tried().size();
        if (task.cancelled()) {
            cancelled("was cancelled");
            return true;
        }
        if (tried < limits.mostHosts() && pinned() == null) {
            return false;
        }
        fail(code, tried > 1 ? "it was tried on %d hosts: %s".formatted(tried, answers()) : reason);
        return true;
    }

    /** Each host on which it failed, with its answer. */
    private String answers() {
        return operation().tried().stream()
                .map(host -> hostNames.apply(host) + ": " + answer(host))
                .collect(Collectors.joining("; "));
    }

    private String answer(HostId host) {
        for (Operation.Attempt attempt : operation().attempts()) {
            if (attempt.host().equals(host) && !attempt.answer().isEmpty()) {
                return attempt.answer();
            }
        }
        return "it was tried by an earlier version of the engine, which did not keep its answer";
    }

    /** The only host that will do; null for any. */
    private @Nullable HostId pinned() {
        return switch (operation().parameters()) {
            case OperationParameters.Run run -> run.host();
            case OperationParameters.Migrate migrate -> migrate.host();
            default -> null;
        };
    }

    final HostId target() {
        return Objects.requireNonNull(operation().target(), "no host was chosen");
    }

    /** Whether the VM is on the target. */
    final boolean isOnTarget() {
        return Objects.equals(vm.runOn(), operation().target());
    }

    /** The VM no longer waits for this operation; reports since then stay unchanged. */
    final void drop() {
        change(vm.runtime(), vm.placement(), vm.commands().dropped());
    }

    /** Waits again for reports, as after a new call to the host. */
    final void follow(VmCommands commands) {
        change(vm.runtime(), vm.placement(), commands);
        awaitAgain();
    }
}
