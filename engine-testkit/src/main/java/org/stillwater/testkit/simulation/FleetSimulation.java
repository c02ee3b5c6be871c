package org.stillwater.testkit.simulation;

import static org.stillwater.testkit.simulation.Rules.require;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.ScriptedHost;
import org.stillwater.testkit.ScriptedReports;

/**
 * A fleet that lives through a random history while an engine watches it: VMs start, stop, crash,
 * pause, reboot, hibernate and migrate; hosts crash, boot, lose their agent or their connection,
 * flap, or stand still behind a connection that stands; reports are lost, late, doubled and
 * overtaken; commands hold locks; the stores fail; the engine itself is killed and started again.
 * After every step the rules of {@code Rules} are checked; at the end the faults stop, and within
 * one cycle the engine must agree with the truth, then be still.
 *
 * <p>One thread, one virtual clock, one random source: the same seed and plan lead to the same
 * history.
 *
 * <p>It is long because a history is one sequence of random choices: events, faults and checks
 * share one seed and one fleet.
 */
public final class FleetSimulation {

    private static final Duration CYCLE = Duration.ofSeconds(15);
    private static final Duration CALL_DEADLINE = Duration.ofMinutes(4);
    private static final Duration HAND_OVER_PATIENCE = Duration.ofMinutes(5);

    /** A non-operational host is checked for fitness within 5 min: 20 cycles and some. */
    private static final int MOST_CYCLES_TO_UP = 25;

    /**
     * Longer than the grace period of a host with every VM: 60 s and 0.5 s for each, 3 failures.
     */
    private static final Duration SILENCE = Duration.ofMinutes(3);

    private static final Duration TICK = Duration.ofNanos(1_000);

    /** The engine checks a host that is out of contact this often. */
    static final Duration STRIDE = Duration.ofSeconds(3);

    /** From the loss of power until a host's agent may answer again, at least. */
    private static final Duration BOOTING = Duration.ofSeconds(10);

    /** A host may take 10 min to boot. */
    private static final int MOST_CYCLES_TO_BOOT = 42;

    /** Work that follows from work ends long before this. */
    private static final int MOST_ROUNDS = 100;

    /** Makes the random numbers of a lying host independent of those of the rest of the history. */
    private static final long LIES = 0x6c69_6573_6c69_6573L;

    /** One VM in this many is not in the stores, so that hosts are the first to report it. */
    private static final int EXTERNAL_EVERY = 5;

    private final SimulationPlan plan;
    private final long seed;
    private final EngineUnderSimulation.Factory factory;
    private final SplittableRandom random;
    private final SimulationEnvironment surroundings;
    private final Trace trace;
    private final World world;
    private final Witness witness = new Witness();
    private final Rules rules;
    private final HostRules hostRules;
    private final Commands commands;
    private final HostOrders orders;
    private final TrustRules trust;
    private final @Nullable LyingConnection lying;
    private final Map<ScriptedHost, Integer> destroysSeen = new HashMap<>();
    private final Map<HostId, ScriptedHost> connections = new HashMap<>();
    private EngineUnderSimulation engine;
    private boolean storesAway;
    private boolean healed;
    private int step;
    private int reports;
    private int destroys;
    private long changes;
    private int lives;

    private FleetSimulation(
            SimulationPlan plan,
            long seed,
            EngineUnderSimulation.Factory factory,
            @Nullable Consumer<String> reader) {
        this.plan = plan;
        this.seed = seed;
        this.factory = factory;
        this.random = new SplittableRandom(seed);
        this.surroundings = SimulationEnvironment.fresh();
        this.trace = new Trace(surroundings.clock(), reader);
        this.world = new World(plan, random, surroundings.clock(), trace);
        this.engine = factory.create(surroundings);
        SplittableRandom lies = new SplittableRandom(seed ^ LIES);
        SimulatedHost liar =
                plan.lying() ? world.hosts().get(lies.nextInt(world.hosts().size())) : null;
        world.liar(liar);
        this.trust = new TrustRules(world, witness, surroundings, liar, engine);
        this.lying =
                liar == null
                        ? null
                        : new LyingConnection(
                                liar,
                                new LyingHost(lies, world.vms()),
                                surroundings,
                                world,
                                trust,
                                trace,
                                this::pump);
        this.rules =
                new Rules(world, witness, new WorkRules(surroundings.vms(), trace), trust, trace);
        this.hostRules = new HostRules(world, surroundings, rules, trace);
        this.commands = new Commands(random, surroundings, world, rules, trace, engine, this::pump);
        this.orders =
                new HostOrders(random, surroundings, world, commands, trace, engine, this::pump);
    }

