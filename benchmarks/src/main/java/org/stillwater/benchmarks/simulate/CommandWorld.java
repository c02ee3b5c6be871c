package org.stillwater.benchmarks.simulate;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.definition.Definitions;
import org.stillwater.command.host.HostOperationSettings;
import org.stillwater.command.host.HostOperations;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.command.pool.PoolSettings;
import org.stillwater.core.analysis.host.HostPolicy;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.Stores;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringSettings;
import org.stillwater.monitoring.SteppedEngine;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.hypervisor.ModelDataCentre;
import org.stillwater.testkit.hypervisor.ModelHost;
import org.stillwater.testkit.hypervisor.ModelStorage;
import org.stillwater.testkit.memory.InMemoryDefinitionStore;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryOperationStore;
import org.stillwater.testkit.memory.InMemoryPoolStore;
import org.stillwater.testkit.memory.InMemoryStores;
import org.stillwater.testkit.memory.InMemoryVmStore;

/**
 * Monitoring and commands as one engine that lives and dies on model hosts, stores in memory and a
 * virtual clock. Used on one thread.
 */
final class CommandWorld {

    /** The pool that its last VMs belong to. */
    static final UUID POOL = new UUID(0x4000, 1);

    /** Fencing is allowed soon, since lives of the engine are short here. */
    private static final HostPolicy POLICY =
            new HostPolicy(
                    HostPolicy.DEFAULT.failures(),
                    HostPolicy.DEFAULT.base(),
                    HostPolicy.DEFAULT.perVm(),
                    HostPolicy.DEFAULT.perSpm(),
                    HostPolicy.DEFAULT.recovery(),
                    HostPolicy.DEFAULT.interfaceGrace(),
                    HostPolicy.DEFAULT.drainRetry(),
                    HostPolicy.DEFAULT.reboot(),
                    Duration.ofMinutes(1),
                    Duration.ofSeconds(20),
                    HostPolicy.DEFAULT.leaseFirst(),
                    HostPolicy.DEFAULT.leaseEvery());

    private static final MonitoringSettings MONITORING =
            MonitoringSettings.DEFAULT
                    .withDumpInterval(Duration.ZERO)
                    .withHosts(MonitoringSettings.DEFAULT.hosts().withPolicy(POLICY));

    final VirtualClock clock = new VirtualClock();
    final ModelDataCentre centre = new ModelDataCentre(clock);
    final InMemoryVmStore vms = new InMemoryVmStore();
    final InMemoryHostStore hosts = new InMemoryHostStore(vms);
    final InMemoryOperationStore operations = new InMemoryOperationStore(vms, hosts);
    final InMemoryDefinitionStore definitions = new InMemoryDefinitionStore(vms);
    final InMemoryPoolStore pools = new InMemoryPoolStore(vms);
    private final Stores stores = InMemoryStores.of(hosts, vms);
    private final HostOperationSettings hostSettings;
    private final PowerSwitches power;
    private @Nullable Life life;
    private long nextId;
    private int lives;
    private Runnable watcher = () -> {};

    /** The engine from one start to its end. */
    record Life(
            SteppedEngine stepped,
            CommandEngine commands,
            HostOperations hostOperations,
            PoolKeeper keeper) {}

    /**
     * A world.
     *
     * @param random how its power switches behave
     * @param dryRun whether nothing is ever switched
     */
    CommandWorld(SplittableRandom random, boolean dryRun) {
        hostSettings = HostOperationSettings.DEFAULT.withDryRun(dryRun);
        power = new PowerSwitches(random, centre);
    }

    static HostId hostId(int n) {
        return new HostId(new UUID(0x1000, n));
    }

    static VmId vmId(int n) {
        return new VmId(0x2000, n);
    }

    /** Names as a trace has them. */
    static String name(HostId host) {
        return "host-" + host.value().getLeastSignificantBits();
    }

    void addHost(int n) {
        HostDefinition definition =
                new HostDefinition(hostId(n), "host-" + n, "192.0.2." + n, 54_321);
        hosts.put(definition, HostStatus.UP);
        ModelHost _ = centre.host(definition);
        try {
            boolean _ =
                    definitions.saveFenceAgents(
                            hostId(n),
                            List.of(
                                    new FenceAgent(
                                            "ipmilan",
                                            "192.0.2.200",
                                            null,
                                            "admin",
                                            "secret",
                                            Map.of())));
        } catch (StoreUnavailable e) {
            throw new IllegalStateException(e);
        }
    }

    void addVm(int n, boolean highlyAvailable, int priority, boolean leased) {
        VmStatic definition = vmStatic(n, highlyAvailable, leased);
        vms.put(new StoredVm(vmId(n), definition, VmRuntime.INITIAL, VmPlacement.NOWHERE));
        definitions.put(
                vmId(n),
                new Definition(
                        definition, null, priority, leased ? ModelStorage.DOMAIN : null, null));
    }

