package org.stillwater.command.operation;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandContext;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.OperationRegistry;
import org.stillwater.command.definition.Definitions;
import org.stillwater.command.storage.Leases;
import org.stillwater.core.command.AnswerRules;
import org.stillwater.core.command.VmEffect;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.command.VmFacts;
import org.stillwater.core.command.VmOperationMachine;
import org.stillwater.core.command.VmStep;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.command.VmVerb;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.monitoring.write.BatchWriter.CommitAction;

/**
 * Executes operations on VMs step by step: evaluates each fact under the VM's lock, and executes
 * the consequences there and outside. Used by the deciding thread only.
 *
 * <p>It is long because a fact, its consequences and the calls that follow act on the same
 * operation, under one lock.
 */
final class OperationRunner {

    private final CommandEngine commands;
    private final CommandContext context;
    private final CommandSettings settings;
    private final VmCommandAccess vmAccess;
    private final Definitions definitions;
    private final EngineClock clock;
    private final OperationRegistry registry;
    private final VmOperationMachine machine;
    private final Map<UUID, RunningOperation> runnings = new HashMap<>();

    OperationRunner(CommandEngine commands) {
        this.commands = commands;
        this.context = commands.context();
        this.settings = context.settings();
        this.vmAccess = context.vmAccess();
        this.definitions = commands.definitions();
        this.clock = context.clock();
        this.registry = context.registry();
        this.machine = new VmOperationMachine(settings.limits(), this::nameOf);
    }

    private String nameOf(HostId id) {
        HostState host = vmAccess.host(id);
        return host == null ? id.toString() : host.definition().name();
    }

    /** Decides the consequences of a fact, and carries them out. */
    void fact(UUID id, VmFact fact) {
        RunningOperation running = runnings.get(id);
        if (running == null) {
            return;
        }
        VmTask before = running.task;
        VmId vm = Objects.requireNonNull(before.operation().vm());
        Instant now = clock.now();
        VmStep step =
                vmAccess.decide(
                        vm,
                        manager -> {
                            VmFact seen = seen(fact, manager);
                            VmStep decided = machine.decide(before, facts(manager), seen, now);
                            inside(running, manager, decided.effects());
                            return decided;
                        });
        if (step == null) {
            step = machine.decide(before, null, fact, now);
        }
        follow(running, before, step);
        outside(running, vm, step.effects());
        if (step.task().phase() == VmTask.Phase.ENDED) {
            end(running);
        } else {
            callOff(running, vm);
        }
    }

    /**
     * Cancels an operation. One that is not durable yet ends as soon as it is; a migration already
     * ordered is cancelled as soon as its host has accepted it.
     */
    void cancel(UUID id, Operation.Origin origin) {
        RunningOperation running = runnings.get(id);
        if (running != null) {
            running.callOff = origin;
            fact(id, new VmFact.Cancel());
            return;
        }
        VmTask task = registry.open(id);
        if (task != null) {
            registry.put(task.taggedCancelled());
        }
    }

    /** Asks the host of a migration once; again only if the migration could not begin. */
    private void callOff(RunningOperation running, VmId vm) {
        Operation.Origin origin = running.callOff;
        if (origin == null
                || running.task.phase() != VmTask.Phase.AWAITING
                || running.task.operation().kind() != OperationKind.MIGRATE) {
            return;
        }
        running.callOff = null;
        CompletableFuture<Void> _ =
                commands.admission()
                        .submit(
                                new OperationRequest(
                                        vm,
                                        OperationKind.CANCEL_MIGRATION,
                                        OperationParameters.NONE),
                                origin,
                                null)
                        .thenAccept(answer -> {
                            if (answer instanceof Answer.Refused(Answer.Why why, String _)
                                    && (why == Answer.Why.UNAVAILABLE
                                            || why == Answer.Why.TOO_MUCH)) {
                                context.post(() -> callOffLater(running, origin));
                            }
                        });
    }

    private void callOffLater(RunningOperation running, Operation.Origin origin) {
        UUID id = running.task.operation().id();
        context.after(
                settings.longestRetry(),
                () -> {
                    if (runnings.get(id) == running) {
                        cancel(id, origin);
                    }
                });
    }

    /** The same fact, completed with data that only the VM's lock protects. */
    private VmFact seen(VmFact fact, VmManager vm) {
        return fact instanceof VmFact.Placed(HostId host, String why, var _)
                ? new VmFact.Placed(host, why, vmAccess.remainsBeforeStart(host, vm))
                : fact;
    }

