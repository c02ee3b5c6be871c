package org.stillwater.command;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.Answer.Why;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.command.VmFacts;
import org.stillwater.core.command.VmRules;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostWork;
import org.stillwater.core.model.PendingWork;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.port.DefinitionStore.Definition;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.port.OperationStore.Begun;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.monitoring.CommandDesk;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.observe.Complaints;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.vm.VmView;

/**
 * What is asked for on its way to being durable: refused at once, or begun with everything else
 * that begins, in one transaction. It is asked from any thread; the rest is done by the deciding
 * thread and the lane to the database.
 */
final class Beginnings {

    private final CommandEngine commands;
    private final CommandSettings settings;
    private final MonitoringEngine engine;
    private final CommandDesk desk;
    private final EngineClock clock;
    private final OperationBook book;
    private final HostCommands hostCommands;
    private final Complaints complaints;
    private final List<Beginning> beginnings = new ArrayList<>(); // guarded by itself
    private volatile boolean waits;

    Beginnings(CommandEngine commands) {
        this.commands = commands;
        this.settings = commands.settings();
        this.engine = commands.engine();
        this.desk = commands.desk();
        this.clock = commands.clock();
        this.book = commands.book();
        this.hostCommands = commands.hostCommands();
        this.complaints = commands.complaints();
    }

    /** An operation on its way to the database, and who waits for it. */
    private record Beginning(Begun begun, CompletableFuture<Answer> answer) {}

    /**
     * Asks for something to be done with VMs.
     *
     * @param wanted what, at most one of a kind for each VM
     * @param origin who asks; for more than one, a batch is made of them if it names one
     * @return for each wish, in order, what becomes of it: as soon as that is durable
     */
    List<CompletableFuture<Answer>> submit(List<Wanted> wanted, Operation.Origin origin) {
        List<CompletableFuture<Answer>> answers = new ArrayList<>(wanted.size());
        List<Beginning> together = new ArrayList<>(wanted.size());
        int position = origin.position();
        for (Wanted wish : wanted) {
            UUID batch = origin.batch();
            answers.add(
                    prepare(
                            wish,
                            batch == null ? origin : origin.in(batch, position++),
                            null,
                            together,
                            true));
        }
        begin(together);
        return answers;
    }

    CompletableFuture<Answer> submit(
            Wanted wish, Operation.Origin origin, @Nullable PendingWork work) {
        List<Beginning> alone = new ArrayList<>(1);
        CompletableFuture<Answer> answer = prepare(wish, origin, work, alone, false);
        begin(alone);
        return answer;
    }

    /** Those that are to begin together are handed over together, so that one pass places all. */
    private CompletableFuture<Answer> prepare(
            Wanted wish,
            Operation.Origin origin,
            @Nullable PendingWork work,
            List<Beginning> together,
            boolean first) {
        VmView vm = engine.vm(wish.vm());
        boolean adds = wish.kind() == OperationKind.ADD_VM;
        if (vm == null && !adds) {
            return refused(Why.UNKNOWN, "there is no VM " + wish.vm());
        }
        if (commands.isStopping()) {
            return refused(Why.UNAVAILABLE, "the engine is stopping");
        }
        if (book.size() >= settings.mostOpen() && work == null) {
            return refused(
                    Why.TOO_MUCH,
                    "%d operations are under way, which is the most; ask again later"
                            .formatted(settings.mostOpen()));
        }
        if (vm != null) {
            String refusal = refusal(wish, vm);
            if (refusal != null) {
                return refused(Why.CONFLICT, refusal);
            }
        }
        Operation operation =
                Operation.on(
                        wish.vm(),
                        commands.ids().get(),
                        wish.kind(),
                        wish.parameters(),
                        origin,
                        vm == null ? 0 : vm.state().placement().run().generation(),
                        clock.now());
        Operation other = book.add(operation);
        if (other != null && first && book.isAwaiting(other.id())) {
            return askedAgain(wish, origin);
        }
        if (other != null) {
            return refused(
                    Why.CONFLICT,
                    "the operation %s (%s) is under way with the VM: %s"
                            .formatted(other.kind().label(), other.id(), other.step()));
        }
        if (CommandEngine.isOfDefinition(operation.kind())) {
            String refusal = hostCommands.refusal(operation);
            if (refusal != null) {
                book.remove(operation);
                return refused(Why.CONFLICT, refusal);
            }
        }
        if (wish.password() != null) {
            commands.orders().password(operation.id(), wish.password());
        }
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        together.add(new Beginning(new Begun(operation, work, null), answer));
        return answer;
    }

