package org.stillwater.command.operation;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.definition.Definitions;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.definition.VmTraits;
import org.stillwater.core.fence.SoftFence;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.OperationStore;
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
import org.stillwater.monitoring.host.HostMonitorSettings;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.hypervisor.ModelDataCentre;
import org.stillwater.testkit.hypervisor.ModelHost;
import org.stillwater.testkit.hypervisor.ModelStorage;
import org.stillwater.testkit.memory.InMemoryAuditStore;
import org.stillwater.testkit.memory.InMemoryClusterStore;
import org.stillwater.testkit.memory.InMemoryDefinitionStore;
import org.stillwater.testkit.memory.InMemoryDeviceStore;
import org.stillwater.testkit.memory.InMemoryExternalDataStore;
import org.stillwater.testkit.memory.InMemoryHistoryStore;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryJobStore;
import org.stillwater.testkit.memory.InMemoryLunStore;
import org.stillwater.testkit.memory.InMemoryNumaStore;
import org.stillwater.testkit.memory.InMemoryOperationStore;
import org.stillwater.testkit.memory.InMemoryStatisticsStore;
import org.stillwater.testkit.memory.InMemoryVmStore;

/**
 * Monitoring and commands on model hosts, stores in memory and a clock that a test moves. One
 * thread does everything.
 */
public final class CommandLab {

    static final Operation.Origin TESTER = new Operation.Origin("tester", "test");

    /** A data centre beside the one that is there from the beginning. */
    static final DataCentre NORTH =
            new DataCentre(new DataCentreId(new UUID(0x4000, 1)), "north", "");

    /** Its cluster. */
    static final Cluster UP_NORTH =
            new Cluster(
                    new ClusterId(new UUID(0x5000, 1)),
                    NORTH.id(),
                    "up north",
                    "",
                    Cluster.DEFAULT.requirements(),
                    Cluster.DEFAULT.migrateOnError(),
                    Cluster.DEFAULT.fencing(),
                    Cluster.DEFAULT.memory());

    final VirtualClock clock;
    final ModelDataCentre centre;
    final InMemoryVmStore vms = new InMemoryVmStore();
    final InMemoryHostStore hosts = new InMemoryHostStore(vms);
    final InMemoryAuditStore audit = new InMemoryAuditStore();
    final InMemoryOperationStore operations = new InMemoryOperationStore(vms, hosts);
    final InMemoryDefinitionStore definitions =
            new InMemoryDefinitionStore(
                    vms, (one, other) -> one.equals(UP_NORTH.id()) == other.equals(UP_NORTH.id()));
    private final InMemoryDeviceStore devices = new InMemoryDeviceStore(vms);
    private final InMemoryExternalDataStore externalData = new InMemoryExternalDataStore(vms);
    private final InMemoryStatisticsStore statistics = new InMemoryStatisticsStore();
    final InMemoryClusterStore clusters = new InMemoryClusterStore(hosts::refersTo);
    private final InMemoryHistoryStore history = new InMemoryHistoryStore();
    private CommandSettings settings =
            CommandSettings.DEFAULT.savingMemoryTo(ModelStorage.POOL, ModelStorage.DOMAIN);
    private MonitoringSettings monitoring =
            MonitoringSettings.DEFAULT.withDumpInterval(Duration.ZERO);
    private @Nullable Supplier<SoftFence> softFence;
    private Function<CommandLab, HostCommands> factory = _ -> HostCommands.NONE;
    final StoreFaults faults = new StoreFaults();
    private @Nullable RuntimeException noIds;
    private int idsLeft;
    SteppedEngine stepped;
    CommandEngine commands;
    private boolean alive;
    private long nextId;

    CommandLab() {
        this(new VirtualClock());
    }

    CommandLab(VirtualClock clock) {
        this.clock = clock;
        this.centre = new ModelDataCentre(clock);
    }

    public static HostId hostId(int n) {
        return new HostId(new UUID(0x1000, n));
    }

    static VmId vmId(int n) {
        return new VmId(0x2000, n);
    }

    static HostDefinition definition(int n) {
        return new HostDefinition(hostId(n), "host" + n, "192.0.2." + n, 54321);
    }

    /** So many hosts, numbered from 1, all up. */
    CommandLab withHosts(int count) {
        for (int n = 1; n <= count; n++) {
            hosts.put(definition(n), HostStatus.UP);
            centre.host(definition(n));
        }
        return this;
    }

    /** The second data centre, with one host of this number. */
    CommandLab withNorth(int host) {
        try {
            clusters.add(NORTH);
        } catch (StoreUnavailable e) {
            throw new IllegalStateException(e);
        }
        clusters.put(UP_NORTH);
        HostDefinition definition =
                new HostDefinition(
                        hostId(host), "host" + host, "192.0.2." + host, 54321, UP_NORTH.id());
        hosts.put(definition, HostStatus.UP);
        centre.host(definition);
        return this;
    }