    private VmFacts facts(VmManager vm) {
        VmState state = vm.state();
        HostId host = state.placement().runOn();
        return new VmFacts(
                vm.id(),
                vm.definition(),
                state.runtime(),
                state.placement(),
                vm.commands(clock.nanoTime()),
                host != null && vm.isSaidToRun(host),
                context.administration().isOfPool(vm.definition().cluster()));
    }

    private void follow(RunningOperation running, VmTask before, VmStep step) {
        VmTask after = step.task();
        if (after.equals(before)) {
            return;
        }
        running.task = after;
        registry.put(after);
        if (after.phase() != before.phase()) {
            running.turn++;
        }
        Operation operation = after.operation();
        if (!operation.equals(before.operation())) {
            if (OperationSaver.isWorthSaving(before.operation(), operation)) {
                commands.saver().unsaved(operation);
            }
            if (!operation.isEnded()) {
                commands.tell(operation); // its end is published once it blocks no other one
            }
        }
    }

    /** Carries out the effects that need the VM's lock. */
    private void inside(RunningOperation running, VmManager vm, List<VmEffect> effects) {
        for (VmEffect effect : effects) {
            switch (effect) {
                case VmEffect.Change change ->
                        vmAccess.change(
                                vm, change.runtime(), change.placement(), change.commands());
                case VmEffect.Hold _ -> {
                    vm.hold();
                    running.holds = true;
                    running.hold++;
                }
                case VmEffect.Release(boolean settled) -> release(running, vm, settled);
                case VmEffect.ExpectAbsence _ ->
                        vm.powerOffOrdered(clock.nanoTime() + vmAccess.powerOffWindow().toNanos());
                case VmEffect.FindHost _,
                        VmEffect.FindHostLater _,
                        VmEffect.BeginLater _,
                        VmEffect.Note _,
                        VmEffect.Call _,
                        VmEffect.Clear _,
                        VmEffect.DropMemory _,
                        VmEffect.CreateVolumes _,
                        VmEffect.TellGone _,
                        VmEffect.Poll _,
                        VmEffect.Deadline _ -> {}
            }
        }
    }

    private void release(RunningOperation running, VmManager vm, boolean settled) {
        if (!running.holds) {
            return;
        }
        running.holds = false;
        if (settled) {
            vm.release(clock.nanoTime());
        } else {
            vm.release();
        }
    }

    private void outside(RunningOperation running, VmId vm, List<VmEffect> effects) {
        UUID id = running.task.operation().id();
        int turn = running.turn;
        for (VmEffect effect : effects) {
            switch (effect) {
                case VmEffect.FindHost _ -> commands.scheduling().findHost(running, id);
                case VmEffect.FindHostLater(Duration pause) -> {
                    commands.hostCalls().leave(id);
                    commands.migrations().leave(id);
                    context.after(
                            pause,
                            () -> {
                                if (running.turn == turn) {
                                    commands.scheduling().findHost(running, id);
                                }
                            });
                }
                case VmEffect.BeginLater(Duration pause) -> {
                    commands.hostCalls().leave(id);
                    commands.migrations().leave(id);
                    context.after(
                            pause,
                            () -> {
                                if (running.turn == turn) {
                                    fact(id, new VmFact.Begin());
                                }
                            });
                }
                case VmEffect.Change change -> {
                    if (change.answered()) {
                        vmAccess.afterCommit(
                                vm, new Commit(id, turn, () -> fact(id, new VmFact.Committed())));
                    }
                }
                case VmEffect.Note _ -> {
                    commands.saver().record(running.task.operation());
                }
                case VmEffect.Hold _ -> {
                    int hold = running.hold;
                    context.after(
                            settings.longestHold(),
                            () -> {
                                if (running.hold == hold) {
                                    holdExpired(running, vm);
                                }
                            });
                }
                case VmEffect.Call(HostId host, VmVerb verb) -> call(running, vm, host, verb);
                case VmEffect.Clear(List<HostId> hosts) ->
                        vmAccess.afterCommit(
                                vm, new Commit(id, turn, () -> clear(running, vm, hosts)));
                case VmEffect.DropMemory _ -> {
                    commands.hostCalls().leave(id);
                    context.administration()
                            .pools()
                            .dropMemory(
                                    vm,
                                    answer ->
                                            context.post(() -> {
                                                if (running.turn == turn) {
                                                    fact(id, new VmFact.Answered(failure(answer)));
                                                }
                                            }),
                                    late ->
                                            context.post(() -> {
                                                if (isUnderWay(running)) {
                                                    fact(id, new VmFact.OrderFailed(late));
                                                }
                                            }));
                }
                case VmEffect.CreateVolumes _ -> {
                    commands.hostCalls().leave(id);
                    if (context.fleet().isOfPool(vm)) { // which has its own place for it
                        context.post(() -> fact(id, new VmFact.Prepared()));
                    } else {
                        commands.volumes().create(id, vm);
                    }
                }
                case VmEffect.TellGone(HostId host) -> vmAccess.gone(host, vm);
                case VmEffect.Poll(HostId host) -> vmAccess.poll(host);
                case VmEffect.Deadline(Duration patience) ->
                        context.after(
                                patience,
                                () -> {
                                    if (running.turn == turn) {
                                        fact(id, new VmFact.TimedOut());
                                    }
                                });
                case VmEffect.Release _, VmEffect.ExpectAbsence _ -> {}
            }
        }
    }