    private static VmStatic vmStatic(int n, boolean highlyAvailable, boolean leased) {
        return new VmStatic(
                "vm-" + n,
                VmOrigin.OVIRT,
                highlyAvailable,
                1_024,
                512,
                1,
                1,
                1,
                List.of(),
                leased,
                ClusterId.DEFAULT);
    }

    /** Definitions of users are a number. */
    private static Definition parsed(String text) {
        return new Definition(vmStatic(Integer.parseInt(text), false, false), null, 0, null, null);
    }

    /**
     * A VM that is up on a host with the lease that it is to have, in the database and in truth.
     */
    void up(int n, int host) {
        StoredVm stored = Objects.requireNonNull(vms.vm(vmId(n)));
        vms.put(
                new StoredVm(
                        vmId(n),
                        stored.definition(),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                        VmPlacement.on(hostId(host)).withRun(stored.placement().run().next())));
        if (!stored.definition().leased()) {
            centre.host(hostId(host)).put(vmId(n));
            return;
        }
        centre.host(hostId(host)).putLeased(vmId(n));
        try {
            definitions.saveLease(
                    VmLease.wanted(vmId(n), ModelStorage.DOMAIN)
                            .at(centre.storage().putLease(vmId(n)))
                            .with(stored.placement().run().generation() + 1));
        } catch (StoreUnavailable e) {
            throw new IllegalStateException(e);
        }
    }

    /** A pool of these VMs. */
    void addPool(List<VmId> members, int prestarted, boolean stateful) {
        try {
            VmPool pool = pool(members.size(), prestarted, stateful);
            pools.save(pool);
            pools.addMembers(POOL, members);
        } catch (StoreUnavailable e) {
            throw new IllegalStateException(e);
        }
    }

    static VmPool pool(int size, int prestarted, boolean stateful) {
        return new VmPool(
                POOL,
                "pool",
                "",
                ClusterId.DEFAULT,
                stateful,
                size,
                prestarted,
                2,
                null,
                new TreeMap<>());
    }

    /** Starts a life of the engine; whether the database let it. */
    boolean start() {
        life = null;
        SteppedEngine stepped =
                new SteppedEngine(
                        new MonitoringEngine(
                                MONITORING, centre, stores, clock, new SimpleMeterRegistry()));
        HostOperations hostOperations =
                new HostOperations(hostSettings, power, CommandWorld::parsed);
        CommandEngine commands =
                new CommandEngine(
                        CommandSettings.DEFAULT.savingMemoryTo(
                                ModelStorage.POOL, ModelStorage.DOMAIN),
                        stepped.engine(),
                        operations,
                        new Definitions(definitions),
                        hostOperations,
                        clock,
                        () -> new UUID(0x3000, ++nextId),
                        new SimpleMeterRegistry());
        PoolKeeper keeper = new PoolKeeper(PoolSettings.DEFAULT, commands, pools);
        try {
            stepped.start();
            commands.startWithoutThreads();
            keeper.start();
        } catch (StoreUnavailable _) {
            stepped.abandon();
            centre.hosts().forEach(ModelHost::forgetConnection);
            return false;
        }
        lives++;
        life = new Life(stepped, commands, hostOperations, keeper);
        return true;
    }

    /** The engine ends as by a power failure, and starts again. */
    boolean crash() {
        Life ended = life;
        if (ended != null) {
            ended.stepped().abandon();
        }
        power.forget();
        centre.hosts().forEach(ModelHost::forgetConnection);
        return start();
    }

    /**
     * The engine is stopped as by an operator, and starts again. Hosts report until monitoring has
     * ended, after commands.
     */
    boolean restart() {
        Life ended = life;
        if (ended != null) {
            ended.commands().close();
            while (centre.step() || ended.stepped().pump()) {
                // until nothing is left to do
            }
            ended.stepped().close();
        }
        return crash(); // there is nothing left to be lost
    }

    /** The present life; null while the engine could not be started. */
    @Nullable Life life() {
        return life;
    }

    int lives() {
        return lives;
    }

    PowerSwitches power() {
        return power;
    }

    ModelHost host(int n) {
        return centre.host(hostId(n));
    }

    /** Does everything that can be done without time passing. */
    void pump() {
        boolean any;
        do {
            any = centre.step();
            Life present = life;
            if (present != null) {
                any |= present.stepped().pump();
                any |= present.commands().pump();
            }
        } while (any);
        watcher.run();
    }

    /** The engine does all work that needs no answer of a host. */
    void pumpEngine() {
        Life present = life;
        if (present != null) {
            boolean any = true;
            while (any) {
                any = present.stepped().pump();
                any |= present.commands().pump();
            }
        }
    }

    /** From now on this runs whenever the engine has done all possible work. */
    void watching(Runnable next) {
        watcher = next;
    }

    /** Time passes; after each event in it, the engine reacts. */
    void pass(Duration time) {
        pump();
        centre.advance(time, this::pump);
    }

    /** Everything is stored that can be. */
    void unavailable(@Nullable String reason) {
        vms.unavailable(reason);
        operations.unavailable(reason);
        definitions.unavailable(reason);
        pools.unavailable(reason);
    }
}
