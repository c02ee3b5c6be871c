package org.stillwater.monitoring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.analysis.AnalysisContext;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.analysis.KnownVm;
import org.stillwater.core.analysis.VmAnalysis;
import org.stillwater.core.analysis.VmClaim;
import org.stillwater.core.analysis.VmOutcome;
import org.stillwater.core.analysis.VmRule;
import org.stillwater.core.analysis.host.FencingHeld;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostStorage;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.BeliefCause;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.belief.Transitions;
import org.stillwater.monitoring.belief.Transitions.Because;
import org.stillwater.monitoring.cluster.Clusters;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostMonitor;
import org.stillwater.monitoring.host.HostRules;
import org.stillwater.monitoring.host.HostServices;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.vm.HostClaim;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.work.PendingWorkRegistry;
import org.stillwater.monitoring.write.BatchWriter.CommitAction;

/**
 * The access of commands to monitored VMs: they decide under a VM's lock, hold the VM while its
 * host is asked, change its known state, and request a poll. Monitoring learns of commands only
 * through this class. Thread-safe.
 *
 * <p>It is long because it is the only door of commands to VMs, and all of its methods share their
 * lock.
 */
public final class VmCommandAccess {

    private final HostServices services;
    private final Clusters clusters;
    private final PendingWorkRegistry work;
    private final Predicate<HostId> softFenced;
    private final TagRegistry tags;

    VmCommandAccess(
            HostServices services,
            Clusters clusters,
            PendingWorkRegistry work,
            Predicate<HostId> softFenced,
            TagRegistry tags) {
        this.services = services;
        this.clusters = clusters;
        this.work = work;
        this.softFenced = softFenced;
        this.tags = tags;
    }

    /**
     * Decides about a VM under its lock, for which this waits: at most as long as a report takes to
     * be analysed.
     *
     * @return the decision; null if there is no such VM
     */
    public <T> @Nullable T decide(VmId id, Function<VmManager, T> decision) {
        VmManager vm = services.registry().find(id);
        if (vm == null) {
            return null;
        }
        vm.lock();
        try {
            return services.registry().find(id) == vm ? decision.apply(vm) : null;
        } finally {
            vm.unlock();
        }
    }

    /** Time for which a VM may be absent without surprise after an order to destroy it. */
    public Duration powerOffWindow() {
        return services.settings().powerOffWindow();
    }

    /** Whether a VM is known. */
    public boolean knows(VmId id) {
        return services.registry().find(id) != null;
    }

    /**
     * Publishes, and hands to the writer, a command's decision about a VM that it has locked.
     * Reports that were requested before do not undo it.
     */
    public void change(
            VmManager vm, VmRuntime runtime, VmPlacement placement, VmCommands commands) {
        change(vm, runtime, placement, commands, List.of());
    }

    /**
     * As {@link #change(VmManager, VmRuntime, VmPlacement, VmCommands)}, with work that follows
     * from it.
     */
    public void change(
            VmManager vm,
            VmRuntime runtime,
            VmPlacement placement,
            VmCommands commands,
            List<PendingWork> work) {
        change(vm, runtime, placement, commands, work, VmRule.ORDERED);
    }

