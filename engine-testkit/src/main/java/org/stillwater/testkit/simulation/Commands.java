package org.stillwater.testkit.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;

/**
 * The commands of a data centre: they lock VMs, run, migrate, reboot and power them off, and carry
 * out, slowly, the work that monitoring leaves to them. An operation is durable before it takes
 * work over, and continues when the engine is started again; a lock is not.
 *
 * <p>It is long because it is one state machine for each operation, on the same VMs.
 */
final class Commands {

    /** Time for which a VM may be absent without surprise after an order to destroy it. */
    static final Duration POWER_OFF_WINDOW = Duration.ofSeconds(20);

    private static final int MOST_LOCKS = 3;

    /** How far an operation is. */
    private enum Stage {
        /** It is durable and asks whether the work is its own. */
        ASKING,
        /** The work is its own. */
        GRANTED,
        /** A host was chosen and the start is on its way to the store; the VM is locked. */
        BEGUN
    }

    /** A worker that carries work out. */
    private static final class Operation {
        final PendingWork work;
        final UUID owner;
        Stage stage = Stage.ASKING;
        @Nullable SimulatedHost target;

        Operation(PendingWork work, UUID owner) {
            this.work = work;
            this.owner = owner;
        }
    }

    private final SplittableRandom random;
    private final SimulationEnvironment surroundings;
    private final World world;
    private final Rules rules;
    private final WorkRules workRules;
    private final Trace trace;
    private final Runnable pump;
    private final TreeSet<VmId> locked = new TreeSet<>();
    private final List<Operation> operations = new ArrayList<>();
    private EngineUnderSimulation engine;
    private int taken;
    private int starts;

    Commands(
            SplittableRandom random,
            SimulationEnvironment surroundings,
            World world,
            Rules rules,
            Trace trace,
            EngineUnderSimulation engine,
            Runnable pump) {
        this.random = random;
        this.surroundings = surroundings;
        this.world = world;
        this.rules = rules;
        this.workRules = rules.work();
        this.trace = trace;
        this.engine = engine;
        this.pump = pump;
    }

    /** The engine was restarted: locks are gone, operations continue. */
    void newLife(EngineUnderSimulation next) {
        engine = next;
        locked.clear();
        for (Operation operation : operations) {
            if (operation.stage == Stage.BEGUN) {
                operation.stage = Stage.GRANTED;
            }
        }
    }

    int taken() {
        return taken;
    }

    int starts() {
        return starts;
    }

    // ---------------------------------------------------------------------------------- locks

    boolean isLocked(VmId vm) {
        return locked.contains(vm);
    }

    void lock(VmId vm) {
        if (rules.shown(vm) != null && locked.size() < MOST_LOCKS && locked.add(vm)) {
            trace.engine("a command locks %s", World.name(vm));
            engine.lock(vm);
        }
    }

    private boolean tryLock(VmId vm) {
        if (locked.contains(vm)) {
            return false;
        }
        lock(vm);
        return locked.contains(vm);
    }

    /** Frees one VM that no operation is in the middle of starting. */
    void unlockAny() {
        Set<VmId> held = held();
        locked.stream().filter(vm -> !held.contains(vm)).findFirst().ifPresent(this::unlock);
    }

    private Set<VmId> held() {
        Set<VmId> held = new HashSet<>();
        for (Operation operation : operations) {
            if (operation.stage == Stage.BEGUN) {
                held.add(operation.work.vmId());
            }
        }
        return held;
    }

    /** Frees every VM; operations that began continue. */
    void unlockAll() {
        for (Operation operation : List.copyOf(operations)) {
            if (operation.stage == Stage.BEGUN) {
                startOnHost(operation, true);
            }
        }
        List.copyOf(locked).forEach(this::unlock);
    }

    /** Lets go of every lock without a word, for an engine that is about to end in order. */
    void letGo() {
        locked.forEach(engine::unlock);
    }

    private void unlock(VmId vm) {
        trace.engine("a command unlocks %s", World.name(vm));
        locked.remove(vm);
        engine.unlock(vm);
        pump.run();
    }

    private void sometimesUnlock(VmId vm) {
        if (random.nextBoolean()) {
            unlock(vm);
        }
    }

    // --------------------------------------------------------------------------------- orders

    void orderMigration(VmId vm, SimulatedHost destination) {
        Shown shown = shownUp(vm);
        if (shown == null || shown.placement().migratingTo() != null || !tryLock(vm)) {
            return;
        }
        if (isWatched(destination) && world.beginMigration(vm, destination)) {
            trace.engine("orders %s to migrate to %s", World.name(vm), destination);
            workRules.migrationOrdered(shown);
            engine.beginMigration(vm, destination.id());
        }
        sometimesUnlock(vm);
    }