    private boolean isUnderWay(RunningOperation running) {
        return runnings.get(running.task.operation().id()) == running;
    }

    private void holdExpired(RunningOperation running, VmId vm) {
        if (!running.holds) {
            return;
        }
        context.warnings()
                .about(
                        "a VM was held for too long",
                        "vm=%s %s: %s"
                                .formatted(
                                        vm,
                                        running.task.operation().kind().label(),
                                        running.task.operation().step()));
        vmAccess.decide(
                vm,
                manager -> {
                    release(running, manager, true);
                    return true;
                });
    }

    /** Next step of an operation after the known state of its VM is durable. */
    private final class Commit implements CommitAction {
        private final UUID id;
        private final int turn;
        private final Runnable next;

        Commit(UUID id, int turn, Runnable next) {
            this.id = id;
            this.turn = turn;
            this.next = next;
        }

        @Override
        public void run() {
            context.post(() -> {
                if (isTurn()) {
                    next.run();
                }
            });
        }

        @Override
        public void refused() {
            context.post(() -> {
                if (isTurn()) {
                    fact(
                            id,
                            new VmFact.CommitRefused(
                                    "its row is refused; health names it and why"));
                }
            });
        }

        private boolean isTurn() {
            RunningOperation running = runnings.get(id);
            return running != null && running.turn == turn;
        }
    }

    /** One host after the other: the first that does not remove its remains ends the clearing. */
    private void clear(RunningOperation running, VmId vm, List<HostId> hosts) {
        int turn = running.turn;
        vmAccess.clear(
                hosts.getFirst(),
                vm,
                answer ->
                        context.post(() -> {
                            if (running.turn == turn) {
                                HostFailure failure = failure(answer);
                                if (hosts.size() > 1 && AnswerRules.isRemoved(failure)) {
                                    clear(running, vm, hosts.subList(1, hosts.size()));
                                } else {
                                    UUID id = running.task.operation().id();
                                    fact(id, new VmFact.Answered(failure));
                                }
                            }
                        }));
    }

    private void call(RunningOperation running, VmId vm, HostId host, VmVerb verb) {
        UUID id = running.task.operation().id();
        int turn = running.turn;
        Runnable ask =
                () -> {
                    if (running.turn == turn && runnings.get(id) == running) {
                        askOrLoad(running, vm, host, verb);
                    }
                };
        if (commands.hostCalls().has(host, id)) {
            ask.run();
        } else {
            commands.hostCalls().leave(id);
            commands.enter(host, id, ask);
        }
    }

