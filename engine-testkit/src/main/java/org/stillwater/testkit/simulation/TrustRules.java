package org.stillwater.testkit.simulation;

import static org.stillwater.testkit.simulation.Rules.require;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.VmStatus;

/**
 * Rules that hold while one host of the fleet lies: no host harms another host's VMs.
 *
 * <p><b>In contact</b> is a monitored host with reports: it has power, its agent runs, its
 * connection stands, the engine knows of its present boot and shows it as up, non-operational or
 * preparing for maintenance.
 *
 * <p>A VM is <b>held</b> by an honest host in contact while the engine shows it there with a status
 * that is neither unknown nor at an end, and not on its way to the lying host. (A VM of which only
 * the receiving side of a migration was seen is held by no host as yet.) The rule: a message of the
 * lying host changes nothing about a held VM: neither its shown nor its stored state, not its
 * devices, numbers or commands, and it leads to no work for the VM, and to no removal on an honest
 * host.
 *
 * <p>A VM is <b>guarded</b> while it is held by a host on which it runs in truth, in a process that
 * the newest accepted report of an honest host contains, and does not migrate. The rule: as long as
 * that process runs and its host is in contact, the engine shows the VM there as running, does not
 * remove it there and does not start it anywhere. That covers harm that comes later than the lie.
 *
 * <p>The harm that a lying host may do to VMs that it runs, that were sent to it, or that no host
 * in contact holds is its own; {@link #mayBeMisled} selects the VMs for which rules require only a
 * consistent view, until the host is honest and everything agrees again.
 */
final class TrustRules {

    private static final Set<HostStatus> CONTACT =
            EnumSet.of(
                    HostStatus.UP,
                    HostStatus.NON_OPERATIONAL,
                    HostStatus.PREPARING_FOR_MAINTENANCE);

    /** The process that is a VM, on an honest host. */
    private record Guarded(SimulatedHost host, long process) {}

    /** Everything that the engine holds about a VM. */
    private record Known(
            Shown shown,
            String beside,
            @Nullable StoredVm stored,
            List<VmDevice> devices,
            String deviceHash,
            int deviceWrites,
            List<OpenWork> work) {}

    private final World world;
    private final Witness witness;
    private final SimulationEnvironment surroundings;
    private final @Nullable SimulatedHost liar;
    private final Set<VmId> misled = new HashSet<>();
    private final Map<VmId, Guarded> guarded = new TreeMap<>();
    private final Map<VmId, Known> beforeLie = new TreeMap<>();
    private boolean amidLie;
    private EngineUnderSimulation engine;

    /**
     * Rules of a fleet.
     *
     * @param liar the host that lies; null if every host is honest, when there is nothing to check
     */
    TrustRules(
            World world,
            Witness witness,
            SimulationEnvironment surroundings,
            @Nullable SimulatedHost liar,
            EngineUnderSimulation engine) {
        this.world = world;
        this.witness = witness;
        this.surroundings = surroundings;
        this.liar = liar;
        this.engine = engine;
    }

    /** The engine was restarted, and has the stored state. */
    void beginLife(EngineUnderSimulation next) {
        engine = next;
        guarded.clear();
    }

    /**
     * Whether the lying host spoke of the VM or had to do with it, so that the engine may have a
     * wrong belief while no honest host in contact holds the VM.
     */
    boolean mayBeMisled(VmId vm) {
        return misled.contains(vm);
    }

    /** Whether this host lies at times. */
    boolean isLiar(SimulatedHost host) {
        return host == liar;
    }

    /** The rules of every step. */
    void afterStep() {
        SimulatedHost lying = liar;
        if (lying == null) {
            return;
        }
        Map<VmId, Shown> all = new TreeMap<>();
        engine.vms().forEach(vm -> all.put(vm.id(), vm));
        guarded.forEach((vm, was) -> {
            if (isStillThere(vm, was)) {
                Shown now = all.get(vm);
                require(
                        now != null
                                && was.host().id().equals(now.placement().runOn())
                                && now.isRunning()
                                && now.runtime().status() != VmStatus.UNKNOWN,
                        "%s runs on %s, which is honest and in contact, and is shown as %s",
                        World.name(vm),
                        was.host(),
                        now == null ? "nothing" : describe(now));
            }
        });
        guarded.clear();
        for (Shown vm : all.values()) {
            if (lying.id().equals(vm.placement().runOn())
                    || lying.id().equals(vm.placement().migratingTo())
                    || lying.process(vm.id()) != null) {
                misled.add(vm.id());
            }
            Guarded guard = guard(vm);
            if (guard != null) {
                guarded.put(vm.id(), guard);
            }
        }
    }

    private boolean isStillThere(VmId vm, Guarded was) {
        GuestProcess process = was.host().process(vm);
        return process != null
                && process.number() == was.process()
                && process.role() == GuestProcess.Role.VM
                && !world.isMigrating(vm)
                && isInContact(was.host());
    }

    private @Nullable Guarded guard(Shown vm) {
        SimulatedHost home = world.home(vm.id());
        Witness.Running word = witness.running(vm.id());
        if (home == null
                || word == null
                || home == liar
                || holder(vm) != home
                || !word.host().equals(home.id())
                || vm.placement().migratingTo() != null
                || world.isMigrating(vm.id())) {
            return null;
        }
        GuestProcess process = home.process(vm.id());
        return process != null && process.number() == word.process()
                ? new Guarded(home, word.process())
                : null;
    }