    /**
     * Runs one history.
     *
     * @param reader the reader of the trace, null for none
     * @throws Violation if a rule is broken, or if the engine throws
     */
    public static SimulationResult run(
            SimulationPlan plan,
            long seed,
            EngineUnderSimulation.Factory factory,
            @Nullable Consumer<String> reader) {
        FleetSimulation simulation = new FleetSimulation(plan, seed, factory, reader);
        try {
            return simulation.run();
        } catch (Rules.Broken e) {
            throw new Violation(seed, simulation.step, Objects.requireNonNull(e.getMessage()), e);
        } catch (RuntimeException | StoreUnavailable e) {
            throw new Violation(seed, simulation.step, "failed: " + e, e);
        } finally {
            simulation.engine.kill();
        }
    }

    private SimulationResult run() throws StoreUnavailable {
        begin();
        for (step = 1; step <= plan.steps(); step++) {
            letTimePass();
            act();
            if (lying != null) {
                lying.act();
            }
            settleStep();
        }
        heal();
        oneCycle();
        if (lying != null) {
            // A VM that was thought to be the liar's is decided by its host's answer; then it is
            // requested.
            oneCycle();
        } else if (world.vms().stream().anyMatch(rules::isShownThoughGone)) {
            // It vanished from where it had arrived unannounced: every other host reports first.
            world.vms().stream()
                    .filter(vm -> !rules.isShownThoughGone(vm))
                    .forEach(vm -> rules.agrees(vm, false));
            oneCycle();
        }
        world.vms().forEach(vm -> rules.agrees(vm, false));
        outlastPatience();
        world.vms().forEach(vm -> rules.agrees(vm, true));
        rules.isStored(surroundings.vms());
        rules.work().isNotLost(engine.vms(), commands.underWay());
        rules.work().isTold(engine.pendingWork());
        everythingIsDone();
        oneFallsSilent();
        rules.isStored(surroundings.vms());
        rules.isAudited(surroundings.audit(), lives == 1);
        trust.nothingIsLeft();
        isStill();
        return new SimulationResult(
                seed,
                step,
                reports,
                (int) changes,
                destroys,
                lives,
                commands.taken(),
                commands.starts(),
                lying == null ? 0 : lying.lies());
    }

    // ------------------------------------------------------------------------------ beginning

    private void begin() throws StoreUnavailable {
        for (SimulatedHost host : world.hosts()) {
            surroundings.hosts().put(host.definition(), HostStatus.UP);
        }
        for (VmId vm : world.vms()) {
            if (vm.leastSignificantBits() % EXTERNAL_EVERY != 0) {
                surroundings
                        .vms()
                        .put(
                                new StoredVm(
                                        vm,
                                        definition(vm),
                                        VmRuntime.INITIAL,
                                        VmPlacement.NOWHERE));
            }
        }
        world.settle();
        startEngine();
        for (SimulatedHost host : world.hosts()) {
            connect(host);
        }
        settleStep();
    }

    private VmStatic definition(VmId vm) {
        return new VmStatic(
                World.name(vm),
                VmOrigin.OVIRT,
                vm.leastSignificantBits() % 2 == 0,
                2048,
                1024,
                2,
                1,
                1,
                plan.lying()
                        ? List.of(
                                new VmNic(
                                        new UUID(0x8000, vm.leastSignificantBits()),
                                        "nic1",
                                        LyingHost.macOf(vm),
                                        null,
                                        1_000))
                        : List.of());
    }

    private void startEngine() throws StoreUnavailable {
        lives++;
        witness.forgetAll();
        trust.beginLife(engine);
        commands.newLife(engine);
        orders.newLife(engine);
        engine.start();
        // A new life compares no stamps with those of the former one.
        world.hosts().forEach(host -> host.bootTold(true));
        rules.beginLife(engine, surroundings.vms(), now());
        hostRules.beginLife(engine, now());
        trace.engine("starts");
        advance(Duration.ofSeconds(11));
    }

    // ----------------------------------------------------------------------------------- time

    private long now() {
        return surroundings.clock().nanoTime();
    }

    private void advance(Duration duration) {
        surroundings.clock().advance(duration);
        pump();
    }