    private void askOrLoad(RunningOperation running, VmId vm, HostId host, VmVerb verb) {
        boolean needsDefinition =
                switch (verb) {
                    case CREATE, RESTORE, CHANGE_CD, PLUG, UNPLUG -> true;
                    case DESTROY,
                            SHUTDOWN,
                            REBOOT,
                            RESET,
                            PAUSE,
                            CONTINUE,
                            HIBERNATE,
                            MIGRATE,
                            CANCEL_MIGRATION,
                            SET_TICKET ->
                            false;
                };
        if (!needsDefinition || (running.loaded && verb == VmVerb.CREATE)) {
            ask(running, host, verb, commands.volumes().handle(vm));
            return;
        }
        int turn = running.turn;
        context.storeExecutor()
                .submit(
                        () -> {
                            Definition loaded = definitions.load(List.of(vm)).get(vm);
                            if (verb == VmVerb.RESTORE) {
                                definitions.resumed(vm);
                            }
                            context.post(() -> {
                                if (running.turn != turn) {
                                    return;
                                }
                                running.definition = loaded;
                                running.loaded = true;
                                ask(running, host, verb, null);
                            });
                        },
                        failure ->
                                context.post(() -> {
                                    if (running.turn == turn) {
                                        answered(
                                                running,
                                                new HostFailure.Overloaded(
                                                        "its definition cannot be read or saved"
                                                                + " now: "
                                                                + failure.getMessage()));
                                    }
                                }));
    }

    private void ask(RunningOperation running, HostId host, VmVerb verb, @Nullable String volumes) {
        if (verb != VmVerb.CREATE && verb != VmVerb.RESTORE) {
            ask(running, host, verb, volumes, null);
            return;
        }
        UUID lease;
        try {
            Definition definition =
                    commands.orders().inForce(running.task.operation(), running.definition);
            String problem = definition == null ? null : definition.problem();
            if (problem != null) {
                notAsked(running, Code.INVALID, problem);
                return;
            }
            lease = definition == null ? null : definition.lease();
        } catch (IllegalArgumentException e) {
            notAsked(running, Code.INVALID, e);
            return;
        }
        boolean byLease = isByLease(running.task.operation());
        if (lease != null) {
            findLease(running, host, verb, lease, byLease);
        } else if (byLease) {
            notAsked(running, Code.ILLEGAL_STATE, "its definition has no lease any more");
        } else {
            ask(running, host, verb, volumes, null);
        }
    }

    private static boolean isByLease(Operation operation) {
        return operation.parameters() instanceof OperationParameters.Run run
                && run.cause() == OperationParameters.Cause.LEASE;
    }

    /** A VM with a lease in its definition is started with it, or not at all. */
    private void findLease(
            RunningOperation running, HostId host, VmVerb verb, UUID domain, boolean byLease) {
        VmId vm = Objects.requireNonNull(running.task.operation().vm());
        VmView view = context.fleet().vm(vm);
        Definition stored = running.definition;
        if (view == null || stored == null) {
            notAsked(running, Code.GONE, "the VM is not there any more");
            return;
        }
        int turn = running.turn;
        long run = view.state().placement().run().generation();
        commands.leases()
                .find(
                        new Leases.Start(
                                vm,
                                domain,
                                stored.lease(),
                                run,
                                byLease
                                        ? Leases.Reason.BY_LEASE
                                        : verb == VmVerb.RESTORE
                                                ? Leases.Reason.WAKES
                                                : Leases.Reason.BOOTS,
                                host,
                                new Leases.Outcome() {
                                    @Override
                                    public void found(VmLease lease) {
                                        if (!isTurn(running, turn)) {
                                            return;
                                        }
                                        if (isStillToStart(vm, host, run, byLease)) {
                                            ask(running, host, verb, null, lease);
                                        } else {
                                            notAsked(
                                                    running,
                                                    Code.OVERTAKEN,
                                                    "the VM changed while its lease was looked for"
                                                            + " or created: start it again");
                                        }
                                    }

                                    @Override
                                    public void unknownToHost(HostFailure why) {
                                        if (isTurn(running, turn)) {
                                            answered(running, why);
                                        }
                                    }

                                    @Override
                                    public void missing(Code code, String reason) {
                                        if (isTurn(running, turn)) {
                                            notAsked(running, code, reason);
                                        }
                                    }
                                }));
    }

    private boolean isTurn(RunningOperation running, int turn) {
        return running.turn == turn && runnings.get(running.task.operation().id()) == running;
    }

    /**
     * A lease may take long to be created: reports of its VM are parked no longer then, and it may
     * have been found down, or running.
     */
    private boolean isStillToStart(VmId vm, HostId host, long run, boolean byLease) {
        VmView view = context.fleet().vm(vm);
        if (view == null || view.state().placement().run().generation() != run) {
            return false;
        }
        VmStatus status = view.state().runtime().status();
        return byLease
                ? status == VmStatus.UNKNOWN
                : status == VmStatus.WAIT_FOR_LAUNCH
                        && host.equals(view.state().placement().runOn());
    }