    /** The honest host in contact that holds the VM, if there is one. */
    private @Nullable SimulatedHost holder(Shown vm) {
        SimulatedHost lying = liar;
        VmStatus status = vm.runtime().status();
        boolean onlyReceivingSideSeen =
                status == VmStatus.MIGRATING_TO && vm.placement().migratingTo() == null;
        if (lying == null
                || !vm.isRunning()
                || status == VmStatus.UNKNOWN
                || onlyReceivingSideSeen
                || lying.id().equals(vm.placement().migratingTo())) {
            return null;
        }
        HostId on = vm.placement().runOn();
        return world.hosts().stream()
                .filter(host -> host.id().equals(on) && host != lying && isInContact(host))
                .findFirst()
                .orElse(null);
    }

    private boolean isInContact(SimulatedHost host) {
        return host.isManaged()
                && host.isHeard()
                && !host.isRecovering()
                && host.isBootTold()
                && CONTACT.contains(engine.hostStatus(host.id()));
    }

    /** A command is about to start the VM. */
    void startOrdered(VmId vm) {
        Guarded guard = guarded.get(vm);
        require(
                guard == null || !isStillThere(vm, guard),
                "%s is to be started although it runs on %s, which is honest and in contact",
                World.name(vm),
                guard == null ? "" : guard.host());
    }

    /** The engine has something of a VM removed from a host. */
    void destroyed(VmId vm, SimulatedHost host) {
        Guarded guard = guarded.get(vm);
        require(
                guard == null || guard.host() != host || !isStillThere(vm, guard),
                "%s is destroyed on %s, where it runs, which is honest and in contact",
                World.name(vm),
                host);
        require(
                !amidLie || host == liar || !beforeLie.containsKey(vm),
                "%s has something destroyed on %s because of a lie",
                World.name(vm),
                host);
    }

    /** The lying host is about to send a message about these VMs; no other work is waiting. */
    void beforeLie(Set<VmId> about) {
        misled.addAll(about);
        beforeLie.clear();
        for (Shown vm : engine.vms()) {
            if (holder(vm) != null) {
                beforeLie.put(vm.id(), known(vm));
            }
        }
        amidLie = true;
    }

    /** The lie was sent, and the engine has reacted to it. */
    void afterLie(SimulatedHost by) {
        amidLie = false;
        Map<VmId, Shown> all = new TreeMap<>();
        engine.vms().forEach(vm -> all.put(vm.id(), vm));
        beforeLie.forEach((vm, before) -> {
            Shown shown = all.get(vm);
            require(shown != null, "%s is gone because of a lie of %s", World.name(vm), by);
            if (shown != null) {
                unchanged(vm, before, known(shown), by);
            }
        });
        beforeLie.clear();
    }

    private void unchanged(VmId vm, Known before, Known now, SimulatedHost by) {
        require(
                before.shown().equals(now.shown()),
                "%s went from %s to %s because of a lie of %s",
                World.name(vm),
                describe(before.shown()),
                describe(now.shown()),
                by);
        require(
                before.work().equals(now.work()),
                "work for %s follows from a lie of %s: %s",
                World.name(vm),
                by,
                now.work());
        require(
                before.beside().equals(now.beside()),
                "what is known of %s changed because of a lie of %s: %s, %s",
                World.name(vm),
                by,
                before.beside(),
                now.beside());
        require(
                Objects.equals(before.stored(), now.stored()),
                "%s is stored anew because of a lie of %s: %s",
                World.name(vm),
                by,
                now.stored());
        require(
                before.deviceWrites() == now.deviceWrites()
                        && before.devices().equals(now.devices())
                        && before.deviceHash().equals(now.deviceHash()),
                "the devices of %s changed because of a lie of %s: %s",
                World.name(vm),
                by,
                now.devices());
    }

    private Known known(Shown vm) {
        return new Known(
                vm,
                engine.beside(vm.id()),
                surroundings.vms().vm(vm.id()),
                surroundings.devices().of(vm.id()),
                Objects.requireNonNullElse(surroundings.devices().hash(vm.id()), ""),
                surroundings.devices().generation(vm.id()),
                surroundings.vms().openWork().stream()
                        .filter(open -> open.work().vmId().equals(vm.id()))
                        .toList());
    }

    private String describe(Shown vm) {
        HostId to = vm.placement().migratingTo();
        return vm.runtime().status().label()
                + " on "
                + name(vm.placement().runOn())
                + (to == null ? "" : " to " + name(to))
                + " "
                + vm.runtime();
    }

    private String name(@Nullable HostId id) {
        return world.hosts().stream()
                .filter(host -> host.id().equals(id))
                .map(SimulatedHost::toString)
                .findFirst()
                .orElse("no host");
    }

    /** Once the host is honest again, no effect of its lies is left. */
    void nothingIsLeft() {
        if (liar == null) {
            return;
        }
        require(
                engine.contested().isEmpty(),
                "claims are left of a host that lies no more: %s",
                engine.contested());
        for (Shown vm : engine.vms()) {
            HostId on = vm.placement().runOn();
            String beside = engine.beside(vm.id());
            require(
                    on == null || !beside.contains(LyingHost.MARK),
                    "what is known of %s is still a lie: %s",
                    World.name(vm.id()),
                    beside);
        }
    }
}