    private void letTimePass() {
        int millis = random.nextInt(150) == 0 ? random.nextInt(400_000) : random.nextInt(2_000);
        if (millis > 60_000) {
            trace.network("nothing happens for %d s", millis / 1_000);
        }
        boolean leap = random.nextInt(4) == 0;
        while (!leap && millis > STRIDE.toMillis()) {
            advance(STRIDE);
            millis -= (int) STRIDE.toMillis();
        }
        advance(Duration.ofMillis(millis).plus(TICK));
    }

    private void pump() {
        boolean again = true;
        while (again) {
            engine.pump();
            again = followConnections();
            rules.afterStep(engine, now());
            hostRules.afterStep(engine, now(), commands::isLocked);
            again |= takeDestroys();
        }
    }

    /**
     * Notices which connections the engine closed and opened; returns whether an opened connection
     * has an outcome. An unreachable host is reported as such, others at times too.
     */
    private boolean followConnections() {
        boolean said = false;
        for (SimulatedHost host : world.hosts()) {
            if (!surroundings.connector().opened().contains(host.id())) {
                continue;
            }
            ScriptedHost present = scripted(host);
            boolean opened = connections.put(host.id(), present) != present && !present.isClosed();
            if (opened || present.isClosed()) {
                host.connected(false);
            }
            if (opened && (!host.isPowered() || (!healed && random.nextBoolean()))) {
                trace.network("%s cannot be reached", host);
                present.disconnect(failure("no route"));
                said = true;
            }
        }
        return said;
    }

    /** Whether the engine wants a connection to the host. */
    private boolean isWanted(SimulatedHost host) {
        return host.isManaged()
                && surroundings.connector().opened().contains(host.id())
                && !scripted(host).isClosed();
    }

    private void settleStep() {
        pump();
    }

    // -------------------------------------------------------------------------------- actions

    private void act() throws StoreUnavailable {
        SimulatedHost host = anyHost();
        VmId vm = world.vms().get(random.nextInt(world.vms().size()));
        switch (random.nextInt(98)) {
            case 0, 1, 2, 3, 4 -> world.changeMood(vm);
            case 5, 6, 7 -> world.start(vm, host, VmStatus.POWERING_UP);
            case 8, 9 -> world.end(vm);
            case 10 -> world.vanish(vm);
            case 11, 12 -> world.hibernate(vm);
            case 13, 14, 15 -> world.beginMigration(vm, host);
            case 16, 17, 18 -> commands.orderMigration(vm, host);
            case 19, 20, 21, 22, 23, 24 -> advanceAnyMigration();
            case 25 -> commands.orderRunElsewhere(vm, host);
            case 26, 27 -> commands.orderRun(vm, host);
            case 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42 -> deliverEvent(host);
            case 43, 44, 45, 46, 47, 48, 49, 50, 51 -> answerCalls(host);
            case 52 -> toggleConnection(host);
            case 53, 54, 55, 56 -> repair(host);
            case 57 -> togglePower(host);
            case 58 -> restartAgent(host);
            case 59, 60 -> toggleStores();
            case 61, 62, 63 -> commands.lock(vm);
            case 64, 65, 66 -> commands.unlockAny();
            case 67 -> restartEngine();
            case 68 -> commands.orderColdReboot(vm);
            case 69 -> commands.orderPowerOff(vm);
            case 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81 -> commands.work();
            case 82 -> surroundings.vms().loseNextAnswer();
            case 83 -> toggleHalfOpen(host);
            case 84 -> flap(host);
            case 85 -> orders.maintain(host);
            case 86 -> orders.activate(host);
            case 87 -> orders.refresh(host);
            case 88 -> orders.reboot(host);
            case 89 -> remove(host);
            case 90 -> becomeUnfit(host);
            case 91, 92 -> orders.drain();
            case 93, 94 -> repair(host);
            default -> answerCalls(host);
        }
    }

    private SimulatedHost anyHost() {
        return world.hosts().get(random.nextInt(world.hosts().size()));
    }

    private void advanceAnyMigration() {
        List<VmId> migrating = world.vms().stream().filter(world::isMigrating).toList();
        if (!migrating.isEmpty()) {
            world.advanceMigration(migrating.get(random.nextInt(migrating.size())));
        }
    }

    private void restartAgent(SimulatedHost host) {
        if (host.isPowered() && !host.isRecovering()) {
            disconnect(host, "the agent ended");
            world.agentRestarts(host);
        }
    }

