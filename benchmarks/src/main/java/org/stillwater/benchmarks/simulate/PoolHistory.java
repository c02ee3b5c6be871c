package org.stillwater.benchmarks.simulate;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.benchmarks.simulate.PoolWorld.Truth;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.MigrationParameters;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.Stores;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.fake.xapi.world.Store.Row;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringSettings;
import org.stillwater.monitoring.SteppedEngine;
import org.stillwater.server.xapi.PoolKeeping;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryDefinitionStore;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryStores;
import org.stillwater.testkit.memory.InMemoryVmStore;
import org.stillwater.testkit.simulation.SimulationPlan;
import org.stillwater.testkit.simulation.Violation;
import org.stillwater.xapi.client.PoolConnection;
import org.stillwater.xapi.client.PoolWatch;
import org.stillwater.xapi.client.XapiClass;
import org.stillwater.xapi.client.XapiEncoding;
import org.stillwater.xapi.host.PoolInventory;
import org.stillwater.xapi.host.PoolMessage;
import org.stillwater.xapi.host.XapiHosts;
import org.stillwater.xapi.host.XapiPool;

/**
 * One history of an engine that watches a XAPI pool, on one thread and a virtual clock. The adapter
 * and the monitoring are the real ones; the pool is the simulator's, reached without sockets.
 *
 * <p>Its rules: no VM is on two hosts; a message of the pool becomes one event; once the faults
 * have stopped, everything that was ordered ends, and memory equals the pool, within {@link
 * #BOUND}.
 *
 * <p>It is long because a history is one sequence of random choices: its events and rules share one
 * seed and one pool.
 */
public final class PoolHistory {

    /** By when memory must be right after the last fault. */
    static final Duration BOUND = Duration.ofMinutes(5);

    private static final Duration ROUND = Duration.ofSeconds(2);
    private static final int MOST_TAGS = 1_000;

    /**
     * Totals of a history without a violation.
     *
     * @param seed its seed
     * @param steps steps before the faults stopped
     * @param events events of the pool
     * @param faults faults that were set
     * @param orders orders that the pool accepted
     * @param healed how long after the last fault memory was right
     */
    public record Result(
            long seed, int steps, int events, int faults, int orders, Duration healed) {}

    private final long seed;
    private final SimulationPlan plan;
    private final SplittableRandom random;
    private final @Nullable Consumer<String> reader;
    private final VirtualClock clock = VirtualClock.strict();
    private final PoolWorld world;
    private final XapiHosts hosts;
    private final XapiPool pool;
    private final SteppedEngine stepped;
    private final PoolKeeping keeping;
    private final Map<HostId, HostConnection> connections = new HashMap<>();
    private final Set<String> messages = new HashSet<>();
    private boolean changed;
    private int step;
    private int events;
    private int faults;
    private int orders;

    private PoolHistory(SimulationPlan plan, long seed, @Nullable Consumer<String> reader) {
        this.plan = plan;
        this.seed = seed;
        this.reader = reader;
        this.random = new SplittableRandom(seed);
        this.world = new PoolWorld(random.split(), seed, plan.hosts(), plan.vms());
        this.hosts = XapiHosts.stepped(clock, Duration.ofSeconds(5), Duration.ofMinutes(2));
        InMemoryVmStore vms = new InMemoryVmStore();
        InMemoryHostStore hostStore = new InMemoryHostStore(vms);
        InMemoryDefinitionStore definitions = new InMemoryDefinitionStore(vms);
        Stores stores = InMemoryStores.of(hostStore, vms);
        MonitoringEngine engine =
                new MonitoringEngine(
                        MonitoringSettings.DEFAULT,
                        this::open,
                        stores,
                        clock,
                        new SimpleMeterRegistry());
        this.stepped = new SteppedEngine(engine);
        this.keeping =
                new PoolKeeping(
                        engine.fleet(),
                        engine.administration(),
                        engine.commandAccess(),
                        vms,
                        definitions,
                        clock,
                        MOST_TAGS);
        XapiEncoding encoding =
                random.nextInt(4) == 0 ? XapiEncoding.XML_RPC : XapiEncoding.JSON_RPC;
        PoolWatch.Sync sync =
                random.nextInt(4) == 0 ? PoolWatch.Sync.RECORDS : PoolWatch.Sync.EVENTS;
        say("seed %d: %s, all is read by %s", seed, encoding, sync);
        PoolConnection connection = world.connection(encoding, clock);
        this.pool = hosts.watch("pool", 80, connection, new Inventory(), sync, PoolWorld.TIMES);
    }