    /**
     * An operation that awaits its VM is in the way. The VM may be what it awaits already, which
     * whoever asks may have seen a moment before the deciding thread does: that looks first.
     */
    private CompletableFuture<Answer> askedAgain(Wanted wish, Operation.Origin origin) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        commands.post(() -> {
            commands.lookAtChanged();
            List<Beginning> alone = new ArrayList<>(1);
            CompletableFuture<Void> _ =
                    prepare(wish, origin, null, alone, false).thenAccept(answer::complete);
            begin(alone);
        });
        return answer;
    }

    private static @Nullable String refusal(Wanted wish, VmView vm) {
        VmState state = vm.state();
        VmFacts facts =
                new VmFacts(
                        vm.id(),
                        vm.definition(),
                        state.runtime(),
                        state.placement(),
                        org.stillwater.core.model.VmCommands.NONE);
        String refusal = VmRules.refusal(wish.kind(), wish.parameters(), facts);
        return refusal == null
                ? null
                : "the VM is %s: %s".formatted(state.runtime().status().label(), refusal);
    }

    private static CompletableFuture<Answer> refused(Why why, String reason) {
        return CompletableFuture.completedFuture(new Answer.Refused(why, reason));
    }

    /** Hands an operation that is in the book to the database. */
    void begin(Begun begun, CompletableFuture<Answer> answer) {
        begin(List.of(new Beginning(begun, answer)));
    }

    private void begin(List<Beginning> together) {
        synchronized (beginnings) {
            beginnings.addAll(together);
        }
        commands.wake();
    }

    /** Everything that is to begin does so in one transaction. */
    boolean beginAll() {
        List<Beginning> all;
        synchronized (beginnings) {
            if (beginnings.isEmpty()) {
                return false;
            }
            all = List.copyOf(beginnings);
        }
        // An end is durable before the beginning of what comes after it: whoever finds both open
        // would take the VM to be acted on twice.
        if (commands.saver().anyEnd()) {
            if (commands.saver().isSaving()) {
                waits = true;
                return false;
            }
            boolean _ = commands.saver().save(false);
        }
        synchronized (beginnings) {
            beginnings.removeAll(all);
        }
        commands.storeLane()
                .submit(() -> {
                    List<Beginning> free = withoutTaken(all);
                    begin(free, 0, free.size());
                });
        return true;
    }

    /**
     * On the lane: those whose definitions give nothing that belongs to another VM, and that remove
     * nothing that is protected.
     */
    private List<Beginning> withoutTaken(List<Beginning> all) {
        List<Beginning> free = new ArrayList<>(all.size());
        Set<VmId> kept = protectedVms(all);
        for (Beginning beginning : all) {
            Operation operation = beginning.begun().operation();
            String reason =
                    operation.kind() == OperationKind.REMOVE_VM && kept.contains(operation.vm())
                            ? "the VM is protected from being removed: take deleteProtected back"
                                    + " first"
                            : null;
            if (reason == null && CommandEngine.isOfDefinition(operation.kind())) {
                try {
                    reason = hostCommands.taken(operation);
                } catch (StoreUnavailable _) {
                    // whoever begins it is told
                }
            }
            if (reason == null) {
                free.add(beginning);
            } else {
                String why = reason;
                commands.post(() -> refusedByStore(beginning, Why.CONFLICT, why));
            }
        }
        return free;
    }

    /** Those of the VMs to be removed that somebody protected; read at once for all. */
    private Set<VmId> protectedVms(List<Beginning> all) {
        Set<VmId> leaving = new HashSet<>();
        for (Beginning beginning : all) {
            Operation operation = beginning.begun().operation();
            if (operation.kind() == OperationKind.REMOVE_VM) {
                leaving.add(Objects.requireNonNull(operation.vm()));
            }
        }
        if (leaving.isEmpty()) {
            return leaving;
        }
        try {
            Map<VmId, Definition> found = commands.definitions().load(leaving);
            leaving.removeIf(vm -> !isProtected(found.get(vm)));
        } catch (StoreUnavailable _) {
            leaving.clear(); // whoever begins them is told
        }
        return leaving;
    }

    private static boolean isProtected(@Nullable Definition definition) {
        return definition != null
                && definition.specification() != null
                && definition.specification().traits().deleteProtected();
    }

    /**
     * On the lane: one transaction for all. What the database does not take for a reason of its own
     * is found by halves, and costs the others nothing.
     */
    private void begin(List<Beginning> beginning, int from, int to) {
        List<Beginning> all = beginning.subList(from, to);
        if (all.isEmpty()) {
            return;
        }
        try {
            Set<UUID> begun =
                    commands.operations().begin(all.stream().map(Beginning::begun).toList());
            Map<VmId, Definition> loaded = load(all, begun);
            commands.post(() -> begun(all, begun, loaded));
        } catch (StoreUnavailable e) {
            commands.post(() -> notBegun(all, String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            if (all.size() > 1) {
                int middle = (from + to) >>> 1;
                begin(beginning, from, middle);
                begin(beginning, middle, to);
            } else {
                complaints.about("an operation was not begun", e.toString(), e);
                commands.post(() ->
                        refusedByStore(
                                all.getFirst(),
                                Why.INVALID,
                                "the database refuses the operation: " + e));
            }
        }
    }

    /** The database will not have it, however often it is asked. */
    private void refusedByStore(Beginning beginning, Why why, String reason) {
        Operation operation = beginning.begun().operation();
        book.remove(operation);
        commands.orders().forget(operation.id());
        hostCommands.notBegun(operation);
        commands.works().notBegun(operation);
        beginning.answer().complete(new Answer.Refused(why, reason));
    }

    /** What starts need of the database, read at once for all. */
    private Map<VmId, Definition> load(List<Beginning> all, Set<UUID> begun) {
        Set<VmId> starting = new HashSet<>();
        for (Beginning beginning : all) {
            Operation operation = beginning.begun().operation();
            VmId vm = operation.vm();
            if (vm != null
                    && begun.contains(operation.id())
                    && (operation.kind() == OperationKind.RUN
                            || operation.kind() == OperationKind.RESUME)) {
                starting.add(vm);
            }
        }
        if (starting.isEmpty()) {
            return Map.of();
        }
        try {
            return commands.definitions().load(starting);
        } catch (StoreUnavailable e) {
            return Map.of(); // read when it is needed
        }
    }

    private void begun(List<Beginning> all, Set<UUID> begun, Map<VmId, Definition> loaded) {
        for (Beginning beginning : all) {
            Operation operation = beginning.begun().operation();
            VmId vm = operation.vm();
            if (!begun.contains(operation.id())) {
                book.remove(operation);
                commands.orders().forget(operation.id());
                if (vm != null && beginning.begun().work() != null) {
                    commands.works().autoStart().lost(vm);
                    desk.workTaken(Objects.requireNonNull(beginning.begun().work()));
                }
                hostWorkTaken(beginning);
                beginning
                        .answer()
                        .complete(
                                new Answer.Refused(
                                        Why.CONFLICT,
                                        "it is not there any more, or somebody else does it"));
                hostCommands.lost(operation);
                continue;
            }
            PendingWork work = beginning.begun().work();
            if (work != null) {
                desk.workTaken(work);
            }
            hostWorkTaken(beginning);
            commands.meters().begun(operation.kind());
            commands.tell(operation);
            beginning.answer().complete(new Answer.Accepted(operation));
            if (vm == null) {
                hostCommands.begun(operation);
                continue;
            }
            VmTask task = book.open(operation.id());
            if (task == null) {
                continue;
            }
            Running running = new Running(task);
            commands.steps().add(running);
            Definition definition = loaded.get(vm);
            if (definition != null) {
                running.definition = definition;
                running.loaded = true;
            }
            commands.audited(operation, true);
            if (task.cancelled()) {
                commands.guarded(() -> commands.fact(operation.id(), new VmFact.Cancel()));
            } else {
                commands.guarded(() -> firstTurn(running, vm));
            }
        }
    }

    private void hostWorkTaken(Beginning beginning) {
        HostWork work = beginning.begun().hostWork();
        if (work != null) {
            desk.workTaken(work);
        }
    }

    /** Those that are placed look for a host; the others wait until theirs has room for them. */
    private void firstTurn(Running running, VmId vm) {
        Operation operation = running.task.operation();
        UUID id = operation.id();
        if (CommandEngine.isOfDefinition(operation.kind())) {
            hostCommands.define(operation);
            return;
        }
        VmView view = engine.vm(vm);
        HostId host = view == null ? null : view.state().placement().runOn();
        boolean looks =
                operation.kind() == OperationKind.MIGRATE
                        || (operation.kind().isPlaced()
                                && (view == null
                                        || view.state().runtime().status() != VmStatus.PAUSED));
        if (looks || host == null) {
            commands.fact(id, new VmFact.Begin());
        } else {
            commands.enter(host, id, () -> commands.fact(id, new VmFact.Begin()));
        }
    }

    /**
     * The database did not answer. It may have begun them all the same: what follows from work is
     * asked again, with the same operations, until it answers; what somebody asked for is taken
     * back as soon as it does, and was never more than durable.
     */
    private void notBegun(List<Beginning> all, String reason) {
        complaints.about("operations not begun", reason);
        List<Beginning> again = new ArrayList<>();
        for (Beginning beginning : all) {
            Operation operation = beginning.begun().operation();
            if (beginning.begun().work() != null || beginning.begun().hostWork() != null) {
                again.add(beginning);
                continue;
            }
            book.remove(operation);
            commands.orders().forget(operation.id());
            hostCommands.notBegun(operation);
            commands.saver()
                    .unsaved(
                            operation.ended(
                                    OperationState.CANCELLED,
                                    "was taken back, because the database did not answer in time",
                                    null,
                                    clock.now()));
            commands.works().notBegun(operation);
            beginning
                    .answer()
                    .complete(
                            new Answer.Refused(
                                    Why.UNAVAILABLE,
                                    "nothing was begun, because the database does not answer: "
                                            + reason));
        }
        if (!again.isEmpty()) {
            commands.after(
                    settings.longestRetry(),
                    () -> again.forEach(one -> begin(one.begun(), one.answer())));
        }
    }

    /** Whether something is to begin that nothing is in the way of. */
    boolean any() {
        synchronized (beginnings) {
            return !beginnings.isEmpty() && !waits;
        }
    }

    /** What ended before is durable. */
    void goOn() {
        waits = false;
    }

    /** The engine is stopping: nothing begins any more. */
    void refuseAll() {
        List<Beginning> waiting;
        synchronized (beginnings) {
            waiting = List.copyOf(beginnings);
            beginnings.clear();
        }
        waiting.forEach(beginning ->
                beginning
                        .answer()
                        .complete(new Answer.Refused(Why.UNAVAILABLE, "the engine is stopping")));
    }
}