    private void remove(SimulatedHost host) {
        if (orders.remove(host)) {
            hostRules.removed(host);
            witness.forget(host.id());
        }
        pump();
    }

    /** Brings a host one step nearer to being well. */
    private void repair(SimulatedHost host) {
        if (!host.isPowered()) {
            togglePower(host);
        } else if (!host.isManaged()) {
            orders.add(host);
        } else if (orders.isOutOfService(host)) {
            orders.activate(host);
        } else if (!host.isConnected()) {
            connect(host);
        } else if (!host.isFit()) {
            host.fit(true);
            trace.truth("%s can run VMs again", host);
        } else if (host.isHalfOpen()) {
            toggleHalfOpen(host);
        } else if (host.isRecovering()) {
            host.recovering(false);
            trace.truth("the agent of %s has found its VMs", host);
        }
    }

    private void togglePower(SimulatedHost host) {
        if (host.isPowered()) {
            // The engine only notices when the connection times out.
            world.powerFails(host);
        } else {
            boot(host);
        }
    }

    private void boot(SimulatedHost host) {
        disconnect(host, "no answer");
        for (Duration booting = Duration.ZERO;
                booting.compareTo(BOOTING) < 0;
                booting = booting.plus(STRIDE)) {
            advance(STRIDE);
        }
        world.boots(host);
    }

    /** Switches off virtualization on the host; running VMs continue. */
    private void becomeUnfit(SimulatedHost host) {
        if (host.isFit() && random.nextBoolean()) {
            host.fit(false);
            trace.truth("%s can start no VM any more", host);
        }
    }

    private void toggleConnection(SimulatedHost host) {
        if (host.isConnected()) {
            disconnect(host, "reset");
        } else {
            connect(host);
        }
    }

    /** The connection stands without messages, as when a host is frozen or a route is gone. */
    private void toggleHalfOpen(SimulatedHost host) {
        if (host.isHalfOpen()) {
            host.halfOpen(false);
            trace.network("%s is heard again", host);
        } else if (host.isHeard()) {
            host.halfOpen(true);
            trace.network("nothing comes through from %s any more", host);
        }
    }

    /** The connection is lost and made again a few times in a row. */
    private void flap(SimulatedHost host) {
        if (!host.isHeard()) {
            return;
        }
        int times = 2 + random.nextInt(4);
        for (int i = 0; i < times; i++) {
            disconnect(host, "flapping");
            advance(Duration.ofMillis(random.nextInt(4_000)));
            connect(host);
            if (host.isConnected() && random.nextBoolean()) {
                answerCalls(host);
            }
        }
    }

    private void connect(SimulatedHost host) {
        if (!isWanted(host) || !host.isPowered() || host.isConnected()) {
            return;
        }
        host.connected(true);
        hostRules.answered(host);
        trace.network("%s is connected", host);
        scripted(host).connect();
        pump();
    }

    private void disconnect(SimulatedHost host, String why) {
        if (host.isConnected()) {
            host.connected(false);
            trace.network("the connection to %s is lost: %s", host, why);
            scripted(host).disconnect(failure(why));
            pump();
        }
    }

    /**
     * How a connection fails; handshakes break, names vanish. A refused certificate is no failure
     * of a simulated host: it shows that a machine answers, and would prevent fencing.
     */
    private HostFailure failure(String why) {
        return switch (random.nextInt(6)) {
            case 0 -> new HostFailure.Unreachable("the TLS handshake broke");
            case 1 -> new HostFailure.UnknownAddress("host.example.test");
            case 2 -> new HostFailure.TimedOut("heart-beat", 30_000);
            default -> new HostFailure.Unreachable(why);
        };
    }

    private ScriptedHost scripted(SimulatedHost host) {
        return surroundings.connector().host(host.id());
    }

    private void toggleStores() {
        setStoresAway(!storesAway && random.nextInt(3) == 0);
    }

    private void setStoresAway(boolean away) {
        if (away != storesAway) {
            trace.network(away ? "the stores are away" : "the stores are back");
            storesAway = away;
            surroundings.unavailable(away ? "away" : null);
        }
    }