    private void change(
            VmManager vm,
            VmRuntime runtime,
            VmPlacement placement,
            VmCommands commands,
            List<PendingWork> work,
            VmRule rule) {
        VmState before = vm.state();
        RuntimeFields fields = runtime.differencesFrom(before.runtime());
        PlacementFields placed = PlacementFields.between(before.placement(), placement);
        vm.commands(commands);
        long nanos = services.clock().nanoTime();
        if (!fields.isEmpty() || !placed.isEmpty()) {
            vm.changed(nanos, null);
            services.feed()
                    .vmChanged(
                            vm,
                            new VmState(runtime, placement, 0, services.clock().now(), nanos),
                            fields,
                            !placed.isEmpty());
            services.registry().place(vm, placement);
            if (Transitions.is(before, vm.state())) {
                services.beliefs()
                        .add(
                                vm,
                                Transitions.of(
                                        Because.of(BeliefCause.COMMAND, null),
                                        rule,
                                        before.runtime().status(),
                                        vm.state(),
                                        0,
                                        vm.state().observedAt(),
                                        nanos,
                                        nanos));
            }
            if (before.placement().runOn() == null || placement.runOn() == null) {
                vm.arrived(null); // its way to a host has no meaning for another run
            }
        } else if (work.isEmpty()) {
            return;
        }
        HostMonitor target =
                placement.migratingTo() == null
                        ? null
                        : services.fleet().monitor(placement.migratingTo());
        if (target != null) {
            target.commanded();
        }
        services.writer().changed(vm.id(), runtime, fields, placement, placed, work, nanos);
    }

    /**
     * Does something once everything known about a VM until now is durable; at once if it is.
     *
     * @param action on the writer's thread or the caller's; must not block
     */
    public void afterCommit(VmId id, CommitAction action) {
        services.writer().afterCommit(id, action);
    }

    /**
     * Orders something of a host.
     *
     * @param receiver called once, on any thread; must not block
     */
    public void order(HostId host, VmOrder order, Consumer<HostAnswer<VmId>> receiver) {
        HostMonitor monitor = services.fleet().monitor(host);
        HostConnection connection = monitor == null ? null : monitor.connectionForCommands();
        if (monitor != null) {
            monitor.commanded();
        }
        if (monitor == null || connection == null) {
            receiver.accept(
                    new HostAnswer.Failed<>(
                            new HostFailure.Unreachable("there is no connection to the host")));
        } else if (order instanceof VmOrder.Destroy) {
            monitor.orphans().removalOrdered(order.vmId());
            connection.order(
                    order,
                    answer -> {
                        monitor.orphans()
                                .removalAnswered(
                                        order.vmId(), answer instanceof HostAnswer.Success<VmId>);
                        receiver.accept(answer);
                    });
        } else {
            if (order instanceof VmOrder.Create) {
                // Reports of the host from now on belong to this run.
                monitor.orphans().removalAnswered(order.vmId(), false);
            }
            connection.order(order, receiver);
        }
    }

    /** The storage of a host's data centre as that host works on it; null without a connection. */
    public @Nullable HostStorage storage(HostId host) {
        HostMonitor monitor = services.fleet().monitor(host);
        HostConnection connection = monitor == null ? null : monitor.connectionForCommands();
        return connection == null ? null : connection.storage();
    }

    /**
     * The hosts that must have removed their remains of a VM before it is started on a host: that
     * host, if it has remains, and hosts to which the VM was migrating when the host that it came
     * from was switched off. Under the VM's lock, so that the findings of analysis are known.
     */
    public List<HostId> remainsBeforeStart(HostId host, VmManager vm) {
        List<HostId> remains = new ArrayList<>(1);
        for (HostMonitor monitor : services.fleet().all()) {
            if (monitor.id().equals(host)
                    ? monitor.orphans().holds(vm.id())
                    : monitor.orphans().mayRun(vm.id())) {
                remains.add(monitor.id());
            }
        }
        return remains;
    }

    /** A host was switched off or has booted: no leftover of a VM runs there. */
    public void nothingRuns(HostId host) {
        HostMonitor monitor = services.fleet().monitor(host);
        if (monitor != null) {
            monitor.orphans().nothingRuns();
        }
    }

    /**
     * Removes a host's remains of a VM that is wanted there. That it is left must be durable.
     *
     * @param receiver called once, on any thread; must not block
     */
    public void clear(HostId host, VmId vm, Consumer<HostAnswer<VmId>> receiver) {
        HostMonitor monitor = services.fleet().monitor(host);
        if (monitor == null) {
            receiver.accept(
                    new HostAnswer.Failed<>(
                            new HostFailure.Unreachable("the host is not known any more")));
        } else {
            CompletableFuture<Void> _ = monitor.clear(vm).thenAccept(receiver);
        }
    }

