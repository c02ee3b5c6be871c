package org.stillwater.benchmarks.simulate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.operation.Answer;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.testkit.hypervisor.ModelHost;
import org.stillwater.testkit.simulation.LyingHost;
import org.stillwater.testkit.simulation.SimulationPlan;
import org.stillwater.testkit.simulation.Violation;

/**
 * One history of a data centre with users, administrators and all kinds of faults: VMs are started,
 * stopped, suspended, migrated, defined, alone and in batches; hosts are drained, evacuated,
 * fenced; pools are used; hosts are cut off and lose their power, answers get lost, starts and
 * migrations fail, the database goes away, the engine is killed or stopped. After every step, and
 * once calm has returned, rules are checked (docs/explanation/simulation.md).
 *
 * <p>It is long because a history is one sequence of random choices: its events, rules and repairs
 * share one seed and one data centre.
 */
final class CommandHistory {

    /** Makes the random numbers of a lying host independent of those of the rest of the history. */
    private static final long LIES = 0x6c69_6573_6c69_6573L;

    private static final int POOL_MEMBERS = 3;
    private static final int FIRST_DEFINED = 901;
    private static final Duration CALM = Duration.ofMinutes(40);
    private static final Duration CALM_STEP = Duration.ofSeconds(10);

    /** Longest time for which a command may hold a VM, and the time to check it. */
    private static final long LONGEST_HOLD_NANOS =
            CommandSettings.DEFAULT.longestHold().plusSeconds(1).toNanos();

    private static final OperationKind[] KINDS = {
        OperationKind.RUN,
        OperationKind.RUN,
        OperationKind.SHUTDOWN,
        OperationKind.POWER_OFF,
        OperationKind.REBOOT,
        OperationKind.RESET,
        OperationKind.PAUSE,
        OperationKind.RESUME,
        OperationKind.SUSPEND,
        OperationKind.MIGRATE,
        OperationKind.MIGRATE,
        OperationKind.CANCEL_MIGRATION,
        OperationKind.CONSOLE_TICKET
    };

    private static final OperationKind[] BATCH_KINDS = {
        OperationKind.RUN,
        OperationKind.RUN,
        OperationKind.SHUTDOWN,
        OperationKind.POWER_OFF,
        OperationKind.MIGRATE,
        OperationKind.SUSPEND
    };

    /** Totals of a history without a violation. */
    record Result(int steps, int operations, int starts, int lives, int fenced, int lies) {}

    /**
     * A VM that a command holds.
     *
     * @param sinceNanos when it was first seen so
     * @param by the attempt that holds it: the next one begins a hold of its own, also if time
     *     jumped from one to the other
     */
    private record Held(long sinceNanos, String by) {}

    /** An answer that a client waits for. */
    private record Asked(CompletableFuture<Answer> answer, String what, int life) {}

    private final long seed;
    private final SplittableRandom random;
    private final CommandWorld world;
    private final int hosts;
    private final int vms;
    private final int steps;
    private final boolean stopping;
    private final @Nullable Consumer<String> reader;
    private final Map<VmId, Held> held = new HashMap<>();
    private final Map<UUID, Operation> accepted = new LinkedHashMap<>();
    private final List<Asked> asked = new ArrayList<>();
    private final Map<String, String> shown = new HashMap<>();
    private final @Nullable LyingHost liar;
    private @Nullable CommandTrust trust;
    private int liarNumber;
    private int lies;
    private int step;
    private long nextBatch;

