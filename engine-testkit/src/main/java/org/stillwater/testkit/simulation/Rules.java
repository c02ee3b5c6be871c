package org.stillwater.testkit.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.memory.InMemoryAuditStore;
import org.stillwater.testkit.memory.InMemoryVmStore;
import org.stillwater.testkit.simulation.GuestProcess.Role;
import org.stillwater.testkit.simulation.Witness.Kind;
import org.stillwater.testkit.simulation.Witness.Word;

/**
 * Rules that hold at every step, and rules that hold once the faults have stopped. The message of a
 * rule's exception names the violation.
 *
 * <p>It is long because it is a list of independent rules.
 */
final class Rules {

    /** A rule was broken. */
    static final class Broken extends RuntimeException {
        private static final long serialVersionUID = 1;

        Broken(String what) {
            super(what);
        }
    }

    private static final Set<AuditEvent> ENDS =
            EnumSet.of(
                    AuditEvent.VM_DOWN,
                    AuditEvent.VM_DOWN_ERROR,
                    AuditEvent.VM_MIGRATION_ABORT,
                    AuditEvent.USER_SUSPEND_VM_OK,
                    AuditEvent.USER_FAILED_SUSPEND_VM);

    /** How long a VM that moved to an unknown host may be unseen before it counts as lost. */
    private static final Duration HAND_OVER_PATIENCE = Duration.ofMinutes(5);

    /** A VM as it was shown at a step, and since when. */
    private record Seen(Shown shown, long sinceNanos) {}

    /**
     * The run of a VM with an order to destroy it, and the time of the order, in this life of the
     * engine.
     */
    private record PowerOff(long generation, long orderedNanos) {}

    private final World world;
    private final Witness witness;
    private final WorkRules work;
    private final TrustRules trust;
    private final Trace trace;
    private final Map<VmId, PowerOff> poweredOff = new TreeMap<>();
    private final Map<VmId, Seen> seen = new TreeMap<>();
    private final Map<VmId, Integer> ends = new TreeMap<>();

    Rules(World world, Witness witness, WorkRules work, TrustRules trust, Trace trace) {
        this.world = world;
        this.witness = witness;
        this.work = work;
        this.trust = trust;
        this.trace = trace;
    }

    /** The rules of work that is left to commands. */
    WorkRules work() {
        return work;
    }