    /** The host answered a command that it no longer has a VM. */
    public void gone(HostId host, VmId vm) {
        HostMonitor monitor = services.fleet().monitor(host);
        if (monitor != null) {
            monitor.gone(vm, services.clock().nanoTime());
        }
    }

    /** A complete poll of the host is wanted. */
    public void poll(HostId host) {
        HostMonitor monitor = services.fleet().monitor(host);
        if (monitor != null) {
            monitor.commanded();
            monitor.pollForCommands();
        }
    }

    /** Known state of a host; null if there is no such host. */
    public @Nullable HostState host(HostId id) {
        HostMonitor monitor = services.fleet().monitor(id);
        return monitor == null ? null : monitor.state();
    }

    /**
     * Time since a host took its status, or since the engine started, by the monotonic clock; zero
     * if there is no such host.
     */
    public Duration inStatusFor(HostId id) {
        HostMonitor monitor = services.fleet().monitor(id);
        return monitor == null ? Duration.ZERO : monitor.inStatusFor();
    }

    /** Whether a host of a cluster is one that may be up in a moment. */
    public boolean anyHostComing(ClusterId cluster) {
        for (HostId id : clusters.hosts(cluster)) {
            HostState host = host(id);
            if (host != null
                    && switch (host.status()) {
                        case UNASSIGNED, CONNECTING, INITIALIZING, REBOOT -> true;
                        case UP -> host.capabilities() == null;
                        default -> false;
                    }) {
                return true;
            }
        }
        return false;
    }

    /**
     * Resources that a host has promised to the VMs with a process on it.
     *
     * @param mebibytes memory with overhead
     * @param cpus virtual CPUs
     * @param vms number of VMs
     * @param members those of the VMs that were requested
     * @param launching VMs of the host that wait for launch: not among the others, and their memory
     *     is still free
     */
    public record Promised(
            long mebibytes, int cpus, int vms, Set<VmId> members, List<VmId> launching) {}

    /** Resources that a host has promised. */
    public Promised promised(HostId host, Set<VmId> wanted) {
        long[] sums = new long[3];
        Set<VmId> members = new HashSet<>();
        List<VmId> launching = new ArrayList<>();
        services.registry()
                .on(host)
                .forEach(vm -> {
                    if (hasProcess(vm)) {
                        sums[0] += vm.definition().memoryWithOverheadMebibytes();
                        sums[1] += vm.cpus();
                        sums[2]++;
                        if (wanted.contains(vm.id())) {
                            members.add(vm.id());
                        }
                    } else if (vm.state().runtime().status() == VmStatus.WAIT_FOR_LAUNCH) {
                        launching.add(vm.id());
                    }
                });
        return new Promised(sums[0], (int) sums[1], (int) sums[2], members, launching);
    }

    private static boolean hasProcess(VmManager vm) {
        VmStatus status = vm.state().runtime().status();
        return status != VmStatus.WAIT_FOR_LAUNCH && status != VmStatus.DOWN;
    }

    /** Whether a VM is counted among those of {@link #promised}. */
    public boolean countsOn(VmId id, HostId host) {
        VmManager vm = services.registry().find(id);
        return vm != null && vm.state().placement().isOn(host) && hasProcess(vm);
    }

    /** VMs that a host is responsible for, by id. */
    public List<VmId> vmsOn(HostId host) {
        List<VmId> vms = new ArrayList<>();
        services.registry().on(host).forEach(vm -> vms.add(vm.id()));
        vms.sort(null);
        return vms;
    }

    /** Work is no longer open: an owner has it, or it needs no action. */
    public void workTaken(PendingWork taken) {
        work.taken(taken);
    }

    /** The same about work about a host. */
    public void workTaken(HostWork taken) {
        work.taken(taken);
    }