    private void ask(
            RunningOperation running,
            HostId host,
            VmVerb verb,
            @Nullable String volumes,
            @Nullable VmLease lease) {
        int turn = running.turn;
        VmOrder order;
        try {
            order =
                    commands.orders()
                            .order(
                                    running.task.operation(),
                                    running.definition,
                                    host,
                                    verb,
                                    volumes,
                                    lease);
        } catch (IllegalArgumentException e) {
            notAsked(running, Code.INVALID, e);
            return;
        } catch (IllegalStateException e) {
            notAsked(running, Code.ILLEGAL_STATE, e);
            return;
        }
        context.meters().called(verb);
        running.order = order;
        vmAccess.order(
                host,
                order,
                answer ->
                        context.post(() -> {
                            HostFailure failure = failure(answer);
                            if (lease != null
                                    && failure instanceof HostFailure.Refused refused
                                    && refused.code() == RefusalCode.VM_EXISTS) {
                                // A process was there: the lease that it was started with is
                                // unknown.
                                commands.leases().doubt(lease.vm());
                            }
                            if (running.turn == turn) {
                                answered(running, failure);
                            }
                        }));
    }

    private void notAsked(RunningOperation running, Code code, RuntimeException why) {
        notAsked(running, code, String.valueOf(why.getMessage()));
    }

    private void notAsked(RunningOperation running, Code code, String why) {
        UUID id = running.task.operation().id();
        commands.hostCalls().leave(id);
        fact(id, new VmFact.NotAsked(code, why));
    }

    private static @Nullable HostFailure failure(HostAnswer<VmId> answer) {
        return answer instanceof HostAnswer.Failed<VmId>(HostFailure failure) ? failure : null;
    }

    private void answered(RunningOperation running, @Nullable HostFailure failure) {
        Operation operation = running.task.operation();
        commands.hostCalls().leave(operation.id());
        if (operation.kind() == OperationKind.CANCEL_MIGRATION
                && AnswerRules.isCalledOff(failure)) {
            for (VmTask task : registry.on(Objects.requireNonNull(operation.vm()))) {
                if (task.operation().kind() == OperationKind.MIGRATE) {
                    fact(task.operation().id(), new VmFact.Cancel());
                }
            }
        }
        fact(operation.id(), new VmFact.Answered(failure));
    }

    void migrating(VmId vm, int percent) {
        for (VmTask task : registry.on(vm)) {
            OperationKind kind = task.operation().kind();
            if (kind == OperationKind.MIGRATE || kind == OperationKind.CANCEL_MIGRATION) {
                fact(task.operation().id(), new VmFact.Progressed(percent));
            }
        }
    }

    /** An order that its host had accepted failed later. */
    @SuppressWarnings("ReferenceEquality") // an equal order of an earlier operation is another one
    void orderFailed(VmOrder order, HostFailure failure) {
        for (VmTask task : registry.on(order.vmId())) {
            UUID id = task.operation().id();
            RunningOperation running = runnings.get(id);
            if (running != null && running.order == order) {
                fact(id, new VmFact.OrderFailed(failure));
            }
        }
    }

    private void end(RunningOperation running) {
        Operation operation = running.task.operation();
        VmId vm = Objects.requireNonNull(operation.vm());
        runnings.remove(operation.id());
        commands.hostCalls().leave(operation.id());
        commands.migrations().leave(operation.id());
        commands.scheduling().forget(operation.id());
        commands.saver().forget(operation.id());
        if (running.holds) {
            vmAccess.decide(
                    vm,
                    manager -> {
                        release(running, manager, true);
                        return true;
                    });
        }
        commands.finished(operation);
        commands.workRunner().ended(operation, vm);
        commands.volumes().look(vm);
        commands.leases().look(vm);
    }

    /** An operation that is carried out elsewhere has ended. */
    void ended(Operation operation) {
        RunningOperation running = runnings.get(operation.id());
        if (running == null || operation.vm() == null) {
            runnings.remove(operation.id());
            commands.finished(operation);
            return;
        }
        running.task = VmTask.in(operation, VmTask.Phase.ENDED);
        end(running);
    }

    /** An operation is durable, or was found again. */
    void add(RunningOperation running) {
        runnings.put(running.task.operation().id(), running);
    }

    /** Running state of an operation; null if it has ended, or another package carries it out. */
    @Nullable RunningOperation running(UUID id) {
        return runnings.get(id);
    }
}