    private void restartEngine() throws StoreUnavailable {
        if (random.nextInt(3) > 0) {
            return;
        }
        changes += engine.revision();
        if (random.nextBoolean()) {
            trace.engine("is killed");
            engine.kill();
        } else {
            trace.engine("stops");
            commands.letGo();
            engine.stop();
        }
        setStoresAway(false);
        for (SimulatedHost host : world.hosts()) {
            host.connected(false);
            scripted(host).close();
        }
        destroysSeen.clear();
        engine = factory.create(surroundings);
        startEngine();
    }

    // -------------------------------------------------------------------------------- network

    private void deliverEvent(SimulatedHost host) {
        List<SimulatedHost.Event> underWay = host.underWay();
        if (underWay.isEmpty() || !host.isHeard()) {
            return;
        }
        boolean inOrder = random.nextInt(4) > 0;
        SimulatedHost.Event event = underWay.remove(inOrder ? 0 : random.nextInt(underWay.size()));
        int fate = random.nextInt(10);
        if (fate == 0) {
            trace.network("an event of %s about %s is lost", host, World.name(event.vm()));
            return;
        }
        deliver(host, event);
        if (fate == 9) {
            long revision = engine.revision();
            int removed = destroys;
            trace.network("the same again");
            deliver(host, event);
            require(
                    engine.revision() == revision,
                    "the same event about %s twice changes something twice",
                    World.name(event.vm()));
            require(
                    destroys == removed,
                    "the same event about %s twice destroys twice",
                    World.name(event.vm()));
        }
    }

    private void deliver(SimulatedHost host, SimulatedHost.Event event) {
        surroundings.clock().advance(TICK);
        trace.network(
                "%s says by event that %s is %s", host, World.name(event.vm()), event.process());
        ScriptedReports message = ScriptedReports.event(now());
        report(
                message,
                event.vm(),
                event.process(),
                event.stampMillis(),
                event.whole(),
                plan.lying());
        if (rules.shown(event.vm()) != null && !isLying(host)) {
            witness.hearEvent(
                    host,
                    event,
                    host.isBootTold()
                            && !commands.isLocked(event.vm())
                            && isBelievable(host, event.vm(), event.process()));
        }
        reports++;
        scripted(host).listener().vmsChanged(message);
        pump();
    }

    /** A source is not listened to while the VM is thought to be elsewhere: it may be spent. */
    private boolean isBelievable(SimulatedHost host, VmId vm, @Nullable GuestProcess process) {
        Shown shown = rules.shown(vm);
        return process == null
                || shown == null
                || process.status() != VmStatus.MIGRATING_FROM
                || !shown.isRunning()
                || shown.runtime().status() == VmStatus.UNKNOWN
                || host.id().equals(shown.placement().runOn());
    }

    /**
     * Adds a host's report of a process to a message.
     *
     * @param whole whether guest data are with it
     * @param more whether devices and numbers are with it
     */
    static void report(
            ScriptedReports message,
            VmId vm,
            GuestProcess process,
            long stampMillis,
            boolean whole,
            boolean more) {
        if (process.hasEnded()) {
            message.exited(vm, stampMillis, process.exit(), process.reason(), "");
            return;
        }
        message.running(
                vm,
                stampMillis,
                more ? "devices-" + World.name(vm) : null,
                draft -> {
                    draft.set(RuntimeField.STATUS, process.status())
                            .set(RuntimeField.PAUSE_STATUS, process.pause());
                    if (whole) {
                        draft.set(RuntimeField.GUEST_OS, process.guest().os())
                                .set(RuntimeField.GUEST_USER, process.guest().user())
                                .set(RuntimeField.APP_LIST, process.guest().applications());
                    }
                },
                sample -> {
                    if (more) {
                        numbers(vm, sample);
                    }
                });
    }

    private static void numbers(VmId vm, VmSample sample) {
        sample.cpuUserPercent = 1;
        sample.memoryUsagePercent = 10;
        sample.nicsReported = true;
        VmSample.Nic nic = sample.addNic();
        nic.mac = VmSample.Nic.macOf(LyingHost.macOf(vm));
        nic.receivedBytes = 1_000;
        nic.sentBytes = 1_000;
    }

    /** Whether the host lies at present. */
    private boolean isLying(SimulatedHost host) {
        return lying != null && lying.host() == host && lying.isLying();
    }