    /** Why a silent host must not be fenced now; null if it may be. */
    public @Nullable FencingHeld fencingHeld(HostId host) {
        HostRules rules = services.rules();
        return FencingHeld.of(
                services.settings().policy(),
                rules.fencing(host),
                services.clock().nanoTime() - services.startedNanos(),
                rules.silentPercent(host),
                isCertificateRefused(host));
    }

    private boolean isCertificateRefused(HostId id) {
        HostMonitor monitor = services.fleet().monitor(id);
        return monitor != null && monitor.isCertificateRefused();
    }

    /** Whether a silent host may still be brought back by restarting its agent. */
    public boolean isSoftFenced(HostId host) {
        return softFenced.test(host);
    }

    /**
     * A host was switched off, or has booted: a VM that it is responsible for is down, and the work
     * that follows is queued with it. A VM that was migrating to a host of unknown state may run
     * there: it is unknown there, until that host answers or is fenced too.
     *
     * @param unless VMs of which this is true are left unchanged; evaluated under the VM's lock
     * @return whether the VM was set down
     */
    public boolean setDown(HostId host, VmId id, Predicate<VmManager> unless) {
        VmManager vm = services.registry().find(id);
        if (vm == null) {
            return false;
        }
        vm.lock();
        try {
            if (services.registry().find(id) != vm || unless.test(vm)) {
                return false;
            }
            long nanos = services.clock().nanoTime();
            VmState state = vm.state();
            HostId destination = state.placement().migratingTo();
            if (host.equals(state.placement().runOn())
                    && destination != null
                    && !destination.equals(host)
                    && services.fleet().isSilent(destination)) {
                change(
                        vm,
                        state.runtime().with(RuntimeField.STATUS, VmStatus.UNKNOWN),
                        state.placement().withRunOn(destination),
                        vm.commands(nanos),
                        List.of(),
                        VmRule.HANDED_OVER_UNSEEN);
                return false;
            }
            VmOutcome outcome =
                    VmAnalysis.hostFenced(
                            new KnownVm(
                                    id,
                                    vm.definition(),
                                    state.runtime(),
                                    state.placement(),
                                    vm.commands(nanos),
                                    false,
                                    claimsOf(vm)),
                            new AnalysisContext(
                                    host,
                                    services.clock().now(),
                                    services.fleet()::isUnheard,
                                    services.fleet()::isOutOfContact,
                                    false));
            if (!(outcome instanceof VmOutcome.Change change)) {
                return false;
            }
            List<PendingWork> work = new ArrayList<>(2);
            for (Decision decision : change.decisions()) {
                if (decision instanceof Decision.Queue(PendingWork queued)) {
                    work.add(queued);
                }
            }
            change(
                    vm,
                    change.runtime(),
                    change.placement(),
                    change.commands(),
                    work,
                    change.rule());
            change.decisions().forEach(decision -> perform(decision, nanos));
            HostId claimant = change.placement().runOn();
            if (claimant != null) {
                poll(claimant);
                return false;
            }
            services.caches().luns().forget(id);
            services.caches().numa().forget(id);
            return true;
        } finally {
            vm.unlock();
        }
    }

    private List<VmClaim> claimsOf(VmManager vm) {
        return vm.claims().stream()
                .filter(claim -> claim.kind() == HostClaim.Kind.RUNS)
                .filter(claim -> services.fleet().monitor(claim.claimant()) != null)
                .map(claim -> new VmClaim(claim.claimant(), claim.seen(), vm.isRefused(claim)))
                .toList();
    }

