package org.stillwater.command;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.command.Answer.Why;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.command.AutoStartQueue;
import org.stillwater.core.command.VmEffect;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.command.VmFacts;
import org.stillwater.core.command.VmProcedure;
import org.stillwater.core.command.VmRules;
import org.stillwater.core.command.VmStep;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.command.VmVerb;
import org.stillwater.core.model.AuditEvent;
import org.stillwater.core.model.ExitStatus;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.model.HostWork;
import org.stillwater.core.model.PendingWork;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.model.WorkKind;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationParameters.Cause;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.port.DefinitionStore.Definition;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.port.HostAnswer;
import org.stillwater.core.port.HostFailure;
import org.stillwater.core.port.OpenWork;
import org.stillwater.core.port.OperationStore;
import org.stillwater.core.port.OperationStore.Begun;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.VmOrder;
import org.stillwater.core.port.WorkListener;
import org.stillwater.core.port.WriteOutcome;
import org.stillwater.core.schedule.PlacementDecision;
import org.stillwater.monitoring.CommandDesk;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.observe.Complaints;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmSignals;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.monitoring.write.BatchWriter.CommitAction;

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
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(5);
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final int RETENTION_BATCH = 5_000;
    private static final Duration RESUME_AFTER = Duration.ofSeconds(5); // work is told before
    private static final Duration EXPIRE_EVERY = Duration.ofHours(1);

    private final CommandSettings settings;
    private final MonitoringEngine engine;
    private final CommandDesk desk;
    private final OperationStore store;
    private final Definitions definitions;
    private final EngineClock clock;
    private final Supplier<UUID> ids;
    private final VmProcedure procedure;
    private final OperationBook book;
    private final StoreLane storeLane = new StoreLane();
    private final HostLanes lanes;
    private final MigrationTurns turns;
    private final Placer placer;
    private final HostOrders orders;
    private final AutoStartQueue autoStart;
    private final HostCommands hostCommands;
    private final CommandMeters meters;
    private final Complaints complaints;
    private final List<Consumer<Operation>> followers = new CopyOnWriteArrayList<>();

    // The deciding thread's mailbox.
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Queue<Runnable> mailbox = new ConcurrentLinkedQueue<>();
    private final Set<VmId> changedVms = ConcurrentHashMap.newKeySet();
    private final List<Beginning> beginnings = new ArrayList<>(); // guarded by itself
    private @Nullable Thread thread;
    private volatile boolean stopping;

    // Used by the deciding thread only.
    private final Map<UUID, Running> runnings = new HashMap<>();
    private final Set<UUID> toPlace = new LinkedHashSet<>();
    private final Map<UUID, Operation> unsaved = new HashMap<>();
    private final Set<UUID> recording = new HashSet<>();
    private final List<PendingWork> needless = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private long timerNumber;
    private @Nullable Long expiredNanos;
    private boolean saving;
    private volatile boolean beginningsWait;
    private boolean discharging;
    private boolean lookAtStarts;
    private long saveAtNanos;
    private Duration savePause;
    private long placeAgainNanos;
    private boolean placementWaits;

    /** What the deciding thread keeps of an operation beside what is in the book. */
    private static final class Running {
        VmTask task;
        int turn;
        boolean holds;
        boolean loaded;
        @Nullable Definition definition;

        long placingSinceNanos;

        Running(VmTask task) {
            this.task = task;
        }
    }

    /** Something to be done later. */
    private record Timer(long atNanos, long number, Runnable action) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            int byTime = Long.signum(atNanos - other.atNanos);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    /** An operation on its way to the database, and who waits for it. */
    private record Beginning(Begun begun, CompletableFuture<Answer> answer) {}

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
        this.procedure = new VmProcedure(settings.limits());
        this.book = new OperationBook(settings.keptEnded());
        this.lanes = new HostLanes(settings.callsPerHost(), this::isInContact);
        this.turns = new MigrationTurns(settings.migrationsPerHost());
        this.placer = new Placer(engine, desk, definitions, book, settings.scheduling());
        this.orders = new HostOrders(settings, engine, desk, clock);
        this.autoStart = new AutoStartQueue(settings.autoStart());
        this.complaints = new Complaints(LOG, clock, settings.quietPeriod(), "commands");
        this.savePause = settings.firstRetry();
        this.meters = new CommandMeters(meterRegistry);
        meterRegistry.gauge("stillwater.operations.open", book, OperationBook::size);
        meterRegistry.gauge(
                "stillwater.operations.unreadable", store, each -> each.unreadable().size());
        hostCommands.attach(this);
        engine.beforeWatching(this::recover);
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
            post(() -> migrating(vmId, percent));
        }
    }

    private final class Work implements WorkListener {
        @Override
        public void workOpened(OpenWork work) {
            post(() -> opened(work.work()));
        }

        @Override
        public void hostWorkOpened(org.stillwater.core.port.OpenHostWork work) {
            post(() -> hostCommands.opened(work.work()));
        }
    }

    // ------------------------------------------------------------------------------- life cycle

    /** VMs are known, and no host is watched yet: what was under way is found again. */
    private void recover() throws StoreUnavailable {
        definitions.recover();
        List<Operation> found = new ArrayList<>();
        store.loadOpen(found::add);
        store.unreadable()
                .forEach((id, reason) ->
                        complaints.about("an operation cannot be read", id + ": " + reason));
        endReplaced(found);
        Map<VmId, Integer> failedReboots = failedColdReboots();
        for (Operation operation : found) {
            book.restore(operation);
            runnings.put(operation.id(), new Running(VmTask.of(operation)));
        }
        hostCommands.recover(found);
        for (Operation operation : found) {
            VmId vm = operation.vm();
            if (vm == null || isOfDefinition(operation.kind())) {
                continue;
            }
            if (operation.parameters() instanceof OperationParameters.Run run
                    && (run.cause() == Cause.HIGH_AVAILABILITY
                            || run.cause() == Cause.COLD_REBOOT)) {
                int failures =
                        run.cause() == Cause.COLD_REBOOT ? failedReboots.getOrDefault(vm, 0) : 0;
                autoStart.adopt(vm, run.cause(), failures, clock.nanoTime());
            }
            fact(
                    operation.id(),
                    isUntouched(operation) ? new VmFact.Begin() : new VmFact.Resumed());
            countMigration(operation.id());
        }
        after(
                RESUME_AFTER,
                () -> {
                    engine.vms().forEach(this::resumeStart);
                    failedReboots.forEach(this::resumeColdReboot);
                });
        if (!found.isEmpty()) {
            LOG.info("operations that were under way: {}", found.size());
        }
    }

    /** A migration that is under way again, or still, has had its turn. */
    private void countMigration(UUID id) {
        VmTask task = book.open(id);
        if (task == null
                || task.operation().kind() != OperationKind.MIGRATE
                || task.phase() == VmTask.Phase.QUEUED
                || task.phase() == VmTask.Phase.PLACING) {
            return;
        }
        VmView view = engine.vm(Objects.requireNonNull(task.operation().vm()));
        HostId source = view == null ? null : view.state().placement().runOn();
        HostId destination = task.operation().target();
        if (source != null && destination != null) {
            turns.adopt(id, source, destination);
        }
    }

    /**
     * Of two operations that exclude each other the older one had ended before the newer one began,
     * and only its end did not become durable.
     *
     * @param found those that are open, the oldest first
     */
    private void endReplaced(List<Operation> found) {
        Map<VmId, List<Operation>> byVm = new HashMap<>();
        for (Operation operation : found) {
            VmId vm = operation.vm();
            if (vm != null) {
                byVm.computeIfAbsent(vm, _ -> new ArrayList<>(1)).add(operation);
            }
        }
        found.removeIf(operation -> {
            List<Operation> all =
                    operation.vm() == null
                            ? List.of(operation)
                            : byVm.getOrDefault(operation.vm(), List.of());
            if (all.subList(all.indexOf(operation) + 1, all.size()).stream()
                    .allMatch(later -> mayHaveJoined(later, operation))) {
                return false;
            }
            unsaved(
                    operation.ended(
                            OperationState.FAILED,
                            "failed",
                            new OperationFailure(
                                    OperationFailure.Code.INTERRUPTED,
                                    "it had ended when the engine stopped; how is not known any"
                                            + " more"),
                            clock.now()));
            return true;
        });
    }

    /** Whether an operation may have begun although an older one had not ended. */
    private static boolean mayHaveJoined(Operation later, Operation older) {
        return VmRules.mayJoin(
                later.kind(), new VmTask(older, VmTask.Phase.AWAITING, false, false, false, false));
    }

    /**
     * What failed and is highly available is due, also if the work that said so was taken over by
     * an attempt that failed: when the next one is due was in memory only.
     */
    private void resumeStart(VmView vm) {
        if (vm.definition().highlyAvailable()
                && vm.state().runtime().status() == VmStatus.DOWN
                && vm.state().runtime().exitStatus() == ExitStatus.ERROR
                && !book.isBusy(vm.id())) {
            autoStart.resume(vm.id(), Cause.HIGH_AVAILABILITY, 0, clock.nanoTime());
            lookAtStarts = true;
        }
    }

    /**
     * How often the present cold reboot of each VM failed to start it. One that ran since, started
     * by whomever, has a greater run than its attempts can have begun.
     */
    private Map<VmId, Integer> failedColdReboots() throws StoreUnavailable {
        Map<VmId, Integer> failures = new HashMap<>();
        Map<VmId, Operation> last = new HashMap<>();
        store.loadFailedColdReboots(operation -> {
            VmId vm = Objects.requireNonNull(operation.vm());
            failures.merge(vm, 1, Integer::sum);
            last.put(vm, operation);
        });
        failures.keySet()
                .removeIf(vm -> {
                    Operation start = Objects.requireNonNull(last.get(vm));
                    VmView view = engine.vm(vm);
                    long begun = start.tried().size() + (start.target() == null ? 0L : 1L);
                    return view == null
                            || view.state().placement().run().generation()
                                    > start.generation() + begun;
                });
        return failures;
    }

    /** A cold reboot whose start failed is due again: when, was in memory only. */
    private void resumeColdReboot(VmId id, int failures) {
        VmView vm = engine.vm(id);
        if (vm != null && vm.state().runtime().status() == VmStatus.DOWN && !isBusyForStart(id)) {
            autoStart.resume(id, Cause.COLD_REBOOT, failures, clock.nanoTime());
            lookAtStarts = true;
        }
    }

    /**
     * Whether nothing was done for an operation that was found. That one is under way is durable in
     * time for those that must not be done twice; of the others the VM tells.
     */
    private static boolean isUntouched(Operation operation) {
        return operation.state() == OperationState.QUEUED
                && switch (operation.kind()) {
                    case RESET -> true;
                    case REBOOT ->
                            operation.parameters() instanceof OperationParameters.Reboot reboot
                                    && !reboot.cold();
                    default -> false;
                };
    }

    /** Begins to decide, once monitoring was started. */
    public void start() {
        engine.listenToWork(new Work());
        storeLane.start();
        thread = Thread.ofVirtual().name("commands").start(this::run);
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

    private void run() {
        try {
            while (!stopping) {
                try {
                    if (!turn()) {
                        await();
                    }
                } catch (RuntimeException e) {
                    complaints.about("a turn failed", e.toString(), e);
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // stopped
        }
    }

    private void await() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long wait = untilNext();
            while (mailbox.isEmpty()
                    && changedVms.isEmpty()
                    && wait > 0
                    && !stopping
                    && !anyBeginning()) {
                wait = news.awaitNanos(wait);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean anyBeginning() {
        synchronized (beginnings) {
            return !beginnings.isEmpty() && !beginningsWait;
        }
    }

    private long untilNext() {
        long now = clock.nanoTime();
        Timer first = timers.peek();
        long wait = first == null ? LOOK.toNanos() * 60 : first.atNanos() - now;
        if (!unsaved.isEmpty() && !saving) {
            wait = Math.min(wait, saveAtNanos - now);
        }
        if (placementWaits) {
            wait = Math.min(wait, placeAgainNanos - now);
        }
        if (lanes.anyWaiting() || turns.waiting() > 0) {
            wait = Math.min(wait, LOOK.toNanos());
        }
        OptionalLong start = autoStart.nextLookNanos(now);
        if (start.isPresent()) {
            wait = Math.min(wait, Math.max(LOOK.toNanos() / 10, start.getAsLong() - now));
        }
        return wait;
    }

    /** Hands something to the deciding thread. */
    void post(Runnable message) {
        mailbox.add(message);
        wake();
    }

    private void wake() {
        lock.lock();
        try {
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    private void vmChanged(VmId vm) {
        if (changedVms.add(vm)) {
            wake();
        }
    }

    /**
     * Ends the threads. What is under way is found again at the next start; what was decided is
     * written as far as the database takes it in a few seconds.
     */
    @Override
    public void close() {
        stopping = true;
        wake();
        Thread deciding = thread;
        if (deciding != null) {
            try {
                if (!deciding.join(STOP_PATIENCE)) {
                    deciding.interrupt();
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt(); // the caller gives up waiting
            }
        }
        List<Beginning> waiting;
        synchronized (beginnings) {
            waiting = List.copyOf(beginnings);
            beginnings.clear();
        }
        waiting.forEach(beginning ->
                beginning
                        .answer()
                        .complete(new Answer.Refused(Why.UNAVAILABLE, "the engine is stopping")));
        save(true);
        storeLane.stop(STOP_PATIENCE);
        storeLane.pump();
        runnings.values().stream()
                .filter(running -> running.holds)
                .map(running -> running.task.operation().vm())
                .filter(Objects::nonNull)
                .forEach(vm ->
                        desk.decide(
                                vm,
                                manager -> {
                                    manager.release();
                                    return true;
                                }));
    }

    // -------------------------------------------------------------------------------- one turn

    /** Does what gathered; whether there was anything. */
    private boolean turn() {
        boolean any = false;
        Runnable message;
        while ((message = mailbox.poll()) != null) {
            any = true;
            guarded(message);
        }
        long now = clock.nanoTime();
        while (!timers.isEmpty() && Objects.requireNonNull(timers.peek()).atNanos() - now <= 0) {
            any = true;
            guarded(Objects.requireNonNull(timers.poll()).action());
        }
        any |= lookAtChanged();
        any |= startAutomatically(now);
        any |= placeAll(now);
        any |= turns.advance(now);
        any |= lanes.advance(now);
        any |= beginAll();
        any |= dischargeAll();
        any |= hostCommands.turn(now);
        if (!unsaved.isEmpty() && !saving && saveAtNanos - now <= 0) {
            any |= save(false);
        }
        return any;
    }

    private void guarded(Runnable message) {
        try {
            message.run();
        } catch (RuntimeException e) {
            // A bug in one operation must not cost the others.
            complaints.about("a command failed", e.toString(), e);
        }
    }

    private boolean lookAtChanged() {
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
                guarded(() -> fact(task.operation().id(), new VmFact.Seen()));
            }
            if (autoStart.contains(vm)) {
                lookAtStarts = true;
            }
            hostCommands.vmChanged(vm);
        }
        return any;
    }

    void after(Duration delay, Runnable action) {
        timers.add(new Timer(clock.nanoTime() + delay.toNanos(), timerNumber++, action));
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
                            together));
        }
        begin(together);
        return answers;
    }

    private CompletableFuture<Answer> submit(
            Wanted wish, Operation.Origin origin, @Nullable PendingWork work) {
        List<Beginning> alone = new ArrayList<>(1);
        CompletableFuture<Answer> answer = prepare(wish, origin, work, alone);
        begin(alone);
        return answer;
    }

    /** Those that are to begin together are handed over together, so that one pass places all. */
    private CompletableFuture<Answer> prepare(
            Wanted wish,
            Operation.Origin origin,
            @Nullable PendingWork work,
            List<Beginning> together) {
        VmView vm = engine.vm(wish.vm());
        boolean adds = wish.kind() == OperationKind.ADD_VM;
        if (vm == null && !adds) {
            return refused(Why.UNKNOWN, "there is no VM " + wish.vm());
        }
        if (stopping) {
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
                        ids.get(),
                        wish.kind(),
                        wish.parameters(),
                        origin,
                        vm == null ? 0 : vm.state().placement().run().generation(),
                        clock.now());
        Operation other = book.add(operation);
        if (other != null) {
            return refused(
                    Why.CONFLICT,
                    "the operation %s (%s) is under way with the VM: %s"
                            .formatted(other.kind().label(), other.id(), other.step()));
        }
        if (isOfDefinition(operation.kind())) {
            String refusal = hostCommands.refusal(operation);
            if (refusal != null) {
                book.remove(operation);
                return refused(Why.CONFLICT, refusal);
            }
        }
        if (wish.password() != null) {
            orders.password(operation.id(), wish.password());
        }
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        together.add(new Beginning(new Begun(operation, work, null), answer));
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
        wake();
    }

    /** Adds an operation about a host; null if another one of its kind is open. */
    @Nullable Operation reserve(Operation operation) {
        return book.add(operation);
    }

    /** Everything that is to begin does so in one transaction. */
    private boolean beginAll() {
        List<Beginning> all;
        synchronized (beginnings) {
            if (beginnings.isEmpty()) {
                return false;
            }
            all = List.copyOf(beginnings);
        }
        // An end is durable before the beginning of what comes after it: whoever finds both open
        // would take the VM to be acted on twice.
        if (unsaved.values().stream().anyMatch(Operation::isEnded)) {
            if (saving) {
                beginningsWait = true;
                return false;
            }
            boolean _ = save(false);
        }
        synchronized (beginnings) {
            beginnings.removeAll(all);
        }
        storeLane.submit(() -> {
            List<Beginning> free = withoutTaken(all);
            begin(free, 0, free.size());
        });
        return true;
    }

    /** On the lane: those whose definitions give nothing that belongs to another VM. */
    private List<Beginning> withoutTaken(List<Beginning> all) {
        List<Beginning> free = new ArrayList<>(all.size());
        for (Beginning beginning : all) {
            Operation operation = beginning.begun().operation();
            String reason = null;
            if (isOfDefinition(operation.kind())) {
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
                post(() -> refusedByStore(beginning, Why.CONFLICT, why));
            }
        }
        return free;
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
            Set<UUID> begun = store.begin(all.stream().map(Beginning::begun).toList());
            Map<VmId, Definition> loaded = load(all, begun);
            post(() -> begun(all, begun, loaded));
        } catch (StoreUnavailable e) {
            post(() -> notBegun(all, String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            if (all.size() > 1) {
                int middle = (from + to) >>> 1;
                begin(beginning, from, middle);
                begin(beginning, middle, to);
            } else {
                complaints.about("an operation was not begun", e.toString(), e);
                post(() ->
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
        orders.forget(operation.id());
        hostCommands.notBegun(operation);
        VmId vm = operation.vm();
        if (vm != null) {
            autoStart.notBegun(vm, clock.nanoTime());
        }
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
            return definitions.load(starting);
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
                orders.forget(operation.id());
                if (vm != null && beginning.begun().work() != null) {
                    autoStart.lost(vm);
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
            meters.begun(operation.kind());
            tell(operation);
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
            runnings.put(operation.id(), running);
            Definition definition = loaded.get(vm);
            if (definition != null) {
                running.definition = definition;
                running.loaded = true;
            }
            audited(operation, true);
            guarded(() -> firstTurn(running, vm));
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
        if (isOfDefinition(operation.kind())) {
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
            fact(id, new VmFact.Begin());
        } else {
            enter(host, id, () -> fact(id, new VmFact.Begin()));
        }
    }

    private static boolean isOfDefinition(OperationKind kind) {
        return kind == OperationKind.ADD_VM
                || kind == OperationKind.UPDATE_VM
                || kind == OperationKind.REMOVE_VM;
    }

    private void enter(HostId host, UUID id, Runnable go) {
        lanes.enter(
                host, id, clock.nanoTime() + settings.hostPatience().toNanos(), () -> guarded(go));
    }

    private boolean isInContact(HostId id) {
        HostState host = desk.host(id);
        return host == null || host.status().isInContact();
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
            orders.forget(operation.id());
            hostCommands.notBegun(operation);
            unsaved(
                    operation.ended(
                            OperationState.CANCELLED,
                            "was taken back, because the database did not answer in time",
                            null,
                            clock.now()));
            VmId vm = operation.vm();
            if (vm != null) {
                autoStart.notBegun(vm, clock.nanoTime());
            }
            beginning
                    .answer()
                    .complete(
                            new Answer.Refused(
                                    Why.UNAVAILABLE,
                                    "nothing was begun, because the database does not answer: "
                                            + reason));
        }
        if (!again.isEmpty()) {
            after(
                    settings.longestRetry(),
                    () -> again.forEach(one -> begin(one.begun(), one.answer())));
        }
    }

    /**
     * Takes an operation back, as far as that is possible: at once if nothing was done for it; a
     * migration is cancelled.
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
        boolean early = task.phase() == VmTask.Phase.QUEUED || task.phase() == VmTask.Phase.PLACING;
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
        if (!early && operation.kind() != OperationKind.MIGRATE) {
            return "it has begun, and the host was asked: " + operation.step();
        }
        post(() -> {
            fact(id, new VmFact.Cancel());
            VmTask now = book.open(id);
            if (now != null && now.phase() == VmTask.Phase.AWAITING) {
                CompletableFuture<Answer> _ =
                        submit(
                                new Wanted(
                                        vm,
                                        OperationKind.CANCEL_MIGRATION,
                                        OperationParameters.NONE),
                                origin,
                                null);
            }
        });
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

    // -------------------------------------------------------------------------------- deciding

    /** Decides what follows from a fact, and does it. */
    void fact(UUID id, VmFact fact) {
        Running running = runnings.get(id);
        if (running == null) {
            return;
        }
        VmTask before = running.task;
        VmId vm = Objects.requireNonNull(before.operation().vm());
        Instant now = clock.now();
        VmStep step =
                desk.decide(
                        vm,
                        manager -> {
                            VmStep decided = procedure.decide(before, facts(manager), fact, now);
                            inside(running, manager, decided.effects());
                            return decided;
                        });
        if (step == null) {
            step = procedure.decide(before, null, fact, now);
        }
        follow(running, before, step);
        outside(running, vm, step.effects());
        if (step.task().phase() == VmTask.Phase.ENDED) {
            end(running);
        }
    }

    private VmFacts facts(VmManager vm) {
        VmState state = vm.state();
        return new VmFacts(
                vm.id(),
                vm.definition(),
                state.runtime(),
                state.placement(),
                vm.commands(clock.nanoTime()));
    }

    private void follow(Running running, VmTask before, VmStep step) {
        VmTask after = step.task();
        if (after.equals(before)) {
            return;
        }
        running.task = after;
        book.put(after);
        if (after.phase() != before.phase()) {
            running.turn++;
        }
        Operation operation = after.operation();
        if (!operation.equals(before.operation())) {
            if (isWorthSaving(before.operation(), operation)) {
                unsaved(operation);
            }
            if (!operation.isEnded()) {
                tell(operation); // of its end it is told once it is in nobody's way
            }
        }
    }

    private static boolean isWorthSaving(Operation before, Operation after) {
        return before.state() != after.state()
                || !Objects.equals(before.target(), after.target())
                || !before.tried().equals(after.tried());
    }

    private void unsaved(Operation operation) {
        if (unsaved.isEmpty()) {
            saveAtNanos = clock.nanoTime() + settings.saveEvery().toNanos();
        }
        unsaved.put(operation.id(), operation);
    }

    private void tell(Operation operation) {
        for (Consumer<Operation> follower : followers) {
            try {
                follower.accept(operation);
            } catch (RuntimeException e) {
                complaints.about("a follower failed", e.toString(), e);
            }
        }
    }

    /** What is done under the VM's lock. */
    private void inside(Running running, VmManager vm, List<VmEffect> effects) {
        for (VmEffect effect : effects) {
            switch (effect) {
                case VmEffect.Change change ->
                        desk.change(vm, change.runtime(), change.placement(), change.commands());
                case VmEffect.Hold _ -> {
                    vm.hold();
                    running.holds = true;
                }
                case VmEffect.Release(boolean settled) -> release(running, vm, settled);
                case VmEffect.ExpectAbsence _ ->
                        vm.powerOffOrdered(clock.nanoTime() + POWER_OFF_WINDOW.toNanos());
                case VmEffect.FindHost _,
                        VmEffect.FindHostLater _,
                        VmEffect.Note _,
                        VmEffect.Call _,
                        VmEffect.TellGone _,
                        VmEffect.Poll _,
                        VmEffect.Deadline _ -> {}
            }
        }
    }

    /** For how long a VM that was destroyed may be absent without surprise (§5, fixed). */
    private static final Duration POWER_OFF_WINDOW = Duration.ofSeconds(20);

    private void release(Running running, VmManager vm, boolean settled) {
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

    private void outside(Running running, VmId vm, List<VmEffect> effects) {
        UUID id = running.task.operation().id();
        int turn = running.turn;
        for (VmEffect effect : effects) {
            switch (effect) {
                case VmEffect.FindHost _ -> findHost(running, id);
                case VmEffect.FindHostLater(Duration pause) -> {
                    lanes.leave(id);
                    turns.leave(id);
                    after(
                            pause,
                            () -> {
                                if (running.turn == turn) {
                                    findHost(running, id);
                                }
                            });
                }
                case VmEffect.Change change -> {
                    if (change.answered()) {
                        desk.afterCommit(vm, new Commit(id, turn));
                    }
                }
                case VmEffect.Note _ -> {
                    recording.add(id);
                    unsaved(running.task.operation());
                    saveAtNanos = clock.nanoTime();
                }
                case VmEffect.Hold _ ->
                        after(settings.longestHold(), () -> holdExpired(running, vm));
                case VmEffect.Call(HostId host, VmVerb verb) -> call(running, vm, host, verb);
                case VmEffect.TellGone(HostId host) -> desk.gone(host, vm);
                case VmEffect.Poll(HostId host) -> desk.poll(host);
                case VmEffect.Deadline(Duration patience) ->
                        after(
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

    private void findHost(Running running, UUID id) {
        lanes.leave(id);
        turns.leave(id);
        running.placingSinceNanos = clock.nanoTime();
        toPlace.add(id);
        placeAgainNanos = clock.nanoTime();
        placementWaits = true;
    }

    private void holdExpired(Running running, VmId vm) {
        if (!running.holds) {
            return;
        }
        complaints.about(
                "a VM was held for too long",
                "vm=%s %s: %s"
                        .formatted(
                                vm,
                                running.task.operation().kind().label(),
                                running.task.operation().step()));
        desk.decide(
                vm,
                manager -> {
                    release(running, manager, true);
                    return true;
                });
    }

    private final class Commit implements CommitAction {
        private final UUID id;
        private final int turn;

        Commit(UUID id, int turn) {
            this.id = id;
            this.turn = turn;
        }

        @Override
        public void run() {
            post(() -> {
                if (isTurn()) {
                    fact(id, new VmFact.Committed());
                }
            });
        }

        @Override
        public void refused() {
            post(() -> {
                if (isTurn()) {
                    fact(
                            id,
                            new VmFact.CommitRefused(
                                    "its row is refused; health names it and why"));
                }
            });
        }

        private boolean isTurn() {
            Running running = runnings.get(id);
            return running != null && running.turn == turn;
        }
    }

    // ---------------------------------------------------------------------------------- calling

    private void call(Running running, VmId vm, HostId host, VmVerb verb) {
        UUID id = running.task.operation().id();
        int turn = running.turn;
        Runnable ask =
                () -> {
                    if (running.turn == turn && runnings.get(id) == running) {
                        askOrLoad(running, vm, host, verb);
                    }
                };
        if (lanes.has(host, id)) {
            ask.run();
        } else {
            lanes.leave(id);
            enter(host, id, ask);
        }
    }

    private void askOrLoad(Running running, VmId vm, HostId host, VmVerb verb) {
        boolean needsDefinition =
                verb == VmVerb.CREATE || verb == VmVerb.RESTORE || verb == VmVerb.HIBERNATE;
        if (!needsDefinition || (running.loaded && verb != VmVerb.HIBERNATE)) {
            ask(running, host, verb, null);
            return;
        }
        int turn = running.turn;
        String handle = verb == VmVerb.HIBERNATE ? orders.newVolumes(ids) : null;
        storeLane.submit(() -> {
            String failure = null;
            Definition loaded = null;
            try {
                if (handle == null) {
                    loaded = definitions.load(List.of(vm)).get(vm);
                } else {
                    Map<VmId, @Nullable String> volumes = new HashMap<>();
                    volumes.put(vm, handle);
                    definitions.store().saveMemory(volumes);
                }
            } catch (StoreUnavailable | RuntimeException e) {
                failure = "its definition cannot be read or saved now: " + e.getMessage();
            }
            Definition found = loaded;
            String refusal = failure;
            post(() -> {
                if (running.turn != turn) {
                    return;
                }
                if (refusal != null) {
                    answered(running, new HostFailure.Overloaded(refusal));
                    return;
                }
                if (handle == null) {
                    running.definition = found;
                    running.loaded = true;
                }
                ask(running, host, verb, handle);
            });
        });
    }

    private void ask(Running running, HostId host, VmVerb verb, @Nullable String volumes) {
        int turn = running.turn;
        VmOrder order;
        try {
            order = orders.order(running.task.operation(), running.definition, host, verb, volumes);
        } catch (IllegalArgumentException | IllegalStateException e) {
            answered(running, new HostFailure.Refused(0, "not asked: " + e.getMessage()));
            return;
        }
        meters.called(verb);
        desk.order(
                host,
                order,
                answer ->
                        post(() -> {
                            if (running.turn == turn) {
                                answered(running, failure(answer));
                            }
                        }));
    }

    private static @Nullable HostFailure failure(HostAnswer<VmId> answer) {
        return answer instanceof HostAnswer.Failed<VmId>(HostFailure failure) ? failure : null;
    }

    private void answered(Running running, @Nullable HostFailure failure) {
        Operation operation = running.task.operation();
        lanes.leave(operation.id());
        if (failure == null && operation.kind() == OperationKind.CANCEL_MIGRATION) {
            for (VmTask task : book.on(Objects.requireNonNull(operation.vm()))) {
                if (task.operation().kind() == OperationKind.MIGRATE) {
                    fact(task.operation().id(), new VmFact.Cancel());
                }
            }
        }
        fact(operation.id(), new VmFact.Answered(failure));
    }

    // --------------------------------------------------------------------------------- placing

    private boolean placeAll(long now) {
        if (toPlace.isEmpty() || (placementWaits && placeAgainNanos - now > 0)) {
            placementWaits &= !toPlace.isEmpty();
            return false;
        }
        List<Placer.Need> needs = new ArrayList<>(toPlace.size());
        Map<VmId, UUID> byVm = new LinkedHashMap<>();
        for (UUID id : toPlace) {
            Running running = runnings.get(id);
            if (running != null && running.task.phase() == VmTask.Phase.PLACING) {
                VmId vm = Objects.requireNonNull(running.task.operation().vm());
                if (byVm.putIfAbsent(vm, id) == null) {
                    needs.add(new Placer.Need(running.task, networks(running)));
                }
            }
        }
        toPlace.clear();
        placementWaits = false;
        List<PlacementDecision> decisions = placer.place(needs);
        meters.placed(decisions.size());
        Set<VmId> decided = new HashSet<>();
        for (PlacementDecision decision : decisions) {
            decided.add(decision.vm());
            UUID id = Objects.requireNonNull(byVm.get(decision.vm()));
            Running running = Objects.requireNonNull(runnings.get(id));
            guarded(() -> placed(running, id, decision, now));
        }
        byVm.forEach((vm, id) -> {
            if (!decided.contains(vm)) {
                fact(id, new VmFact.Seen()); // it is gone
            }
        });
        return true;
    }

    private void placed(Running running, UUID id, PlacementDecision decision, long now) {
        switch (decision) {
            case PlacementDecision.Placed(VmId vm, HostId host, var explanation) -> {
                VmView view = engine.vm(vm);
                HostId asked =
                        running.task.operation().kind() == OperationKind.MIGRATE && view != null
                                ? view.state().placement().runOn()
                                : host;
                VmFact fact = new VmFact.Placed(host, explanation.text());
                // It counts on its host from now on, also while it waits for its turn there.
                VmTask promised = running.task.promised(host);
                running.task = promised;
                book.put(promised);
                if (running.task.operation().kind() == OperationKind.MIGRATE && asked != null) {
                    awaitTurn(running, id, asked, host, fact);
                } else {
                    enter(asked == null ? host : asked, id, () -> fact(id, fact));
                }
            }
            case PlacementDecision.Nowhere(VmId vm, var explanation) -> {
                boolean patient =
                        now - running.placingSinceNanos < settings.hostPatience().toNanos()
                                && placer.mayComeUp(vm);
                if (patient) {
                    toPlace.add(id);
                    placementWaits = true;
                    placeAgainNanos = now + LOOK.toNanos();
                } else {
                    fact(id, new VmFact.Nowhere(explanation.text()));
                }
            }
        }
    }

    /** As many migrations leave and reach a host at once as hosts allow; others say why not. */
    private void awaitTurn(
            Running running, UUID id, HostId source, HostId destination, VmFact placed) {
        int turn = running.turn;
        boolean waits =
                turns.enter(
                        id,
                        source,
                        destination,
                        clock.nanoTime() + settings.limits().turn().toNanos(),
                        () ->
                                guarded(() ->
                                        turnCame(running, id, turn, source, destination, placed)),
                        () ->
                                guarded(() ->
                                        fact(
                                                id,
                                                new VmFact.Nowhere(
                                                        "its turn did not come for %d s: other migrations"
                                                                        .formatted(
                                                                                settings.limits()
                                                                                        .turn()
                                                                                        .toSeconds())
                                                                + " leave or reach its hosts"))));
        if (waits) {
            VmTask waiting =
                    running.task.waiting(
                            "waits for its turn: hosts take %d migrations at once in each direction"
                                    .formatted(settings.migrationsPerHost()),
                            clock.now());
            running.task = waiting;
            book.put(waiting);
            tell(waiting.operation());
        }
    }

    /** The VM may have moved while it waited, and its destination may not be what it was. */
    private void turnCame(
            Running running, UUID id, int turn, HostId source, HostId destination, VmFact placed) {
        if (running.turn != turn || runnings.get(id) != running) {
            turns.leave(id);
            return;
        }
        VmView view = engine.vm(Objects.requireNonNull(running.task.operation().vm()));
        HostState there = desk.host(destination);
        boolean stands =
                view != null
                        && source.equals(view.state().placement().runOn())
                        && there != null
                        && there.status() == HostStatus.UP;
        if (stands) {
            enter(source, id, () -> fact(id, placed));
        } else {
            findHost(running, id);
        }
    }

    private static Set<String> networks(Running running) {
        Definition definition = running.definition;
        if (definition == null || definition.specification() == null) {
            return Set.of();
        }
        return definition.specification().interfaces().stream()
                .map(org.stillwater.core.model.VmInterface::network)
                .filter(Objects::nonNull)
                .collect(Collectors.toUnmodifiableSet());
    }

    private void migrating(VmId vm, int percent) {
        for (VmTask task : book.on(vm)) {
            if (task.operation().kind() == OperationKind.MIGRATE) {
                fact(task.operation().id(), new VmFact.Progressed(percent));
            }
        }
    }

    // ------------------------------------------------------------------------------------- work

    /** Monitoring left something to be done, and it is durable. */
    private void opened(PendingWork work) {
        switch (work.kind()) {
            case HA_RESTART, COLD_REBOOT -> register(work);
            case RERUN, RERUN_MIGRATION -> rerun(work);
            case PROCESS_DOWN, IMPORT_HOSTED_ENGINE -> needless.add(work);
        }
    }

    private void register(PendingWork work) {
        PendingWork replaced = autoStart.register(work, clock.nanoTime());
        if (replaced != null) {
            needless.add(replaced);
        }
        lookAtStarts = true;
    }

    /** A start or migration failed: whoever began it tries elsewhere. */
    private void rerun(PendingWork work) {
        OperationKind kind =
                work.kind() == WorkKind.RERUN_MIGRATION ? OperationKind.MIGRATE : OperationKind.RUN;
        for (VmTask task : book.on(work.vmId())) {
            Operation operation = task.operation();
            boolean waits =
                    operation.kind() == kind
                            || (kind == OperationKind.RUN
                                    && operation.kind() == OperationKind.RESUME);
            if (waits) {
                takeOver(work, operation);
                return;
            }
        }
        VmView vm = engine.vm(work.vmId());
        boolean failed =
                kind == OperationKind.RUN && vm != null && vm.definition().highlyAvailable();
        if (failed) {
            register(work); // whoever began it has given up; it is to run all the same
        } else {
            needless.add(work);
        }
    }

    private void takeOver(PendingWork work, Operation operation) {
        storeLane.submit(() -> {
            try {
                Set<UUID> taken = store.takeOver(List.of(new Begun(operation, work, null)));
                post(() -> {
                    desk.workTaken(work);
                    if (taken.contains(operation.id())) {
                        fact(operation.id(), new VmFact.TryElsewhere());
                    }
                });
            } catch (StoreUnavailable e) {
                post(() -> {
                    complaints.about("work not taken over", String.valueOf(e.getMessage()));
                    after(settings.firstRetry(), () -> rerun(work));
                });
            }
        });
    }

    private boolean dischargeAll() {
        if (needless.isEmpty() || discharging) {
            return false;
        }
        List<PendingWork> all = List.copyOf(needless);
        needless.clear();
        discharging = true;
        Instant now = clock.now();
        storeLane.submit(() -> {
            try {
                store.discharge(all, now);
                post(() -> {
                    discharging = false;
                    all.forEach(desk::workTaken);
                });
            } catch (StoreUnavailable e) {
                post(() -> {
                    complaints.about("work not ended", String.valueOf(e.getMessage()));
                    after(
                            settings.longestRetry(),
                            () -> {
                                discharging = false;
                                needless.addAll(all);
                            });
                });
            }
        });
        return true;
    }

    /** Starts what is to be started without being asked. */
    private boolean startAutomatically(long now) {
        OptionalLong due = autoStart.nextLookNanos(now);
        if (!lookAtStarts && (due.isEmpty() || due.getAsLong() - now > 0)) {
            return false;
        }
        if (autoStart.size() == 0) {
            lookAtStarts = false;
            return false;
        }
        lookAtStarts = false;
        AutoStartQueue.Look look =
                autoStart.look(this::factsOf, definitions::priority, this::isBusyForStart, now);
        needless.addAll(look.needless());
        for (AutoStartQueue.Start start : look.starts()) {
            Operation.Origin origin =
                    new Operation.Origin(
                            "engine",
                            start.cause() == Cause.COLD_REBOOT
                                    ? "cold reboot"
                                    : "high availability");
            Wanted wish =
                    new Wanted(
                            start.vm(),
                            OperationKind.RUN,
                            new OperationParameters.Run(null, false, start.cause()));
            CompletableFuture<Answer> answer = submit(wish, origin, start.work());
            if (answer.isDone()
                    && answer.join() instanceof Answer.Refused(Why why, String reason)) {
                LOG.info("vm={} not started again yet: {} {}", start.vm(), why, reason);
                autoStart.notBegun(start.vm(), now);
            }
        }
        return !look.starts().isEmpty();
    }

    private @Nullable VmFacts factsOf(VmId id) {
        VmView vm = engine.vm(id);
        return vm == null
                ? null
                : new VmFacts(
                        id,
                        vm.definition(),
                        vm.state().runtime(),
                        vm.state().placement(),
                        org.stillwater.core.model.VmCommands.NONE);
    }

    /** A start of its own does not keep a VM from being counted as starting. */
    private boolean isBusyForStart(VmId vm) {
        for (VmTask task : book.on(vm)) {
            OperationKind kind = task.operation().kind();
            boolean coldReboot =
                    task.operation().parameters() instanceof OperationParameters.Reboot reboot
                            && reboot.cold();
            if (kind != OperationKind.CONSOLE_TICKET && !coldReboot) {
                return true;
            }
        }
        return false;
    }

    // ---------------------------------------------------------------------------------- ending

    private void end(Running running) {
        Operation operation = running.task.operation();
        VmId vm = Objects.requireNonNull(operation.vm());
        runnings.remove(operation.id());
        lanes.leave(operation.id());
        turns.leave(operation.id());
        toPlace.remove(operation.id());
        recording.remove(operation.id());
        if (running.holds) {
            desk.decide(
                    vm,
                    manager -> {
                        release(running, manager, true);
                        return true;
                    });
        }
        finished(operation);
        if (operation.kind() == OperationKind.RUN) {
            startEnded(operation, vm);
        }
        lookAtStarts |= autoStart.contains(vm);
    }

    /** An operation that is carried out elsewhere goes on. */
    void goesOn(Operation operation) {
        VmTask before = book.open(operation.id());
        if (before == null || before.operation().equals(operation)) {
            return;
        }
        book.put(VmTask.of(operation));
        if (isWorthSaving(before.operation(), operation)) {
            unsaved(operation);
        }
        tell(operation);
    }

    /** An operation that is carried out elsewhere has ended. */
    void ended(Operation operation) {
        Running running = runnings.get(operation.id());
        if (running == null || operation.vm() == null) {
            runnings.remove(operation.id());
            finished(operation);
            return;
        }
        running.task = new VmTask(operation, VmTask.Phase.ENDED, false, false, false, false);
        end(running);
    }

    /** An operation has ended: it is in nobody's way any more, and is written as it is now. */
    void finished(Operation operation) {
        book.ended(operation);
        orders.forget(operation.id());
        unsaved(operation);
        tell(operation);
        meters.ended(operation);
        audited(operation, false);
        hostCommands.ended(operation);
        if (expiredNanos == null || clock.nanoTime() - expiredNanos > EXPIRE_EVERY.toNanos()) {
            expiredNanos = clock.nanoTime();
            after(settings.saveEvery(), this::expire);
        }
        OperationFailure failure = operation.failure();
        if (failure == null) {
            LOG.info(
                    "operation={} {} vm={} host={} {}",
                    operation.id(),
                    operation.kind().label(),
                    operation.vm(),
                    operation.target(),
                    operation.state().label());
        } else {
            LOG.info(
                    "operation={} {} vm={} host={} failed: {} {}",
                    operation.id(),
                    operation.kind().label(),
                    operation.vm(),
                    operation.target(),
                    failure.code().label(),
                    failure.reason());
        }
    }

    private void startEnded(Operation operation, VmId vm) {
        Cause cause =
                operation.parameters() instanceof OperationParameters.Run run
                        ? run.cause()
                        : Cause.REQUEST;
        if (cause == Cause.LEASE && operation.state() != OperationState.SUCCEEDED) {
            // What monitoring found while it was being started was this operation's to repeat.
            VmView view = engine.vm(vm);
            if (view != null) {
                resumeStart(view);
            }
            return;
        }
        if (cause != Cause.HIGH_AVAILABILITY && cause != Cause.COLD_REBOOT) {
            return;
        }
        boolean up = operation.state() == OperationState.SUCCEEDED;
        OperationFailure failure = operation.failure();
        String reason = failure == null ? "" : failure.reason();
        switch (autoStart.ended(vm, up, clock.nanoTime())) {
            case AGAIN ->
                    desk.audit(
                            cause == Cause.HIGH_AVAILABILITY
                                    ? AuditEvent.HA_VM_RESTART_FAILED
                                    : AuditEvent.COLD_REBOOT_FAILED,
                            vm,
                            null,
                            Map.of("reason", reason));
            case GIVEN_UP ->
                    desk.audit(AuditEvent.COLD_REBOOT_ATTEMPTS, vm, null, Map.of("reason", reason));
            case DONE, UNKNOWN -> {}
        }
    }

    /** People are told of what was asked for and how it ended. */
    private void audited(Operation operation, boolean begins) {
        Map<String, String> details = new TreeMap<>();
        details.put("user", operation.origin().requestedBy());
        details.put("operation", operation.kind().label().replace('_', ' '));
        OperationFailure failure = operation.failure();
        details.put("reason", failure == null ? "" : failure.reason());
        AuditEvent event = OperationAudit.of(operation, begins);
        if (event != null) {
            HostId host = operation.host() == null ? operation.target() : operation.host();
            desk.audit(event, operation.vm(), host, details);
        }
    }

    // ---------------------------------------------------------------------------------- saving

    private boolean save(boolean last) {
        if (unsaved.isEmpty()) {
            return false;
        }
        Collection<Operation> taken = new ArrayList<>(unsaved.values());
        unsaved.clear();
        List<Operation> sorted =
                taken.stream().sorted(java.util.Comparator.comparing(Operation::id)).toList();
        saving = !last;
        storeLane.submit(() -> {
            WriteOutcome outcome = store.save(sorted);
            if (!last) {
                post(() -> saved(sorted, outcome));
            }
        });
        return true;
    }

    private void saved(List<Operation> written, WriteOutcome outcome) {
        saving = false;
        beginningsWait = false;
        switch (outcome) {
            case WriteOutcome.Written result -> {
                savePause = settings.firstRetry();
                for (Operation operation : written) {
                    if (operation.state() == OperationState.RUNNING
                            && recording.remove(operation.id())) {
                        fact(operation.id(), new VmFact.Committed());
                    }
                }
                result.rejected()
                        .forEach(rejected ->
                                complaints.about(
                                        "an operation was not written",
                                        rejected.key() + ": " + rejected.reason()));
            }
            case WriteOutcome.Unavailable(String reason) -> {
                complaints.about("operations not written", reason);
                written.forEach(operation -> unsaved.putIfAbsent(operation.id(), operation));
                saveAtNanos = clock.nanoTime() + savePause.toNanos();
                savePause =
                        savePause.multipliedBy(2).compareTo(settings.longestRetry()) < 0
                                ? savePause.multipliedBy(2)
                                : settings.longestRetry();
            }
        }
    }

    /**
     * Operations that ended long ago are forgotten, once an hour at the most and only when others
     * end: while nothing is done nothing is asked of the database.
     */
    private void expire() {
        Instant before = clock.now().minus(settings.retention());
        storeLane.submit(() -> {
            int removed = 0;
            try {
                removed = store.removeEndedBefore(before, RETENTION_BATCH);
            } catch (StoreUnavailable | RuntimeException e) {
                complaints.about("old operations not removed", String.valueOf(e.getMessage()));
            }
            if (removed == RETENTION_BATCH) {
                post(() -> after(LOOK, this::expire));
            }
        });
    }

    StoreLane storeLane() {
        return storeLane;
    }

    CommandDesk desk() {
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
}
