package org.stillwater.testkit.simulation;

import static org.stillwater.testkit.simulation.Rules.require;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.testkit.memory.InMemoryVmStore;

/**
 * Rules for the work that monitoring leaves to commands, over the whole history: every piece
 * follows from an event, none is done twice, none is lost. They examine the store and not an
 * engine's view of it.
 */
final class WorkRules {

    /** Work that has the VM started again. */
    static final Set<WorkKind> STARTS =
            EnumSet.of(WorkKind.HA_RESTART, WorkKind.RERUN, WorkKind.COLD_REBOOT);

    /** State of one run of a VM. */
    private static final class Run {
        boolean ended;
        boolean failed;
        boolean startOrdered;
        boolean rebootWanted;
        int migrationsOrdered;
        int rerunsOfMigrations;
    }

    /** Which run of a VM. */
    private record RunId(VmId vm, long generation) {}

    private final InMemoryVmStore store;
    private final Trace trace;
    private final Map<RunId, Run> runs = new HashMap<>();
    private final Map<PendingWork.Key, UUID> owners = new HashMap<>();

    /** The owners that requested work without an answer, and may therefore have it. */
    private final Map<PendingWork.Key, Set<UUID>> unanswered = new HashMap<>();

    private Set<PendingWork.Key> open = new HashSet<>();

    WorkRules(InMemoryVmStore store, Trace trace) {
        this.store = store;
        this.trace = trace;
    }

    private Run run(VmId vm, long generation) {
        return runs.computeIfAbsent(new RunId(vm, generation), _ -> new Run());
    }

    /** A command begins to run the VM: its next run. */
    void startOrdered(Shown before) {
        run(before.id(), before.generation() + 1).startOrdered = true;
    }

    void coldRebootOrdered(Shown vm) {
        run(vm.id(), vm.generation()).rebootWanted = true;
    }

    /** Whether the present run is to be followed by another one. */
    boolean isRebootWanted(Shown vm) {
        return run(vm.id(), vm.generation()).rebootWanted;
    }

    void migrationOrdered(Shown vm) {
        run(vm.id(), vm.generation()).migrationsOrdered++;
    }

    /** The VM is shown as down, for the first time in this life of the engine. */
    void ended(Shown vm) {
        Run run = run(vm.id(), vm.generation());
        run.ended = true;
        run.failed |= vm.hasFailed();
        run.rebootWanted |= vm.runtime().exitReason() == ExitReason.DESTROYED_ON_REBOOT;
    }

    /** Checks the present open work. */
    void check(Map<VmId, Shown> shown) {
        Set<PendingWork.Key> now = new HashSet<>();
        for (OpenWork next : store.openWork()) {
            PendingWork.Key key = next.work().key();
            now.add(key);
            if (!open.contains(key) || owners.containsKey(key)) {
                opened(next.work(), shown.get(key.vmId()));
            }
        }
        open = now;
    }

    private void opened(PendingWork work, @Nullable Shown shown) {
        PendingWork.Key key = work.key();
        trace.engine("leaves to commands: %s, since %s", describe(key), work.why());
        require(
                !owners.containsKey(key) || !work.kind().isOncePerRun(),
                "%s is to be done again",
                describe(key));
        owners.remove(key);
        unanswered.remove(key);
        Run run = run(work.vmId(), work.generation());
        require(
                shown == null || shown.generation() != work.generation() || !isOfAnEnd(work, shown),
                "%s is to be done while the VM is shown as running",
                describe(key));
        String reason = reasonMissing(work, run);
        require(reason == null, "%s is to be done although %s", describe(key), reason);
        if (work.kind() == WorkKind.RERUN_MIGRATION) {
            run.rerunsOfMigrations++;
        }
    }

    /** Whether work follows from the end of a run that is not at its end. */
    private static boolean isOfAnEnd(PendingWork work, Shown shown) {
        return shown.isRunning()
                && (STARTS.contains(work.kind()) || work.kind() == WorkKind.PROCESS_DOWN);
    }