    private void perform(Decision decision, long nanos) {
        switch (decision) {
            case Decision.DestroyOnHost(VmId vm, HostId host, String why, boolean _) -> {
                HostMonitor there = services.fleet().monitor(host);
                if (there != null) {
                    there.orphans().foundArriving(vm, nanos);
                }
                services.writer()
                        .afterCommit(
                                vm,
                                () -> {
                                    HostMonitor monitor = services.fleet().monitor(host);
                                    if (monitor != null) {
                                        monitor.destroy(vm, why, nanos);
                                    }
                                });
            }
            case Decision.Tell(VmId vm, HostId host, Decision.Signal signal) ->
                    services.writer()
                            .afterCommit(vm, () -> services.signals().vms().told(vm, host, signal));
            case Decision.Audit(VmId vm, HostId host, AuditEvent event, var details) ->
                    services.audit().record(event, vm, host, details);
            case Decision.RemoveJobs(VmId vm) -> services.caches().jobs().remove(vm);
            case Decision.Queue _,
                    Decision.Contest _,
                    Decision.HearOthers _,
                    Decision.SaveExternalData _,
                    Decision.TakeInExternal _,
                    Decision.NoteUnexpected _ -> {}
        }
    }

    /** Records an audit event. */
    public void audit(
            AuditEvent event,
            @Nullable VmId vm,
            @Nullable HostId host,
            Map<String, String> details) {
        services.audit().record(event, vm, host, details);
    }

    /** Records an audit event that is never left out as a repeat. */
    public AuditEntry tell(
            AuditEvent event,
            @Nullable VmId vm,
            @Nullable HostId host,
            Map<String, String> details) {
        return Objects.requireNonNull(
                services.audit().recorded(event, vm, host, details),
                "the event has a flood interval");
    }

    /** Makes a VM known that was added to the database. */
    public void added(StoredVm vm) {
        FleetRecovery.register(services, vm);
    }

    /**
     * Makes VMs known at once of which another system keeps the truth. Their rows follow soon, in
     * one statement for each table and before everything that changes about them from now on; while
     * the database is away they wait with all other changes.
     *
     * @param fresh VMs that are not known, sorted by VM; as many as are to be written at once
     * @param written called once, on the writer's thread, when the rows are durable: with the VMs
     *     that the database refuses for good, which are known nevertheless, and why; must not block
     */
    public void adopt(List<StoredVm> fresh, Consumer<Map<VmId, String>> written) {
        // First, so that no change of a VM is written before its row.
        services.writer()
                .perform(new KnownVmInsertion(services.caches().devices().vms(), fresh, written));
        fresh.forEach(this::added);
    }

    /**
     * Applies a user's change of a VM's definition. The caller makes it durable; decisions after
     * this call use it.
     *
     * @return false if there is no such VM
     */
    public boolean redefine(VmId id, VmStatic definition) {
        VmManager vm = services.registry().find(id);
        if (vm == null) {
            return false;
        }
        vm.lock();
        try {
            services.feed().vmRedefined(vm, definition);
            services.registry().redefined();
            return true;
        } finally {
            vm.unlock();
        }
    }

    /**
     * Forgets a VM after its deletion is durable. Reports about it that were requested before are
     * ignored.
     *
     * @return false if there is no such VM
     */
    public boolean forget(VmId id) {
        VmManager vm = services.registry().find(id);
        if (vm == null) {
            return false;
        }
        vm.lock();
        try {
            services.registry().remove(vm, services.clock().nanoTime());
            services.feed().vmRemoved(vm, services.clock().nanoTime());
            services.writer().forget(id);
            work.forget(id);
            services.caches().jobs().remove(id);
            services.caches().luns().forget(id);
            services.caches().numa().forget(id);
            tags.forget(id);
            return true;
        } finally {
            vm.unlock();
        }
    }

    /** Publishes that a VM has other tags. */
    void retagged(VmId id) {
        VmManager vm = services.registry().find(id);
        if (vm == null) {
            return;
        }
        vm.lock();
        try {
            if (services.registry().find(id) == vm) {
                services.feed().vmTagged(vm);
            }
        } finally {
            vm.unlock();
        }
    }

    /**
     * Replaces the listener that is called at once when a VM changes or is removed: on any thread,
     * under the VM's lock; it must not block or take a lock.
     */
    public void follow(Consumer<VmId> follower) {
        services.feed().follower(follower);
    }
}
