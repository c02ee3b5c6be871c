package org.stillwater.testkit.hypervisor;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.ExternalDataAnswer;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.HostStorage;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.StorageTask;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.definition.MemoryVolume;
import org.stillwater.core.definition.SavedMemory;
import org.stillwater.core.definition.VmLease;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.ScriptedReports;
import org.stillwater.testkit.simulation.LyingHost;

/**
 * One host that runs VMs as ordered (protocol specification §3, §4). Its answers and events wait
 * until the data centre is stepped. Used on the test's thread.
 *
 * <p>It is long because it answers every verb of the port to hosts, and all answers speak of the
 * same processes.
 */
public final class ModelHost {

    private static final int NO_SUCH_VM = 1;
    private static final int EXISTS = 4;
    private static final int MIGRATION_UNDER_WAY = 51;
    private static final int NO_EXTERNAL_DATA = 89;

    /** How long a source takes to find that a destination does not take the VM. */
    private static final Duration CONNECT_FAILS = Duration.ofSeconds(1);

    /**
     * How long a source waits when a destination takes no more ({@code migration_retry_timeout}).
     */
    private static final Duration MIGRATION_RETRY = Duration.ofSeconds(10);

    private final ModelDataCentre centre;
    private final HostDefinition definition;
    private final Map<VmId, ModelProcess> processes = new TreeMap<>();
    private final Deque<Runnable> outbox = new ArrayDeque<>();
    private final List<VmOrder> orders = new ArrayList<>();
    private final Deque<Departing> departing = new ArrayDeque<>();
    private int foreignDepartures;
    private @Nullable Connection connection;
    private boolean alive = true;
    private boolean reachable = true;
    private boolean stuck;
    private final Deque<Runnable> held = new ArrayDeque<>();
    private long cpus = 64;
    private List<String> machines = List.of();
    private String flags = "";
    private long mebibytes = 1 << 20;
    private boolean kvm = true;
    private int kdump;
    private int bootNumber;
    private long stamp;
    private @Nullable LyingHost liar;

    /** A migration that waits until fewer are under way. */
    private record Departing(ModelProcess process, VmOrder.Migrate order) {}

    ModelHost(ModelDataCentre centre, HostDefinition definition) {
        this.centre = centre;
        this.definition = definition;
    }

    /** The host. */
    public HostId id() {
        return definition.id();
    }

    /** Its definition. */
    public HostDefinition definition() {
        return definition;
    }

    /** How much there is of it, for hosts that are to be full soon. */
    public ModelHost of(int newCpus, long newMebibytes) {
        cpus = newCpus;
        mebibytes = newMebibytes;
        return this;
    }

    /**
     * Sets the machines that it emulates and the flags of its processors; without this call it
     * reports neither.
     */
    public ModelHost emulating(List<String> newMachines, String newFlags) {
        machines = List.copyOf(newMachines);
        flags = newFlags;
        return this;
    }

    /** Sets the status of kdump that it reports: 1 enabled, 0 disabled, −1 unknown. */
    public ModelHost kdumpIs(int status) {
        kdump = status;
        return this;
    }

    /** Its processors can no longer run VMs, as its next answer reports. */
    public void loseKvm() {
        kvm = false;
    }

    /** Its processors can run VMs again, as its next answer reports. */
    public void regainKvm() {
        kvm = true;
    }

    /** Every order that arrived, in order. */
    public List<VmOrder> orders() {
        return List.copyOf(orders);
    }

