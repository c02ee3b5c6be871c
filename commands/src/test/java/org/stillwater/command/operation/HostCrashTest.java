package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.command.host.HostOperationSettings;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.command.pool.PoolSettings;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.Tier;
import org.stillwater.testkit.hypervisor.ModelHost;
import org.stillwater.testkit.memory.InMemoryPoolStore;

/**
 * The engine ends, as by a power failure, after every single thing that is done for an operation on
 * hosts, on a pool, on a definition or on many VMs at once, and begins anew: everything ends, and
 * as it should. The ordinary suite ends it after one of three things.
 */
class HostCrashTest {

    private static final int MOST_STEPS = 3_000;

    /** Something that takes several steps. */
    abstract static class Scenario {
        private final String name;
        private final int seconds;

        /** So many virtual seconds it takes without a crash. */
        Scenario(String name, int seconds) {
            this.name = name;
            this.seconds = seconds;
        }

        /** Everything until it is asked for. */
        abstract HostLab prepared();

        abstract void begin(HostLab hosts);

        /** The engine has begun anew. */
        void begunAnew(HostLab hosts) {
            hosts.lab.seconds(900);
        }

        abstract void check(HostLab hosts, String where);

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Scenario> scenarios() {
        return Stream.of(
                drain(),
                activation(),
                evacuation(),
                leases(),
                fence(false),
                fence(true),
                fenceByHand(),
                confirmation(),
                softFence(true),
                softFence(false),
                coldReboot(),
                pool(),
                shrunkPool(),
                definition(OperationKind.ADD_VM),
                definition(OperationKind.UPDATE_VM),
                definition(OperationKind.REMOVE_VM),
                batch(OperationKind.RUN),
                batch(OperationKind.MIGRATE));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void everyStep(Scenario scenario) {
        for (int steps : Tier.steps(MOST_STEPS, 5)) {
            HostLab hosts = scenario.prepared();
            scenario.begin(hosts);
            boolean over = walk(hosts.lab, steps, scenario.seconds);
            hosts.lab.crash();
            scenario.begunAnew(hosts);
            String where = "%s, crash after %s steps".formatted(scenario, steps);
            assertThat(hosts.lab.centre.doubles()).as(where).isEmpty();
            assertThat(hosts.lab.open()).as(where).isEmpty();
            assertThat(hosts.lab.operations.all()).as(where).allMatch(Operation::isEnded);
            assertThat(hosts.lab.engine().pendingWork().open()).as(where).isEmpty();
            scenario.check(hosts, where);
            if (over) {
                assertThat(steps).as("steps of %s", scenario).isGreaterThan(5);
                return;
            }
        }
        throw new AssertionError(scenario + " does not end");
    }

    /** Does so many single things; whether the time in which it must end has passed before. */
    private static boolean walk(CommandLab lab, int steps, int seconds) {
        long end = lab.clock.nanoTime() + Duration.ofSeconds(seconds).toNanos();
        int left = steps;
        while (lab.clock.nanoTime() - end < 0) {
            if (left == 0) {
                return false;
            }
            if (lab.stepOnce()) {
                left--;
            } else {
                lab.centre.advance(Duration.ofMillis(500), () -> {});
            }
        }
        return true;
    }

    // ------------------------------------------------------------------------------- draining

    private static Scenario drain() {
        return new Scenario("drain", 40) {
            @Override
            HostLab prepared() {
                HostLab hosts = new HostLab(3).withVms(2, false);
                hosts.lab.settled();
                return hosts;
            }

            @Override
            void begin(HostLab hosts) {
                order(hosts, new HostFact.Maintain("new disks"));
            }

            @Override
            void check(HostLab hosts, String where) {
                if (hosts.status(1) == HostStatus.UP) { // the order was not durable
                    assertThat(hosts.lab.operations.all()).as(where).isEmpty();
                    return;
                }
                assertThat(hosts.status(1)).as(where).isEqualTo(HostStatus.MAINTENANCE);
                hosts.up(1, 2, 3);
                hosts.up(2, 2, 3);
            }
        };
    }

    private static Scenario activation() {
        return new Scenario("activation amid a drain", 30) {
            @Override
            HostLab prepared() {
                HostLab hosts = drain().prepared();
                order(hosts, new HostFact.Maintain("new disks"));
                hosts.lab.seconds(2);
                return hosts;
            }

            @Override
            void begin(HostLab hosts) {
                order(hosts, new HostFact.Activate());
            }

            @Override
            void check(HostLab hosts, String where) {
                // Without the order, which was not durable, the drain goes on.
                assertThat(hosts.status(1)).as(where).isIn(HostStatus.UP, HostStatus.MAINTENANCE);
                assertThat(hosts.lab.centre.homes(CommandLab.vmId(1))).as(where).hasSize(1);
                hosts.up(1, 1, 2, 3);
                hosts.up(2, 1, 2, 3);
            }
        };
    }

    private static Scenario evacuation() {
        return new Scenario("evacuation", 60) {
            @Override
            HostLab prepared() {
                HostLab hosts = new HostLab(3);
                hosts.lab.withVm(1, true, 0).up(1, 1).withVm(2, false, 0).up(2, 1);
                hosts.leaving(MigrateOnError.HIGHLY_AVAILABLE);
                hosts.lab.settled();
                return hosts;
            }

            @Override
            void begin(HostLab hosts) {
                hosts.lab.host(1).loseKvm();
                assertThat(hosts.lab.engine().administration().refresh(CommandLab.hostId(1)))
                        .isTrue();
            }

            @Override
            void check(HostLab hosts, String where) {
                assertThat(hosts.status(1)).as(where).isEqualTo(HostStatus.NON_OPERATIONAL);
                hosts.up(1, 2, 3);
                hosts.up(2, 1);
            }
        };
    }

    // --------------------------------------------------------------------- leases and fencing

    private static Scenario leases() {
        return new Scenario("starts by lease", 40) {
            @Override
            HostLab prepared() {
                HostLab hosts = new HostLab(3);
                hosts.lab.withVm(1, false, 0, true).up(1, 1).withVm(2, false, 9, true).up(2, 1);
                // Storage lets a VM with a lease run once.
                hosts.lab.centre.refusing((host, order) ->
                        order instanceof VmOrder.Create
                                        && hosts.lab.centre.hosts().stream()
                                                .anyMatch(other ->
                                                        other != host && other.runs(order.vmId()))
                                ? new HostFailure.Refused(16, "failed to acquire the lease")
                                : null);
                hosts.lab.settled();
                hosts.lab.host(1).powerOff();
                for (int i = 0; i < 400 && stored(hosts, OperationKind.RUN).isEmpty(); i++) {
                    hosts.lab.centre.advance(Duration.ofSeconds(1), hosts.lab::pump);
                }
                return hosts;
            }

            @Override
            void begin(HostLab hosts) {}

            @Override
            void check(HostLab hosts, String where) {
                hosts.up(1, 2, 3);
                hosts.up(2, 2, 3);
                for (int n = 1; n <= 2; n++) {
                    assertThat(hosts.lab.centre.homes(CommandLab.vmId(n))).as(where).hasSize(1);
                }
            }
        };
    }

    private static Scenario fence(boolean dryRun) {
        return new Scenario(dryRun ? "fencing, dry run" : "fencing", 40) {
            @Override
            HostLab prepared() {
                HostLab hosts = new HostLab(3).withAgent(1).withVms(2, true);
                hosts.settings = HostOperationSettings.DEFAULT.withDryRun(dryRun);
                hosts.lab.settled();
                hosts.lab.seconds(240);
                hosts.lab.host(1).cutOff();
                for (int i = 0; i < 400 && hosts.status(1) != HostStatus.NON_RESPONSIVE; i++) {
                    hosts.lab.centre.advance(Duration.ofSeconds(1), hosts.lab.centre::step);
                    boolean _ = hosts.lab.stepped.pump();
                }
                return hosts;
            }

            @Override
            void begin(HostLab hosts) {}

            @Override
            void check(HostLab hosts, String where) {
                if (dryRun) {
                    assertThat(hosts.power.fenced).as(where).isEmpty();
                    assertThat(hosts.lab.status(1)).as(where).isEqualTo(VmStatus.UNKNOWN);
                    assertThat(stored(hosts, OperationKind.FENCE)).as(where).hasSize(1);
                    return;
                }
                hosts.up(1, 1, 2, 3);
                hosts.up(2, 1, 2, 3);
                assertThat(stored(hosts, OperationKind.RUN))
                        .as(where)
                        .hasSize(2)
                        .allMatch(run -> run.state() == OperationState.SUCCEEDED);
                assertThat(hosts.power.fenced).as(where).hasSizeBetween(1, 2);
            }
        };
    }

    private static Scenario fenceByHand() {
        return new Scenario("fencing that somebody wants", 40) {
            @Override
            HostLab prepared() {
                HostLab hosts = new HostLab(3).withAgent(1).withVms(2, true);
                hosts.lab.settled();
                return hosts;
            }

            @Override
            void begin(HostLab hosts) {
                CompletableFuture<Answer> _ =
                        hosts.hosts.fence(CommandLab.hostId(1), CommandLab.TESTER);
            }

            @Override
            void check(HostLab hosts, String where) {
                hosts.up(1, 1, 2, 3);
                hosts.up(2, 1, 2, 3);
                assertThat(hosts.lab.centre.hosts()).as(where).allMatch(ModelHost::isAlive);
            }
        };
    }

    private static Scenario confirmation() {
        return new Scenario("confirmation that a host was rebooted", 60) {
            @Override
            HostLab prepared() {
                HostLab hosts = new HostLab(3).withVms(2, true);
                hosts.lab.settled();
                hosts.lab.host(1).powerOff();
                hosts.lab.seconds(200);
                return hosts;
            }

            @Override
            void begin(HostLab hosts) {
                CompletableFuture<Answer> _ =
                        hosts.hosts.confirmRebooted(CommandLab.hostId(1), CommandLab.TESTER);
            }

            @Override
            void check(HostLab hosts, String where) {
                boolean durable =
                        stored(hosts, OperationKind.FENCE).stream()
                                .anyMatch(fence -> fence.state() == OperationState.SUCCEEDED);
                if (durable) {
                    hosts.up(1, 2, 3);
                    hosts.up(2, 2, 3);
                } else {
                    assertThat(hosts.lab.status(1)).as(where).isEqualTo(VmStatus.UNKNOWN);
                    assertThat(stored(hosts, OperationKind.RUN)).as(where).isEmpty();
                }
            }
        };
    }

    /** The agent of a silent host is restarted, which helps or not. */
    private static Scenario softFence(boolean helps) {
        return new Scenario("soft fencing that %s".formatted(helps ? "helps" : "fails"), 120) {
            @Override
            HostLab prepared() {
                HostLab hosts = new HostLab(3).withAgent(1).withVms(2, true);
                hosts.lab.softFencedBy(() -> new AgentRestarts(hosts.lab, helps));
                hosts.lab.settled();
                hosts.lab.seconds(310);
                hosts.lab.host(1).cutOff();
                for (int i = 0; i < 400 && hosts.status(1) != HostStatus.NON_RESPONSIVE; i++) {
                    hosts.lab.centre.advance(Duration.ofSeconds(1), hosts.lab.centre::step);
                    boolean _ = hosts.lab.stepped.pump();
                }
                assertThat(hosts.status(1)).isEqualTo(HostStatus.NON_RESPONSIVE);
                return hosts;
            }

            @Override
            void begin(HostLab hosts) {}

            @Override
            void check(HostLab hosts, String where) {
                hosts.up(1, 1, 2, 3);
                hosts.up(2, 1, 2, 3);
                assertThat(hosts.lab.centre.homes(CommandLab.vmId(1))).as(where).hasSize(1);
                if (helps) {
                    assertThat(hosts.status(1)).as(where).isEqualTo(HostStatus.UP);
                    assertThat(hosts.power.fenced).as(where).isEmpty();
                    assertThat(stored(hosts, OperationKind.RUN)).as(where).isEmpty();
                } else {
                    assertThat(hosts.power.fenced).as(where).isNotEmpty();
                    assertThat(stored(hosts, OperationKind.RUN))
                            .as(where)
                            .hasSize(2)
                            .allMatch(run -> run.state() == OperationState.SUCCEEDED);
                }
            }
        };
    }

    /** Hosts refuse to start the VM for a while, so that the reboot needs several attempts. */
    private static Scenario coldReboot() {
        return new Scenario("cold reboot that fails at first", 120) {
            @Override
            HostLab prepared() {
                HostLab hosts = new HostLab(3);
                hosts.lab.withVm(1).up(1, 1).settled();
                long until = hosts.lab.clock.nanoTime() + Duration.ofSeconds(40).toNanos();
                hosts.lab.centre.refusing((_, order) ->
                        order instanceof VmOrder.Create && hosts.lab.clock.nanoTime() - until < 0
                                ? new HostFailure.Refused(9, "no")
                                : null);
                return hosts;
            }

            @Override
            void begin(HostLab hosts) {
                List<CompletableFuture<Answer>> _ =
                        hosts.lab.commands.submit(
                                List.of(
                                        new OperationRequest(
                                                CommandLab.vmId(1),
                                                OperationKind.REBOOT,
                                                new OperationParameters.Reboot(true))),
                                CommandLab.TESTER);
            }

            @Override
            void check(HostLab hosts, String where) {
                hosts.up(1, 1, 2, 3);
                assertThat(stored(hosts, OperationKind.REBOOT))
                        .as(where)
                        .allMatch(reboot -> reboot.state() == OperationState.SUCCEEDED);
                assertThat(hosts.lab.centre.starts())
                        .as(where)
                        .isEqualTo(stored(hosts, OperationKind.REBOOT).size());
            }
        };
    }

    // ------------------------------------------------------------- pools, definitions, batches

    private static Scenario pool() {
        return new Scenario("pool", 40) {
            private final UUID id = new UUID(0x4000, 1);
            private InMemoryPoolStore store;
            private boolean given;

            private PoolKeeper keeper(HostLab hosts) {
                PoolKeeper keeper = new PoolKeeper(PoolSettings.DEFAULT, hosts.lab.commands, store);
                try {
                    keeper.start();
                } catch (StoreUnavailable e) {
                    throw new IllegalStateException(e);
                }
                return keeper;
            }

            @Override
            HostLab prepared() {
                HostLab hosts = new HostLab(2);
                store = new InMemoryPoolStore(hosts.lab.vms);
                try {
                    store.save(
                            new VmPool(
                                    id,
                                    "pool",
                                    "",
                                    ClusterId.DEFAULT,
                                    true,
                                    4,
                                    2,
                                    1,
                                    null,
                                    new TreeMap<>()));
                    for (int n = 1; n <= 4; n++) {
                        hosts.lab.withVm(n);
                        store.addMembers(id, List.of(CommandLab.vmId(n)));
                    }
                } catch (StoreUnavailable e) {
                    throw new IllegalStateException(e);
                }
                hosts.lab.settled();
                return hosts;
            }

            @Override
            void begin(HostLab hosts) {
                try {
                    PoolKeeper keeper = keeper(hosts);
                    given =
                            keeper.assign(id, "eve", CommandLab.TESTER)
                                    instanceof PoolKeeper.Assignment.Given;
                } catch (StoreUnavailable e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            void begunAnew(HostLab hosts) {
                PoolKeeper keeper = keeper(hosts);
                hosts.lab.seconds(400);
                assertThat(given).isTrue();
                assertThat(Objects.requireNonNull(keeper.pool(id)).members().values())
                        .containsOnlyOnce("eve");
            }

            @Override
            void check(HostLab hosts, String where) {
                long up =
                        hosts.lab
                                .engine()
                                .fleet()
                                .vms()
                                .filter(vm -> vm.state().runtime().status() == VmStatus.UP)
                                .count();
                // Two that are free, and that of the user if its start became durable.
                assertThat(up).as(where).isBetween(2L, 3L);
            }
        };
    }

    /** A pool loses two VMs, one of which is being started, and keeps two. */
    private static Scenario shrunkPool() {
        return new Scenario("pool that becomes smaller", 40) {
            private final UUID id = new UUID(0x4000, 1);
            private InMemoryPoolStore store;

            private VmPool pool(int size, int prestarted) {
                return new VmPool(
                        id,
                        "pool",
                        "",
                        ClusterId.DEFAULT,
                        true,
                        size,
                        prestarted,
                        1,
                        null,
                        new TreeMap<>());
            }

            private PoolKeeper keeper(HostLab hosts) throws StoreUnavailable {
                PoolKeeper keeper = new PoolKeeper(PoolSettings.DEFAULT, hosts.lab.commands, store);
                keeper.start();
                return keeper;
            }

            @Override
            HostLab prepared() {
                HostLab hosts = new HostLab(2);
                store = new InMemoryPoolStore(hosts.lab.vms);
                try {
                    store.save(pool(4, 3));
                    for (int n = 1; n <= 4; n++) {
                        hosts.lab.withVm(n);
                        store.addMembers(id, List.of(CommandLab.vmId(n)));
                    }
                } catch (StoreUnavailable e) {
                    throw new IllegalStateException(e);
                }
                hosts.lab.settled();
                return hosts;
            }

            @Override
            void begin(HostLab hosts) {
                try {
                    PoolKeeper keeper = keeper(hosts);
                    for (int i = 0; i < 12; i++) {
                        boolean _ = hosts.lab.stepOnce(); // starts are under way
                    }
                    keeper.save(pool(2, 2));
                    keeper.removeMembers(id, List.of(CommandLab.vmId(1), CommandLab.vmId(2)));
                } catch (StoreUnavailable e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            void begunAnew(HostLab hosts) {
                try {
                    PoolKeeper keeper = keeper(hosts);
                    hosts.lab.seconds(400);
                    assertThat(Objects.requireNonNull(keeper.pool(id)).members().keySet())
                            .containsExactly(CommandLab.vmId(3), CommandLab.vmId(4));
                } catch (StoreUnavailable e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            void check(HostLab hosts, String where) {
                hosts.up(3, 1, 2);
                hosts.up(4, 1, 2);
                for (int n = 1; n <= 2; n++) { // their operations are not lost either
                    assertThat(hosts.lab.status(n)).as(where).isIn(VmStatus.UP, VmStatus.DOWN);
                }
            }
        };
    }

    private static Scenario definition(OperationKind kind) {
        return new Scenario(kind.label(), 5) {
            @Override
            HostLab prepared() {
                HostLab hosts = new HostLab(1);
                if (kind != OperationKind.ADD_VM) {
                    hosts.lab.withVm(9, false, 1);
                }
                hosts.lab.settled();
                return hosts;
            }

            @Override
            void begin(HostLab hosts) {
                List<CompletableFuture<Answer>> _ =
                        hosts.lab.commands.submit(
                                List.of(
                                        new OperationRequest(
                                                CommandLab.vmId(9),
                                                kind,
                                                kind == OperationKind.REMOVE_VM
                                                        ? OperationParameters.NONE
                                                        : new OperationParameters.Definition(
                                                                "9 5"))),
                                CommandLab.TESTER);
            }

            @Override
            void begunAnew(HostLab hosts) {
                hosts.lab.seconds(10);
            }

            @Override
            void check(HostLab hosts, String where) {
                boolean durable = !stored(hosts, kind).isEmpty();
                assertThat(stored(hosts, kind))
                        .as(where)
                        .allMatch(operation -> operation.state() == OperationState.SUCCEEDED);
                boolean present = hosts.lab.engine().fleet().vm(CommandLab.vmId(9)) != null;
                assertThat(present)
                        .as(where)
                        .isEqualTo(
                                switch (kind) {
                                    case ADD_VM -> durable;
                                    case REMOVE_VM -> !durable;
                                    default -> true;
                                });
                assertThat(hosts.lab.vms.vm(CommandLab.vmId(9)) != null)
                        .as(where)
                        .isEqualTo(present);
                if (present) {
                    assertThat(hosts.lab.commands.definitions().priority(CommandLab.vmId(9)))
                            .as(where)
                            .isEqualTo(durable ? 5 : 1);
                }
            }
        };
    }

    private static Scenario batch(OperationKind kind) {
        return new Scenario("batch of " + kind.label(), 40) {
            @Override
            HostLab prepared() {
                HostLab hosts = new HostLab(3);
                for (int n = 1; n <= 3; n++) {
                    hosts.lab.withVm(n);
                    if (kind == OperationKind.MIGRATE) {
                        hosts.lab.up(n, 1);
                    }
                }
                hosts.lab.settled();
                return hosts;
            }

            @Override
            void begin(HostLab hosts) {
                List<CompletableFuture<Answer>> _ =
                        hosts.lab.commands.submit(
                                Stream.of(1, 2, 3)
                                        .map(n ->
                                                new OperationRequest(
                                                        CommandLab.vmId(n),
                                                        kind,
                                                        CommandLab.usual(kind)))
                                        .toList(),
                                CommandLab.TESTER.in(new UUID(0x5000, 1), 0));
            }

            @Override
            void begunAnew(HostLab hosts) {
                hosts.lab.seconds(150);
            }

            @Override
            void check(HostLab hosts, String where) {
                List<Operation> all = stored(hosts, kind);
                // A batch becomes durable as a whole or not at all.
                assertThat(all.size()).as(where).isIn(0, 3);
                assertThat(all)
                        .as(where)
                        .allMatch(operation -> operation.state() == OperationState.SUCCEEDED)
                        .allMatch(operation ->
                                new UUID(0x5000, 1).equals(operation.origin().batch()));
                for (int n = 1; n <= 3; n++) {
                    if (all.isEmpty() && kind == OperationKind.RUN) {
                        assertThat(hosts.lab.status(n)).as(where).isEqualTo(VmStatus.DOWN);
                    } else {
                        hosts.up(n, 1, 2, 3);
                    }
                }
            }
        };
    }

    /** Operations as they are stored: one that is open in memory may not be. */
    private static List<Operation> stored(HostLab hosts, OperationKind kind) {
        return hosts.lab.operations.all().stream()
                .filter(operation -> operation.kind() == kind)
                .toList();
    }

    private static void order(HostLab hosts, HostFact.Order order) {
        assertThat(hosts.lab.engine().administration().order(CommandLab.hostId(1), order))
                .isNotNull();
    }
}