    private void answerCalls(SimulatedHost host) {
        if (!host.isHeard()) {
            return;
        }
        ScriptedHost calls = scripted(host);
        if (host.isRecovering()) {
            trace.network("%s answers that it is recovering", host);
            calls.failCalls(new HostFailure.Recovering("finding VMs"));
            pump();
            return;
        }
        boolean numbersFirst = random.nextBoolean();
        if (numbersFirst) {
            answerNumbers(host);
        }
        if (calls.pollsWaiting() > 0) {
            answerPoll(host);
        }
        if (!numbersFirst) {
            answerNumbers(host);
        }
    }

    /** An answer that may come too late does not inform the engine. */
    private void noteBootTold(SimulatedHost host, boolean told) {
        boolean inTime = now() - host.connectedNanos() < CALL_DEADLINE.toNanos();
        host.bootTold(host.isBootTold() || (told && inTime));
    }

    private void answerNumbers(SimulatedHost host) {
        ScriptedHost calls = scripted(host);
        boolean lies = isLying(host);
        if (calls.capabilitiesWaiting() > 0) {
            boolean trueBoot = true;
            if (lies && lying != null) {
                trueBoot = lying.answerCapabilities();
            } else {
                calls.answerCapabilities(host.capabilities());
            }
            hostRules.answered(host);
            noteBootTold(host, trueBoot && host.tellsBootId());
        }
        if (calls.answerStatistics(host.statistics()) > 0) {
            hostRules.answered(host);
            noteBootTold(host, host.tellsBootTime());
        }
        if (lies && lying != null) {
            lying.answerDestroys();
        } else {
            calls.answerDestroys();
        }
        answerExternalData(calls);
        answerDomains(host, calls);
        pump();
    }

    /** Only a host that lies claims to keep any. */
    private static void answerExternalData(ScriptedHost calls) {
        ScriptedHost.ExternalDataCall call = calls.nextExternalDataCall();
        while (call != null) {
            call.receiver()
                    .accept(
                            new HostAnswer.Failed<>(
                                    new HostFailure.Refused(
                                            RefusalCode.NO_SUCH_VM, "nothing is kept")));
            call = calls.nextExternalDataCall();
        }
    }

    private void answerDomains(SimulatedHost host, ScriptedHost calls) {
        ScriptedHost.DomainCall call = calls.nextDomainCall();
        while (call != null) {
            if (isLying(host) && lying != null) {
                lying.answerDomains(call);
                call = calls.nextDomainCall();
                continue;
            }
            Map<VmId, String> domains = new TreeMap<>();
            call.vms().forEach(vm -> domains.put(vm, domain(vm)));
            call.receiver().accept(new HostAnswer.Success<>(domains));
            pump();
            call = calls.nextDomainCall();
        }
    }

    private static String domain(VmId vm) {
        return domain(vm, World.name(vm));
    }

    /** The domain XML of an id and a name. */
    static String domain(VmId vm, String name) {
        return """
        <domain type='kvm'>
          <name>%s</name>
          <uuid>%s</uuid>
          <memory unit='KiB'>1048576</memory>
          <vcpu>2</vcpu>
          <devices/>
        </domain>
        """
                .formatted(name, vm);
    }

    private void answerPoll(SimulatedHost host) {
        ScriptedHost calls = scripted(host);
        SimulatedHost.Poll late = host.takeLate();
        if (late != null) {
            trace.network("%s answers late", host);
            answerPoll(host, late, false);
            return;
        }
        SimulatedHost.Poll poll = host.snapshot(calls.oldestPollNanos(), world.homes());
        switch (random.nextInt(8)) {
            case 0 -> {
                trace.network("%s takes its time to answer a poll", host);
                host.delay(poll);
            }
            case 1 -> {
                trace.network("a poll of %s fails", host);
                calls.failPoll(new HostFailure.TimedOut("poll", 180_000));
                pump();
            }
            case 2 -> answerPoll(host, poll, true);
            default -> answerPoll(host, poll, false);
        }
    }