    CommandLab with(CommandSettings other) {
        settings = other;
        return this;
    }

    CommandLab with(HostMonitorSettings other) {
        monitoring = monitoring.withHosts(other);
        return this;
    }

    CommandLab withHostCommands(Function<CommandLab, HostCommands> made) {
        factory = made;
        return this;
    }

    /** Agents are restarted by a port that is made for each life of the engine. */
    void softFencedBy(Supplier<SoftFence> made) {
        softFence = made;
    }

    /** A VM that is down. */
    CommandLab withVm(int n) {
        return withVm(n, false, 0);
    }

    CommandLab withVm(int n, boolean highlyAvailable, int priority) {
        return withVm(n, highlyAvailable, priority, false);
    }

    CommandLab withVm(int n, boolean highlyAvailable, int priority, boolean leased) {
        VmStatic definition = vmStatic(n, highlyAvailable, leased);
        vms.put(new StoredVm(vmId(n), definition, VmRuntime.INITIAL, VmPlacement.NOWHERE));
        UUID lease = leased ? ModelStorage.DOMAIN : null;
        definitions.put(vmId(n), new Definition(definition, null, priority, lease, null));
        return this;
    }

    /** A VM that is down, with a stored specification that cannot be read. */
    CommandLab withUnreadableVm(int n, boolean leased) {
        withVm(n, false, 0, leased);
        UUID lease = leased ? ModelStorage.DOMAIN : null;
        definitions.put(
                vmId(n),
                new Definition(vmStatic(n, false, leased), null, 0, lease, null, "no cpu"));
        return this;
    }

    /** A VM that is down, of this machine type, architecture and CPU. */
    CommandLab withVm(
            int n,
            boolean highlyAvailable,
            @Nullable String machineType,
            @Nullable CpuArchitecture architecture,
            VmCpu cpu) {
        withVm(n, highlyAvailable, 0);
        VmSpecification bare = VmSpecification.BARE;
        VmSpecification specification =
                new VmSpecification(
                        machineType,
                        architecture,
                        cpu,
                        0,
                        0,
                        bare.firmware(),
                        bare.boot(),
                        false,
                        List.of(),
                        null,
                        List.of(),
                        List.of(),
                        bare.video(),
                        false,
                        true,
                        false,
                        null,
                        null,
                        List.of(),
                        Map.of(),
                        Map.of(),
                        null,
                        bare.resume(),
                        null,
                        null,
                        VmTraits.USUAL,
                        null);
        definitions.put(
                vmId(n),
                new Definition(vmStatic(n, highlyAvailable, false), specification, 0, null, null));
        return this;
    }

    static VmStatic vmStatic(int n, boolean highlyAvailable, boolean leased) {
        return vmStatic(n, highlyAvailable, leased, ClusterId.DEFAULT, List.of());
    }

    static VmStatic vmStatic(
            int n, boolean highlyAvailable, boolean leased, ClusterId cluster, List<VmNic> nics) {
        return new VmStatic(
                "vm" + n,
                VmOrigin.OVIRT,
                highlyAvailable,
                1024,
                512,
                1,
                1,
                1,
                nics,
                leased,
                cluster);
    }

