package org.stillwater.command.operation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandContext;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.OperationRegistry;
import org.stillwater.command.StoreExecutor;
import org.stillwater.command.definition.FoundVms;
import org.stillwater.command.operation.Answer.Why;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.command.VmFacts;
import org.stillwater.core.command.VmRules;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.OperationStore.Begun;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.vm.VmView;

/**
 * Admits requested operations: refuses a request at once, or makes its operation durable, together
 * with the others that wait, in one transaction. Any thread may ask; the deciding thread and the
 * {@link StoreExecutor} do the work.
 *
 * <p>It is long because every refusal, at once or after a look into the database, is one of the
 * same ordered checks.
 */
final class OperationAdmission {

    private final CommandEngine commands;
    private final CommandContext context;
    private final CommandSettings settings;
    private final FleetReader fleet;
    private final VmCommandAccess vmAccess;
    private final EngineClock clock;
    private final OperationRegistry registry;
    private final HostCommands hostCommands;
    private final ThrottledLog warnings;
    private final Object lock = new Object();
    private final AtomicInteger underWay = new AtomicInteger();
    private List<Beginning> beginnings = new ArrayList<>(); // guarded by the lock
    private volatile boolean waits;

    OperationAdmission(CommandEngine commands) {
        this.commands = commands;
        this.context = commands.context();
        this.settings = context.settings();
        this.fleet = context.fleet();
        this.vmAccess = context.vmAccess();
        this.clock = context.clock();
        this.registry = context.registry();
        this.hostCommands = commands.hostCommands();
        this.warnings = context.warnings();
    }

    /**
     * An operation on its way to the database, and the request that waits for it.
     *
     * @param basis the definition that the operation changes, null for any
     */
    private record Beginning(
            Begun begun, CompletableFuture<Answer> answer, @Nullable Definition basis) {}

    /**
     * Requests operations on VMs.
     *
     * @param wanted the requests, at most one of a kind for each VM
     * @param origin the requester; for more than one, a batch is made of them if it names one
     * @return the answer to each request, in order, as soon as it is durable
     */
    List<CompletableFuture<Answer>> submit(List<OperationRequest> wanted, Operation.Origin origin) {
        List<CompletableFuture<Answer>> answers = new ArrayList<>(wanted.size());
        List<Beginning> together = new ArrayList<>(wanted.size());
        int position = origin.position();
        try {
            for (OperationRequest wish : wanted) {
                UUID batch = origin.batch();
                answers.add(
                        prepare(
                                wish,
                                batch == null ? origin : origin.in(batch, position++),
                                null,
                                together,
                                true));
            }
        } finally {
            begin(together); // also if one fails: the others are in the registry already
        }
        return answers;
    }

    CompletableFuture<Answer> submit(
            OperationRequest wish, Operation.Origin origin, @Nullable PendingWork work) {
        List<Beginning> alone = new ArrayList<>(1);
        CompletableFuture<Answer> answer = prepare(wish, origin, work, alone, false);
        begin(alone);
        return answer;
    }

    /** Operations that begin together are handed over together, so that one pass places all. */
    private CompletableFuture<Answer> prepare(
            OperationRequest wish,
            Operation.Origin origin,
            @Nullable PendingWork work,
            List<Beginning> together,
            boolean first) {
        VmView vm = fleet.vm(wish.vm());
        boolean adds = wish.kind() == OperationKind.ADD_VM;
        if (vm == null && !adds) {
            return refused(Why.UNKNOWN, "there is no VM " + wish.vm());
        }
        Answer.Refused atOnce = refusalAtOnce(wish, vm, work);
        if (atOnce != null) {
            return CompletableFuture.completedFuture(atOnce);
        }
        Operation operation =
                Operation.on(
                        wish.vm(),
                        context.ids().get(),
                        wish.kind(),
                        wish.parameters(),
                        origin,
                        vm == null ? 0 : vm.state().placement().run().generation(),
                        clock.now());
        Operation other = registry.add(operation);
        if (other != null && first && registry.isAwaiting(other.id())) {
            return askedAgain(wish, origin);
        }
        if (other != null) {
            return CompletableFuture.completedFuture(underWay(other));
        }
        boolean stays = false;
        try {
            if (CommandEngine.isOfDefinition(operation.kind())) {
                String refusal = hostCommands.refusal(operation);
                if (refusal != null) {
                    return refused(Why.CONFLICT, refusal);
                }
            }
            if (wish.password() != null) {
                commands.orders().password(operation.id(), wish.password());
            }
            stays = true;
        } finally {
            if (!stays) {
                registry.remove(operation);
            }
        }
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        together.add(new Beginning(new Begun(operation, work, null), answer, wish.basis()));
        return answer;
    }