    private void answerPoll(SimulatedHost host, SimulatedHost.Poll poll, boolean cutOff) {
        if (isLying(host) && lying != null) {
            reports += lying.answerPoll(poll, cutOff);
            hostRules.answered(host);
            return;
        }
        surroundings.clock().advance(TICK);
        long now = now();
        ScriptedHost calls = scripted(host);
        boolean expected =
                calls.pollsWaiting() == 1 && now - poll.askedNanos() < CALL_DEADLINE.toNanos();
        trace.network(
                "%s answers a poll of %.3f s ago%s: %s",
                host, (now - poll.askedNanos()) / 1e9, cutOff ? ", cut off" : "", describe(poll));
        ScriptedReports message = ScriptedReports.poll(poll.askedNanos(), now());
        poll.processes()
                .forEach((vm, process) ->
                        report(message, vm, process, poll.stampMillis(), true, plan.lying()));
        if (cutOff) {
            message.thenNonsense("cut off");
        }
        for (VmId vm : world.vms()) {
            GuestProcess process = poll.processes().get(vm);
            if (expected && rules.shown(vm) != null && (process != null || !cutOff)) {
                Long changed = rules.changedNanos(vm);
                boolean fresh =
                        !commands.isLocked(vm)
                                && (changed == null || poll.askedNanos() - changed > 0)
                                && isBelievable(host, vm, process);
                witness.hearPoll(host, poll, vm, fresh);
            }
        }
        reports += poll.processes().size();
        hostRules.answered(host);
        List<VmId> toBeKnown =
                expected && !cutOff && host.isBootTold() ? toBeKnown(host, poll) : List.of();
        calls.answerPoll(message);
        pump();
        toBeKnown.forEach(vm -> rules.isKnown(vm, host));
    }

    /**
     * VMs with a definite state by a poll. A VM that moved on by post-copy since the poll was
     * requested is not among them: its host reported the move, but not the destination.
     */
    private List<VmId> toBeKnown(SimulatedHost host, SimulatedHost.Poll poll) {
        List<VmId> vms = new ArrayList<>();
        poll.processes()
                .forEach((vm, process) -> {
                    Shown shown = rules.shown(vm);
                    Long changed = rules.changedNanos(vm);
                    Witness.Word newest = witness.newest(vm, host.id());
                    if (shown != null
                            && (newest == null || newest.takenNanos() <= poll.takenNanos())
                            && host.id().equals(shown.placement().runOn())
                            && shown.placement().migratingTo() == null
                            && changed != null
                            && poll.askedNanos() - changed > 0
                            && !commands.isLocked(vm)
                            && process.role() == GuestProcess.Role.VM) {
                        vms.add(vm);
                    }
                });
        return vms;
    }

    private static String describe(SimulatedHost.Poll poll) {
        List<String> words = new ArrayList<>();
        poll.processes().forEach((vm, process) -> words.add(World.name(vm) + " " + process));
        return words.isEmpty() ? "no VM" : String.join(", ", words);
    }

    /** Carries out the engine's orders to destroy; returns whether there was one. */
    private boolean takeDestroys() {
        boolean any = false;
        for (SimulatedHost host : world.hosts()) {
            if (!surroundings.connector().opened().contains(host.id())) {
                continue;
            }
            ScriptedHost calls = scripted(host);
            List<VmId> ordered = calls.destroyed();
            int seen = destroysSeen.getOrDefault(calls, 0);
            destroysSeen.put(calls, ordered.size());
            for (VmId vm : ordered.subList(seen, ordered.size())) {
                destroys++;
                any = true;
                if (host.isHeard()) {
                    rules.destroyed(vm, host, host.process(vm));
                    if (lying == null || lying.host() != host || !lying.leavesUndone()) {
                        world.destroy(vm, host);
                    }
                }
            }
        }
        return any;
    }

    // ---------------------------------------------------------------------------------- the end

    /** The faults stop. Messages under way arrive, in order. */
    private void heal() {
        trace.truth("the faults stop");
        setStoresAway(false);
        healed = true;
        if (lying != null) {
            reform(lying);
        }
        world.finishMigrations();
        world.launch();
        for (SimulatedHost host : world.hosts()) {
            if (!host.isPowered()) {
                boot(host);
            }
            host.recovering(false);
            host.halfOpen(false);
            host.fit(true);
            orders.add(host);
            if (orders.isOutOfService(host)) {
                orders.activate(host);
            }
            connect(host);
        }
        commands.unlockAll();
        for (SimulatedHost host : world.hosts()) {
            SimulatedHost.Poll late = host.takeLate();
            if (late != null) {
                answerPoll(host, late, false);
            }
        }
        deliverAll();
        everyHostBoots();
    }

    /**
     * Honest administrators take over the host that lied: its agent and its connection are new. If
     * two hosts have a process of a VM, they remove the one that lost its lease: the engine cannot
     * know which of them is the VM once one of the hosts may lie.
     */
    private void reform(LyingConnection liar) {
        liar.reform();
        SimulatedHost host = liar.host();
        disconnect(host, "its agent is replaced");
        if (host.isPowered()) {
            world.agentRestarts(host);
        }
        world.removeRemains();
    }