    /** A VM that is shown as up on the host that has it, and that no command holds. */
    private @Nullable Shown shownUp(VmId vm) {
        Shown shown = rules.shown(vm);
        SimulatedHost home = world.home(vm);
        boolean up =
                shown != null
                        && home != null
                        && home.isHeard()
                        && home.id().equals(shown.placement().runOn())
                        && shown.runtime().status() == VmStatus.UP
                        && !locked.contains(vm);
        return up ? shown : null;
    }

    void orderRun(VmId vm, SimulatedHost host) {
        Shown shown = rules.shown(vm);
        if (shown == null
                || shown.runtime().status() != VmStatus.DOWN
                || !takesVms(host)
                || !tryLock(vm)) {
            return;
        }
        if (world.start(vm, host, VmStatus.WAIT_FOR_LAUNCH)) {
            trace.engine("orders %s to run on %s", World.name(vm), host);
            rules.trust().startOrdered(vm);
            workRules.startOrdered(shown);
            engine.beginRun(vm, host.id());
        }
        sometimesUnlock(vm);
    }

    /**
     * A VM with a lease is started elsewhere, because its host is silent: which of two processes is
     * the VM is known to the engine, which gave the order, and to no host. So it gives it once that
     * is durable: a life that follows must know it, too.
     */
    void orderRunElsewhere(VmId vm, SimulatedHost host) {
        Shown shown = rules.shown(vm);
        SimulatedHost old = world.home(vm);
        boolean lost =
                shown != null
                        && old != null
                        && shown.runtime().status() == VmStatus.UNKNOWN
                        && old.id().equals(shown.placement().runOn())
                        && shown.placement().migratingTo() == null;
        if (shown == null
                || !lost
                || !surroundings.vms().isAvailable()
                || !takesVms(host)
                || !tryLock(vm)) {
            return;
        }
        if (world.startElsewhere(vm, host)) {
            trace.engine("orders %s to run on %s by its lease", World.name(vm), host);
            workRules.startOrdered(shown);
            engine.beginRun(vm, host.id());
            pump.run();
        }
        sometimesUnlock(vm);
    }

    /** Whether commands would choose the host; they may not know its present state. */
    private boolean takesVms(SimulatedHost host) {
        return host.isHeard() && !host.isRecovering() && isWatched(host);
    }

    private boolean isWatched(SimulatedHost host) {
        return host.isManaged() && engine.hostStatus(host.id()).isRefreshed();
    }

    /** The guest is shut down, to be started with its next configuration. */
    void orderColdReboot(VmId vm) {
        Shown shown = shownUp(vm);
        if (shown == null || world.isMigrating(vm) || !tryLock(vm)) {
            return;
        }
        trace.engine("orders a cold reboot of %s", World.name(vm));
        workRules.coldRebootOrdered(shown);
        engine.coldReboot(vm);
        world.shutDown(vm);
        sometimesUnlock(vm);
    }

    /** The process is removed at once, without a record of it. */
    void orderPowerOff(VmId vm) {
        Shown shown = shownUp(vm);
        if (shown == null || world.isMigrating(vm) || !tryLock(vm)) {
            return;
        }
        trace.engine("powers %s off", World.name(vm));
        rules.poweredOff(shown, surroundings.clock().nanoTime());
        engine.powerOff(vm);
        world.vanish(vm);
        sometimesUnlock(vm);
    }

    // ----------------------------------------------------------------------------------- work

    /** Begins an operation, or brings one a step further. */
    void work() {
        if (operations.isEmpty() || random.nextInt(3) == 0) {
            begin();
        } else {
            step(operations.get(random.nextInt(operations.size())));
        }
        pump.run();
    }

    private void begin() {
        List<OpenWork> open = engine.pendingWork();
        if (!open.isEmpty()) {
            PendingWork work = open.get(random.nextInt(open.size())).work();
            // Two may try: the store decides which of them has the right.
            operations.add(new Operation(work, new UUID(random.nextLong(), random.nextLong())));
        }
    }

    private void step(Operation operation) {
        switch (operation.stage) {
            case ASKING -> ask(operation);
            case GRANTED -> {
                if (random.nextInt(5) == 0) {
                    ask(operation); // it crashed, and does not know how far it came
                } else {
                    carryOut(operation);
                }
            }
            case BEGUN -> {
                if (isBegunDurably(operation)) {
                    startOnHost(operation, random.nextInt(4) > 0);
                }
            }
        }
    }