    /** The reason not to begin an operation that is known without an attempt; null if none is. */
    private Answer.@Nullable Refused refusalAtOnce(
            OperationRequest wish, @Nullable VmView vm, @Nullable PendingWork work) {
        if (context.isStopping()) {
            return new Answer.Refused(Why.UNAVAILABLE, "the engine is stopping");
        }
        if (settings.shadow() && !CommandEngine.isOfDefinition(wish.kind())) {
            return new Answer.Refused(Why.CONFLICT, CommandSettings.SHADOW);
        }
        if (context.isStuck()) {
            return new Answer.Refused(
                    Why.UNAVAILABLE,
                    "the operation has not begun: the database did not answer in time");
        }
        if (work == null && context.isBusy()) {
            return new Answer.Refused(
                    Why.UNAVAILABLE,
                    "%d messages wait for the thread that decides, which is the most; ask again later"
                            .formatted(settings.mailbox()));
        }
        String unsaved = commands.saver().refusal(wish.vm());
        if (unsaved != null) {
            return new Answer.Refused(Why.UNAVAILABLE, unsaved);
        }
        if (registry.size() >= settings.mostOpen() && work == null) {
            return tooMany();
        }
        if (wish.kind() == OperationKind.SUSPEND
                && !settings.canSaveMemory()
                && !context.fleet().isOfPool(wish.vm())) {
            return new Answer.Refused(
                    Why.CONFLICT,
                    "the VM cannot be suspended: it is not configured where its memory can be"
                            + " saved; set stillwater.commands.storage-pool and"
                            + " stillwater.commands.storage-domain to a storage pool of the hosts"
                            + " and one of its storage domains");
        }
        if (work == null && vm != null && needsLease(wish, vm) && !settings.hasStoragePool()) {
            return new Answer.Refused(
                    Why.CONFLICT,
                    "the VM cannot be started with its lease: " + CommandSettings.NO_STORAGE_POOL);
        }
        if (vm != null) {
            String refusal = refusal(wish, vm);
            if (refusal == null) {
                refusal = refusalOfPool(wish, vm);
            }
            if (refusal != null) {
                return new Answer.Refused(Why.CONFLICT, refusal);
            }
        }
        return null;
    }

    /** A pool lists the possible operations of a VM. */
    private @Nullable String refusalOfPool(OperationRequest wish, VmView vm) {
        if (!context.administration().isOfPool(vm.definition().cluster())) {
            return null;
        }
        return context.administration().pools().refusal(wish.vm(), wish.kind());
    }