    /** Hosts that are given time to boot are not checked before it is over. */
    private void everyHostBoots() {
        for (int round = 0; isAnyHostInReboot(); round++) {
            require(round < MOST_CYCLES_TO_BOOT, "a host is said to boot for ever");
            deliverAll();
            oneStep(CYCLE);
        }
        for (SimulatedHost host : world.hosts()) {
            if (!host.isConnected()) {
                connect(host);
            }
        }
    }

    private boolean isAnyHostInReboot() {
        return world.hosts().stream()
                .anyMatch(host -> engine.hostStatus(host.id()) == HostStatus.REBOOT);
    }

    private void deliverAll() {
        for (SimulatedHost host : world.hosts()) {
            while (!host.underWay().isEmpty()) {
                deliver(host, host.underWay().removeFirst());
            }
        }
    }

    /** A cycle in which every host answers everything within a second, and that second. */
    private void oneCycle() {
        Duration second = Duration.ofSeconds(1);
        for (Duration passed = second;
                passed.compareTo(CYCLE.plus(second)) <= 0;
                passed = passed.plus(second)) {
            oneStep(second);
        }
        advance(Duration.ofMillis(100));
    }

    private void oneStep(Duration time) {
        step++;
        advance(time);
        answerAll();
    }

    private void answerAll() {
        int first = random.nextInt(world.hosts().size());
        for (int i = 0; i < world.hosts().size(); i++) {
            SimulatedHost host = world.hosts().get((first + i) % world.hosts().size());
            answerNumbers(host);
            ScriptedHost calls = scripted(host);
            while (calls.pollsWaiting() > 0) {
                answerPoll(host, host.snapshot(calls.oldestPollNanos(), world.homes()), false);
            }
        }
    }

    private void outlastPatience() {
        // Also of VMs that only a liar ever knew.
        boolean waiting =
                engine.vms().stream().anyMatch(vm -> vm.runtime().status() == VmStatus.UNKNOWN);
        if (waiting) {
            advance(HAND_OVER_PATIENCE);
            oneCycle();
        }
        for (int round = 0; !isEveryHostUp(); round++) {
            require(round < MOST_CYCLES_TO_UP, "a host that answers is not up again");
            oneStep(CYCLE);
        }
        oneCycle();
    }

    private boolean isEveryHostUp() {
        return world.hosts().stream()
                .allMatch(host -> engine.hostStatus(host.id()) == HostStatus.UP);
    }

    /** Commands carry out all that was left to them, and it shows. */
    private void everythingIsDone() {
        for (int round = 0; !commands.finish(); round++) {
            require(round < MOST_ROUNDS, "commands never come to an end of their work");
            advance(Duration.ofMillis(100));
        }
        world.launch();
        deliverAll();
        oneCycle();
        world.vms().forEach(vm -> rules.agrees(vm, true));
        rules.work().isDone(engine.vms());
    }

    /** A host is silent for longer than the grace period, then it reports again. */
    private void oneFallsSilent() {
        SimulatedHost silent = anyHost();
        disconnect(silent, "silence");
        for (Duration passed = Duration.ZERO;
                passed.compareTo(SILENCE) < 0;
                passed = passed.plus(CYCLE)) {
            advance(CYCLE);
            answerAll();
        }
        hostRules.isGivenUp(engine, silent);
        for (VmId vm : world.vms()) {
            Shown shown = rules.shown(vm);
            require(
                    shown == null
                            || !silent.id().equals(shown.placement().runOn())
                            || shown.runtime().status() == VmStatus.UNKNOWN,
                    "%s is shown as known although its host is silent",
                    World.name(vm));
        }
        connect(silent);
        outlastPatience();
        world.vms().forEach(vm -> rules.agrees(vm, true));
    }

    /** Without changes no row is written, no VM destroyed and no change published. */
    private void isStill() {
        int calls = surroundings.calls();
        long revision = engine.revision();
        int removed = destroys;
        oneCycle();
        oneCycle();
        require(surroundings.calls() == calls, "a fleet in which nothing changes is written");
        require(engine.revision() == revision, "a fleet in which nothing changes is told");
        require(destroys == removed, "a fleet in which nothing changes has remains destroyed");
        changes += engine.revision();
    }
}
