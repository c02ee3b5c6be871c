package org.stillwater.command.operation;

import io.micrometer.core.instrument.Gauge;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.CommandContext;
import org.stillwater.command.CommandLoop;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.OperationProgress;
import org.stillwater.command.OperationRegistry;
import org.stillwater.command.StoreExecutor;
import org.stillwater.command.definition.Definitions;
import org.stillwater.command.placement.HostCallLimiter;
import org.stillwater.command.placement.MigrationLimiter;
import org.stillwater.command.storage.Leases;
import org.stillwater.command.storage.MemoryVolumes;
import org.stillwater.command.storage.StoragePoolManager;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.OperationStore.Begun;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WorkListener;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.vm.VmSignals;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.monitoring.worker.WorkerHealth;

/**
 * The command layer as one object: takes requests, makes them durable, and brings every operation
 * step by step to its end.
 *
 * <p>One thread decides. Other threads hand messages to it, and it processes them in order. After
 * each turn it completes the gathered work together: one scheduling pass for all VMs that need a
 * host, one statement for all rows to be written. It waits for no host and no database.
 *
 * <p>Callers may use any method from any thread.
 *
 * <p>It is long because it connects all parts of the command layer and is their only door.
 */
public final class CommandEngine implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(CommandEngine.class);
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final CommandContext context;
    private final CommandSettings settings;
    private final OperationStore store;
    private final Definitions definitions;
    private final EngineClock clock;
    private final OperationRegistry registry;
    private final StoreExecutor storeExecutor;
    private final CommandLoop loop;
    private final Map<VmId, Integer> progressOfVms = new ConcurrentHashMap<>();
    private final HostCallLimiter hostCalls;
    private final MigrationLimiter migrations;
    private final HostOrders orders;
    private final HostCommands hostCommands;
    private final List<Consumer<Operation>> followers = new CopyOnWriteArrayList<>();
    private final Set<VmId> changedVms = ConcurrentHashMap.newKeySet();
    private final OperationSaver saver;
    private final OperationAdmission admission;
    private final OperationRunner runner;
    private final SchedulingQueue scheduling;
    private final PendingWorkRunner workRunner;
    private final MemoryVolumes volumes;
    private final Leases leases;

    /** An engine that waits for the start of monitoring. */
    public CommandEngine(
            CommandSettings settings,
            MonitoringEngine engine,
            OperationStore store,
            Definitions definitions,
            HostCommands hostCommands,
            EngineClock clock,
            Supplier<UUID> ids,
            io.micrometer.core.instrument.MeterRegistry meterRegistry) {
        this.context =
                new CommandContext(settings, engine, store, clock, ids, meterRegistry, new Turns());
        this.settings = settings;
        this.store = store;
        this.definitions = definitions;
        this.hostCommands = hostCommands;
        this.clock = clock;
        this.registry = context.registry();
        this.storeExecutor = context.storeExecutor();
        this.loop = context.loop();
        this.hostCalls = new HostCallLimiter(settings.callsPerHost(), this::isInContact);
        this.migrations = new MigrationLimiter(settings.migrationsPerHost());
        this.orders =
                new HostOrders(
                        settings, context.fleet(), context.vmAccess(), clock, hostCommands::parsed);
        this.saver = new OperationSaver(this);
        this.admission = new OperationAdmission(this);
        this.runner = new OperationRunner(this);
        this.scheduling = new SchedulingQueue(this);
        this.workRunner = new PendingWorkRunner(this);
        StoragePoolManager manager = new StoragePoolManager(context);
        this.volumes = new MemoryVolumes(context, definitions, manager);
        this.leases = new Leases(context, definitions, manager);
        context.progress(new Progress());
        meterRegistry.gauge("stillwater.operations.open", registry, OperationRegistry::size);
        Gauge.builder("stillwater.commands.mailbox", loop, CommandLoop::messages)
                .description("Messages that wait for the thread that decides about operations")
                .register(meterRegistry);
        meterRegistry.gauge(
                "stillwater.operations.unreadable", store, each -> each.unreadable().size());
        hostCommands.attach(this);
        engine.beforeWatching(new OperationRecovery(this)::recover);
        engine.onSignals(new Signals());
        context.vmAccess().follow(this::vmChanged);
    }

    /** The turns of the deciding thread. */
    private final class Turns implements CommandLoop.Turn {
        @Override
        public boolean turn() {
            return CommandEngine.this.turn();
        }

        @Override
        public long untilNext(long timers) {
            return CommandEngine.this.untilNext(timers);
        }

        @Override
        public boolean anyNews() {
            return !changedVms.isEmpty() || !progressOfVms.isEmpty() || admission.any();
        }
    }

    /** Carries operations on for other packages. */
    private final class Progress implements OperationProgress {
        @Override
        public void fact(UUID operation, VmFact fact) {
            runner.fact(operation, fact);
        }

        @Override
        public void goesOn(Operation operation) {
            VmTask before = registry.open(operation.id());
            if (before == null || before.operation().equals(operation)) {
                return;
            }
            registry.put(VmTask.of(operation));
            if (OperationSaver.isWorthSaving(before.operation(), operation)) {
                saver.unsaved(operation);
            }
            tell(operation);
        }

        @Override
        public void ended(Operation operation) {
            runner.ended(operation);
        }
    }

    /** Passes signals of monitoring on. */
    private final class Signals implements VmSignals {
        @Override
        public void told(VmId vmId, HostId host, Decision.Signal signal) {
            vmChanged(vmId);
        }

        @Override
        public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {
            if (progressOfVms.put(vmId, percent) == null) {
                context.wake();
            }
        }

        @Override
        public void orderFailed(VmOrder order, HostFailure failure) {
            context.post(() -> runner.orderFailed(order, failure));
        }
    }

    private final class Work implements WorkListener {
        @Override
        public void workOpened(OpenWork work) {
            context.post(() -> workRunner.opened(work.work()));
        }

        @Override
        public void hostWorkOpened(org.stillwater.core.store.OpenHostWork work) {
            context.post(() -> hostCommands.opened(work.work()));
        }
    }

    // ------------------------------------------------------------------------------- life cycle

    /** Begins to decide, once monitoring was started. */
    public void start() {
        context.pendingWork().listen(new Work());
        storeExecutor.start();
        loop.start();
    }

    /** Begins without its own threads: {@link #pump} does all work. */
    public void startWithoutThreads() {
        context.pendingWork().listen(new Work());
    }

    /** Does everything that can be done without waiting; whether there was anything. */
    public boolean pump() {
        boolean any = false;
        boolean more;
        do {
            more = turn();
            more |= storeExecutor.pump();
            any |= more;
        } while (more);
        return any;
    }

    /** Executes one task of the deciding thread or of the database. */
    boolean stepOnce() {
        return storeExecutor.pumpOne() || turn();
    }

    /**
     * Ends the threads. The next start finds the open operations again. Decisions are written as
     * far as the database accepts them within a few seconds. A VM with a call to its host stays
     * held: a poll that does not have the VM yet, answered before monitoring ends, is no proof that
     * it is gone.
     */
    @Override
    public void close() {
        loop.stop();
        admission.refuseAll();
        boolean _ = saver.save(true);
        storeExecutor.stop(CommandLoop.STOP_PATIENCE);
        storeExecutor.drain();
    }

    // -------------------------------------------------------------------------------- one turn

    /** Processes the gathered work; returns whether there was any. */
    private boolean turn() {
        boolean any = loop.doMessages();
        long now = clock.nanoTime();
        any |= part("changes of VMs", this::lookAtChanged);
        any |= part("progress of migrations", this::lookAtProgress);
        any |= part("automatic starts", () -> workRunner.startAutomatically(now));
        any |= part("placements", () -> scheduling.placeAll(now));
        any |= part("turns of migrations", () -> migrations.advance(now));
        any |= part("turns at hosts", () -> hostCalls.advance(now));
        any |= part("beginning of operations", admission::beginAll);
        any |= part("work that is done", workRunner::dischargeAll);
        any |= part("operations on hosts", () -> hostCommands.turn(now));
        any |= part("saving of operations", () -> saver.turn(now));
        return any;
    }

    /** A failure in one part of a turn does not prevent the other parts. */
    private boolean part(String piece, BooleanSupplier part) {
        return loop.worker().isolate(piece, part);
    }

    /** Newest progress of each migration; on the deciding thread. */
    private boolean lookAtProgress() {
        if (progressOfVms.isEmpty()) {
            return false;
        }
        for (VmId vm : List.copyOf(progressOfVms.keySet())) {
            Integer percent = progressOfVms.remove(vm);
            if (percent != null) {
                boolean _ = context.guarded(() -> runner.migrating(vm, percent));
            }
        }
        return true;
    }

    /** Time until the next due work, up to a limit; nanoseconds. */
    private long untilNext(long timers) {
        long now = clock.nanoTime();
        long wait = saver.untilNext(timers, now);
        wait = scheduling.untilNext(wait, now);
        if (hostCalls.anyWaiting() || migrations.waiting() > 0) {
            wait = Math.min(wait, LOOK.toNanos());
        }
        if (loop.worker().isFailing()) {
            wait = Math.min(wait, LOOK.toNanos()); // a failed attempt is repeated
        }
        return workRunner.untilNext(wait, now);
    }

    /** How commands work, for health checks. Any thread. */
    public CommandState state() {
        WorkerHealth lane = storeExecutor.health();
        Instant since = context.durability().since();
        String reason = context.durability().reason();
        if (since == null && lane.isDown()) {
            since = clock.now().minus(lane.lasts());
            reason = "the thread for the database: " + lane.reason();
        }
        return new CommandState(
                registry.size(),
                admission.waiting(),
                loop.messages(),
                since,
                reason,
                saver.notSaved());
    }

    /** How the threads of commands work. Any thread. */
    public List<WorkerHealth> workers() {
        return List.of(loop.worker().health(), storeExecutor.health());
    }

    private void vmChanged(VmId vm) {
        if (changedVms.add(vm)) {
            context.wake();
        }
    }

    /** Looks at VMs that changed; on the deciding thread. */
    boolean lookAtChanged() {
        if (changedVms.isEmpty()) {
            return false;
        }
        List<VmId> changed = new ArrayList<>(changedVms);
        changed.sort(null);
        boolean any = false;
        for (VmId vm : changed) {
            changedVms.remove(vm);
            for (VmTask task : registry.on(vm)) {
                any = true;
                boolean _ =
                        context.guarded(
                                () -> context.fact(task.operation().id(), new VmFact.Seen()));
            }
            boolean _ =
                    context.guarded(() -> {
                        workRunner.changed(vm);
                        volumes.look(vm);
                        leases.look(vm);
                        hostCommands.vmChanged(vm);
                    });
        }
        return any;
    }

    // --------------------------------------------------------------------------------- wishes

    /**
     * Requests operations on VMs.
     *
     * @param wanted the requests, at most one of a kind for each VM
     * @param origin the requester; for more than one, a batch is made of them if it names one
     * @return the answer to each request, in order, as soon as it is durable
     */
    public List<CompletableFuture<Answer>> submit(
            List<OperationRequest> wanted, Operation.Origin origin) {
        return admission.submit(wanted, origin);
    }

    /**
     * Checks requests like their admission at this moment, without a begin. It does not search
     * hosts for VMs.
     *
     * @return for each request, in order, its refusal, or null if it would be admitted
     * @throws StoreUnavailable if the database is needed for this and does not answer
     */
    public List<Answer.@Nullable Refused> check(List<OperationRequest> wanted)
            throws StoreUnavailable {
        return admission.check(wanted);
    }

    /** Services that all packages of commands share. */
    public CommandContext context() {
        return context;
    }

    /** Whether a VM that runs holds its lease, as far as is known; on the deciding thread. */
    public boolean isLeaseHeld(VmView vm) {
        return leases.isHeld(vm);
    }

    /** A definition requests a lease on a storage domain, null for none; on the deciding thread. */
    public void leaseDefined(VmId vm, @Nullable UUID domain) {
        leases.defined(vm, domain);
    }

    /** Makes an operation durable that was added to the registry. Any thread. */
    public void begin(Begun begun, CompletableFuture<Answer> answer) {
        admission.begin(begun, answer);
    }

    static boolean isOfDefinition(OperationKind kind) {
        return kind == OperationKind.ADD_VM
                || kind == OperationKind.UPDATE_VM
                || kind == OperationKind.REMOVE_VM;
    }

    void enter(HostId host, UUID id, Runnable go) {
        hostCalls.enter(
                host,
                id,
                clock.nanoTime() + settings.hostPatience().toNanos(),
                () -> {
                    boolean _ = context.guarded(go);
                });
    }

    private boolean isInContact(HostId id) {
        HostState host = context.vmAccess().host(id);
        return host == null || host.status().isInContact();
    }

    /**
     * Cancels an operation, as far as possible: at once if it has no effects yet; a migration
     * already ordered is cancelled at its host once that host has accepted it.
     *
     * @return why it cannot be cancelled; null if it is being cancelled
     */
    public @Nullable String cancel(UUID id, Operation.Origin origin) {
        VmTask task = registry.open(id);
        if (task == null) {
            return "it has ended";
        }
        Operation operation = task.operation();
        VmId vm = operation.vm();
        if (vm == null) {
            String refusal = hostCommands.refusesCancel(operation);
            if (refusal == null) {
                context.post(() -> hostCommands.cancel(operation));
            }
            return refusal;
        }
        if (isOfDefinition(operation.kind())) {
            return "it is being recorded";
        }
        if (task.isBegun() && operation.kind() != OperationKind.MIGRATE) {
            return "it has begun, and the host was asked: " + operation.step();
        }
        context.post(() -> runner.cancel(id, origin));
        return null;
    }

    // ---------------------------------------------------------------------------------- reading

    /** The operation of this id; null if memory has none. */
    public @Nullable Operation operation(UUID id) {
        return registry.find(id);
    }

    /** The operation of this id, wherever it is; null if there is none. May read the database. */
    public @Nullable Operation findOperation(UUID id) throws StoreUnavailable {
        Operation known = registry.find(id);
        return known != null ? known : store.find(id);
    }

    /**
     * Whether an operation needs no further call to a host: the host accepted the order and its
     * reports are awaited, or the operation has ended.
     */
    public boolean isOrdered(UUID id) {
        VmTask task = registry.open(id);
        return task == null
                || task.phase() == VmTask.Phase.AWAITING
                || task.phase() == VmTask.Phase.ENDED;
    }

    /** Operations of memory: every open one and the newest of the others, the newest first. */
    public List<Operation> operations(java.util.function.Predicate<Operation> wanted) {
        return registry.list(wanted);
    }

    /** Operations that meet a filter, the newest first; reads the database. */
    public List<Operation> history(OperationStore.Filter filter) throws StoreUnavailable {
        return store.list(filter).stream()
                .map(operation -> {
                    Operation known = registry.find(operation.id());
                    return known == null ? operation : known;
                })
                .toList();
    }

    /** From now on this follower receives every step, on the deciding thread; must not block. */
    public void follow(Consumer<Operation> follower) {
        followers.add(follower);
    }

    /** Removes the follower. */
    public void unfollow(Consumer<Operation> follower) {
        followers.remove(follower);
    }

    /** Definitions that commands keep in memory. */
    public Definitions definitions() {
        return definitions;
    }

    /** Operations that were found open and make no sense to this engine, and why. */
    public Map<UUID, String> unreadable() {
        return store.unreadable();
    }

    /** How it is set. */
    public CommandSettings settings() {
        return settings;
    }

    /** Number of operations that have not ended. */
    public int size() {
        return registry.size();
    }

    // ------------------------------------------------------------------------------- publishing

    /** An operation has ended: it no longer blocks others, and is written in its last state. */
    void finished(Operation operation) {
        registry.ended(operation);
        orders.forget(operation.id());
        saver.unsaved(operation);
        tell(operation);
        context.meters().ended(operation);
        audited(operation, false);
        hostCommands.ended(operation);
        saver.expireSoon();
        OperationFailure failure = operation.failure();
        if (failure == null) {
            LOG.info(
                    "operation={} {} vm={} host={} {}",
                    operation.id(),
                    operation.kind().label(),
                    operation.vm(),
                    operation.host() == null ? operation.target() : operation.host(),
                    operation.state().label());
        } else {
            LOG.info(
                    "operation={} {} vm={} host={} failed: {} {}",
                    operation.id(),
                    operation.kind().label(),
                    operation.vm(),
                    operation.host() == null ? operation.target() : operation.host(),
                    failure.code().label(),
                    failure.reason());
        }
    }

    void tell(Operation operation) {
        for (Consumer<Operation> follower : followers) {
            boolean _ = loop.worker().guard("a follower failed", () -> follower.accept(operation));
        }
    }

    /** Records audit events of an operation's request and of its end. */
    void audited(Operation operation, boolean begins) {
        AuditEvent event = OperationAudit.of(operation, begins);
        if (event == null) {
            return;
        }
        OperationFailure failure = operation.failure();
        context.vmAccess()
                .audit(
                        event,
                        operation.vm(),
                        operation.host() == null ? operation.target() : operation.host(),
                        OperationAudit.details(
                                operation,
                                Map.of(
                                        "user",
                                        operation.origin().requestedBy(),
                                        "operation",
                                        operation.kind().label().replace('_', ' '),
                                        "reason",
                                        failure == null ? "" : failure.reason())));
    }

    OperationSaver saver() {
        return saver;
    }

    OperationAdmission admission() {
        return admission;
    }

    OperationRunner runner() {
        return runner;
    }

    SchedulingQueue scheduling() {
        return scheduling;
    }

    PendingWorkRunner workRunner() {
        return workRunner;
    }

    MemoryVolumes volumes() {
        return volumes;
    }

    Leases leases() {
        return leases;
    }

    HostCallLimiter hostCalls() {
        return hostCalls;
    }

    MigrationLimiter migrations() {
        return migrations;
    }

    HostOrders orders() {
        return orders;
    }

    HostCommands hostCommands() {
        return hostCommands;
    }
}
