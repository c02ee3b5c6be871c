package org.stillwater.command.operation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.stillwater.command.CommandContext;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.OperationRegistry;
import org.stillwater.command.placement.CandidateCollector;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.schedule.PlacementDecision;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.VmCommandAccess;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.vm.VmView;

/**
 * Finds hosts for all operations that need one, in one pass, and queues the operations for their
 * turn on that host. Used by the deciding thread only.
 */
final class SchedulingQueue {

    private static final Duration LOOK = Duration.ofSeconds(1);

    private final CommandEngine commands;
    private final CommandContext context;
    private final CommandSettings settings;
    private final FleetReader fleet;
    private final VmCommandAccess vmAccess;
    private final EngineClock clock;
    private final OperationRegistry registry;
    private final CandidateCollector candidates;
    private final Set<UUID> toPlace = new LinkedHashSet<>();
    private long placeAgainNanos;
    private boolean placementWaits;

    SchedulingQueue(CommandEngine commands) {
        this.commands = commands;
        this.context = commands.context();
        this.settings = context.settings();
        this.fleet = context.fleet();
        this.vmAccess = context.vmAccess();
        this.clock = context.clock();
        this.registry = context.registry();
        this.candidates =
                new CandidateCollector(
                        fleet, vmAccess, commands.definitions(), registry, settings.scheduling());
    }

    void findHost(RunningOperation running, UUID id) {
        commands.hostCalls().leave(id);
        commands.migrations().leave(id);
        running.placingSinceNanos = clock.nanoTime();
        toPlace.add(id);
        placeAgainNanos = clock.nanoTime();
        placementWaits = true;
    }

    boolean placeAll(long now) {
        if (toPlace.isEmpty() || (placementWaits && placeAgainNanos - now > 0)) {
            placementWaits &= !toPlace.isEmpty();
            return false;
        }
        List<CandidateCollector.Need> needs = new ArrayList<>(toPlace.size());
        Map<VmId, UUID> byVm = new LinkedHashMap<>();
        Set<UUID> behind = new LinkedHashSet<>(); // a start and a migration of one VM, for example
        for (UUID id : toPlace) {
            RunningOperation running = commands.runner().running(id);
            if (running != null && running.task.phase() == VmTask.Phase.PLACING) {
                VmId vm = Objects.requireNonNull(running.task.operation().vm());
                if (byVm.putIfAbsent(vm, id) == null) {
                    needs.add(new CandidateCollector.Need(running.task, specification(running)));
                } else {
                    behind.add(id);
                }
            }
        }
        toPlace.clear();
        toPlace.addAll(behind);
        placementWaits = !behind.isEmpty();
        placeAgainNanos = now + LOOK.toNanos();
        List<PlacementDecision> decisions = place(needs, byVm);
        context.meters().placed(decisions.size());
        Set<VmId> decided = new HashSet<>();
        for (PlacementDecision decision : decisions) {
            decided.add(decision.vm());
            UUID id = Objects.requireNonNull(byVm.get(decision.vm()));
            RunningOperation running = Objects.requireNonNull(commands.runner().running(id));
            boolean _ = context.guarded(() -> placed(running, id, decision, now));
        }
        byVm.forEach((vm, id) -> {
            if (!decided.contains(vm)) {
                boolean _ =
                        context.guarded(() -> context.fact(id, new VmFact.Seen())); // it is gone
            }
        });
        return true;
    }

    /**
     * One pass for all. If that fails, one for each, so that a VM that cannot be placed does not
     * affect the others: its operation ends because no host fits.
     */
    private List<PlacementDecision> place(
            List<CandidateCollector.Need> needs, Map<VmId, UUID> byVm) {
        List<PlacementDecision> decisions = new ArrayList<>(needs.size());
        if (context.guarded(() -> decisions.addAll(candidates.place(needs)))) {
            return decisions;
        }
        for (CandidateCollector.Need need : needs) {
            VmId vm = Objects.requireNonNull(need.task().operation().vm());
            if (!context.guarded(() -> decisions.addAll(candidates.place(List.of(need))))) {
                UUID id = Objects.requireNonNull(byVm.remove(vm));
                boolean _ =
                        context.guarded(() ->
                                context.fact(
                                        id,
                                        new VmFact.Nowhere(
                                                "the search for a host failed; see the log"
                                                        + " why")));
            }
        }
        return decisions;
    }