    /**
     * A VM that is up on a host, in the database and in truth. If it is to have a lease, the engine
     * started it with it.
     */
    CommandLab up(int n, int host) {
        StoredVm stored = upWithoutLease(n, host);
        if (stored.definition().leased()) {
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
        return this;
    }

    /** A VM that is up on a host; its definition stays as stored. */
    StoredVm upWithoutLease(int n, int host) {
        StoredVm stored = Objects.requireNonNull(vms.vm(vmId(n)));
        vms.put(
                new StoredVm(
                        vmId(n),
                        stored.definition(),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                        VmPlacement.on(hostId(host)).withRun(stored.placement().run().next())));
        centre.host(hostId(host)).put(vmId(n));
        return stored;
    }

    /** Starts a life of the engine. */
    CommandLab start() {
        MonitoringEngine engine =
                new MonitoringEngine(
                        monitoring,
                        centre,
                        new Stores(
                                hosts,
                                vms,
                                devices,
                                externalData,
                                audit,
                                new InMemoryJobStore(_ -> null),
                                new InMemoryLunStore(),
                                new InMemoryNumaStore(),
                                statistics,
                                clusters,
                                history),
                        clock,
                        new SimpleMeterRegistry());
        if (softFence != null) {
            engine.softFenceBy(softFence.get());
        }
        stepped = new SteppedEngine(engine);
        commands =
                new CommandEngine(
                        settings,
                        engine,
                        faults.before(OperationStore.class, operations),
                        new Definitions(definitions),
                        factory.apply(this),
                        clock,
                        this::nextId,
                        new SimpleMeterRegistry());
        try {
            stepped.start();
            alive = true;
        } catch (StoreUnavailable _) {
            alive = false; // it can be started again once the database is back
            return this;
        }
        commands.startWithoutThreads();
        return this;
    }

    private UUID nextId() {
        RuntimeException failure = noIds;
        if (failure != null && idsLeft-- <= 0) {
            throw failure;
        }
        return new UUID(0x3000, ++nextId);
    }

    /** From now on nothing gets an identity, for this reason; null ends it. */
    void failIds(@Nullable RuntimeException failure) {
        failIds(0, failure);
    }

    /** The same after so many more identities. */
    void failIds(int after, @Nullable RuntimeException failure) {
        idsLeft = after;
        noIds = failure;
    }

    /** Whether the engine's last start succeeded. */
    boolean isAlive() {
        return alive;
    }

    /** Whether a command holds a VM. */
    boolean isHeld(int n) {
        return Boolean.TRUE.equals(
                engine().commandAccess().decide(vmId(n), manager -> manager.isHeld()));
    }

    /** Starts, and lets every host come up. */
    CommandLab settled() {
        start();
        seconds(5);
        return this;
    }

    /** The engine ends as by a power failure, and begins anew. */
    CommandLab crash() {
        stepped.abandon();
        centre.hosts().forEach(ModelHost::forgetConnection);
        return start();
    }

    MonitoringEngine engine() {
        return stepped.engine();
    }

    ModelHost host(int n) {
        return centre.host(hostId(n));
    }

    VmView vm(int n) {
        return Objects.requireNonNull(engine().fleet().vm(vmId(n)));
    }

    VmStatus status(int n) {
        return vm(n).state().runtime().status();
    }

    /** Does everything that can be done without time passing. */
    void pump() {
        boolean any;
        do {
            any = centre.step();
            if (alive) {
                any |= stepped.pump();
                any |= commands.pump();
            }
        } while (any);
    }

    /** Monitoring does everything that can be done without time passing; commands do nothing. */
    void pumpMonitoring() {
        while (stepped.pump()) {
            // until nothing is left to do
        }
    }

    /** Does one thing that can be done without time passing; whether there was anything. */
    boolean stepOnce() {
        for (ModelHost host : centre.hosts()) {
            if (host.step()) {
                return true;
            }
        }
        return commands.stepOnce() || stepped.pump();
    }

    /** Whether an operation is stored as it is in memory. */
    boolean isDurable(Operation operation) {
        return operations.all().contains(operation);
    }

    /** Time passes, a second at a time. */
    void seconds(int seconds) {
        pump();
        for (int i = 0; i < seconds; i++) {
            centre.advance(Duration.ofSeconds(1), this::pump);
        }
    }

    /** Asks for something, and lets it begin. */
    Answer ask(int vm, OperationKind kind, OperationParameters parameters) {
        CompletableFuture<Answer> answer =
                commands.submit(List.of(new OperationRequest(vmId(vm), kind, parameters)), TESTER)
                        .getFirst();
        pump();
        return answer.join();
    }

    /** Asks for something that is accepted. */
    UUID accepted(int vm, OperationKind kind, OperationParameters parameters) {
        Answer answer = ask(vm, kind, parameters);
        if (answer instanceof Answer.Accepted(Operation operation)) {
            return operation.id();
        }
        throw new AssertionError("not accepted: " + answer);
    }

    UUID accepted(int vm, OperationKind kind) {
        return accepted(vm, kind, usual(kind));
    }

    static OperationParameters usual(OperationKind kind) {
        return switch (kind) {
            case RUN -> OperationParameters.Run.DEFAULT;
            case SHUTDOWN -> OperationParameters.Shutdown.DEFAULT;
            case REBOOT -> new OperationParameters.Reboot(false);
            case MIGRATE -> OperationParameters.Migrate.DEFAULT;
            default -> OperationParameters.NONE;
        };
    }

    Operation operation(UUID id) {
        return Objects.requireNonNull(commands.operation(id), "no operation " + id);
    }

    /** Open operations in memory. */
    List<VmTask> open() {
        return new ArrayList<>(commands.context().registry().open());
    }

    /** What the events of this name say that the askers of their operations call them. */
    List<@Nullable String> correlations(String event) {
        return audit.all().stream()
                .filter(entry -> entry.event().name().equals(event))
                .<@Nullable String>map(entry -> entry.details().get(AuditEntry.CORRELATION))
                .toList();
    }

    /** Names of audit events so far, in order. */
    List<String> events() {
        return audit.all().stream().map(entry -> entry.event().name()).toList();
    }
}