    /** The rules about a host that lies. */
    TrustRules trust() {
        return trust;
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is Error Prone's, no dependency
    static void require(boolean holds, String otherwise, @Nullable Object... details) {
        if (!holds) {
            throw new Broken(String.format(Locale.ROOT, otherwise, details));
        }
    }

    /** Notes the first states that a new life of the engine shows. */
    void beginLife(EngineUnderSimulation engine, InMemoryVmStore store, long nowNanos) {
        seen.clear();
        poweredOff.clear();
        for (Shown vm : engine.vms()) {
            seen.put(vm.id(), new Seen(vm, nowNanos));
            if (!vm.isRunning()) {
                work.ended(vm);
            }
            StoredVm stored = store.vm(vm.id());
            require(
                    stored != null
                            && stored.runtime().equals(vm.runtime())
                            && stored.placement().equals(vm.placement()),
                    "a new life of the engine shows of %s what was not stored",
                    World.name(vm.id()));
        }
    }

    /** When the engine last changed a VM, as far as visible; null for never. */
    @Nullable Long changedNanos(VmId vm) {
        Seen last = seen.get(vm);
        return last == null ? null : last.sinceNanos();
    }

    @Nullable Shown shown(VmId vm) {
        Seen last = seen.get(vm);
        return last == null ? null : last.shown();
    }

    /** The rules of every step. */
    void afterStep(EngineUnderSimulation engine, long nowNanos) {
        List<Shown> all = engine.vms();
        for (Shown now : all) {
            Seen last = seen.get(now.id());
            if (last == null || isChanged(last.shown(), now)) {
                tell(last, now);
                seen.put(now.id(), new Seen(now, nowNanos));
                if (last != null && last.shown().isRunning() && !now.isRunning()) {
                    ends.merge(now.id(), 1, Integer::sum);
                    work.ended(now);
                    if (!trust.mayBeMisled(now.id())) {
                        downIsProven(last, now, nowNanos);
                    }
                }
            }
            runningMeansSomewhere(now);
            if (!trust.mayBeMisled(now.id())) {
                whatWasSaidToRunIsNotDown(now);
            }
        }
        everyVmHasOneOwner(engine, all);
        Map<VmId, Shown> shown = new TreeMap<>();
        all.forEach(vm -> shown.put(vm.id(), vm));
        work.check(shown);
        trust.afterStep();
    }

    private static boolean isChanged(Shown before, Shown now) {
        return !before.runtime().equals(now.runtime())
                || !before.placement().equals(now.placement());
    }

    private void tell(@Nullable Seen last, Shown now) {
        if (trace.isRead()) {
            trace.engine(
                    "%s: %s -> %s",
                    World.name(now.id()),
                    last == null ? "unknown" : describe(last.shown()),
                    describe(now));
        }
    }

    private String describe(Shown vm) {
        HostId on = vm.placement().runOn();
        HostId to = vm.placement().migratingTo();
        return vm.runtime().status().label()
                + (vm.runtime().status() == VmStatus.PAUSED ? "/" + vm.runtime().pauseStatus() : "")
                + (on == null ? "" : " on " + name(on))
                + (to == null ? "" : " to " + name(to));
    }

    private String name(HostId id) {
        return world.hosts().stream()
                .filter(host -> host.id().equals(id))
                .map(SimulatedHost::toString)
                .findFirst()
                .orElseGet(id::toString);
    }

    private void everyVmHasOneOwner(EngineUnderSimulation engine, List<Shown> all) {
        Map<VmId, HostId> owners = new TreeMap<>();
        for (SimulatedHost host : world.hosts()) {
            for (VmId vm : engine.indexedOn(host.id())) {
                HostId other = owners.put(vm, host.id());
                require(other == null, "%s has two owners", World.name(vm));
            }
        }
        for (Shown vm : all) {
            require(
                    Objects.equals(owners.get(vm.id()), vm.placement().runOn()),
                    "%s is shown on one host and indexed on another",
                    World.name(vm.id()));
        }
    }

    private void runningMeansSomewhere(Shown vm) {
        require(
                vm.isRunning() == (vm.placement().runOn() != null),
                "%s is shown as %s",
                World.name(vm.id()),
                describe(vm));
    }

    /** The newest word that a VM runs, if it is still so, excludes that it is shown as down. */
    private void whatWasSaidToRunIsNotDown(Shown vm) {
        if (vm.isRunning()) {
            return;
        }
        SimulatedHost home = world.home(vm.id());
        Witness.Running word = witness.running(vm.id());
        if (home == null
                || word == null
                || !word.host().equals(home.id())
                || word.status() == VmStatus.PAUSED) {
            // A paused process may be a leftover: it is only accepted when no other host has one.
            return;
        }
        GuestProcess process = home.process(vm.id());
        require(
                process == null || process.number() != word.process(),
                "%s is shown as %s although %s said that it runs there as %s, and it does",
                World.name(vm.id()),
                describe(vm),
                home,
                word.status().label());
    }

    /**
     * A VM that ran is only shown as down after a report of the host on which the engine had it.
     */
    private void downIsProven(Seen before, Shown now, long nowNanos) {
        Shown last = before.shown();
        HostId responsible = last.placement().runOn();
        HostId destination = last.placement().migratingTo();
        List<Word> proofs = new ArrayList<>();
        for (SimulatedHost host : world.hosts()) {
            boolean believed =
                    host.id().equals(responsible)
                            || host.id().equals(destination)
                            || last.runtime().status() == VmStatus.UNKNOWN;
            Word word = witness.newest(now.id(), host.id());
            if (believed && word != null && word.kind() != Kind.RUNS) {
                proofs.add(word);
            }
        }
        require(
                !proofs.isEmpty(),
                "%s went from %s to %s although no host that it could be on said that it ended",
                World.name(now.id()),
                describe(last),
                describe(now));
        failureIsProven(now, proofs, nowNanos);
        boolean overdue =
                last.runtime().status() == VmStatus.UNKNOWN
                        && nowNanos - before.sinceNanos() > HAND_OVER_PATIENCE.toNanos();
        SimulatedHost home = world.home(now.id());
        boolean ended = isSaidToHaveEnded(now.id()) || proofs.stream().anyMatch(Word::isTheEnd);
        boolean wentWhereNobodySaid =
                proofs.stream()
                        .anyMatch(word ->
                                saysNothingOfWhere(word)
                                        && !Objects.equals(word.home(), responsible)
                                        && !Objects.equals(word.home(), destination));
        require(
                home == null || ended || wentWhereNobodySaid || overdue,
                "%s went from %s to %s while it runs: %s",
                World.name(now.id()),
                describe(last),
                describe(now),
                world.describe(now.id()));
    }

    /** A host that has nothing of the VM, or where it never arrived, does not know where it is. */
    private static boolean saysNothingOfWhere(Word word) {
        return word.kind() == Kind.ABSENT || word.reason() == ExitReason.MIGRATION_FAILED;
    }

    /** The process of a VM is removed by a command, now. */
    void poweredOff(Shown vm, long nowNanos) {
        poweredOff.put(vm.id(), new PowerOff(vm.generation(), nowNanos));
    }

    /** A VM that stopped as it should, or was stopped, did not fail. */
    private void failureIsProven(Shown now, List<Word> proofs, long nowNanos) {
        if (!now.hasFailed()) {
            return;
        }
        boolean absent = proofs.stream().anyMatch(word -> word.kind() == Kind.ABSENT);
        boolean failed = proofs.stream().anyMatch(word -> word.exit() == ExitStatus.ERROR);
        require(
                absent || failed,
                "%s is shown as failed although its host said that it stopped as it should",
                World.name(now.id()));
        PowerOff order = poweredOff.get(now.id());
        boolean expected =
                order != null
                        && order.generation() == now.generation()
                        && nowNanos - order.orderedNanos() < Commands.POWER_OFF_WINDOW.toNanos();
        require(
                failed || !expected || work.isRebootWanted(now),
                "%s is shown as failed although it was powered off",
                World.name(now.id()));
    }

    /** Whether the newest report about a VM's life contains its end. */
    private boolean isSaidToHaveEnded(VmId vm) {
        long newestLife = Long.MIN_VALUE;
        long newestEnd = Long.MIN_VALUE;
        for (Word word : witness.all(vm)) {
            if (word.isTheEnd()) {
                newestEnd = Math.max(newestEnd, word.takenNanos());
            } else if (word.kind() == Kind.RUNS && word.status() != VmStatus.MIGRATING_TO) {
                newestLife = Math.max(newestLife, word.takenNanos());
            }
        }
        return newestEnd > newestLife;
    }

    /** After a host's complete poll with a VM's state, the engine must know that state. */
    void isKnown(VmId vm, SimulatedHost host) {
        Shown shown = shown(vm);
        require(
                shown == null
                        || shown.runtime().status() != VmStatus.UNKNOWN
                        || trust.mayBeMisled(vm),
                "%s is shown as unknown although %s said that it is %s",
                World.name(vm),
                host,
                host.process(vm));
    }

    /** A process that the engine destroys is never the VM itself, unless it could not know. */
    void destroyed(VmId vm, SimulatedHost host, @Nullable GuestProcess victim) {
        trace.engine(
                "has %s destroyed on %s: %s",
                World.name(vm), host, victim == null ? "nothing there" : victim);
        trust.destroyed(vm, host);
        if (trust.mayBeMisled(vm)) {
            return;
        }
        if (victim == null || victim.role() == Role.ENDED || victim.role() == Role.SPENT) {
            return;
        }
        Word word = witness.newest(vm, host.id());
        boolean toldOfThisProcess = word != null && word.process() == victim.number();
        boolean unmanaged = seen.get(vm) == null;
        require(
                !toldOfThisProcess || unmanaged,
                "%s had its own process on %s destroyed: %s",
                World.name(vm),
                host,
                victim);
    }

    // -------------------------------------------------------------- once the faults have stopped

    /** Whether a VM runs nowhere and is shown as running. */
    boolean isShownThoughGone(VmId vm) {
        Shown shown = shown(vm);
        return world.home(vm) == null
                && shown != null
                && shown.isRunning()
                && shown.runtime().status() != VmStatus.UNKNOWN;
    }

    /** Every VM that runs is shown as it is, where it is; the others as down. */
    void agrees(VmId vm, boolean patienceIsOver) {
        SimulatedHost home = world.home(vm);
        Shown shown = shown(vm);
        if (home == null) {
            require(
                    shown == null
                            || !shown.isRunning()
                            || (!patienceIsOver && shown.runtime().status() == VmStatus.UNKNOWN),
                    "%s is shown as %s, the truth: %s",
                    World.name(vm),
                    shown == null ? "" : describe(shown),
                    world.describe(vm));
            return;
        }
        GuestProcess process = home.process(vm);
        require(
                shown != null,
                "%s is not known, the truth: %s",
                World.name(vm),
                world.describe(vm));
        if (shown == null || process == null) {
            return;
        }
        VmPlacement placement = shown.placement();
        boolean same =
                shown.runtime().status() == process.status()
                        && home.id().equals(placement.runOn())
                        && (placement.migratingTo() == null
                                || process.status() == VmStatus.MIGRATING_FROM);
        require(
                same,
                "%s is shown as %s, the truth: %s",
                World.name(vm),
                describe(shown),
                world.describe(vm));
        VmRuntime runtime = shown.runtime();
        requireField(vm, runtime, RuntimeField.PAUSE_STATUS, process.pause());
        requireField(vm, runtime, RuntimeField.GUEST_OS, process.guest().os());
        requireField(vm, runtime, RuntimeField.GUEST_USER, process.guest().user());
        if (process.status() == VmStatus.UP) {
            requireField(vm, runtime, RuntimeField.APP_LIST, process.guest().applications());
        }
    }

    private static void requireField(VmId vm, VmRuntime runtime, RuntimeField field, Object truth) {
        require(
                truth.equals(runtime.value(field)),
                "%s of %s is shown as '%s', the truth: '%s'",
                field,
                World.name(vm),
                runtime.value(field),
                truth);
    }

    /**
     * Every end of a VM is in the audit log, and once.
     *
     * @param everyEnd whether nothing that was shown can have been lost with a life of the engine
     */
    void isAudited(InMemoryAuditStore audit, boolean everyEnd) {
        Map<VmId, Integer> told = new TreeMap<>();
        for (AuditEntry entry : audit.all()) {
            VmId vm = entry.vmId();
            if (vm != null && ENDS.contains(entry.event())) {
                told.merge(vm, 1, Integer::sum);
            }
        }
        for (VmId vm : world.vms()) {
            int shown = ends.getOrDefault(vm, 0);
            int audited = told.getOrDefault(vm, 0);
            require(
                    audited <= shown && (audited == shown || !everyEnd),
                    "%s ended %d times, the audit log tells of %d",
                    World.name(vm),
                    shown,
                    audited);
        }
    }

    /** Memory and store hold the same. */
    void isStored(InMemoryVmStore store) {
        for (Seen vm : seen.values()) {
            StoredVm stored = store.vm(vm.shown().id());
            require(stored != null, "%s is not stored", World.name(vm.shown().id()));
            if (stored != null) {
                require(
                        stored.runtime().equals(vm.shown().runtime()),
                        "%s is stored as %s and shown as %s",
                        World.name(stored.id()),
                        stored.runtime(),
                        vm.shown().runtime());
                require(
                        stored.placement().equals(vm.shown().placement()),
                        "%s is stored as %s and shown as %s",
                        World.name(stored.id()),
                        stored.placement(),
                        vm.shown().placement());
            }
        }
    }
}