    private HostConnection open(HostDefinition host, HostListener listener) {
        HostConnection connection = hosts.open(host, listener);
        connections.put(host.id(), connection);
        return connection;
    }

    /** As the engine's, but for the thread that keeps the inventory: that is a step here. */
    private final class Inventory implements PoolInventory {
        @Override
        public void changed(XapiPool of) {
            changed = true;
        }

        @Override
        public void moving(VmId vm, HostId from, HostId to) {
            keeping.moving(vm, from, to);
        }

        @Override
        public void refused(XapiPool of, String code) {
            say("engine   is refused: %s", code);
        }

        @Override
        public void told(XapiPool of, PoolMessage message, boolean old) {
            if (!messages.add(message.uuid())) {
                throw broken("message " + message.uuid() + " became two events", null);
            }
        }
    }

    /**
     * Runs the history of a seed.
     *
     * @param reader takes every step; null for none
     * @throws Violation if a rule is broken
     */
    public static Result run(SimulationPlan plan, long seed, @Nullable Consumer<String> reader) {
        PoolHistory history = new PoolHistory(plan, seed, reader);
        try {
            return history.run();
        } catch (Violation e) {
            throw e;
        } catch (RuntimeException e) {
            throw history.broken("the engine failed: " + e, e);
        } finally {
            history.stepped.abandon();
            history.hosts.close();
            history.world.close();
        }
    }