    private void ask(Operation operation) {
        PendingWork work = operation.work;
        boolean granted;
        try {
            granted = engine.takeOver(work, operation.owner);
        } catch (StoreUnavailable _) {
            workRules.unanswered(work, operation.owner);
            return; // it asks again
        }
        trace.engine(
                "%s %s to %s",
                granted ? "gives" : "refuses",
                WorkRules.describe(work.key()),
                operation.owner.toString().substring(0, 4));
        workRules.answered(work, operation.owner, granted);
        if (!granted) {
            operations.remove(operation);
        } else if (operation.stage == Stage.ASKING) {
            taken++;
            operation.stage = Stage.GRANTED;
        }
    }

    private void carryOut(Operation operation) {
        VmId vm = operation.work.vmId();
        if (WorkRules.STARTS.contains(operation.work.kind())) {
            start(operation, anyHost());
            return;
        }
        operations.remove(operation);
        if (operation.work.kind() == WorkKind.RERUN_MIGRATION) {
            orderMigration(vm, anyHost());
        }
    }

    private SimulatedHost anyHost() {
        return world.hosts().get(random.nextInt(world.hosts().size()));
    }

    /** Whether by the store the run that the work follows from is the VM's last. */
    private boolean isStillWanted(PendingWork work) {
        StoredVm stored = surroundings.vms().vm(work.vmId());
        return stored != null
                && stored.runtime().status() == VmStatus.DOWN
                && stored.placement().run().generation() == work.generation();
    }

    private void start(Operation operation, SimulatedHost host) {
        PendingWork work = operation.work;
        Shown shown = rules.shown(work.vmId());
        if (!isStillWanted(work)) {
            trace.engine("%s is needless by now", WorkRules.describe(work.key()));
            operations.remove(operation);
            return;
        }
        boolean sees =
                shown != null
                        && shown.runtime().status() == VmStatus.DOWN
                        && shown.generation() == work.generation();
        if (shown == null || !sees || !takesVms(host) || !tryLock(work.vmId())) {
            return;
        }
        trace.engine("starts %s again on %s", World.name(work.vmId()), host);
        rules.trust().startOrdered(work.vmId());
        starts++;
        workRules.startOrdered(shown);
        engine.beginRun(work.vmId(), host.id());
        operation.target = host;
        operation.stage = Stage.BEGUN;
    }

    private boolean isBegunDurably(Operation operation) {
        StoredVm stored = surroundings.vms().vm(operation.work.vmId());
        return stored != null
                && stored.placement().run().generation() > operation.work.generation();
    }

    private void startOnHost(Operation operation, boolean succeeds) {
        VmId vm = operation.work.vmId();
        SimulatedHost host = Objects.requireNonNull(operation.target, "no host was chosen");
        operations.remove(operation);
        if (!succeeds || !takesVms(host) || !world.start(vm, host, VmStatus.WAIT_FOR_LAUNCH)) {
            trace.truth("%s did not start on %s", World.name(vm), host);
        } else {
            engine.settle(vm);
        }
        unlock(vm);
    }

    /** Keys of the work that operations carry out, or try to take over. */
    Set<PendingWork.Key> underWay() {
        Set<PendingWork.Key> keys = new HashSet<>();
        operations.forEach(operation -> keys.add(operation.work.key()));
        return keys;
    }

    /**
     * Takes over open work and carries out operations under way, as far as possible now and without
     * any failure.
     *
     * @return whether nothing was left to do
     */
    boolean finish() {
        Set<PendingWork.Key> known = new HashSet<>();
        operations.forEach(operation -> known.add(operation.work.key()));
        for (OpenWork open : engine.pendingWork()) {
            if (!known.contains(open.work().key())) {
                UUID owner = new UUID(random.nextLong(), random.nextLong());
                operations.add(new Operation(open.work(), owner));
            }
        }
        boolean idle = operations.isEmpty();
        for (Operation operation : List.copyOf(operations)) {
            switch (operation.stage) {
                case ASKING -> ask(operation);
                case GRANTED -> finish(operation);
                case BEGUN -> {
                    if (isBegunDurably(operation)) {
                        startOnHost(operation, true);
                    }
                }
            }
        }
        pump.run();
        return idle;
    }

    private void finish(Operation operation) {
        if (!WorkRules.STARTS.contains(operation.work.kind())) {
            operations.remove(operation);
            return;
        }
        for (SimulatedHost host : world.hosts()) {
            if (host.process(operation.work.vmId()) == null) {
                start(operation, host);
                return;
            }
        }
    }
}