    /** The orders of one kind that arrived, in order. */
    public <T extends VmOrder> List<T> orders(Class<T> kind) {
        return orders.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** Whether a process of the VM is here, on either side of a migration. */
    public boolean runs(VmId vm) {
        ModelProcess process = processes.get(vm);
        return process != null && !process.isOver();
    }

    /** The VM's status here; null if it is not known here. */
    public @Nullable VmStatus status(VmId vm) {
        ModelProcess process = processes.get(vm);
        return process == null ? null : process.status;
    }

    /** VMs that have a process here. */
    public List<VmId> running() {
        return processes.values().stream()
                .filter(process -> !process.isOver())
                .map(process -> process.vm)
                .toList();
    }

    /** A VM on this host waits for launch from now on, as its next answer reports. */
    public void stuckInLaunch(VmId vm) {
        ModelProcess process = processes.get(vm);
        if (process != null) {
            process.plan++;
            process.status = VmStatus.WAIT_FOR_LAUNCH;
        }
    }

    /** A VM that waits for launch is launched after all. */
    public void launch(VmId vm) {
        ModelProcess process = processes.get(vm);
        if (process != null) {
            launched(process, false);
        }
    }

    /** So many migrations leave it that no engine knows of. */
    public void occupied(int departures) {
        foreignDepartures = departures;
        departNext();
    }

    /** From now on it lies when this liar does. */
    public void liesAs(LyingHost newLiar) {
        liar = newLiar;
    }

    /**
     * Sends an unrequested lie, ahead of all waiting messages.
     *
     * @return the lie; null if the host cannot report
     */
    public @Nullable Lie lie() {
        LyingHost lying = liar;
        Connection open = connection;
        if (lying == null || open == null || open.closed || !isReachable()) {
            return null;
        }
        VmId vm = lying.victim(List.copyOf(processes.keySet()));
        if (lying.speaksOfProgress()) {
            LyingHost.Progress progress = lying.progress();
            open.listener.migrationProgressed(vm, progress.percent(), progress.downtimeMillis());
            return new Lie(vm, "its migration is at " + progress, true);
        }
        LyingHost.Word word = lying.invent(vm);
        long at = lying.stamp(nextStamp());
        ScriptedReports reports = ScriptedReports.event(centre.clock().nanoTime());
        lying.say(reports, vm, word, at);
        open.listener.vmsChanged(reports);
        return new Lie(vm, "it is " + word + ", stamp " + at, false);
    }

    /**
     * Something that is not so.
     *
     * @param vm the VM
     * @param what the claim about it
     * @param isOfMigration whether it is about how far a migration is
     */
    public record Lie(VmId vm, String what, boolean isOfMigration) {}

    /** Whether it is lying now. */
    private boolean isLying() {
        return liar != null && liar.isLying();
    }

    /** Which process of the VM is here, one after the other has another number; 0 for none. */
    public long process(VmId vm) {
        ModelProcess process = processes.get(vm);
        return process == null || process.isOver() ? 0 : process.number;
    }

    /** Adds a VM that is up, without a message. */
    public void put(VmId vm) {
        processes.put(vm, new ModelProcess(centre.nextProcess(), vm, VmStatus.UP));
    }

    /** A client opens the console of a VM that runs here, or closes it: an empty address. */
    public void console(VmId vm, String client) {
        Objects.requireNonNull(processes.get(vm)).client = client;
    }

    /** Adds a VM that is up, with a process that holds its lease, without a message. */
    public void putLeased(VmId vm) {
        ModelProcess process = new ModelProcess(centre.nextProcess(), vm, VmStatus.UP);
        process.lease = ModelStorage.DOMAIN;
        processes.put(vm, process);
    }

    /** Whether a process here holds the VM's lease. */
    boolean holds(VmId vm) {
        ModelProcess process = processes.get(vm);
        return process != null && !process.isOver() && process.lease != null;
    }

    /** Whether the machine is on. */
    public boolean isAlive() {
        return alive;
    }

    /** Whether the engine can reach it. */
    public boolean isReachable() {
        return alive && reachable;
    }

    /** The power fails, or is switched off: all processes are gone. */
    public void powerOff() {
        alive = false;
        for (ModelProcess process : List.copyOf(processes.values())) {
            ModelHost destination = process.migratingTo;
            if (destination != null) {
                destination.arrivesNoMore(process.vm);
            }
        }
        processes.clear();
        departing.clear();
        lose("the host is off");
    }

    private void arrivesNoMore(VmId vm) {
        ModelProcess arriving = processes.get(vm);
        if (arriving != null && arriving.status == VmStatus.MIGRATING_TO) {
            exit(arriving, ExitStatus.ERROR, ExitReason.MIGRATION_FAILED, "VM failed to migrate");
        }
    }

    /** The power is back. */
    public void powerOn() {
        if (!alive) {
            alive = true;
            bootNumber++;
            stamp = 0;
            reconnect();
        }
    }

    /** The network between engine and host fails; its VMs run on. */
    public void cutOff() {
        reachable = false;
        lose("no route");
    }

    /** The network is back. */
    public void heal() {
        reachable = true;
        reconnect();
    }

    /**
     * Its agent hangs: the connection stands, no call is answered and none is carried out; its VMs
     * run on.
     */
    public void hang() {
        stuck = true;
    }

    /** Its agent continues, with the calls that came meanwhile. */
    public void goOn() {
        stuck = false;
        List<Runnable> calls = List.copyOf(held);
        held.clear();
        calls.forEach(Runnable::run);
    }

    /** The connected engine has ended without a message. */
    public void forgetConnection() {
        outbox.clear();
        held.clear();
        connection = null;
    }

    private void lose(String reason) {
        outbox.clear();
        held.clear();
        Connection open = connection;
        if (open != null) {
            open.lose(new HostFailure.Unreachable(reason));
        }
    }

    private void reconnect() {
        Connection open = connection;
        if (open != null && isReachable()) {
            outbox.add(open.listener::connected);
        }
    }

    HostConnection open(HostListener listener) {
        Connection opened = new Connection(listener);
        connection = opened;
        if (isReachable()) {
            outbox.add(listener::connected);
        } else {
            outbox.add(() -> listener.disconnected(new HostFailure.Unreachable("nobody answers")));
        }
        return opened;
    }

    /** Sends one waiting message; returns whether there was one. */
    public boolean step() {
        Runnable next = stuck ? null : outbox.poll();
        if (next == null) {
            return false;
        }
        next.run();
        return true;
    }

    /** A process ends by itself. */
    public void crash(VmId vm, String message) {
        ModelProcess process = processes.get(vm);
        if (process != null) {
            exit(process, ExitStatus.ERROR, ExitReason.GENERIC_ERROR, message);
        }
    }

    /** A process disappears without a trace. */
    public void vanish(VmId vm) {
        ModelProcess process = processes.remove(vm);
        if (process != null && process.migratingTo != null) {
            process.migratingTo.arrivesNoMore(vm);
            process.migratingTo = null;
            departNext();
        }
    }

    /** Reports a migration's progress, with or without a migration. */
    public void sayProgress(VmId vm, int percent) {
        Connection open = connection;
        if (open != null) {
            send(() -> open.listener.migrationProgressed(vm, percent, null));
        }
    }

    /** The host failed to carry an order out that it had accepted. */
    public void failLater(VmOrder order, HostFailure failure) {
        Connection open = connection;
        if (open != null) {
            send(() -> open.listener.orderFailed(order, failure));
        }
    }

    /** A guest shuts down by itself. */
    public void guestShutsDown(VmId vm) {
        ModelProcess process = processes.get(vm);
        if (process != null) {
            exit(process, ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN, "shut down by its user");
        }
    }

    // ------------------------------------------------------------------------------- behaviour

    private @Nullable HostFailure carryOut(VmOrder order) {
        ModelProcess process = processes.get(order.vmId());
        if (order instanceof VmOrder.Create create) {
            return create(create);
        }
        if (order instanceof VmOrder.Destroy && process != null) {
            destroy(process);
            return null;
        }
        if (process == null) {
            return new HostFailure.Refused(NO_SUCH_VM, "no such VM");
        }
        if (process.isOver()) {
            return order instanceof VmOrder.CancelMigration
                    ? notInProgress()
                    : new HostFailure.Refused(NO_SUCH_VM, "no such VM");
        }
        return switch (order) {
            case VmOrder.Shutdown shutdown -> shutdown(process, shutdown.reboot());
            case VmOrder.Pause _ -> {
                process.pause = PauseStatus.NOERR;
                becomes(process, VmStatus.PAUSED);
                yield null;
            }
            case VmOrder.Resume _ -> {
                process.pause = PauseStatus.NONE;
                becomes(process, VmStatus.UP);
                yield null;
            }
            case VmOrder.Hibernate hibernate -> hibernate(process, hibernate);
            case VmOrder.Migrate migrate -> migrate(process, migrate);
            case VmOrder.CancelMigration _ -> cancelMigration(process);
            case VmOrder.Reset _, VmOrder.SetTicket _, VmOrder.ChangeCd _, VmOrder.Plug _ -> null;
            case VmOrder.Create _, VmOrder.Destroy _ -> null; // handled above
        };
    }

    /**
     * A host accepts the order with any volumes. Without one for the memory the VM continues;
     * without the other one it always keeps its status.
     */
    private @Nullable HostFailure hibernate(ModelProcess process, VmOrder.Hibernate hibernate) {
        SavedMemory volumes = SavedMemory.parse(hibernate.volumeHandle());
        if (process.departure.isUnderWay() || process.status == VmStatus.SAVING_STATE) {
            return new HostFailure.Refused(
                    MIGRATION_UNDER_WAY, "Operation is not allowed while the VM is migrating");
        }
        VmStatus before = process.status;
        process.status = VmStatus.SAVING_STATE;
        if (!centre.storage().holds(volumes.memory())) {
            later(
                    process,
                    centre.times().suspend(),
                    () -> {
                        process.status = before;
                        event(process);
                    });
        } else if (centre.storage().holds(volumes.configuration())) {
            later(
                    process,
                    centre.times().suspend(),
                    () -> {
                        centre.storage().write(volumes.memory(), process.vm);
                        exit(
                                process,
                                ExitStatus.NORMAL,
                                ExitReason.SAVE_STATE_SUCCEEDED,
                                "SaveState succeeded");
                    });
        }
        return null;
    }

    /** A process that is ended so is reported as down, and the host keeps no remains of it. */
    private void destroy(ModelProcess process) {
        ModelHost destination = process.migratingTo;
        if (!process.isOver()) {
            exit(
                    process,
                    ExitStatus.NORMAL,
                    ExitReason.ADMIN_SHUTDOWN,
                    "Admin shut down from the engine");
        }
        if (destination != null) {
            destination.processes.remove(process.vm);
        }
        process.plan++;
        processes.remove(process.vm);
    }

    private @Nullable HostFailure create(VmOrder.Create create) {
        if (processes.containsKey(create.vmId())) {
            return new HostFailure.Refused(EXISTS, "it exists");
        }
        ModelProcess process =
                new ModelProcess(
                        centre.nextProcess(),
                        create.vmId(),
                        create.dump() == null
                                ? VmStatus.WAIT_FOR_LAUNCH
                                : VmStatus.RESTORING_STATE);
        MemoryVolume dump = create.dump();
        MemoryVolume conf = create.conf();
        process.wakes = dump != null;
        process.failsToStart =
                centre.failsToStart(this, create.vmId())
                        || (dump != null
                                && (conf == null
                                        || !centre.storage().holdsMemory(dump, create.vmId())
                                        || !centre.storage().holds(conf)));
        processes.put(create.vmId(), process);
        boolean leased = create.xml().contains("<lease>");
        if (!leased) {
            centre.created(this, create.vmId());
        } else if (centre.storage().givesLease(this, create.vmId(), create.xml())) {
            process.lease = ModelStorage.DOMAIN;
            centre.created(this, create.vmId());
        } else {
            process.failsToStart = true; // storage lets no process begin
        }
        if (!centre.neverLaunches(this, create.vmId())) {
            later(process, centre.times().launch(), () -> launched(process, create.paused()));
        }
        return null;
    }

    private void launched(ModelProcess process, boolean paused) {
        if (process.failsToStart) {
            exit(
                    process,
                    ExitStatus.ERROR,
                    ExitReason.LIBVIRT_START_FAILED,
                    process.wakes
                            ? "Wake up from hibernation failed:Bad volume specification"
                            : "failed to start libvirt vm");
            return;
        }
        if (paused) {
            process.status = VmStatus.PAUSED;
            process.pause = PauseStatus.NOERR;
            event(process);
            return;
        }
        if (process.status == VmStatus.RESTORING_STATE) {
            process.status = VmStatus.UP;
            event(process);
            return;
        }
        process.status = VmStatus.POWERING_UP;
        event(process);
        later(process, centre.times().boot(), () -> booted(process));
    }

    /** A guest boots on while its VM migrates. */
    private void booted(ModelProcess process) {
        VmStatus status =
                process.status == VmStatus.MIGRATING_FROM
                        ? process.beforeMigration
                        : process.status;
        if (status == VmStatus.POWERING_UP || status == VmStatus.REBOOT_IN_PROGRESS) {
            becomes(process, VmStatus.UP);
        }
    }

    /**
     * Applies the guest's change of status: while its VM migrates, the host reports only the
     * migration.
     */
    private void becomes(ModelProcess process, VmStatus status) {
        if (process.status == VmStatus.MIGRATING_FROM) {
            process.beforeMigration = status;
        } else {
            process.status = status;
            event(process);
        }
    }

    private @Nullable HostFailure shutdown(ModelProcess process, boolean reboot) {
        if (centre.ignoresShutdown(process.vm)) {
            return null;
        }
        if (process.status == VmStatus.MIGRATING_FROM) {
            process.beforeMigration = VmStatus.POWERING_DOWN;
        } else {
            process.status = VmStatus.POWERING_DOWN;
        }
        later(
                process,
                centre.times().shutdown(),
                () -> {
                    if (reboot) {
                        becomes(process, VmStatus.REBOOT_IN_PROGRESS);
                        later(process, centre.times().boot(), () -> booted(process));
                    } else {
                        guestEnds(process);
                    }
                });
        return null;
    }

    private long count(VmStatus status) {
        return processes.values().stream().filter(process -> process.status == status).count();
    }

    /**
     * A host accepts a migration at once, and reports the VM as migrating from then on: also while
     * it waits, and if it cannot begin at all.
     */
    private @Nullable HostFailure migrate(ModelProcess process, VmOrder.Migrate migrate) {
        if (process.status == VmStatus.MIGRATING_TO) {
            return new HostFailure.Refused(RefusalCode.UNEXPECTED, "it arrives here as yet");
        }
        if (process.departure.isUnderWay() || process.status == VmStatus.SAVING_STATE) {
            return new HostFailure.Refused(
                    MIGRATION_UNDER_WAY, "Operation is not allowed while the VM is migrating");
        }
        if (process.status == VmStatus.WAIT_FOR_LAUNCH) {
            return new HostFailure.Refused(NO_SUCH_VM, "no such VM");
        }
        process.beforeMigration = process.status;
        process.status = VmStatus.MIGRATING_FROM;
        process.departure = ModelProcess.Departure.WAITS;
        event(process);
        departing.add(new Departing(process, migrate));
        departNext();
        return null;
    }

    /** Migrations that wait begin while fewer than allowed are under way, the first first. */
    private void departNext() {
        while (!departing.isEmpty() && mayDepart(departing.peekFirst().order())) {
            Departing next = departing.removeFirst();
            if (isHere(next.process())) {
                depart(next.process(), next.order());
            }
        }
    }

    private boolean mayDepart(VmOrder.Migrate order) {
        long moving =
                processes.values().stream().filter(process -> process.migratingTo != null).count();
        return moving + foreignDepartures < order.parameters().outgoingLimit();
    }

    private boolean isHere(ModelProcess process) {
        return alive
                && processes.get(process.vm) == process
                && process.status == VmStatus.MIGRATING_FROM
                && process.departure.isUnderWay();
    }

    private void depart(ModelProcess process, VmOrder.Migrate migrate) {
        ModelHost destination = centre.byAddress(migrate.destination());
        if (process.departure == ModelProcess.Departure.CALLED_OFF) {
            stays(process, ModelProcess.Departure.NEVER_BEGUN);
            return;
        }
        if (destination == null
                || !destination.alive
                || destination.processes.containsKey(process.vm)) {
            later(
                    process,
                    CONNECT_FAILS,
                    () -> {
                        if (isHere(process)) {
                            stays(process, ModelProcess.Departure.NEVER_BEGUN);
                        }
                    });
            return;
        }
        if (destination.count(VmStatus.MIGRATING_TO) >= migrate.parameters().incomingLimit()) {
            later(
                    process,
                    MIGRATION_RETRY,
                    () -> {
                        departing.add(new Departing(process, migrate));
                        departNext();
                    });
            return;
        }
        process.migratingTo = destination;
        process.departure = ModelProcess.Departure.MOVES;
        ModelProcess arriving =
                new ModelProcess(centre.nextProcess(), process.vm, VmStatus.MIGRATING_TO);
        arriving.lease = process.lease;
        destination.processes.put(process.vm, arriving);
        later(
                process,
                centre.times().migration().dividedBy(2),
                () -> {
                    Connection open = connection;
                    if (open != null && process.migratingTo == destination) {
                        send(() -> open.listener.migrationProgressed(process.vm, 50, null));
                    }
                });
        later(process, centre.times().migration(), () -> arrives(process, destination));
    }

    private void arrives(ModelProcess process, ModelHost destination) {
        if (process.migratingTo != destination) {
            return; // it was cancelled
        }
        if (!destination.alive || centre.failsToMigrate(destination, process.vm)) {
            breaksOff(process);
            return;
        }
        ModelProcess arrived = destination.processes.get(process.vm);
        if (arrived != null) {
            arrived.status = process.beforeMigration;
            arrived.pause = process.pause;
            destination.event(arrived);
            destination.bootsOn(arrived);
        }
        process.migratingTo = null;
        exit(process, ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED, "Migration succeeded");
        departNext();
    }

    /** The source removes the arrived process. */
    private void breaksOff(ModelProcess process) {
        ModelHost destination = process.migratingTo;
        process.migratingTo = null;
        if (destination != null) {
            destination.arrivesNoMore(process.vm);
            destination.processes.remove(process.vm);
        }
        stays(process, ModelProcess.Departure.BROKEN_OFF);
        departNext();
    }

    private void stays(ModelProcess process, ModelProcess.Departure how) {
        process.departure = how;
        process.status = process.beforeMigration;
        process.plan++;
        event(process);
        bootsOn(process);
    }

    /** The guest continues where its VM is now. */
    private void bootsOn(ModelProcess process) {
        if (process.status == VmStatus.POWERING_UP
                || process.status == VmStatus.REBOOT_IN_PROGRESS) {
            later(process, centre.times().boot(), () -> booted(process));
        } else if (process.status == VmStatus.POWERING_DOWN) {
            later(process, centre.times().shutdown(), () -> guestEnds(process));
        }
    }

    private void guestEnds(ModelProcess process) {
        exit(process, ExitStatus.NORMAL, ExitReason.ADMIN_SHUTDOWN, "shut down from the engine");
    }

    private @Nullable HostFailure cancelMigration(ModelProcess process) {
        return switch (process.departure) {
            case NONE -> null;
            case WAITS, CALLED_OFF -> {
                process.departure = ModelProcess.Departure.CALLED_OFF;
                yield null;
            }
            case MOVES -> {
                breaksOff(process);
                yield null;
            }
            case NEVER_BEGUN ->
                    new HostFailure.Refused(
                            RefusalCode.MIGRATION_FAILED, "Migration process cancelled");
            case BROKEN_OFF -> notInProgress();
        };
    }

    private static HostFailure notInProgress() {
        return new HostFailure.Refused(
                RefusalCode.MIGRATION_NOT_IN_PROGRESS, "Migration not in progress");
    }

    private void later(ModelProcess process, Duration after, Runnable action) {
        int plan = process.plan;
        centre.after(
                after,
                () -> {
                    if (alive && processes.get(process.vm) == process && process.plan == plan) {
                        action.run();
                    }
                });
    }

    private void exit(ModelProcess process, ExitStatus status, ExitReason reason, String message) {
        ModelHost destination = process.migratingTo;
        if (destination != null) {
            process.migratingTo = null;
            destination.arrivesNoMore(process.vm);
            departNext();
        }
        process.plan++;
        process.status = VmStatus.DOWN;
        process.exitStatus = status;
        process.exitReason = reason;
        process.exitMessage = message;
        event(process);
    }

    private long nextStamp() {
        return ++stamp;
    }

    private void event(ModelProcess process) {
        Connection open = connection;
        if (open == null || !isReachable()) {
            return;
        }
        LyingHost lying = liar;
        long at = lying != null && isLying() ? lying.stamp(nextStamp()) : nextStamp();
        VmStatus status = process.status;
        PauseStatus pause = process.pause;
        ExitStatus exitStatus = process.exitStatus;
        ExitReason exitReason = process.exitReason;
        String message = process.exitMessage;
        send(() -> {
            ScriptedReports reports = ScriptedReports.event(centre.clock().nanoTime());
            if (status == VmStatus.DOWN) {
                reports.exited(process.vm, at, exitStatus, exitReason, message);
            } else {
                reports.running(
                        process.vm,
                        at,
                        draft -> {
                            draft.set(RuntimeField.STATUS, status);
                            draft.set(RuntimeField.PAUSE_STATUS, pause);
                        });
            }
            open.listener.vmsChanged(reports);
        });
    }

    private void send(Runnable word) {
        if (isReachable()) {
            outbox.add(word);
        }
    }

    private static String domain(LyingHost.Named named) {
        return """
        <domain type='kvm'>
          <name>%s</name>
          <uuid>%s</uuid>
          <memory unit='KiB'>1048576</memory>
          <vcpu>1</vcpu>
          <devices/>
        </domain>
        """
                .formatted(named.name(), named.vm());
    }

    private VmReports poll(long askedNanos) {
        ScriptedReports reports = ScriptedReports.poll(askedNanos, centre.clock().nanoTime());
        LyingHost lying = isLying() ? liar : null;
        Map<VmId, LyingHost.Word> claims = lying == null ? Map.of() : lying.claims();
        for (ModelProcess process : processes.values()) {
            if (lying != null && (claims.containsKey(process.vm) || lying.denies(process.vm))) {
                continue;
            }
            long at = lying == null ? nextStamp() : lying.stamp(nextStamp());
            if (process.isOver()) {
                reports.exited(
                        process.vm,
                        at,
                        process.exitStatus,
                        process.exitReason,
                        process.exitMessage);
            } else {
                VmStatus status = process.status;
                PauseStatus pause = process.pause;
                String client = process.client;
                reports.running(
                        process.vm,
                        at,
                        draft -> {
                            draft.set(RuntimeField.STATUS, status);
                            draft.set(RuntimeField.PAUSE_STATUS, pause);
                            if (!client.isEmpty()) {
                                draft.set(RuntimeField.CLIENT_IP, client);
                            }
                        });
            }
        }
        if (lying != null) {
            claims.forEach((vm, word) -> lying.say(reports, vm, word, lying.stamp(nextStamp())));
        }
        return reports;
    }

    private HostCapabilities capabilities() {
        List<Integer> online = new ArrayList<>();
        for (int i = 0; i < cpus; i++) {
            online.add(i);
        }
        String boot = id() + "/" + bootNumber;
        String told =
                liar == null
                        ? null
                        : liar.boot(
                                centre.hosts().stream()
                                        .map(host -> host.id() + "/" + host.bootNumber)
                                        .toList());
        return new HostValues()
                .put(HostField.BOOT_UUID, told == null ? boot : told)
                .put(HostField.SELINUX_MODE, 1)
                .put(HostField.KVM_ENABLED, kvm)
                .put(HostField.ONLINE_CPUS, online)
                .put(HostField.CPU_FLAGS, flags)
                .put(HostField.EMULATED_MACHINES, machines)
                .put(HostField.MEMORY, mebibytes)
                .put(HostField.KDUMP_STATUS, kdump)
                .capabilities();
    }

    private HostStatistics statistics() {
        return new HostValues()
                .put(HostField.VM_COUNT, processes.size())
                .put(HostField.HOST_CLOCK, centre.clock().now())
                .statistics();
    }

    /** The engine's side of the wire. */
    private final class Connection implements HostConnection {

        private final HostListener listener;
        private final Deque<Consumer<HostFailure>> waiting = new ArrayDeque<>();
        private boolean closed;

        Connection(HostListener listener) {
            this.listener = listener;
        }

        void lose(HostFailure failure) {
            List<Consumer<HostFailure>> calls = List.copyOf(waiting);
            waiting.clear();
            calls.forEach(call -> call.accept(failure));
            if (!closed) {
                listener.disconnected(failure);
            }
        }

        private <T> void ask(
                java.util.function.Supplier<HostAnswer<T>> answer,
                Consumer<HostAnswer<T>> receiver) {
            if (!isReachable() || closed) {
                receiver.accept(
                        new HostAnswer.Failed<>(new HostFailure.Unreachable("no connection")));
                return;
            }
            Consumer<HostFailure> failing =
                    failure -> receiver.accept(new HostAnswer.Failed<>(failure));
            waiting.add(failing);
            send(() -> {
                if (waiting.remove(failing)) {
                    receiver.accept(answer.get());
                }
            });
        }

        @Override
        public void capabilities(Consumer<HostAnswer<HostCapabilities>> receiver) {
            ask(() -> new HostAnswer.Success<>(ModelHost.this.capabilities()), receiver);
        }

        @Override
        public void hardware(Consumer<HostAnswer<HostHardware>> receiver) {
            ask(
                    () ->
                            new HostAnswer.Success<>(
                                    new HostHardware(null, null, null, null, null, null)),
                    receiver);
        }

        @Override
        public void statistics(Consumer<HostAnswer<HostStatistics>> receiver) {
            ask(() -> new HostAnswer.Success<>(ModelHost.this.statistics()), receiver);
        }

        @Override
        public void vmStatistics(Consumer<HostAnswer<VmReports>> receiver) {
            long asked = centre.clock().nanoTime();
            ask(() -> new HostAnswer.Success<>(poll(asked)), receiver);
        }

        @Override
        public void domainXmls(List<VmId> vms, Consumer<HostAnswer<Map<VmId, String>>> receiver) {
            ask(
                    () ->
                            new HostAnswer.Success<>(
                                    liar != null && liar.isLying()
                                            ? liar.domains(vms, ModelHost::domain)
                                            : Map.of()),
                    receiver);
        }

        @Override
        public void destroy(VmId vm, Consumer<HostAnswer<VmId>> receiver) {
            centre.removes(ModelHost.this, vm);
            order(new VmOrder.Destroy(vm, 0), receiver);
        }

        @Override
        public void order(VmOrder order, Consumer<HostAnswer<VmId>> receiver) {
            if (!isReachable() || closed) {
                receiver.accept(
                        new HostAnswer.Failed<>(new HostFailure.Unreachable("no connection")));
                return;
            }
            if (stuck) {
                hold(order, receiver);
                return;
            }
            orders.add(order);
            HostFailure refusal = centre.refuses(ModelHost.this, order);
            LyingHost lying = liar;
            if (refusal == null && (lying == null || !lying.leavesUndone())) {
                refusal = carryOut(order);
            }
            HostFailure result = lying == null ? refusal : lying.answer(refusal);
            if (centre.losesAnswer(ModelHost.this, order)) {
                Consumer<HostFailure> _ = awaited(receiver);
                return;
            }
            ask(
                    () ->
                            result == null
                                    ? new HostAnswer.Success<>(order.vmId())
                                    : new HostAnswer.Failed<>(result),
                    receiver);
        }

        /** The agent carries it out once it continues, whether or not it is waited for by then. */
        private void hold(VmOrder order, Consumer<HostAnswer<VmId>> receiver) {
            Consumer<HostFailure> failing = awaited(receiver);
            held.add(() -> order(order, waiting.remove(failing) ? receiver : _ -> {}));
        }

        /** A call with an answer that is awaited as long as those of other calls. */
        private Consumer<HostFailure> awaited(Consumer<HostAnswer<VmId>> receiver) {
            Consumer<HostFailure> failing =
                    failure -> receiver.accept(new HostAnswer.Failed<>(failure));
            waiting.add(failing);
            centre.after(
                    centre.times().callTimeout(),
                    () -> {
                        if (waiting.remove(failing)) {
                            failing.accept(new HostFailure.TimedOut("order", 0));
                        }
                    });
            return failing;
        }

        @Override
        public void externalData(
                VmId vm,
                ExternalDataKind kind,
                @Nullable String knownHash,
                boolean refresh,
                Consumer<HostAnswer<ExternalDataAnswer>> receiver) {
            ask(
                    () ->
                            new HostAnswer.Failed<>(
                                    new HostFailure.Refused(
                                            processes.containsKey(vm)
                                                    ? NO_EXTERNAL_DATA
                                                    : NO_SUCH_VM,
                                            "nothing is kept")),
                    receiver);
        }

        @Override
        public HostStorage storage() {
            return new Storage(this);
        }

        @Override
        public void reconnect(String reason) {
            if (isReachable()) {
                lose(new HostFailure.Unreachable(reason));
                outbox.add(listener::connected);
            }
        }

        @Override
        public void close() {
            closed = true;
            if (connection == this) {
                connection = null;
            }
            List<Consumer<HostFailure>> calls = List.copyOf(waiting);
            waiting.clear();
            calls.forEach(call -> call.accept(new HostFailure.Unreachable("closed")));
        }
    }

    /** The engine's side of the storage verbs. */
    private final class Storage implements HostStorage {
        private final Connection wire;

        Storage(Connection wire) {
            this.wire = wire;
        }

        @Override
        public void isManager(UUID pool, Consumer<HostAnswer<Boolean>> receiver) {
            wire.ask(() -> centre.storage().managing(ModelHost.this, pool), receiver);
        }

        @Override
        public void createVolume(
                MemoryVolume volume,
                long bytes,
                Content content,
                Consumer<HostAnswer<String>> receiver) {
            wire.ask(() -> centre.storage().create(ModelHost.this, volume, bytes), receiver);
        }

        @Override
        public void deleteImage(MemoryVolume volume, Consumer<HostAnswer<String>> receiver) {
            wire.ask(() -> centre.storage().delete(ModelHost.this, volume), receiver);
        }

        @Override
        public void createLease(UUID domain, VmId vm, Consumer<HostAnswer<String>> receiver) {
            wire.ask(() -> centre.storage().createLease(ModelHost.this, domain, vm), receiver);
        }

        @Override
        public void deleteLease(UUID domain, VmId vm, Consumer<HostAnswer<String>> receiver) {
            wire.ask(() -> centre.storage().deleteLease(ModelHost.this, domain, vm), receiver);
        }

        @Override
        public void lease(UUID domain, VmId vm, Consumer<HostAnswer<VmLease.Place>> receiver) {
            wire.ask(() -> centre.storage().lease(domain, vm), receiver);
        }

        @Override
        public void task(String task, Consumer<HostAnswer<StorageTask>> receiver) {
            wire.ask(() -> centre.storage().status(task), receiver);
        }

        @Override
        public void clearTask(String task, Consumer<HostAnswer<String>> receiver) {
            wire.ask(() -> centre.storage().clear(task), receiver);
        }
    }
}
