package org.stillwater.command.host;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandContext;
import org.stillwater.command.operation.Answer;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.command.VmFacts;
import org.stillwater.core.command.VmRules;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmView;

/**
 * The migrations by which VMs leave a host: all that can begin do, the others are examined again or
 * noted as stuck. Used by the deciding thread only.
 */
final class DrainMigrations {

    private final CommandEngine engine;
    private final CommandContext context;
    private final HostOperationSettings settings;
    private final Runnable changed;
    private final Predicate<Drain> calledOff;

    /**
     * Migrations of drains.
     *
     * @param changed called when a drain is to be examined
     * @param calledOff whether a drain has ended and no other drain of its host continues its work
     */
    DrainMigrations(
            CommandEngine engine,
            HostOperationSettings settings,
            Runnable changed,
            Predicate<Drain> calledOff) {
        this.engine = engine;
        this.context = engine.context();
        this.settings = settings;
        this.changed = changed;
        this.calledOff = calledOff;
    }

    /** How many migrations of a drain have not begun. */
    int waiting(Drain drain) {
        int waiting = 0;
        for (UUID child : drain.children.values()) {
            VmTask task = context.registry().open(child);
            if (task != null && !task.isBegun()) {
                waiting++;
            }
        }
        return waiting;
    }

    /** Cancels a migration that has not begun. */
    void callOff(Drain drain, UUID child) {
        VmTask task = context.registry().open(child);
        if (task != null && !task.isBegun() && isOfDrain(task.operation())) {
            String _ = engine.cancel(child, drain.operation.origin());
        }
    }

    /** Whether a migration belongs to a drain of its host, in contrast to one ordered by a user. */
    private boolean isOfDrain(Operation migration) {
        UUID batch = migration.origin().batch();
        Operation whole = batch == null ? null : engine.operation(batch);
        return whole != null
                && (whole.kind() == OperationKind.DRAIN || whole.kind() == OperationKind.EVACUATE);
    }

    /** Why a migration did not succeed. */
    static String reason(Operation operation) {
        OperationFailure failure = operation.failure();
        if (failure == null) {
            return "its migration was cancelled";
        }
        return failure.code() == Code.NO_HOST
                ? "no host fits: " + failure.reason()
                : failure.reason();
    }

    /** Migrates all VMs together that can migrate and have no migration yet. */
    void begin(Drain drain, List<VmId> left) {
        List<OperationRequest> wanted = new ArrayList<>();
        String cause = drain.operation.kind() == OperationKind.DRAIN ? "maintenance" : "evacuation";
        for (VmId vm : left) {
            if (drain.asked.contains(vm)
                    || isLater(drain, vm)
                    || drain.children.containsKey(vm)
                    || (drain.stuck.containsKey(vm) && !drain.passing.contains(vm))) {
                continue;
            }
            UUID migration = migrationOf(vm);
            drain.later.remove(vm);
            if (migration != null) {
                drain.children.put(vm, migration);
            } else if (mayMigrate(drain, vm)) {
                wanted.add(
                        new OperationRequest(
                                vm,
                                OperationKind.MIGRATE,
                                new OperationParameters.Migrate(null, cause + " of its host")));
            }
        }
        if (wanted.isEmpty()) {
            return;
        }
        Operation.Origin origin =
                new Operation.Origin(
                        drain.operation.origin().requestedBy(),
                        cause,
                        drain.operation.id(),
                        drain.position);
        drain.position += wanted.size();
        List<CompletableFuture<Answer>> answers = engine.submit(wanted, origin);
        wanted.forEach(wish -> drain.asked.add(wish.vm())); // not if that failed
        for (int i = 0; i < wanted.size(); i++) {
            VmId vm = wanted.get(i).vm();
            CompletableFuture<Answer> _ =
                    answers.get(i)
                            .whenComplete(
                                    (answer, _) -> context.post(() -> answered(drain, vm, answer)));
        }
    }

    private boolean isLater(Drain drain, VmId vm) {
        Long again = drain.later.get(vm);
        return again != null && context.clock().nanoTime() - again < 0;
    }

    private @Nullable UUID migrationOf(VmId vm) {
        for (VmTask task : context.registry().on(vm)) {
            if (task.operation().kind() == OperationKind.MIGRATE) {
                return task.operation().id();
            }
        }
        return null;
    }

    /** Whether a VM can migrate now; one that never will, or not for long, is noted. */
    private boolean mayMigrate(Drain drain, VmId vm) {
        VmView view = context.fleet().vm(vm);
        if (view == null) {
            return false;
        }
        VmStatus status = view.state().runtime().status();
        String refusal =
                context.registry().isBusyFor(vm, OperationKind.MIGRATE)
                        ? "another operation is under way with it"
                        : VmRules.refusal(
                                OperationKind.MIGRATE,
                                OperationParameters.Migrate.DEFAULT,
                                new VmFacts(
                                        vm,
                                        view.definition(),
                                        view.state().runtime(),
                                        view.state().placement(),
                                        VmCommands.NONE));
        if (refusal == null) {
            drain.stuck.remove(vm);
            drain.passing.remove(vm);
            return true;
        }
        long waited = context.clock().nanoTime() - drain.sinceNanos;
        boolean passes = mayPass(status);
        if (passes && waited < settings.drainPatience().toNanos()) {
            return false;
        }
        if (!startsElsewhere(drain, vm, status)) {
            drain.stuck.put(vm, "it is %s: %s".formatted(status.label(), refusal));
            if (passes) {
                drain.passing.add(vm);
            }
        }
        return false;
    }

    /**
     * Has the start of a VM that its host does not launch continue elsewhere, or end where it may
     * not, once; whether it may. A VM without an open start operation stays.
     */
    private boolean startsElsewhere(Drain drain, VmId vm, VmStatus status) {
        if (status != VmStatus.WAIT_FOR_LAUNCH || drain.restarted.contains(vm)) {
            return false;
        }
        for (VmTask task : context.registry().on(vm)) {
            if (task.operation().kind() != OperationKind.RUN) {
                continue;
            }
            // A migration on a host without an answer yet is examined again later.
            if (task.phase() == VmTask.Phase.AWAITING && drain.restarted.add(vm)) {
                context.fact(
                        task.operation().id(),
                        new VmFact.LeaveHost(
                                drain.host,
                                "it was not launched for %d s on a host that VMs are to leave"
                                        .formatted(settings.drainPatience().toSeconds())));
            }
            return true;
        }
        return false;
    }

    private static boolean mayPass(VmStatus status) {
        return switch (status) {
            case DOWN, SUSPENDED, IMAGE_ILLEGAL, IMAGE_LOCKED -> false;
            default -> true;
        };
    }

    private void answered(Drain drain, VmId vm, @Nullable Answer answer) {
        drain.asked.remove(vm);
        if (answer instanceof Answer.Accepted(Operation child)) {
            if (calledOff.test(drain)) {
                callOff(drain, child.id());
            } else if (context.registry().open(child.id()) != null) {
                drain.children.put(vm, child.id());
            } else {
                Operation ended = engine.operation(child.id());
                drain.stuck.put(vm, ended == null ? "its migration ended" : reason(ended));
            }
        } else if (answer instanceof Answer.Refused(Answer.Why why, String reason)) {
            if (why == Answer.Why.UNAVAILABLE || why == Answer.Why.TOO_MUCH) {
                // That passes, and says nothing about the VM.
                Duration pause = context.settings().longestRetry();
                drain.later.put(vm, context.clock().nanoTime() + pause.toNanos());
                drain.laterBecause = reason;
            } else {
                drain.stuck.put(vm, reason);
            }
        }
        changed.run();
    }
}