    /**
     * Checks requests like an admission at this moment, without a begin. It does not search a host
     * for a VM.
     *
     * @return for each request, in order, its refusal, or null if it would be admitted
     * @throws StoreUnavailable if the protection of VMs that are to be removed, or the definitions
     *     of found VMs, cannot be read
     */
    List<Answer.@Nullable Refused> check(List<OperationRequest> wanted) throws StoreUnavailable {
        Set<VmId> removed = new HashSet<>();
        Set<VmId> found = new HashSet<>();
        for (OperationRequest wish : wanted) {
            if (wish.kind() == OperationKind.REMOVE_VM) {
                removed.add(wish.vm());
            } else if (dependsOnDefinition(wish.kind(), wish.parameters(), wish.vm())) {
                found.add(wish.vm());
            }
        }
        Map<VmId, String> lacks = lacks(found);
        Map<VmId, Definition> definitions =
                removed.isEmpty() ? Map.of() : commands.definitions().load(removed);
        List<Answer.@Nullable Refused> refusals = new ArrayList<>(wanted.size());
        int room = settings.mostOpen() - registry.size();
        for (OperationRequest wish : wanted) {
            Answer.Refused refusal = check(wish, definitions.get(wish.vm()));
            String lack = lacks.get(wish.vm());
            if (refusal == null
                    && lack != null
                    && dependsOnDefinition(wish.kind(), wish.parameters(), wish.vm())) {
                refusal = new Answer.Refused(Why.CONFLICT, lack);
            }
            if (refusal == null && --room < 0) {
                refusal = tooMany();
            }
            refusals.add(refusal);
        }
        return refusals;
    }

    private Answer.@Nullable Refused check(OperationRequest wish, @Nullable Definition definition) {
        VmView vm = fleet.vm(wish.vm());
        if (vm == null) {
            return new Answer.Refused(Why.UNKNOWN, "there is no VM " + wish.vm());
        }
        Answer.Refused refusal = refusalAtOnce(wish, vm, null);
        if (refusal != null) {
            return refusal;
        }
        for (VmTask task : registry.on(wish.vm())) {
            if (!VmRules.mayJoin(wish.kind(), task)) {
                return underWay(task.operation());
            }
        }
        return wish.kind() == OperationKind.REMOVE_VM ? refusalOfRemoval(definition) : null;
    }

    private static Answer.Refused underWay(Operation other) {
        return new Answer.Refused(
                Why.CONFLICT,
                "the operation %s (%s) is under way with the VM: %s"
                        .formatted(other.kind().label(), other.id(), other.step()));
    }

    private static Answer.Refused guarded() {
        return new Answer.Refused(
                Why.CONFLICT,
                "the VM is protected from being removed: take deleteProtected back first");
    }

    private Answer.Refused tooMany() {
        return new Answer.Refused(
                Why.TOO_MUCH,
                "%d operations are under way, which is the most; ask again later"
                        .formatted(settings.mostOpen()));
    }

