package org.stillwater.benchmarks.simulate;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.testkit.hypervisor.ModelHost;

/**
 * No host harms another host's VMs, on model hosts: the rules of the fleet's {@code TrustRules},
 * and that no operation of such a VM ends because of a lie.
 *
 * <p>A VM is <b>held</b> by an honest host in contact while that host has power and network, the
 * engine shows it as up, non-operational or preparing for maintenance and shows the VM there, with
 * a status that is neither unknown nor at an end, and not on its way to the lying host. It is
 * <b>guarded</b> while, besides, its only process is there and does not migrate.
 */
final class CommandTrust {

    private static final Set<HostStatus> CONTACT =
            EnumSet.of(
                    HostStatus.UP,
                    HostStatus.NON_OPERATIONAL,
                    HostStatus.PREPARING_FOR_MAINTENANCE);

    private record Guarded(ModelHost host, long process) {}

    /** State that a lie must not change. */
    private record Known(
            VmState state, String beside, @Nullable StoredVm stored, List<Operation> operations) {}

    private final CommandWorld world;
    private final ModelHost liar;
    private final Map<VmId, Guarded> guarded = new TreeMap<>();
    private final Set<VmId> misled = new HashSet<>();
    private final Map<VmId, Known> beforeLie = new TreeMap<>();
    private @Nullable String broken;

    CommandTrust(CommandWorld world, ModelHost liar) {
        this.world = world;
        this.liar = liar;
        world.centre.pardoning((host, vm) -> host == liar || (mayBeMisled(vm) && !isGuarded(vm)));
        world.centre.watchingRemovals((host, vm) -> {
            Guarded guard = guarded.get(vm);
            if (guard != null && guard.host() == host && isStillThere(vm, guard)) {
                note(
                        "%s is destroyed on %s, where it runs, which is honest and in contact"
                                .formatted(vm, CommandWorld.name(host.id())));
            }
        });
    }

    private void note(String what) {
        if (broken == null) {
            broken = what;
        }
    }

    /** The first rule that was broken; null while none was. */
    @Nullable String broken() {
        return broken;
    }

    /** The engine is another one. */
    void newLife() {
        guarded.clear();
        beforeLie.clear();
    }

    private boolean mayBeMisled(VmId vm) {
        return misled.contains(vm);
    }

    private boolean isGuarded(VmId vm) {
        Guarded guard = guarded.get(vm);
        return guard != null && isStillThere(vm, guard);
    }

    private boolean isStillThere(VmId vm, Guarded guard) {
        return guard.host().process(vm) == guard.process()
                && world.centre.homes(vm).equals(List.of(guard.host()))
                && guard.host().status(vm) != VmStatus.MIGRATING_FROM
                && isInContact(guard.host());
    }

    private boolean isInContact(ModelHost host) {
        CommandWorld.Life life = world.life();
        return life != null
                && host.isReachable()
                && CONTACT.contains(
                        Objects.requireNonNull(life.stepped().engine().fleet().host(host.id()))
                                .state()
                                .status());
    }

    /** Checks the engine's view after each of its actions. */
    void look() {
        CommandWorld.Life life = world.life();
        if (life == null) {
            guarded.clear();
            return;
        }
        Map<VmId, VmView> all = new HashMap<>();
        life.stepped().engine().fleet().vms().forEach(vm -> all.put(vm.id(), vm));
        guarded.forEach((vm, was) -> {
            VmView now = all.get(vm);
            if (isStillThere(vm, was) && (now == null || !isShownOn(now, was.host()))) {
                note(
                        "%s runs on %s, which is honest and in contact, and is shown as %s"
                                .formatted(vm, CommandWorld.name(was.host().id()), now));
            }
        });
        guarded.clear();
        for (VmView vm : all.values()) {
            if (liar.id().equals(vm.state().placement().runOn())
                    || liar.id().equals(vm.state().placement().migratingTo())
                    || liar.runs(vm.id())) {
                misled.add(vm.id());
            }
            ModelHost holder = holder(vm);
            if (holder != null
                    && vm.state().placement().migratingTo() == null
                    && holder.process(vm.id()) != 0) {
                Guarded guard = new Guarded(holder, holder.process(vm.id()));
                if (isStillThere(vm.id(), guard)) {
                    misled.remove(vm.id());
                    guarded.put(vm.id(), guard);
                }
            }
        }
    }

    private static boolean isShownOn(VmView vm, ModelHost host) {
        VmStatus status = vm.state().runtime().status();
        return host.id().equals(vm.state().placement().runOn())
                && !status.isNotRunning()
                && status != VmStatus.UNKNOWN;
    }

    /** The honest host in contact that holds the VM, if there is one. */
    private @Nullable ModelHost holder(VmView vm) {
        HostId on = vm.state().placement().runOn();
        if (on == null
                || on.equals(liar.id())
                || liar.id().equals(vm.state().placement().migratingTo())) {
            return null;
        }
        ModelHost host = world.centre.host(on);
        boolean onlyReceivingSideSeen =
                vm.state().runtime().status() == VmStatus.MIGRATING_TO
                        && vm.state().placement().migratingTo() == null;
        return isShownOn(vm, host) && isInContact(host) && !onlyReceivingSideSeen ? host : null;
    }

    /** The lying host is about to send a message; no other work is waiting. */
    void beforeLie() {
        beforeLie.clear();
        CommandWorld.Life life = world.life();
        if (life != null) {
            life.stepped()
                    .engine()
                    .fleet()
                    .vms()
                    .filter(vm -> holder(vm) != null)
                    .forEach(vm -> beforeLie.put(vm.id(), known(life, vm)));
        }
    }

    /** The lie was sent, and the engine has reacted to it without any answer. */
    void afterLie(ModelHost.Lie lie) {
        CommandWorld.Life life = world.life();
        if (life == null) {
            return;
        }
        // Others may get their turn because of a change of the lying host's own VM.
        Known before = beforeLie.get(lie.vm());
        VmView view = life.stepped().engine().fleet().vm(lie.vm());
        Known now = view == null ? null : known(life, view);
        if (before != null && !before.equals(now) && !isOfItsOwnMigration(life, lie, before, now)) {
            note(
                    "%s was %s and is %s because of a lie: %s"
                            .formatted(lie.vm(), before, now, lie.what()));
        }
        beforeLie.clear();
    }

    /**
     * Whether a report belongs to the source host's own migration: only that host can report
     * progress and downtime. Such a report changes the operation and a number, not how the VM is
     * shown or kept.
     */
    private boolean isOfItsOwnMigration(
            CommandWorld.Life life, ModelHost.Lie lie, Known before, @Nullable Known now) {
        return lie.isOfMigration()
                && now != null
                && liar.id().equals(life.stepped().cameFrom(lie.vm()))
                && before.state().equals(now.state())
                && Objects.equals(before.stored(), now.stored());
    }

    private Known known(CommandWorld.Life life, VmView vm) {
        return new Known(
                vm.state(),
                life.stepped().beside(vm.id()),
                world.vms.vm(vm.id()),
                life.commands().operations(each -> !each.isEnded() && vm.id().equals(each.vm())));
    }

    /** Effects of the lies that are left once the host is honest; null for none. */
    @Nullable String left() {
        CommandWorld.Life life = world.life();
        List<String> claims = life == null ? List.of() : life.stepped().contested();
        return claims.isEmpty() ? null : "claims are left of a host that lies no more: " + claims;
    }
}
