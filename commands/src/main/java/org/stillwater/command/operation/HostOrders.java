package org.stillwater.command.operation;

import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.definition.FoundVms;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.command.CdDrive;
import org.stillwater.core.command.DomainXmlWriter;
import org.stillwater.core.command.StartEnvironment;
import org.stillwater.core.command.VmVerb;
import org.stillwater.core.connection.ConsoleConnection;
import org.stillwater.core.connection.MigrationParameters;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.SavedMemory;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.monitoring.feed.HostState;

/** Translates an operation's request to a host into an order. Thread-safe. */
final class HostOrders {

    private final CommandSettings settings;
    private final FleetReader fleet;
    private final VmCommandAccess vmAccess;
    private final EngineClock clock;
    private final Function<String, Definition> parser;
    private final Map<UUID, String> passwords = new ConcurrentHashMap<>();

    HostOrders(
            CommandSettings settings,
            FleetReader fleet,
            VmCommandAccess vmAccess,
            EngineClock clock,
            Function<String, Definition> parser) {
        this.settings = settings;
        this.fleet = fleet;
        this.vmAccess = vmAccess;
        this.clock = clock;
        this.parser = parser;
    }

    /** The password of the ticket that an operation is to set; nowhere but here. */
    void password(UUID operation, String password) {
        passwords.put(operation, password);
    }

    /** An operation has ended, or will not be. */
    void forget(UUID operation) {
        passwords.remove(operation);
    }

    /**
     * The order to the host.
     *
     * @param volumes where memory is to be saved; null for other orders
     * @param lease the lease that a process which is started is to hold; null for none
     * @throws IllegalArgumentException if the definition makes no domain; the message gives the
     *     reason
     * @throws IllegalStateException if data is missing that only the caller can provide; the
     *     message names it
     */
    VmOrder order(
            Operation operation,
            @Nullable Definition definition,
            HostId host,
            VmVerb verb,
            @Nullable String volumes,
            @Nullable VmLease lease) {
        VmId vm = Objects.requireNonNull(operation.vm());
        return switch (verb) {
            case CREATE -> create(operation, vm, definition, null, lease);
            case RESTORE ->
                    create(
                            operation,
                            vm,
                            definition,
                            fleet.isOfPool(vm) ? null : saved(definition),
                            lease);
            case DESTROY -> new VmOrder.Destroy(vm, settings.gracefulAttempts());
            case SHUTDOWN -> shutdown(operation, vm, false);
            case REBOOT -> shutdown(operation, vm, true);
            case RESET -> new VmOrder.Reset(vm);
            case PAUSE -> new VmOrder.Pause(vm);
            case CONTINUE -> new VmOrder.Resume(vm);
            case HIBERNATE -> {
                if (volumes == null && !fleet.isOfPool(vm)) {
                    throw new IllegalStateException("no volumes were created for its memory");
                }
                yield new VmOrder.Hibernate(vm, volumes == null ? "" : volumes);
            }
            case MIGRATE -> migrate(operation, vm, host);
            case CANCEL_MIGRATION -> new VmOrder.CancelMigration(vm);
            case SET_TICKET -> ticket(operation, vm, host);
            case CHANGE_CD -> changeCd(operation, vm, definition);
            case PLUG -> plug(operation, vm, definition, true);
            case UNPLUG -> plug(operation, vm, definition, false);
        };
    }

    private static String saved(@Nullable Definition definition) {
        String saved = definition == null ? null : definition.savedMemory();
        if (saved == null) {
            throw new IllegalStateException("it is not known where its memory was saved");
        }
        return saved;
    }

    /**
     * The definition with which an operation starts its VM: that for one run, or the one that is
     * stored.
     *
     * @throws IllegalArgumentException if the one for this run cannot be read
     */
    @Nullable Definition inForce(Operation operation, @Nullable Definition stored) {
        return operation.parameters() instanceof OperationParameters.Run once
                        && once.definition() != null
                ? parser.apply(once.definition())
                : stored;
    }