    private Violation broken(String what, @Nullable Throwable cause) {
        return new Violation(seed, step, what, cause);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is Error Prone's, no dependency
    private void say(String what, Object... details) {
        Consumer<String> to = reader;
        if (to != null) {
            to.accept(
                    String.format(Locale.ROOT, "%5d  ", step)
                            + String.format(Locale.ROOT, what, details));
        }
    }

    private Result run() {
        try {
            stepped.start();
        } catch (StoreUnavailable e) {
            throw new IllegalStateException(e);
        }
        read();
        keep();
        settle();
        while (step < plan.steps()) {
            step++;
            next();
            settle();
            checkAlways();
        }
        say("the faults stop");
        world.heal();
        clock.advance(Duration.ofMinutes(1));
        return new Result(seed, step, events, faults, orders, heal());
    }

    private void next() {
        int kind = random.nextInt(100);
        if (kind < 30) {
            String what = world.happen();
            events += what.equals("nothing") ? 0 : 1;
            say("truth    %s", what);
        } else if (kind < 52) {
            say("engine   reads the pool's state");
            pool.step(false);
        } else if (kind < 62) {
            say("engine   reads the pool's tasks");
            pool.step(true);
        } else if (kind < 68) {
            say("network  %s", world.fail());
            faults++;
        } else if (kind < 78) {
            order();
        } else if (kind < 86) {
            keep();
        } else {
            pass(Duration.ofMillis(10L + random.nextInt(6_000)));
        }
    }

    private void pass(Duration time) {
        say("time     %d ms", time.toMillis());
        world.pass(time);
        clock.advance(time);
    }

    private void read() {
        pool.step(false);
        pool.step(true);
    }

    private void keep() {
        if (changed) {
            changed = false;
            try {
                keeping.keep(pool);
            } catch (StoreUnavailable e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private void settle() {
        while (stepped.pump()) {
            // until nothing is left to do
        }
    }

    /** A person has the pool do something. */
    private void order() {
        List<VmId> known = new ArrayList<>(new TreeSet<>(idsOf(pool)));
        List<HostId> on = new ArrayList<>(new TreeMap<>(byText(connections.keySet())).values());
        if (known.isEmpty() || on.isEmpty()) {
            return;
        }
        VmId vm = known.get(random.nextInt(known.size()));
        HostId any = on.get(random.nextInt(on.size()));
        HostId at = Objects.requireNonNull(pool.vm(vm)).host();
        VmOrder order =
                switch (random.nextInt(7)) {
                    case 0 -> new VmOrder.Shutdown(vm, 0, "", random.nextBoolean(), null, false);
                    case 1 -> new VmOrder.Destroy(vm, 0);
                    case 2 -> new VmOrder.Pause(vm);
                    case 3 -> new VmOrder.Resume(vm);
                    case 4 -> new VmOrder.Hibernate(vm, "");
                    case 5 ->
                            new VmOrder.Migrate(
                                    vm,
                                    world.addresses.getFirst(),
                                    world.addresses.get(random.nextInt(world.addresses.size()))
                                            + ":80",
                                    MigrationParameters.DEFAULT);
                    default -> new VmOrder.Create(vm, "");
                };
        HostConnection connection =
                Objects.requireNonNull(connections.get(at == null ? any : at), "no connection");
        boolean[] answered = {false};
        connection.order(
                order,
                answer -> {
                    answered[0] = true;
                    orders += answer instanceof HostAnswer.Success<VmId> ? 1 : 0;
                    say("order    %s: %s", order, answer);
                });
        if (!answered[0]) {
            throw broken("an order is not answered: " + order, null);
        }
    }

    private static Map<String, HostId> byText(Set<HostId> ids) {
        return ids.stream().collect(Collectors.toMap(HostId::toString, id -> id));
    }

    private static List<VmId> idsOf(XapiPool pool) {
        return pool.vms().stream().map(vm -> vm.id()).toList();
    }

    /** No VM is on two hosts. */
    private void checkAlways() {
        Map<VmId, HostId> seen = new HashMap<>();
        for (HostId host : connections.keySet()) {
            for (VmId vm : stepped.indexedOn(host)) {
                HostId other = seen.put(vm, host);
                if (other != null) {
                    throw broken("VM %s is on %s and on %s".formatted(vm, other, host), null);
                }
            }
        }
    }

    private Duration heal() {
        Duration waited = Duration.ZERO;
        while (true) {
            read();
            keep();
            settle();
            checkAlways();
            String wrong = wrong();
            if (wrong == null) {
                say("all is right after %s", waited);
                return waited;
            }
            if (waited.compareTo(BOUND) >= 0) {
                throw broken("%s after the last fault, %s".formatted(BOUND, wrong), null);
            }
            waited = waited.plus(ROUND);
            pass(ROUND);
        }
    }

    /** Difference between memory and the pool; null if none. */
    private @Nullable String wrong() {
        for (XapiClass type : XapiClass.all()) {
            if (type.name().equals("task")) {
                continue;
            }
            Set<String> there =
                    world.pool.objects(type.name()).stream()
                            .map(Row::ref)
                            .collect(Collectors.toCollection(TreeSet::new));
            Set<String> here = new TreeSet<>(pool.copyOf(type).keySet());
            if (!here.equals(there)) {
                return "the pool has %d objects of class %s, the engine %d"
                        .formatted(there.size(), type.name(), here.size());
            }
        }
        if (pool.openTasks() > 0) {
            return pool.openTasks() + " orders have not ended";
        }
        Map<VmId, Truth> truth = world.truth();
        Map<VmId, String> shown = new TreeMap<>();
        Map<VmId, String> expected = new TreeMap<>();
        truth.forEach((id, vm) -> expected.put(id, words(vm)));
        stepped.engine()
                .fleet()
                .vms()
                .forEach(vm -> {
                    VmStatus status = vm.state().runtime().status();
                    shown.put(vm.id(), state(status) + " " + vm.state().placement().runOn());
                });
        if (!shown.equals(expected)) {
            return "the VMs are %s, the engine shows %s".formatted(expected, shown);
        }
        return stepped.engine().fleet().hosts().stream()
                .filter(host -> host.state().status() != HostStatus.UP)
                .findFirst()
                .map(host -> "a host is " + host.state().status())
                .orElse(null);
    }

    private static String words(Truth vm) {
        return vm.state() + " " + vm.host();
    }

    /** As XAPI spells it. A guest may take its time to report. */
    private static String state(VmStatus status) {
        return switch (status) {
            case UP, POWERING_UP -> "Running";
            case PAUSED -> "Paused";
            case SUSPENDED -> "Suspended";
            case DOWN -> "Halted";
            default -> status.name();
        };
    }
}