    private void placed(RunningOperation running, UUID id, PlacementDecision decision, long now) {
        switch (decision) {
            case PlacementDecision.Placed(VmId vm, HostId host, var explanation) -> {
                VmView view = fleet.vm(vm);
                HostId asked =
                        running.task.operation().kind() == OperationKind.MIGRATE && view != null
                                ? view.state().placement().runOn()
                                : host;
                VmFact fact = new VmFact.Placed(host, explanation.text(), List.of());
                // It counts on its host from now on, also while it waits for its turn there.
                VmTask promised = running.task.promised(host);
                running.task = promised;
                registry.put(promised);
                if (running.task.operation().kind() == OperationKind.MIGRATE && asked != null) {
                    awaitTurn(running, id, asked, host, fact);
                } else {
                    commands.enter(asked == null ? host : asked, id, () -> context.fact(id, fact));
                }
            }
            case PlacementDecision.Nowhere(VmId vm, var explanation) -> {
                boolean patient =
                        now - running.placingSinceNanos < settings.hostPatience().toNanos()
                                && candidates.mayComeUp(vm);
                if (patient) {
                    toPlace.add(id);
                    placementWaits = true;
                    placeAgainNanos = now + LOOK.toNanos();
                } else {
                    context.fact(id, new VmFact.Nowhere(explanation.text()));
                }
            }
        }
    }

    /**
     * As many migrations leave and reach a host at once as hosts allow; the others report the
     * reason.
     */
    private void awaitTurn(
            RunningOperation running, UUID id, HostId source, HostId destination, VmFact placed) {
        int turn = running.turn;
        boolean waits =
                commands.migrations()
                        .enter(
                                id,
                                source,
                                destination,
                                clock.nanoTime() + settings.limits().turn().toNanos(),
                                () -> {
                                    boolean _ =
                                            context.guarded(() ->
                                                    turnCame(
                                                            running,
                                                            id,
                                                            turn,
                                                            source,
                                                            destination,
                                                            placed));
                                },
                                () -> {
                                    boolean _ = context.guarded(() -> turnIsLate(id));
                                });
        if (waits) {
            VmTask waiting =
                    running.task.waiting(
                            "waits for its turn: hosts take %d migrations at once in each direction"
                                    .formatted(settings.migrationsPerHost()),
                            clock.now());
            running.task = waiting;
            registry.put(waiting);
            commands.tell(waiting.operation());
        }
    }

    private void turnIsLate(UUID id) {
        context.fact(
                id,
                new VmFact.Nowhere(
                        "its turn did not come for %d s: other migrations leave or reach its hosts"
                                .formatted(settings.limits().turn().toSeconds())));
    }

    /** The VM may have moved while it waited, and its destination may have changed. */
    private void turnCame(
            RunningOperation running,
            UUID id,
            int turn,
            HostId source,
            HostId destination,
            VmFact placed) {
        if (running.turn != turn || commands.runner().running(id) != running) {
            commands.migrations().leave(id);
            return;
        }
        VmView view = fleet.vm(Objects.requireNonNull(running.task.operation().vm()));
        HostState there = vmAccess.host(destination);
        boolean stands =
                view != null
                        && source.equals(view.state().placement().runOn())
                        && there != null
                        && there.status() == HostStatus.UP;
        if (stands) {
            commands.enter(source, id, () -> context.fact(id, placed));
        } else {
            findHost(running, id);
        }
    }

    /** How the VM is to run, as far as that is known: a migration does not load it. */
    private VmSpecification specification(RunningOperation running) {
        Definition definition;
        try {
            definition = commands.orders().inForce(running.task.operation(), running.definition);
        } catch (IllegalArgumentException _) {
            definition = null; // the request to the host cannot be built either, which is reported
        }
        return definition == null
                        || definition.unreadable() != null // it is not started, which is reported
                        || definition.specification() == null
                ? VmSpecification.BARE
                : definition.specification();
    }

    /** It no longer needs a host. */
    void forget(UUID id) {
        toPlace.remove(id);
    }

    /** Time until the next placement is due, up to a limit. */
    long untilNext(long wait, long now) {
        return placementWaits ? Math.min(wait, placeAgainNanos - now) : wait;
    }
}