    private VmOrder create(
            Operation operation,
            VmId vm,
            @Nullable Definition stored,
            @Nullable String volumes,
            @Nullable VmLease lease) {
        Definition definition = present(stored == null ? null : inForce(operation, stored));
        String lack = fleet.isOfPool(vm) || stored == null ? null : FoundVms.refusal(stored);
        if (lack != null) {
            throw new IllegalArgumentException(lack);
        }
        VmSpecification specification = specification(definition);
        boolean paused =
                operation.parameters() instanceof OperationParameters.Run run && run.paused();
        String xml =
                DomainXmlWriter.write(
                        vm,
                        definition.definition(),
                        specification,
                        surroundings(definition).starting(paused, false).holding(lease));
        if (volumes == null) {
            return new VmOrder.Create(vm, xml, null, null, paused, null, null);
        }
        SavedMemory saved;
        try {
            saved = SavedMemory.parse(volumes);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException("it is not understood where its memory was saved", e);
        }
        return new VmOrder.Create(
                vm, xml, saved.memory(), saved.configuration(), false, null, null);
    }

    private static Definition present(@Nullable Definition stored) {
        if (stored == null) {
            throw new IllegalStateException("the VM is not in the database any more");
        }
        return stored;
    }

    private static VmSpecification specification(Definition definition) {
        VmSpecification specification = definition.specification();
        return specification == null ? VmSpecification.BARE : specification;
    }

    private StartEnvironment surroundings(Definition definition) {
        Cluster cluster = fleet.cluster(definition.definition().cluster());
        return StartEnvironment.of(cluster == null ? Cluster.DEFAULT : cluster, clock.now());
    }

    private VmOrder changeCd(Operation operation, VmId vm, @Nullable Definition stored) {
        if (!(operation.parameters() instanceof OperationParameters.Cd(String image))) {
            throw new IllegalStateException("no CD is named");
        }
        Definition definition = present(stored);
        CdDrive drive = CdDrive.of(specification(definition), surroundings(definition));
        return new VmOrder.ChangeCd(vm, drive.bus(), drive.index(), image == null ? "" : image);
    }

    private VmOrder plug(Operation operation, VmId vm, @Nullable Definition stored, boolean in) {
        if (!(operation.parameters() instanceof OperationParameters.Device device)) {
            throw new IllegalStateException("no device is named");
        }
        Definition definition = present(stored);
        return new VmOrder.Plug(
                vm,
                device.type(),
                in,
                DomainXmlWriter.hotplug(
                        vm,
                        specification(definition),
                        surroundings(definition),
                        device.type(),
                        device.device(),
                        in));
    }

    private static VmOrder shutdown(Operation operation, VmId vm, boolean reboot) {
        OperationParameters.Shutdown asked =
                operation.parameters() instanceof OperationParameters.Shutdown shutdown
                        ? shutdown
                        : OperationParameters.Shutdown.DEFAULT;
        return new VmOrder.Shutdown(vm, asked.delaySeconds(), asked.message(), reboot, null, false);
    }

    private VmOrder migrate(Operation operation, VmId vm, HostId source) {
        HostDefinition from = definition(source);
        HostDefinition to = definition(Objects.requireNonNull(operation.target()));
        return new VmOrder.Migrate(
                vm,
                from.address(),
                to.address() + ":" + to.port(),
                MigrationParameters.DEFAULT.atOnce(
                        settings.migrationsPerHost(), settings.migrationsPerHost()));
    }

    private HostDefinition definition(HostId id) {
        HostState host = vmAccess.host(id);
        if (host == null) {
            throw new IllegalStateException("there is no host " + id + " any more");
        }
        return host.definition();
    }

    /**
     * Hosts in FIPS mode know users of VNC by name; the others remove such a user, and some
     * versions refuse a ticket for VNC without the name.
     */
    private VmOrder ticket(Operation operation, VmId vm, HostId host) {
        String password = passwords.get(operation.id());
        if (password == null) {
            throw new IllegalStateException("its password is not kept; ask again");
        }
        OperationParameters.Console console = (OperationParameters.Console) operation.parameters();
        return new VmOrder.SetTicket(
                vm,
                console.protocol(),
                password,
                console.seconds(),
                ConsoleConnection.DISCONNECT,
                Map.of(
                        "userName",
                        console.user(),
                        "vncUsername",
                        "vnc-" + vm,
                        "fips",
                        Boolean.toString(isInFipsMode(host))));
    }

    private boolean isInFipsMode(HostId id) {
        HostState host = vmAccess.host(id);
        HostCapabilities capabilities = host == null ? null : host.capabilities();
        return capabilities != null && Boolean.TRUE.equals(capabilities.security().fips());
    }
}