    private CommandHistory(SimulationPlan plan, long seed, @Nullable Consumer<String> reader) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.hosts = plan.hosts();
        this.vms = plan.vms() + POOL_MEMBERS;
        this.steps = plan.steps();
        this.stopping = plan.stopping();
        this.reader = reader;
        this.world = new CommandWorld(random.split(), random.nextInt(8) == 0);
        if (plan.lying()) {
            SplittableRandom draws = new SplittableRandom(seed ^ LIES);
            this.liarNumber = 1 + draws.nextInt(hosts);
            this.liar =
                    new LyingHost(
                            draws,
                            IntStream.rangeClosed(1, vms).mapToObj(CommandWorld::vmId).toList());
        } else {
            this.liar = null;
        }
    }

    /**
     * Runs one history.
     *
     * @param plan its size
     * @param seed decides everything that happens
     * @param reader receives events, line by line; null for none
     * @throws Violation if a rule was broken
     */
    static Result run(SimulationPlan plan, long seed, @Nullable Consumer<String> reader) {
        CommandHistory history = new CommandHistory(plan, seed, reader);
        try {
            return history.run();
        } catch (Violation violation) {
            throw violation;
        } catch (RuntimeException e) {
            throw new Violation(seed, history.step, "commands: " + e, e);
        }
    }

    private Result run() {
        build();
        begin(world.start());
        world.pass(Duration.ofSeconds(5));
        for (step = 1; step <= steps; step++) {
            something();
            lie();
            // Now and then nothing happens for long: silence is noticed, hosts are fenced.
            world.pass(
                    random.nextInt(20) == 0
                            ? Duration.ofSeconds(30 + random.nextInt(120))
                            : Duration.ofMillis(random.nextInt(4_000)));
            check();
        }
        calm();
        settle();
        return new Result(
                step,
                world.operations.all().size(),
                world.centre.starts(),
                world.lives(),
                world.power().count(),
                lies);
    }

    /** Waits until everything is as it must be, and stays so. */
    private void settle() {
        int settled = 0;
        for (Duration passed = Duration.ZERO;
                settled < 2 && passed.compareTo(CALM) < 0;
                passed = passed.plus(CALM_STEP)) {
            world.pass(CALM_STEP);
            // An operator goes to the host that the engine switched off and could not switch on.
            world.centre.hosts().forEach(ModelHost::powerOn);
            check();
            settled = unsettled() == null ? settled + 1 : 0;
        }
        String unsettled = settled < 2 ? unsettled() : null;
        if (unsettled != null) {
            throw violation(unsettled);
        }
    }

    private void build() {
        for (int n = 1; n <= hosts; n++) {
            world.addHost(n);
        }
        LyingHost lying = liar;
        if (lying != null) {
            ModelHost host = world.host(liarNumber);
            host.liesAs(lying);
            CommandTrust rules = new CommandTrust(world, host);
            trust = rules;
            world.watching(rules::look);
        }
        for (int n = 1; n <= vms; n++) {
            boolean pooled = n > vms - POOL_MEMBERS;
            world.addVm(n, !pooled && n % 2 == 0, n % 3, !pooled && isLeased(n));
            if (!pooled && random.nextBoolean()) {
                world.up(n, 1 + random.nextInt(hosts));
            }
        }
        world.addPool(
                IntStream.rangeClosed(vms - POOL_MEMBERS + 1, vms)
                        .mapToObj(CommandWorld::vmId)
                        .toList(),
                1,
                random.nextBoolean());
        world.centre.refusing((host, order) -> {
            if (isLeaseHeld(host, order)) {
                return new HostFailure.Refused(16, "failed to acquire the lease");
            }
            return !(order instanceof VmOrder.Destroy) && random.nextInt(20) == 0
                    ? new HostFailure.Refused(16, "unexpected exception")
                    : null;
        });
        world.centre.losingAnswers((_, _) -> random.nextInt(25) == 0);
        world.centre.failingStarts((_, _) -> random.nextInt(10) == 0);
        world.centre.failingMigrations((_, _) -> random.nextInt(4) == 0);
        world.centre.deafGuests(_ -> random.nextInt(10) == 0);
    }

    /** Sends an unrequested lie of the lying host, if there is one. */
    private void lie() {
        LyingHost lying = liar;
        CommandTrust rules = trust;
        if (lying == null || rules == null) {
            return;
        }
        ModelHost host = world.host(liarNumber);
        if (lying.changesItsMind()) {
            tell(
                    "truth",
                    CommandWorld.name(host.id())
                            + (lying.isLying() ? " begins to lie" : " is honest for a while"));
        }
        int times = lying.lies();
        for (int i = 0; i < times; i++) {
            world.pump();
            rules.beforeLie();
            ModelHost.Lie told = host.lie();
            if (told != null) {
                lies++;
                tell(
                        "network",
                        "%s LIES of %s: %s"
                                .formatted(
                                        CommandWorld.name(host.id()),
                                        name(told.vm()),
                                        told.what()));
                world.pumpEngine();
                rules.afterLie(told);
            }
        }
    }

    private static boolean isLeased(int n) {
        return n % 5 == 0;
    }

    /** Storage lets a VM with a lease run once. */
    private boolean isLeaseHeld(ModelHost host, VmOrder order) {
        return order instanceof VmOrder.Create
                && isLeased((int) order.vmId().leastSignificantBits())
                && world.centre.hosts().stream()
                        .anyMatch(other -> other != host && other.runs(order.vmId()));
    }

    // ---------------------------------------------------------------------------- events

    private void something() {
        ModelHost host = world.host(1 + random.nextInt(hosts));
        VmId vm = CommandWorld.vmId(1 + random.nextInt(vms));
        switch (random.nextInt(32)) {
            case 0 -> truth("is cut off", host, host::cutOff);
            case 1, 2 -> {
                tell("truth", "every host can be reached");
                world.centre.hosts().forEach(ModelHost::heal);
            }
            case 3 -> truth("loses its power", host, host::powerOff);
            case 4, 5 -> {
                tell("truth", "every host has power");
                world.centre.hosts().forEach(ModelHost::powerOn);
            }
            case 6 -> truth("has a crash of " + name(vm), host, () -> host.crash(vm, "crashed"));
            case 7 -> truth("loses " + name(vm), host, () -> host.vanish(vm));
            case 8 -> {
                if (stopping) {
                    restart();
                } else {
                    crash();
                }
            }
            case 9 -> {
                tell("truth", "the database is gone");
                world.unavailable("gone");
            }
            case 10, 11 -> {
                tell("truth", "the database is there");
                world.unavailable(null);
                if (world.life() == null) {
                    crash();
                }
            }
            case 12 -> world.operations.loseAnswer();
            case 13 -> truth("cannot run VMs any more", host, host::loseKvm);
            case 14 -> world.centre.hosts().forEach(ModelHost::regainKvm);
            case 15 -> order(host, new HostFact.Maintain("work on it"));
            case 16, 17 ->
                    world.centre.hosts().forEach(each -> order(each, new HostFact.Activate()));
            case 18 -> fence(host);
            case 19 -> pool();
            case 20 -> define();
            case 21, 22 -> batch();
            case 23 -> cancel();
            default -> ask(List.of(vm), KINDS[random.nextInt(KINDS.length)], null);
        }
    }

    private void truth(String what, ModelHost host, Runnable action) {
        tell("truth", CommandWorld.name(host.id()) + " " + what);
        action.run();
    }

    private void crash() {
        tell("truth", "the engine is killed");
        asked.removeIf(one -> one.life() < world.lives() + 1); // no host can answer them now
        held.clear();
        begin(world.crash());
    }

    private void restart() {
        tell("truth", "the engine is stopped and started");
        asked.removeIf(one -> one.life() < world.lives() + 1);
        held.clear();
        begin(world.restart());
    }

    private void begin(boolean began) {
        if (trust != null) {
            trust.newLife();
        }
        tell("engine", began ? "starts" : "cannot start without its database");
        CommandWorld.Life life = world.life();
        if (life != null && reader != null) {
            life.commands().follow(operation -> tell("engine", shown(operation)));
        }
        shown.clear();
    }

    private void order(ModelHost host, HostFact.Order order) {
        CommandWorld.Life life = world.life();
        if (life != null) {
            tell(
                    "people",
                    "order %s: %s"
                            .formatted(
                                    CommandWorld.name(host.id()),
                                    order.getClass().getSimpleName()));
            Object _ = life.stepped().engine().administration().order(host.id(), order);
        }
    }

    private void fence(ModelHost host) {
        CommandWorld.Life life = world.life();
        if (life == null) {
            return;
        }
        Operation.Origin origin = new Operation.Origin("operator", "simulated");
        // Confirming it of a host that is on risks running VMs twice: administrators here do not.
        boolean confirms = !host.isAlive();
        tell(
                "people",
                (confirms ? "confirm that it is off: " : "want to fence ")
                        + CommandWorld.name(host.id()));
        note(
                confirms
                        ? life.hostOperations().confirmRebooted(host.id(), origin)
                        : life.hostOperations().fence(host.id(), origin),
                "fencing of " + CommandWorld.name(host.id()));
    }

    private void pool() {
        CommandWorld.Life life = world.life();
        if (life == null) {
            return;
        }
        Operation.Origin origin = new Operation.Origin("operator", "simulated");
        VmId member = CommandWorld.vmId(vms - random.nextInt(POOL_MEMBERS));
        try {
            switch (random.nextInt(4)) {
                case 0, 1 ->
                        tell(
                                "people",
                                "a user asks the pool: "
                                        + life.keeper()
                                                .assign(
                                                        CommandWorld.POOL,
                                                        "user" + random.nextInt(3),
                                                        origin));
                case 2 ->
                        tell(
                                "people",
                                "a user gives back %s: %s"
                                        .formatted(
                                                name(member),
                                                life.keeper().release(member, origin)));
                default ->
                        tell(
                                "people",
                                "change the pool: "
                                        + life.keeper()
                                                .save(
                                                        CommandWorld.pool(
                                                                POOL_MEMBERS,
                                                                random.nextInt(POOL_MEMBERS + 1),
                                                                random.nextBoolean())));
            }
        } catch (StoreUnavailable e) {
            tell("people", "the pool does not answer");
        }
    }

    private void define() {
        int n = FIRST_DEFINED + random.nextInt(3);
        OperationParameters definition = new OperationParameters.Definition(Integer.toString(n));
        List<VmId> vm = List.of(CommandWorld.vmId(n));
        switch (random.nextInt(6)) {
            case 0, 1 -> ask(vm, OperationKind.ADD_VM, definition);
            case 2 -> ask(vm, OperationKind.UPDATE_VM, definition);
            case 3 -> ask(vm, OperationKind.REMOVE_VM, OperationParameters.NONE);
            case 4 -> ask(vm, OperationKind.RUN, null);
            default -> ask(vm, OperationKind.POWER_OFF, null);
        }
    }

    private void batch() {
        OperationKind kind = BATCH_KINDS[random.nextInt(BATCH_KINDS.length)];
        List<VmId> chosen = new ArrayList<>();
        for (int n = 1; n <= vms; n++) {
            if (random.nextInt(3) > 0) {
                chosen.add(CommandWorld.vmId(n));
            }
        }
        ask(chosen, kind, null);
    }

    private void ask(
            List<VmId> chosen, OperationKind kind, @Nullable OperationParameters parameters) {
        CommandWorld.Life life = world.life();
        if (life == null || chosen.isEmpty()) {
            return;
        }
        Operation.Origin origin = new Operation.Origin("operator", "simulated");
        if (chosen.size() > 1) {
            origin = origin.in(new UUID(0x5000, ++nextBatch), 0);
        }
        String what = kind.label() + " of " + chosen.stream().map(CommandHistory::name).toList();
        tell("people", "ask for " + what);
        List<OperationRequest> wanted = new ArrayList<>();
        for (VmId vm : chosen) {
            wanted.add(
                    new OperationRequest(
                            vm,
                            kind,
                            parameters == null ? usual(kind) : parameters,
                            kind == OperationKind.CONSOLE_TICKET ? "password" : null));
        }
        for (CompletableFuture<Answer> answer : life.commands().submit(wanted, origin)) {
            note(answer, what);
        }
    }

    private OperationParameters usual(OperationKind kind) {
        return switch (kind) {
            case RUN -> OperationParameters.Run.DEFAULT;
            case SHUTDOWN -> OperationParameters.Shutdown.DEFAULT;
            case REBOOT -> new OperationParameters.Reboot(random.nextBoolean());
            case MIGRATE -> OperationParameters.Migrate.DEFAULT;
            case CONSOLE_TICKET -> new OperationParameters.Console("eve", null, 60);
            default -> OperationParameters.NONE;
        };
    }

    private void cancel() {
        CommandWorld.Life life = world.life();
        if (life == null) {
            return;
        }
        List<Operation> open = life.commands().operations(operation -> !operation.isEnded());
        if (!open.isEmpty()) {
            Operation chosen = open.get(random.nextInt(open.size()));
            String refusal =
                    life.commands()
                            .cancel(chosen.id(), new Operation.Origin("operator", "simulated"));
            tell("people", "cancel %s: %s".formatted(shown(chosen), refusal));
        }
    }

    private void note(CompletableFuture<Answer> answer, String what) {
        asked.add(new Asked(answer, what, world.lives()));
    }

    // ------------------------------------------------------------------------------- the rules

    private void check() {
        if (!world.centre.doubles().isEmpty()) {
            throw violation("a VM was started twice: " + world.centre.doubles());
        }
        asked.removeIf(one -> {
            if (one.answer().isDone()
                    && one.answer().join() instanceof Answer.Accepted(Operation operation)) {
                accepted.put(operation.id(), operation);
            }
            return one.answer().isDone();
        });
        String broken = trust == null ? null : trust.broken();
        if (broken != null) {
            throw violation(broken);
        }
        CommandWorld.Life life = world.life();
        if (life == null) {
            return;
        }
        if (reader != null) {
            tellChanges(life);
        }
        long now = world.clock.nanoTime();
        life.stepped()
                .engine()
                .fleet()
                .vms()
                .map(VmView::id)
                .forEach(vm -> {
                    if (!isHeld(life, vm)) {
                        held.remove(vm);
                        return;
                    }
                    Held hold = new Held(now, holder(life, vm));
                    Held known = held.get(vm);
                    if (known == null || !known.by().equals(hold.by())) {
                        held.put(vm, hold);
                    } else if (now - known.sinceNanos()
                            > LONGEST_HOLD_NANOS + Duration.ofMinutes(3).toNanos()) {
                        throw violation(name(vm) + " is held for too long by " + hold.by());
                    }
                });
        Map<VmId, Operation> busy = new HashMap<>();
        for (Operation operation : life.commands().operations(each -> !each.isEnded())) {
            VmId vm = operation.vm();
            if (vm != null && operation.kind() == OperationKind.RUN) {
                Operation other = busy.put(vm, operation);
                if (other != null) {
                    throw violation(
                            "%s is being started twice: %s and %s"
                                    .formatted(name(vm), shown(other), shown(operation)));
                }
            }
        }
    }

    /** The operations of a VM that are under way, each with the attempt that it is at. */
    private static String holder(CommandWorld.Life life, VmId vm) {
        VmView view = Objects.requireNonNull(life.stepped().engine().fleet().vm(vm));
        return life.commands().operations(each -> !each.isEnded() && vm.equals(each.vm())).stream()
                        .map(each -> each.id() + " on " + each.target() + " after " + each.tried())
                        .sorted()
                        .toList()
                + " in run "
                + view.state().placement().run().generation();
    }

    private static boolean isHeld(CommandWorld.Life life, VmId vm) {
        return Boolean.TRUE.equals(
                life.stepped().engine().commandAccess().decide(vm, manager -> manager.isHeld()));
    }

    /** All parts work without faults, and no new requests come. */
    private void calm() {
        tell("truth", "calm returns");
        world.power().reliable();
        if (liar != null) {
            liar.reform();
            // Its agent is replaced, and with it its connection.
            world.host(liarNumber).cutOff();
        }
        world.centre.refusing((host, order) ->
                isLeaseHeld(host, order)
                        ? new HostFailure.Refused(16, "failed to acquire the lease")
                        : null);
        world.centre.losingAnswers((_, _) -> false);
        world.centre.failingStarts((_, _) -> false);
        world.centre.failingMigrations((_, _) -> false);
        world.centre.deafGuests(_ -> false);
        world.unavailable(null);
        if (world.life() == null) {
            crash();
        }
        world.centre.hosts().forEach(ModelHost::regainKvm);
        world.centre.hosts().forEach(ModelHost::powerOn);
        world.centre.hosts().forEach(ModelHost::heal);
        world.pass(Duration.ofMinutes(1));
        world.centre.hosts().forEach(host -> order(host, new HostFact.Activate()));
    }

    /** Description of an open matter after calm has returned; null if there is none. */
    private @Nullable String unsettled() {
        CommandWorld.Life life = Objects.requireNonNull(world.life(), "the engine is not alive");
        if (!asked.isEmpty()) {
            return "nobody answered: " + asked;
        }
        List<Operation> open = life.commands().operations(each -> !each.isEnded());
        if (!open.isEmpty()) {
            return "operations did not end: " + open;
        }
        Map<UUID, Operation> stored = new HashMap<>();
        for (Operation operation : world.operations.all()) {
            stored.put(operation.id(), operation);
            if (!operation.isEnded()) {
                return "an operation did not end: " + operation;
            }
        }
        for (Operation operation : accepted.values()) {
            if (!stored.containsKey(operation.id())) {
                return "what was accepted is not stored: " + operation;
            }
        }
        if (!life.stepped().engine().pendingWork().open().isEmpty()) {
            return "work was left: " + life.stepped().engine().pendingWork().open();
        }
        if (!world.hosts.openWork().isEmpty()) {
            return "work on hosts was left: " + world.hosts.openWork();
        }
        for (int n = 1; n <= hosts; n++) {
            HostStatus status = hostStatus(life, CommandWorld.hostId(n));
            if (status != HostStatus.UP) {
                return "host-%d is %s".formatted(n, status);
            }
        }
        String left = trust == null ? null : trust.left();
        if (left != null) {
            return left;
        }
        return life.stepped()
                .engine()
                .fleet()
                .vms()
                .map(vm -> unsettled(life, vm))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static HostStatus hostStatus(CommandWorld.Life life, HostId host) {
        return Objects.requireNonNull(life.stepped().engine().fleet().host(host)).state().status();
    }

    private @Nullable String unsettled(CommandWorld.Life life, VmView vm) {
        String name = name(vm.id());
        if (isHeld(life, vm.id())) {
            return name + " is held for ever";
        }
        List<HostId> homes = world.centre.homes(vm.id()).stream().map(ModelHost::id).toList();
        VmStatus status = vm.state().runtime().status();
        HostId home = homes.isEmpty() ? null : homes.getFirst();
        boolean right =
                homes.size() < 2
                        && Objects.equals(home, vm.state().placement().runOn())
                        && (home == null
                                ? status == VmStatus.DOWN || status == VmStatus.SUSPENDED
                                : status.isRunningOrPaused());
        if (!right) {
            return "%s is %s, its processes are on %s".formatted(name, vm, homes);
        }
        StoredVm row = world.vms.vm(vm.id());
        if (row == null || row.runtime().status() != status) {
            return "%s is %s and stored as %s".formatted(name, status, row);
        }
        boolean failed =
                status == VmStatus.DOWN && vm.state().runtime().exitStatus() == ExitStatus.ERROR;
        return failed && vm.definition().highlyAvailable() && !hasFailedForItsAsker(vm)
                ? "%s failed and was not started again: %s".formatted(name, vm)
                : null;
    }

    /**
     * A start that a user requested and that failed is reported to the user, also that of a VM that
     * was suspended; it is his to repeat.
     */
    private boolean hasFailedForItsAsker(VmView vm) {
        Operation last = null;
        for (Operation operation : world.operations.all()) {
            boolean starts =
                    operation.kind() == OperationKind.RUN
                            || operation.kind() == OperationKind.RESUME;
            if (starts && vm.id().equals(operation.vm())) {
                last = operation; // the newest comes last
            }
        }
        if (last == null || last.state() == OperationState.SUCCEEDED) {
            return false;
        }
        return last.kind() == OperationKind.RESUME
                || (last.parameters() instanceof OperationParameters.Run run
                        && run.cause() == OperationParameters.Cause.REQUEST);
    }

    private Violation violation(String what) {
        return new Violation(seed, step, "commands: " + what, null);
    }

    // --------------------------------------------------------------------------------- logging

    private void tell(String who, String what) {
        if (reader != null) {
            reader.accept(
                    String.format(
                            Locale.ROOT,
                            "%10.3f s  %-8s %s",
                            world.clock.nanoTime() / 1e9,
                            who,
                            what));
        }
    }

    /** Traces changes of hosts, VMs and open work that the engine shows. */
    private void tellChanges(CommandWorld.Life life) {
        life.stepped()
                .engine()
                .fleet()
                .hosts()
                .forEach(host ->
                        tellChange(
                                CommandWorld.name(host.state().definition().id()),
                                host.state().status().name()));
        life.stepped()
                .engine()
                .fleet()
                .vms()
                .forEach(vm -> {
                    HostId runOn = vm.state().placement().runOn();
                    List<ModelHost> homes = world.centre.homes(vm.id());
                    tellChange(
                            name(vm.id()),
                            "%s%s in run %d; in truth %s"
                                    .formatted(
                                            vm.state().runtime().status().label(),
                                            runOn == null ? "" : " on " + CommandWorld.name(runOn),
                                            vm.state().placement().run().generation(),
                                            homes.isEmpty()
                                                    ? "nowhere"
                                                    : homes.stream()
                                                            .map(home ->
                                                                    CommandWorld.name(home.id()))
                                                            .toList()));
                });
        tellChange("work", life.stepped().engine().pendingWork().open().toString());
    }

    private void tellChange(String who, String what) {
        if (!what.equals(shown.put(who, what))) {
            tell("engine", who + " is " + what);
        }
    }

    private static String name(VmId vm) {
        return "vm-" + vm.leastSignificantBits();
    }

    private static String shown(Operation operation) {
        VmId vm = operation.vm();
        HostId host = operation.host();
        return "operation %d: %s of %s is %s: %s"
                .formatted(
                        operation.id().getLeastSignificantBits(),
                        operation.kind().label(),
                        vm == null ? host == null ? "" : CommandWorld.name(host) : name(vm),
                        operation.state().label(),
                        operation.failure() == null
                                ? operation.step()
                                : operation.failure().reason());
    }
}