    /**
     * An operation that awaits its VM is in the way. The VM may already have the awaited state,
     * which a requester may have seen a moment before the deciding thread: therefore it looks
     * first.
     */
    private CompletableFuture<Answer> askedAgain(OperationRequest wish, Operation.Origin origin) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        context.post(() -> {
            commands.lookAtChanged();
            List<Beginning> alone = new ArrayList<>(1);
            CompletableFuture<Void> _ =
                    prepare(wish, origin, null, alone, false).thenAccept(answer::complete);
            begin(alone);
        });
        return answer;
    }

    /** Whether a VM is started as it is defined, and that is with a lease. */
    private static boolean needsLease(OperationRequest wish, VmView vm) {
        return vm.definition().leased()
                && wish.parameters() instanceof OperationParameters.Run run
                && run.cause() == OperationParameters.Cause.REQUEST
                && run.definition() == null;
    }

    private static @Nullable String refusal(OperationRequest wish, VmView vm) {
        VmState state = vm.state();
        VmFacts facts =
                new VmFacts(
                        vm.id(),
                        vm.definition(),
                        state.runtime(),
                        state.placement(),
                        org.stillwater.core.vm.VmCommands.NONE);
        String refusal = VmRules.refusal(wish.kind(), wish.parameters(), facts);
        return refusal == null
                ? null
                : "the VM is %s: %s".formatted(state.runtime().status().label(), refusal);
    }

    private static CompletableFuture<Answer> refused(Why why, String reason) {
        return CompletableFuture.completedFuture(new Answer.Refused(why, reason));
    }

    /** Hands an operation that is in the registry to the database. */
    void begin(Begun begun, CompletableFuture<Answer> answer) {
        begin(List.of(new Beginning(begun, answer, null)));
    }

    private void begin(List<Beginning> together) {
        synchronized (lock) {
            beginnings.addAll(together);
        }
        context.wake();
    }

    /**
     * Begins all gathered operations in one transaction. It takes the whole collection, so that
     * requests wait only for the exchange of a reference.
     */
    boolean beginAll() {
        if (!isAny()) {
            return false;
        }
        // An end is durable before the beginning of the next operation: a reader that finds both
        // open would take the VM to be acted on twice. Ends are made by this thread only.
        if (commands.saver().anyEnd()) {
            if (commands.saver().isSaving()) {
                waits = true;
                return false;
            }
            boolean _ = commands.saver().save(false);
        }
        List<Beginning> all;
        synchronized (lock) {
            all = beginnings;
            beginnings = new ArrayList<>();
        }
        underWay.addAndGet(all.size());
        Batch batch = new Batch(all);
        context.storeExecutor()
                .submit(
                        () -> {
                            List<Beginning> free = withoutTaken(batch, all);
                            begin(batch, free);
                        },
                        failure -> {
                            context.durability().lost(reason(failure));
                            context.durability().defect(reason(failure));
                            List<Beginning> rest = batch.rest();
                            settled(rest, () -> notBegun(rest, reason(failure)));
                        });
        return true;
    }

    /**
     * Operations taken to the database together. Each is settled once, also if an error ends the
     * task in the middle. On the thread of the {@link StoreExecutor}.
     */
    private static final class Batch {
        private final Set<Beginning> open = Collections.newSetFromMap(new IdentityHashMap<>());
        private boolean anyBegun;

        Batch(List<Beginning> all) {
            open.addAll(all);
        }

        void settle(List<Beginning> some) {
            some.forEach(open::remove);
        }

        List<Beginning> rest() {
            List<Beginning> rest = List.copyOf(open);
            open.clear();
            return rest;
        }
    }

    /** Hands the outcome of some operations to the deciding thread. */
    private void settled(Batch batch, List<Beginning> some, Runnable outcome) {
        batch.settle(some);
        settled(some, outcome);
    }

    private void settled(List<Beginning> some, Runnable outcome) {
        context.post(() -> {
            underWay.addAndGet(-some.size());
            outcome.run();
        });
    }

    private static String reason(Throwable failure) {
        return failure instanceof StoreUnavailable
                ? String.valueOf(failure.getMessage())
                : "the store failed: " + failure;
    }

    private boolean isAny() {
        synchronized (lock) {
            return !beginnings.isEmpty();
        }
    }

    /** Operations that are to begin and are not durable yet. Any thread. */
    int waiting() {
        synchronized (lock) {
            return beginnings.size() + underWay.get();
        }
    }

    /**
     * On the {@link StoreExecutor}: operations with definitions that contain no name or address of
     * another VM, that change the present definition, and that remove no protected VM.
     */
    private List<Beginning> withoutTaken(Batch batch, List<Beginning> all) {
        List<Beginning> free = new ArrayList<>(all.size());
        Map<VmId, Definition> present = present(all);
        Map<VmId, String> lacks = lacks(all);
        for (Beginning beginning : all) {
            Operation operation = beginning.begun().operation();
            String lack =
                    dependsOnDefinition(operation.kind(), operation.parameters(), operation.vm())
                            ? lacks.get(operation.vm())
                            : null;
            Answer.@Nullable Refused refusal =
                    lack == null
                            ? refusal(beginning, present)
                            : new Answer.Refused(Why.CONFLICT, lack);
            if (refusal == null) {
                free.add(beginning);
            } else {
                settled(
                        batch,
                        List.of(beginning),
                        () -> refusedByStore(beginning, refusal.why(), refusal.reason()));
            }
        }
        return free;
    }

    /**
     * Definitions that operations change, as they are now, read at once for all; null if they
     * cannot be read. No other operation changes them meanwhile: these are in the registry.
     */
    private @Nullable Map<VmId, Definition> present(List<Beginning> all) {
        Set<VmId> changing = new HashSet<>();
        for (Beginning beginning : all) {
            if (beginning.basis() != null) {
                changing.add(Objects.requireNonNull(beginning.begun().operation().vm()));
            }
        }
        try {
            return changing.isEmpty() ? Map.of() : commands.definitions().load(changing);
        } catch (StoreUnavailable | RuntimeException e) {
            warnings.about("definitions that change were not read", e.toString());
            return null;
        }
    }

    private Answer.@Nullable Refused refusal(
            Beginning beginning, @Nullable Map<VmId, Definition> present) {
        Definition basis = beginning.basis();
        if (basis == null) {
            return refusal(beginning.begun().operation());
        }
        if (present == null) {
            return new Answer.Refused(
                    Why.UNAVAILABLE,
                    "the operation has not begun: the definition of the VM cannot be read now");
        }
        Definition now = present.get(Objects.requireNonNull(beginning.begun().operation().vm()));
        return now != null && isSame(now, basis)
                ? refusal(beginning.begun().operation())
                : new Answer.Refused(
                        Why.CONFLICT,
                        "another request has changed the definition of the VM meanwhile; ask"
                                + " again");
    }

    /** Whether two definitions are the same; where memory is saved is none of their values. */
    private static boolean isSame(Definition one, Definition other) {
        return one.problem() == null
                && other.problem() == null
                && one.definition().equals(other.definition())
                && Objects.equals(one.specification(), other.specification())
                && one.priority() == other.priority()
                && Objects.equals(one.lease(), other.lease());
    }

    /**
     * Whether an operation begins a run of a found VM, or saves its memory for the next run. A VM
     * that is only paused goes on with its devices.
     */
    private boolean dependsOnDefinition(
            OperationKind kind, OperationParameters parameters, @Nullable VmId id) {
        boolean begins =
                kind == OperationKind.RUN
                        || kind == OperationKind.RESUME
                        || kind == OperationKind.SUSPEND
                        || (parameters instanceof OperationParameters.Reboot reboot
                                && reboot.cold());
        if (!begins) {
            return false;
        }
        VmView vm = id == null ? null : fleet.vm(id);
        return vm != null
                && vm.definition().origin().isFound()
                && vm.state().runtime().status() != VmStatus.PAUSED
                && !fleet.isOfPool(vm.id());
    }

    /** Reasons not to do that, of the VMs that have one. */
    private Map<VmId, String> lacks(Set<VmId> found) throws StoreUnavailable {
        if (found.isEmpty()) {
            return Map.of();
        }
        Map<VmId, String> lacks = new HashMap<>();
        commands.definitions()
                .load(found)
                .forEach((vm, definition) -> {
                    String lack = FoundVms.refusal(definition);
                    if (lack != null) {
                        lacks.put(vm, lack);
                    }
                });
        return lacks;
    }

    /** The same, read at once for all. */
    private Map<VmId, String> lacks(List<Beginning> all) {
        Set<VmId> found = new HashSet<>();
        for (Beginning beginning : all) {
            Operation operation = beginning.begun().operation();
            VmId vm = operation.vm();
            if (vm != null && dependsOnDefinition(operation.kind(), operation.parameters(), vm)) {
                found.add(vm);
            }
        }
        try {
            return lacks(found);
        } catch (StoreUnavailable | RuntimeException | StackOverflowError | LinkageError _) {
            return Map.of(); // their begin fails as well, or the order to the host does
        }
    }

    /** Why the database would not have an operation; one that cannot be judged costs no other. */
    private Answer.@Nullable Refused refusal(Operation operation) {
        try {
            if (operation.kind() == OperationKind.REMOVE_VM) {
                VmId vm = Objects.requireNonNull(operation.vm());
                return refusalOfRemoval(commands.definitions().load(Set.of(vm)).get(vm));
            }
            String taken =
                    CommandEngine.isOfDefinition(operation.kind())
                            ? hostCommands.taken(operation)
                            : null;
            return taken == null ? null : new Answer.Refused(Why.CONFLICT, taken);
        } catch (StoreUnavailable _) {
            return null; // its begin fails as well, with the reason
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            warnings.about("an operation was not begun", e.toString(), e);
            return new Answer.Refused(Why.INVALID, "its definition cannot be read: " + e);
        }
    }

    /** One whose protection cannot be read stays as well. */
    private static Answer.@Nullable Refused refusalOfRemoval(@Nullable Definition definition) {
        if (definition == null) {
            return null;
        }
        String problem = definition.problem();
        if (problem != null) {
            return new Answer.Refused(Why.CONFLICT, problem);
        }
        VmSpecification specification = definition.specification();
        return specification != null && specification.traits().deleteProtected() ? guarded() : null;
    }

    /**
     * On the {@link StoreExecutor}: one transaction for all. A row that the database refuses is
     * found by halving the batch and affects no other row.
     */
    private void begin(Batch batch, List<Beginning> all) {
        if (all.isEmpty()) {
            return;
        }
        Set<UUID> begun;
        try {
            begun = context.store().begin(all.stream().map(Beginning::begun).toList());
        } catch (StoreUnavailable e) {
            context.durability().lost(reason(e));
            settled(batch, all, () -> notBegun(all, reason(e)));
            return;
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            if (all.size() > 1) {
                int middle = all.size() >>> 1;
                begin(batch, all.subList(0, middle));
                begin(batch, all.subList(middle, all.size()));
            } else {
                warnings.about("an operation was not begun", e.toString(), e);
                if (!batch.anyBegun) {
                    context.durability().defect(reason(e));
                }
                Beginning alone = all.getFirst();
                settled(
                        batch,
                        all,
                        () ->
                                refusedByStore(
                                        alone,
                                        Why.INVALID,
                                        "the database refuses the operation: " + e));
            }
            return;
        }
        batch.anyBegun = true;
        context.durability().begun();
        Map<VmId, Definition> loaded = load(all, begun);
        settled(batch, all, () -> begun(all, begun, loaded));
    }

    /** The database refuses it for good. */
    private void refusedByStore(Beginning beginning, Why why, String reason) {
        Operation operation = beginning.begun().operation();
        registry.remove(operation);
        commands.orders().forget(operation.id());
        hostCommands.notBegun(operation);
        commands.workRunner().notBegun(operation);
        beginning.answer().complete(new Answer.Refused(why, reason));
    }

    /** Definitions that starts need from the database, read at once for all. */
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
        } catch (StoreUnavailable | RuntimeException | StackOverflowError | LinkageError e) {
            return Map.of(); // read when it is needed, each for itself: these are durable already
        }
    }

    private void begun(List<Beginning> all, Set<UUID> begun, Map<VmId, Definition> loaded) {
        for (Beginning beginning : all) {
            boolean isDurable = begun.contains(beginning.begun().operation().id());
            boolean told = context.guarded(() -> begun(beginning, isDurable, loaded));
            if (!told) {
                // A defect must not leave the client without an answer.
                beginning.answer().complete(answer(beginning, isDurable));
            }
        }
    }

    /** An operation of a client is not stored while the row of its VM or host is missing. */
    private Answer answer(Beginning beginning, boolean isDurable) {
        Begun begun = beginning.begun();
        Operation operation = begun.operation();
        if (isDurable) {
            return new Answer.Accepted(operation);
        }
        if (begun.work() != null || begun.hostWork() != null) {
            return new Answer.Refused(
                    Why.CONFLICT, "another caller does it, or there is nothing left to do it on");
        }
        VmId vm = operation.vm();
        return vm != null && fleet.vm(vm) != null
                ? new Answer.Refused(
                        Why.UNAVAILABLE,
                        "the VM was found a moment ago and is not in the database yet")
                : new Answer.Refused(Why.CONFLICT, "it does not exist any more");
    }

    private void begun(Beginning beginning, boolean isDurable, Map<VmId, Definition> loaded) {
        Operation operation = beginning.begun().operation();
        VmId vm = operation.vm();
        if (!isDurable) {
            registry.remove(operation);
            commands.orders().forget(operation.id());
            if (vm != null && beginning.begun().work() != null) {
                commands.workRunner().autoStart().lost(vm);
                vmAccess.workTaken(Objects.requireNonNull(beginning.begun().work()));
            }
            hostWorkTaken(beginning);
            beginning.answer().complete(answer(beginning, false));
            hostCommands.lost(operation);
            return;
        }
        PendingWork work = beginning.begun().work();
        if (work != null) {
            vmAccess.workTaken(work);
        }
        hostWorkTaken(beginning);
        context.meters().begun(operation.kind());
        commands.tell(operation);
        beginning.answer().complete(new Answer.Accepted(operation));
        if (vm == null) {
            hostCommands.begun(operation);
            return;
        }
        VmTask task = registry.open(operation.id());
        if (task == null) {
            return;
        }
        RunningOperation running = new RunningOperation(task);
        commands.runner().add(running);
        Definition definition = loaded.get(vm);
        if (definition != null) {
            running.definition = definition;
            running.loaded = true;
        }
        commands.audited(operation, true);
        if (task.cancelled()) {
            boolean _ = context.guarded(() -> context.fact(operation.id(), new VmFact.Cancel()));
        } else {
            boolean _ = context.guarded(() -> firstTurn(running, vm));
        }
    }

    private void hostWorkTaken(Beginning beginning) {
        HostWork work = beginning.begun().hostWork();
        if (work != null) {
            vmAccess.workTaken(work);
        }
    }

    /** Placed operations search for a host; the others wait until their host has room. */
    private void firstTurn(RunningOperation running, VmId vm) {
        Operation operation = running.task.operation();
        UUID id = operation.id();
        if (CommandEngine.isOfDefinition(operation.kind())) {
            hostCommands.define(operation);
            return;
        }
        VmView view = fleet.vm(vm);
        HostId host = view == null ? null : view.state().placement().runOn();
        boolean looks =
                operation.kind() == OperationKind.MIGRATE
                        || (operation.kind().isPlaced()
                                && (view == null
                                        || view.state().runtime().status() != VmStatus.PAUSED));
        if (looks || host == null) {
            context.fact(id, new VmFact.Begin());
        } else {
            commands.enter(host, id, () -> context.fact(id, new VmFact.Begin()));
        }
    }

    /**
     * The database did not answer, but may have begun all operations. Operations from pending work
     * are retried with the same identities until it answers. Operations of users are withdrawn as
     * soon as it answers; none went further than durability.
     */
    private void notBegun(List<Beginning> all, String reason) {
        warnings.about("operations not begun", reason);
        List<Beginning> again = new ArrayList<>();
        for (Beginning beginning : all) {
            Operation operation = beginning.begun().operation();
            if (beginning.begun().work() != null || beginning.begun().hostWork() != null) {
                again.add(beginning);
                continue;
            }
            registry.remove(operation);
            commands.orders().forget(operation.id());
            hostCommands.notBegun(operation);
            commands.saver()
                    .unsaved(
                            operation.ended(
                                    OperationState.CANCELLED,
                                    "was taken back, because the database did not answer in time",
                                    null,
                                    clock.now()));
            commands.workRunner().notBegun(operation);
            beginning
                    .answer()
                    .complete(
                            new Answer.Refused(
                                    Why.UNAVAILABLE,
                                    "the operation has not begun: the database does not answer: "
                                            + reason));
        }
        if (!again.isEmpty()) {
            context.after(
                    settings.longestRetry(),
                    () -> again.forEach(one -> begin(one.begun(), one.answer())));
        }
    }

    /** Whether an operation is to begin that has no conflict. */
    boolean any() {
        return !waits && isAny();
    }

    /** All operations that ended earlier are durable. */
    void goOn() {
        waits = false;
    }

    /** The engine is stopping: no further operation begins. */
    void refuseAll() {
        List<Beginning> waiting;
        synchronized (lock) {
            waiting = beginnings;
            beginnings = new ArrayList<>();
        }
        waiting.forEach(beginning ->
                beginning
                        .answer()
                        .complete(new Answer.Refused(Why.UNAVAILABLE, "the engine is stopping")));
    }
}
