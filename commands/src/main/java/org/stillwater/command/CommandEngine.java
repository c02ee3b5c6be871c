package org.stillwater.command;

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
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.model.AuditEvent;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.port.OpenWork;
import org.stillwater.core.port.OperationStore;
import org.stillwater.core.port.OperationStore.Begun;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.WorkListener;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.vm.VmSignals;
import org.stillwater.monitoring.worker.WorkerHealth;

/**
 * The command layer as one object: takes what is asked for, makes it durable, and brings every
 * operation step by step to its end.
 *
 * <p>One thread decides; whatever comes from elsewhere is handed to it and done in order, and after
 * each turn everything that gathered is done together: one scheduling pass for all that need a
 * host, one statement for all that is to be written. It waits for no host and no database.
 *
 * <p>Callers may use any method from any thread.
 */
public final class CommandEngine implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(CommandEngine.class);
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final CommandSettings settings;
    private final MonitoringEngine engine;
    private final VmCommandAccess desk;
    private final OperationStore store;
    private final Definitions definitions;
    private final EngineClock clock;
    private final Supplier<UUID> ids;
    private final OperationBook book;
    private final StoreExecutor storeLane;
    private final Durability durability;
    private final Map<VmId, Integer> progressOfVms = new ConcurrentHashMap<>();
    private final HostLanes lanes;
    private final MigrationTurns turns;
    private final HostOrders orders;
    private final HostCommands hostCommands;
    private final CommandMeters meters;
    private final ThrottledLog complaints;
    private final List<Consumer<Operation>> followers = new CopyOnWriteArrayList<>();
    private final Set<VmId> changedVms = ConcurrentHashMap.newKeySet();
    private final DecidingThread thread;
    private final OperationSaver saver;
    private final OperationAdmission beginnings;
    private final VmSteps steps;
    private final SchedulingQueue placing;
    private final PendingWorkRunner works;
    private final MemoryVolumes volumes;
    private final Leases leases;

    /** An engine that does nothing until its monitoring is started. */
    public CommandEngine(
            CommandSettings settings,
            MonitoringEngine engine,
            OperationStore store,
            Definitions definitions,
            HostCommands hostCommands,
            EngineClock clock,
            Supplier<UUID> ids,
            io.micrometer.core.instrument.MeterRegistry meterRegistry) {
        this.settings = settings;
        this.engine = engine;
        this.desk = engine.commandDesk();
        this.store = store;
        this.definitions = definitions;
        this.hostCommands = hostCommands;
        this.clock = clock;
        this.ids = ids;
        this.book = new OperationBook(settings.keptEnded());
        this.lanes = new HostLanes(settings.callsPerHost(), this::isInContact);
        this.turns = new MigrationTurns(settings.migrationsPerHost());
        this.orders = new HostOrders(settings, engine, desk, clock, hostCommands::parsed);
        this.complaints = new ThrottledLog(LOG, clock, settings.quietPeriod(), "commands");
        this.meters = new CommandMeters(meterRegistry);
        this.durability = new Durability(clock);
        this.storeLane = new StoreExecutor(engine.workers());
        this.thread =
                new DecidingThread(
                        clock,
                        settings.mailbox(),
                        engine.workers(),
                        this::turn,
                        this::untilNext,
                        this::anyNews);
        this.saver = new OperationSaver(this);
        this.beginnings = new OperationAdmission(this);
        this.steps = new VmSteps(this);
        this.placing = new SchedulingQueue(this);
        this.works = new PendingWorkRunner(this);
        PoolManager manager = new PoolManager(this);
        this.volumes = new MemoryVolumes(this, manager);
        this.leases = new Leases(this, manager);
        meterRegistry.gauge("stillwater.operations.open", book, OperationBook::size);
        Gauge.builder("stillwater.commands.mailbox", thread, DecidingThread::messages)
                .description("Messages that wait for the thread that decides about operations")
                .register(meterRegistry);
        meterRegistry.gauge(
                "stillwater.operations.unreadable", store, each -> each.unreadable().size());
        hostCommands.attach(this);
        engine.beforeWatching(new OperationRecovery(this)::recover);
        engine.onSignals(new Signals());
        desk.follow(this::vmChanged);
    }

    /** Passes on what monitoring says. */
    private final class Signals implements VmSignals {
        @Override
        public void told(VmId vmId, HostId host, Decision.Signal signal) {
            vmChanged(vmId);
        }

        @Override
        public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {
            if (progressOfVms.put(vmId, percent) == null) {
                wake();
            }
        }
    }

    private final class Work implements WorkListener {
        @Override
        public void workOpened(OpenWork work) {
            post(() -> works.opened(work.work()));
        }

        @Override
        public void hostWorkOpened(org.stillwater.core.port.OpenHostWork work) {
            post(() -> hostCommands.opened(work.work()));
        }
    }

    // ------------------------------------------------------------------------------- life cycle

    /** Begins to decide, once monitoring was started. */
    public void start() {
        engine.listenToWork(new Work());
        storeLane.start();
        thread.start();
    }

    /** Begins without threads of its own: everything is done by {@link #pump}. */
    public void startWithoutThreads() {
        engine.listenToWork(new Work());
    }

    /** Does everything that can be done without waiting; whether there was anything. */
    public boolean pump() {
        boolean any = false;
        boolean more;
        do {
            more = turn();
            more |= storeLane.pump();
            any |= more;
        } while (more);
        return any;
    }

    /** Does one thing, of what the deciding thread or the database has to do. */
    boolean stepOnce() {
        return storeLane.pumpOne() || turn();
    }

    /**
     * Ends the threads. What is under way is found again at the next start; what was decided is
     * written as far as the database takes it in a few seconds.
     */
    @Override
    public void close() {
        thread.stop();
        beginnings.refuseAll();
        boolean _ = saver.save(true);
        storeLane.stop(DecidingThread.STOP_PATIENCE);
        storeLane.pump();
        steps.releaseAll();
    }

    // -------------------------------------------------------------------------------- one turn

    /** Does what gathered; whether there was anything. */
    private boolean turn() {
        boolean any = thread.doMessages();
        long now = clock.nanoTime();
        any |= part("changes of VMs", this::lookAtChanged);
        any |= part("progress of migrations", this::lookAtProgress);
        any |= part("automatic starts", () -> works.startAutomatically(now));
        any |= part("placements", () -> placing.placeAll(now));
        any |= part("turns of migrations", () -> turns.advance(now));
        any |= part("turns at hosts", () -> lanes.advance(now));
        any |= part("beginning of operations", beginnings::beginAll);
        any |= part("work that is done", works::dischargeAll);
        any |= part("operations on hosts", () -> hostCommands.turn(now));
        any |= part("saving of operations", () -> saver.turn(now));
        return any;
    }

    /** What fails in one part of a turn keeps no other part from being done. */
    private boolean part(String piece, BooleanSupplier part) {
        return thread.worker().isolate(piece, part);
    }

    /** Newest progress of each migration; on the deciding thread. */
    private boolean lookAtProgress() {
        if (progressOfVms.isEmpty()) {
            return false;
        }
        for (VmId vm : List.copyOf(progressOfVms.keySet())) {
            Integer percent = progressOfVms.remove(vm);
            if (percent != null) {
                boolean _ = guarded(() -> steps.migrating(vm, percent));
            }
        }
        return true;
    }

    /** How long nothing is due, at the most so long; nanoseconds. */
    private long untilNext(long timers) {
        long now = clock.nanoTime();
        long wait = saver.untilNext(timers, now);
        wait = placing.untilNext(wait, now);
        if (lanes.anyWaiting() || turns.waiting() > 0) {
            wait = Math.min(wait, LOOK.toNanos());
        }
        if (thread.worker().isFailing()) {
            wait = Math.min(wait, LOOK.toNanos()); // what failed is tried again
        }
        return works.untilNext(wait, now);
    }

    private boolean anyNews() {
        return !changedVms.isEmpty() || !progressOfVms.isEmpty() || beginnings.any();
    }

    /** Hands something to the deciding thread. */
    void post(Runnable message) {
        thread.post(message);
    }

    /** Has it look whether there is something to do. */
    void wake() {
        thread.wake();
    }

    /** Does something whose failure must not cost others anything. */
    boolean guarded(Runnable message) {
        return thread.guarded(message);
    }

    /**
     * Looks at one of many, again and again: its failure costs the others nothing, and health names
     * it until it succeeds or {@link #forgetPiece} is called.
     */
    boolean isolated(String piece, Runnable look) {
        return thread.worker().isolate(piece, look);
    }

    /** There is nothing to look at any more. */
    void forgetPiece(String piece) {
        thread.worker().forget(piece);
    }

    /** Whether operations become durable. */
    Durability durability() {
        return durability;
    }

    /** Whether the database has not answered for too long: nothing that begins now would last. */
    boolean isStuck() {
        return storeLane.health().condition() == WorkerHealth.Condition.STUCK;
    }

    /** Whether so many messages wait that no request is taken. */
    boolean isBusy() {
        return thread.isBusy();
    }

    /** How commands work, for health checks. Any thread. */
    public CommandState state() {
        WorkerHealth lane = storeLane.health();
        Instant since = durability.since();
        String reason = durability.reason();
        if (since == null && lane.isDown()) {
            since = clock.now().minus(lane.lasts());
            reason = "the thread for the database: " + lane.reason();
        }
        return new CommandState(
                book.size(),
                beginnings.waiting(),
                thread.messages(),
                since,
                reason,
                saver.notSaved());
    }

    /** How the threads of commands work. Any thread. */
    public List<WorkerHealth> workers() {
        return List.of(thread.worker().health(), storeLane.health());
    }

    /** Does something later; on the deciding thread. */
    void after(Duration delay, Runnable action) {
        thread.after(delay, action);
    }

    /** Whether nothing is to begin any more. */
    boolean isStopping() {
        return thread.isStopping();
    }

    private void vmChanged(VmId vm) {
        if (changedVms.add(vm)) {
            wake();
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
            for (VmTask task : book.on(vm)) {
                any = true;
                boolean _ = guarded(() -> fact(task.operation().id(), new VmFact.Seen()));
            }
            boolean _ =
                    guarded(() -> {
                        works.changed(vm);
                        volumes.look(vm);
                        leases.look(vm);
                        hostCommands.vmChanged(vm);
                    });
        }
        return any;
    }

    // --------------------------------------------------------------------------------- wishes

    /**
     * Asks for something to be done with VMs.
     *
     * @param wanted what, at most one of a kind for each VM
     * @param origin who asks; for more than one, a batch is made of them if it names one
     * @return for each wish, in order, what becomes of it: as soon as that is durable
     */
    public List<CompletableFuture<Answer>> submit(List<Wanted> wanted, Operation.Origin origin) {
        return beginnings.submit(wanted, origin);
    }

    /**
     * Checks requests as their admission at this moment would, and begins nothing. Hosts for VMs
     * are not looked for.
     *
     * @return for each request, in order, its refusal, or null if it would be admitted
     * @throws StoreUnavailable if the database is needed for this and does not answer
     */
    public List<Answer.@Nullable Refused> check(List<Wanted> wanted) throws StoreUnavailable {
        return beginnings.check(wanted);
    }

    /** Hands an operation that is in the book to the database. */
    void begin(Begun begun, CompletableFuture<Answer> answer) {
        beginnings.begin(begun, answer);
    }

    /** Adds an operation about a host; null if another one of its kind is open. */
    @Nullable Operation reserve(Operation operation) {
        return book.add(operation);
    }

    static boolean isOfDefinition(OperationKind kind) {
        return kind == OperationKind.ADD_VM
                || kind == OperationKind.UPDATE_VM
                || kind == OperationKind.REMOVE_VM;
    }

    void enter(HostId host, UUID id, Runnable go) {
        lanes.enter(
                host,
                id,
                clock.nanoTime() + settings.hostPatience().toNanos(),
                () -> {
                    boolean _ = guarded(go);
                });
    }

    private boolean isInContact(HostId id) {
        HostState host = desk.host(id);
        return host == null || host.status().isInContact();
    }

    /**
     * Takes an operation back, as far as that is possible: at once if nothing was done for it; a
     * migration that its host was asked for is called off there, once the host has accepted it.
     *
     * @return why it cannot be taken back; null if it is being
     */
    public @Nullable String cancel(UUID id, Operation.Origin origin) {
        VmTask task = book.open(id);
        if (task == null) {
            return "it has ended";
        }
        Operation operation = task.operation();
        VmId vm = operation.vm();
        if (vm == null) {
            String refusal = hostCommands.refusesCancel(operation);
            if (refusal == null) {
                post(() -> hostCommands.cancel(operation));
            }
            return refusal;
        }
        if (isOfDefinition(operation.kind())) {
            return "it is being recorded, which is all there is to it";
        }
        if (task.isBegun() && operation.kind() != OperationKind.MIGRATE) {
            return "it has begun, and the host was asked: " + operation.step();
        }
        post(() -> steps.cancel(id, origin));
        return null;
    }

    // ---------------------------------------------------------------------------------- reading

    /** The operation of this id; null if memory has none. */
    public @Nullable Operation operation(UUID id) {
        return book.find(id);
    }

    /** The operation of this id, wherever it is; null if there is none. May read the database. */
    public @Nullable Operation findOperation(UUID id) throws StoreUnavailable {
        Operation known = book.find(id);
        return known != null ? known : store.find(id);
    }

    /**
     * Whether nothing more has to be asked of a host for an operation: it did what it was ordered
     * to, and what it reports is awaited, or the operation has ended.
     */
    public boolean isOrdered(UUID id) {
        VmTask task = book.open(id);
        return task == null
                || task.phase() == VmTask.Phase.AWAITING
                || task.phase() == VmTask.Phase.ENDED;
    }

    /** Operations of memory: every open one and the newest of the others, the newest first. */
    public List<Operation> operations(java.util.function.Predicate<Operation> wanted) {
        return book.list(wanted);
    }

    /** Operations that meet a filter, the newest first; reads the database. */
    public List<Operation> history(OperationStore.Filter filter) throws StoreUnavailable {
        return store.list(filter).stream()
                .map(operation -> {
                    Operation known = book.find(operation.id());
                    return known == null ? operation : known;
                })
                .toList();
    }

    /** From now on this follower is told of every step, on the deciding thread; must not block. */
    public void follow(Consumer<Operation> follower) {
        followers.add(follower);
    }

    /** Not told any more. */
    public void unfollow(Consumer<Operation> follower) {
        followers.remove(follower);
    }

    /** What commands know of definitions. */
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
        return book.size();
    }

    OperationStore operations() {
        return store;
    }

    OperationBook book() {
        return book;
    }

    // ---------------------------------------------------------------------------------- telling

    /** An operation that is carried out elsewhere goes on. */
    void goesOn(Operation operation) {
        VmTask before = book.open(operation.id());
        if (before == null || before.operation().equals(operation)) {
            return;
        }
        book.put(VmTask.of(operation));
        if (OperationSaver.isWorthSaving(before.operation(), operation)) {
            saver.unsaved(operation);
        }
        tell(operation);
    }

    /** An operation that is carried out elsewhere has ended. */
    void ended(Operation operation) {
        steps.ended(operation);
    }

    /** Decides what follows from a fact, and does it. */
    void fact(UUID id, VmFact fact) {
        steps.fact(id, fact);
    }

    /** An operation has ended: it is in nobody's way any more, and is written as it is now. */
    void finished(Operation operation) {
        book.ended(operation);
        orders.forget(operation.id());
        saver.unsaved(operation);
        tell(operation);
        meters.ended(operation);
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
            boolean _ =
                    thread.worker().guard("a follower failed", () -> follower.accept(operation));
        }
    }

    /** People are told of what was asked for and how it ended. */
    void audited(Operation operation, boolean begins) {
        AuditEvent event = OperationAudit.of(operation, begins);
        if (event == null) {
            return;
        }
        OperationFailure failure = operation.failure();
        desk.audit(
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

    StoreExecutor storeLane() {
        return storeLane;
    }

    VmCommandAccess desk() {
        return desk;
    }

    MonitoringEngine engine() {
        return engine;
    }

    EngineClock clock() {
        return clock;
    }

    Supplier<UUID> ids() {
        return ids;
    }

    OperationSaver saver() {
        return saver;
    }

    OperationAdmission beginnings() {
        return beginnings;
    }

    VmSteps steps() {
        return steps;
    }

    SchedulingQueue placing() {
        return placing;
    }

    PendingWorkRunner works() {
        return works;
    }

    MemoryVolumes volumes() {
        return volumes;
    }

    Leases leases() {
        return leases;
    }

    HostLanes lanes() {
        return lanes;
    }

    MigrationTurns turns() {
        return turns;
    }

    HostOrders orders() {
        return orders;
    }

    HostCommands hostCommands() {
        return hostCommands;
    }

    CommandMeters meters() {
        return meters;
    }

    ThrottledLog complaints() {
        return complaints;
    }
}