    private @Nullable String reasonMissing(PendingWork work, Run run) {
        return switch (work.kind()) {
            case HA_RESTART -> {
                StoredVm stored = store.vm(work.vmId());
                boolean available = stored != null && stored.definition().highlyAvailable();
                yield !available
                        ? "the VM is not highly available"
                        : run.failed ? null : "this run did not fail";
            }
            case RERUN ->
                    !run.failed
                            ? "this run did not fail"
                            : run.startOrdered ? null : "nobody ordered this run";
            case COLD_REBOOT ->
                    !run.ended
                            ? "this run did not end"
                            : run.rebootWanted ? null : "nobody wanted this run to be followed";
            case PROCESS_DOWN -> run.ended ? null : "this run did not end";
            case RERUN_MIGRATION ->
                    run.rerunsOfMigrations < run.migrationsOrdered
                            ? null
                            : "each migration that was ordered was rerun already";
        };
    }

    /** An operation requested work, and the answer was lost if there was one. */
    void unanswered(PendingWork work, UUID owner) {
        unanswered.computeIfAbsent(work.key(), _ -> new HashSet<>()).add(owner);
    }

    /** An operation requested work and was answered. */
    void answered(PendingWork work, UUID owner, boolean granted) {
        PendingWork.Key key = work.key();
        UUID known = owners.get(key);
        if (granted) {
            require(
                    known == null || known.equals(owner),
                    "%s was given to two owners",
                    describe(key));
            owners.put(key, owner);
        } else {
            StoredVm stored = store.vm(work.vmId());
            boolean over =
                    stored != null && stored.placement().run().generation() > work.generation();
            require(
                    over || !owner.equals(known),
                    "%s was taken away from its owner",
                    describe(key));
            Set<UUID> others = new HashSet<>(unanswered.getOrDefault(key, Set.of()));
            others.remove(owner);
            require(
                    over || known != null || !others.isEmpty(),
                    "%s was given to nobody",
                    describe(key));
        }
    }

    /**
     * Once everything is stored: every highly available VM that failed is to be started again.
     *
     * @param underWay work that commands have taken over and not finished
     */
    void isNotLost(Iterable<Shown> all, Set<PendingWork.Key> underWay) {
        Set<PendingWork.Key> known = new HashSet<>(underWay);
        store.openWork().forEach(next -> known.add(next.work().key()));
        for (Shown vm : all) {
            StoredVm stored = store.vm(vm.id());
            if (stored == null || !stored.definition().highlyAvailable() || !vm.hasFailed()) {
                continue;
            }
            boolean toBeStarted =
                    STARTS.stream()
                            .map(kind -> new PendingWork.Key(vm.id(), kind, vm.generation()))
                            .anyMatch(known::contains);
            require(
                    toBeStarted,
                    "%s failed in run %d and nobody is to start it again",
                    World.name(vm.id()),
                    vm.generation());
        }
    }

    /**
     * Once everything is stored, memory and store hold the same work; an item that was given in a
     * lost answer is reported until it is requested again.
     */
    void isTold(List<OpenWork> told) {
        List<OpenWork> stored = store.openWork();
        require(
                told.containsAll(stored),
                "the open work is told as %s and stored as %s",
                told,
                stored);
        for (OpenWork next : told) {
            require(
                    stored.contains(next) || unanswered.containsKey(next.work().key()),
                    "%s is told as open and is not",
                    describe(next.work().key()));
        }
    }

    /** Once commands have done everything. */
    void isDone(Iterable<Shown> all) {
        require(store.openWork().isEmpty(), "work is open for ever: %s", store.openWork());
        for (Shown vm : all) {
            StoredVm stored = store.vm(vm.id());
            require(
                    stored == null || !stored.definition().highlyAvailable() || !vm.hasFailed(),
                    "%s failed and was not started again",
                    World.name(vm.id()));
        }
    }

    static String describe(PendingWork.Key key) {
        return key.kind().label() + " of " + World.name(key.vmId()) + ", run " + key.generation();
    }
}
