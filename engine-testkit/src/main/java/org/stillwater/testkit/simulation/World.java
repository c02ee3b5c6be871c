package org.stillwater.testkit.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.simulation.GuestProcess.Guest;
import org.stillwater.testkit.simulation.GuestProcess.Role;

/**
 * The truth: which host has which process of which VM. It changes by events of the data centre, and
 * never by beliefs about it.
 *
 * <p>It is long because the truth has one place, and every event changes it whole.
 */
final class World {

    private static final VmStatus[] MOODS = {
        VmStatus.UP,
        VmStatus.UP,
        VmStatus.POWERING_UP,
        VmStatus.REBOOT_IN_PROGRESS,
        VmStatus.POWERING_DOWN,
        VmStatus.NOT_RESPONDING
    };
    private static final PauseStatus[] PAUSES = {
        PauseStatus.EIO,
        PauseStatus.ENOSPC,
        PauseStatus.EPERM,
        PauseStatus.EOTHER,
        PauseStatus.NOERR
    };

    /** How far a migration is. */
    private enum Phase {
        PRE_COPY,
        POST_COPY,
        /** The destination runs the guest, the source has not reported it yet. */
        SWITCHED
    }

    private record Migration(SimulatedHost source, SimulatedHost destination, Phase phase) {
        Migration in(Phase next) {
            return new Migration(source, destination, next);
        }
    }

    private final SplittableRandom random;
    private final Trace trace;
    private final List<SimulatedHost> hosts = new ArrayList<>();
    private final List<VmId> vms = new ArrayList<>();
    private final Map<VmId, Migration> migrations = new TreeMap<>();
    private long processes;
    private @Nullable SimulatedHost liar;

    World(SimulationPlan plan, SplittableRandom random, VirtualClock clock, Trace trace) {
        this.random = random;
        this.trace = trace;
        for (int i = 1; i <= plan.hosts(); i++) {
            hosts.add(new SimulatedHost(i, clock));
        }
        for (int i = 1; i <= plan.vms(); i++) {
            vms.add(new VmId(0x2000, i));
        }
    }

    List<SimulatedHost> hosts() {
        return hosts;
    }

    /** This host lies at times. */
    void liar(@Nullable SimulatedHost host) {
        liar = host;
    }

    List<VmId> vms() {
        return vms;
    }

    static String name(VmId vm) {
        return "vm-" + vm.leastSignificantBits();
    }

    /** The host with the process that is the VM itself, or null when the VM runs nowhere. */
    @Nullable SimulatedHost home(VmId vm) {
        for (SimulatedHost host : hosts) {
            GuestProcess process = host.process(vm);
            if (process != null && process.role() == Role.VM) {
                return host;
            }
        }
        return null;
    }

    /** Host of each running VM. */
    Map<VmId, HostId> homes() {
        Map<VmId, HostId> homes = new TreeMap<>();
        for (SimulatedHost host : hosts) {
            host.processes()
                    .forEach((vm, process) -> {
                        if (process.role() == Role.VM) {
                            homes.put(vm, host.id());
                        }
                    });
        }
        return homes;
    }

    boolean isMigrating(VmId vm) {
        return migrations.containsKey(vm);
    }

    /** Whether a paused process is left of a VM that was started elsewhere. */
    private boolean hasRemains(VmId vm) {
        return !isMigrating(vm)
                && hosts.stream()
                        .map(host -> host.process(vm))
                        .anyMatch(process -> process != null && process.role() == Role.SPENT);
    }

    /** The lease of a VM that ended is free: its remains on other hosts are ended with it. */
    private void dropRemains(VmId vm) {
        for (SimulatedHost host : hosts) {
            GuestProcess process = host.process(vm);
            if (process != null && process.role() == Role.SPENT && !isMigrating(vm)) {
                host.forget(vm);
            }
        }
    }

    /** Ends the remains of VMs that run elsewhere. */
    void removeRemains() {
        for (VmId vm : vms) {
            if (home(vm) != null) {
                dropRemains(vm);
            }
        }
    }

    private boolean isAnywhere(VmId vm) {
        return hosts.stream().anyMatch(host -> host.process(vm) != null);
    }

    private Guest anyGuest() {
        return new Guest(
                "os-" + random.nextInt(3),
                random.nextInt(3) == 0 ? "" : "user-" + random.nextInt(3),
                "app-" + random.nextInt(3));
    }

    private boolean mostly() {
        return random.nextInt(4) > 0;
    }

    /** VMs that run when the engine starts for the first time. */
    void settle() {
        for (VmId vm : vms) {
            if (mostly()) {
                SimulatedHost host = hosts.get(random.nextInt(hosts.size()));
                host.put(
                        vm,
                        GuestProcess.begin(++processes, Role.VM, VmStatus.UP, anyGuest()),
                        true);
                trace.truth("%s runs on %s", name(vm), host);
            }
        }
    }

    // ------------------------------------------------------------------------------ VMs

    void changeMood(VmId vm) {
        SimulatedHost host = home(vm);
        if (host == null || isMigrating(vm)) {
            return;
        }
        GuestProcess process = present(host, vm);
        if (process.status() == VmStatus.SAVING_STATE) {
            return;
        }
        GuestProcess next =
                random.nextInt(4) == 0 && !hasRemains(vm)
                        ? process.paused(PAUSES[random.nextInt(PAUSES.length)])
                        : process.in(MOODS[random.nextInt(MOODS.length)]).with(anyGuest());
        host.put(vm, next, mostly());
        trace.truth("%s on %s is %s, %s", name(vm), host, next, next.guest());
    }

    /**
     * Whether the host accepted it: a host refuses a VM while it has remains of it. A VM that runs
     * on a lying host and was reported as ended loses its lease there.
     */
    boolean start(VmId vm, SimulatedHost host, VmStatus first) {
        SimulatedHost denying = home(vm);
        if (denying != null
                && denying == liar
                && denying != host
                && host.isPowered()
                && host.process(vm) == null
                && !isMigrating(vm)) {
            denying.put(vm, present(denying, vm).paused(PauseStatus.EIO).as(Role.SPENT), true);
            trace.truth("%s loses its lease on %s", name(vm), denying);
        }
        if (!host.isPowered() || home(vm) != null || host.process(vm) != null || isMigrating(vm)) {
            return false;
        }
        host.put(vm, GuestProcess.begin(++processes, Role.VM, first, Guest.SILENT), true);
        trace.truth("%s starts on %s", name(vm), host);
        return true;
    }

    void end(VmId vm) {
        SimulatedHost host = home(vm);
        if (host == null || isMigrating(vm)) {
            return;
        }
        GuestProcess process = present(host, vm);
        GuestProcess ended =
                switch (random.nextInt(5)) {
                    case 0 -> process.ended(ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN);
                    case 1 -> process.ended(ExitStatus.NORMAL, ExitReason.ADMIN_SHUTDOWN);
                    case 2 -> process.ended(ExitStatus.ERROR, ExitReason.GENERIC_ERROR);
                    case 3 -> process.ended(ExitStatus.ERROR, ExitReason.LOST_QEMU_CONNECTION);
                    default -> process.ended(ExitStatus.NORMAL, ExitReason.DESTROYED_ON_REBOOT);
                };
        host.put(vm, ended, true);
        trace.truth("%s on %s has %s", name(vm), host, ended);
        dropRemains(vm);
    }

    /** The guest begins to shut down, as ordered. */
    void shutDown(VmId vm) {
        SimulatedHost host = home(vm);
        if (host != null) {
            host.put(vm, present(host, vm).in(VmStatus.POWERING_DOWN), true);
            trace.truth("%s on %s shuts down", name(vm), host);
        }
    }

    void vanish(VmId vm) {
        SimulatedHost host = home(vm);
        if (host != null && !isMigrating(vm)) {
            host.forget(vm);
            dropRemains(vm);
            trace.truth("%s is gone from %s without a trace", name(vm), host);
        }
    }

    void hibernate(VmId vm) {
        SimulatedHost host = home(vm);
        if (host == null || isMigrating(vm)) {
            return;
        }
        GuestProcess process = present(host, vm);
        if (process.status() != VmStatus.SAVING_STATE) {
            host.put(vm, process.in(VmStatus.SAVING_STATE), true);
            trace.truth("%s on %s saves its state", name(vm), host);
            return;
        }
        if (mostly()) {
            host.put(vm, process.ended(ExitStatus.NORMAL, ExitReason.SAVE_STATE_SUCCEEDED), true);
            trace.truth("%s on %s is suspended", name(vm), host);
            dropRemains(vm);
        } else {
            host.put(vm, process.in(VmStatus.UP), true); // as VDSM does when it cannot save it
            trace.truth("%s on %s failed to suspend", name(vm), host);
        }
    }

    /**
     * Starts a VM of an unreachable host elsewhere, its disks locked by a lease: its process on the
     * old host is paused for good.
     *
     * @return whether the host took it
     */
    boolean startElsewhere(VmId vm, SimulatedHost host) {
        SimulatedHost old = home(vm);
        if (old == null
                || isMigrating(vm)
                || hasRemains(vm)
                || old.isConnected()
                || host == old
                || !host.isPowered()
                || host.process(vm) != null) {
            return false;
        }
        old.put(vm, present(old, vm).paused(PauseStatus.EIO).as(Role.SPENT), true);
        host.put(
                vm,
                GuestProcess.begin(++processes, Role.VM, VmStatus.POWERING_UP, anyGuest()),
                true);
        trace.truth("%s starts on %s, its lease lost by %s", name(vm), host, old);
        return true;
    }

    // ----------------------------------------------------------------------- migrations

    /** Whether both hosts took it. */
    boolean beginMigration(VmId vm, SimulatedHost destination) {
        SimulatedHost source = home(vm);
        if (source == null
                || source == destination
                || isMigrating(vm)
                || hasRemains(vm)
                || !destination.isPowered()
                || destination.isRecovering()
                || destination.process(vm) != null) {
            return false;
        }
        GuestProcess process = present(source, vm);
        if (process.status() != VmStatus.UP && process.status() != VmStatus.POWERING_UP) {
            return false;
        }
        migrations.put(vm, new Migration(source, destination, Phase.PRE_COPY));
        trace.truth("%s begins to migrate from %s to %s", name(vm), source, destination);
        GuestProcess incoming =
                GuestProcess.begin(
                        ++processes, Role.INCOMING, VmStatus.MIGRATING_TO, process.guest());
        inAnyOrder(
                () -> source.put(vm, process.in(VmStatus.MIGRATING_FROM), true),
                () -> destination.put(vm, incoming, true));
        return true;
    }

    void advanceMigration(VmId vm) {
        Migration migration = migrations.get(vm);
        if (migration == null) {
            return;
        }
        switch (migration.phase()) {
            case PRE_COPY -> {
                switch (random.nextInt(9)) {
                    case 0, 1, 2, 3 -> switchOver(vm, migration);
                    case 4 -> failMigration(vm, migration, "failed", mostly());
                    case 5 -> failMigration(vm, migration, "was cancelled", false);
                    case 6, 7 -> postCopy(vm, migration);
                    default -> endMigrating(vm, migration);
                }
            }
            case POST_COPY -> {
                if (mostly()) {
                    completePostCopy(vm, migration);
                } else {
                    failPostCopy(vm, migration);
                }
            }
            case SWITCHED -> leaveSource(vm, migration);
        }
    }

    /** Ends every migration that is under way. */
    void finishMigrations() {
        for (VmId vm : List.copyOf(migrations.keySet())) {
            Migration migration = migrations.get(vm);
            while (migration != null) {
                advanceMigration(vm);
                migration = migrations.get(vm);
            }
        }
    }

    /** Launches the processes that wait for it. */
    void launch() {
        for (VmId vm : vms) {
            SimulatedHost host = home(vm);
            if (host != null && present(host, vm).status() == VmStatus.WAIT_FOR_LAUNCH) {
                host.put(vm, present(host, vm).in(VmStatus.UP), true);
            }
        }
    }

    private void switchOver(VmId vm, Migration migration) {
        SimulatedHost source = migration.source();
        SimulatedHost destination = migration.destination();
        GuestProcess old = present(source, vm);
        GuestProcess arrived =
                present(destination, vm).as(Role.VM).in(VmStatus.UP).with(old.guest());
        trace.truth("%s now runs on %s, migrated from %s", name(vm), destination, source);
        if (random.nextBoolean()) {
            migrations.put(vm, migration.in(Phase.SWITCHED));
            source.processes().put(vm, old.as(Role.SPENT));
            destination.put(vm, arrived, true);
        } else {
            migrations.remove(vm);
            inAnyOrder(
                    () -> destination.put(vm, arrived, true),
                    () -> source.put(vm, migratedAway(old), true));
        }
    }

    private void leaveSource(VmId vm, Migration migration) {
        migrations.remove(vm);
        GuestProcess old = migration.source().process(vm);
        if (old != null) {
            migration.source().put(vm, migratedAway(old), true);
            trace.truth("%s has left %s", name(vm), migration.source());
        }
    }

    private static GuestProcess migratedAway(GuestProcess process) {
        return process.ended(ExitStatus.NORMAL, ExitReason.MIGRATION_SUCCEEDED);
    }

    private void failMigration(VmId vm, Migration migration, String how, boolean record) {
        migrations.remove(vm);
        trace.truth("the migration of %s %s; it runs on %s", name(vm), how, migration.source());
        migration.source().put(vm, present(migration.source(), vm).in(VmStatus.UP), true);
        dropIncoming(vm, migration, record);
    }

    private void dropIncoming(VmId vm, Migration migration, boolean record) {
        GuestProcess incoming = migration.destination().process(vm);
        if (incoming == null) {
            return;
        }
        if (record) {
            migration
                    .destination()
                    .put(vm, incoming.ended(ExitStatus.ERROR, ExitReason.MIGRATION_FAILED), true);
        } else {
            migration.destination().forget(vm);
        }
    }

    private void postCopy(VmId vm, Migration migration) {
        SimulatedHost source = migration.source();
        SimulatedHost destination = migration.destination();
        migrations.put(vm, migration.in(Phase.POST_COPY));
        GuestProcess old = present(source, vm);
        GuestProcess next = present(destination, vm).as(Role.VM);
        trace.truth("%s goes on by post-copy on %s", name(vm), destination);
        source.put(vm, old.paused(PauseStatus.POSTCOPY).as(Role.SPENT), true);
        destination.processes().put(vm, next);
    }

    private void completePostCopy(VmId vm, Migration migration) {
        migrations.remove(vm);
        SimulatedHost source = migration.source();
        SimulatedHost destination = migration.destination();
        trace.truth("%s is complete on %s", name(vm), destination);
        GuestProcess old = present(source, vm);
        GuestProcess next = present(destination, vm).in(VmStatus.UP);
        inAnyOrder(
                () -> destination.put(vm, next, true),
                () -> source.put(vm, migratedAway(old), true));
    }

    private void failPostCopy(VmId vm, Migration migration) {
        migrations.remove(vm);
        trace.truth("the post-copy of %s failed, it is lost", name(vm));
        for (SimulatedHost host : List.of(migration.source(), migration.destination())) {
            GuestProcess process = host.process(vm);
            if (process != null) {
                host.put(
                        vm,
                        process.ended(ExitStatus.ERROR, ExitReason.POSTCOPY_MIGRATION_FAILED),
                        true);
            }
        }
    }

    private void endMigrating(VmId vm, Migration migration) {
        migrations.remove(vm);
        GuestProcess ended =
                random.nextBoolean()
                        ? present(migration.source(), vm)
                                .ended(ExitStatus.ERROR, ExitReason.GENERIC_ERROR)
                        : present(migration.source(), vm)
                                .ended(ExitStatus.NORMAL, ExitReason.USER_SHUTDOWN);
        trace.truth("%s on %s has %s while it migrated", name(vm), migration.source(), ended);
        boolean record = random.nextBoolean();
        inAnyOrder(
                () -> migration.source().put(vm, ended, true),
                () -> dropIncoming(vm, migration, record));
    }

    private void inAnyOrder(Runnable one, Runnable other) {
        if (random.nextBoolean()) {
            one.run();
            other.run();
        } else {
            other.run();
            one.run();
        }
    }

    private static GuestProcess present(SimulatedHost host, VmId vm) {
        return Objects.requireNonNull(host.process(vm), "no process");
    }

    // ---------------------------------------------------------------------------- hosts

    void powerFails(SimulatedHost host) {
        if (!host.isPowered()) {
            return;
        }
        trace.truth("%s loses its power", host);
        for (VmId vm : List.copyOf(migrations.keySet())) {
            Migration migration = Objects.requireNonNull(migrations.get(vm));
            if (migration.source() == host) {
                sourceLost(vm, migration);
            } else if (migration.destination() == host) {
                destinationLost(vm, migration);
            }
        }
        List<VmId> lost = List.copyOf(host.processes().keySet());
        host.powerFails();
        for (VmId vm : lost) {
            if (home(vm) == null) {
                dropRemains(vm);
            }
        }
    }

    private void sourceLost(VmId vm, Migration migration) {
        migrations.remove(vm);
        switch (migration.phase()) {
            case PRE_COPY -> dropIncoming(vm, migration, random.nextBoolean());
            case POST_COPY -> failPostCopy(vm, migration);
            case SWITCHED -> {
                // The VM is on its destination and continues.
            }
        }
    }

    private void destinationLost(VmId vm, Migration migration) {
        migrations.remove(vm);
        SimulatedHost source = migration.source();
        switch (migration.phase()) {
            case PRE_COPY -> source.put(vm, present(source, vm).in(VmStatus.UP), true);
            case POST_COPY -> failPostCopy(vm, migration);
            case SWITCHED -> source.put(vm, migratedAway(present(source, vm)), true);
        }
    }

    void boots(SimulatedHost host) {
        if (!host.isPowered()) {
            host.boots();
            trace.truth("%s has booted", host);
        }
    }

    /** VDSM starts again: VMs continue, records of ended ones are lost. */
    void agentRestarts(SimulatedHost host) {
        for (VmId vm : List.copyOf(host.processes().keySet())) {
            if (present(host, vm).hasEnded()) {
                host.forget(vm);
            }
        }
        host.recovering(true);
        trace.truth("the agent of %s starts again and finds its VMs", host);
    }

    /**
     * The engine has something removed from a host.
     *
     * @return the destroyed process, null for none
     */
    @Nullable GuestProcess destroy(VmId vm, SimulatedHost host) {
        GuestProcess process = host.process(vm);
        host.forget(vm);
        if (process == null || process.hasEnded()) {
            return process;
        }
        Migration migration = migrations.remove(vm);
        if (migration != null && migration.destination() == host) {
            destinationLost(vm, migration);
        } else if (migration != null && migration.source() == host) {
            sourceLost(vm, migration);
        }
        if (liar != null && home(vm) == null) {
            dropRemains(vm);
        }
        return process;
    }

    /** Hosts with a process of the VM, by id. */
    List<SimulatedHost> having(VmId vm) {
        return hosts.stream()
                .filter(host -> host.process(vm) != null)
                .sorted(Comparator.comparing(SimulatedHost::id))
                .toList();
    }

    /** True state of a VM, for people. */
    String describe(VmId vm) {
        if (!isAnywhere(vm)) {
            return name(vm) + " is nowhere";
        }
        StringBuilder text = new StringBuilder(name(vm)).append(" is");
        for (SimulatedHost host : having(vm)) {
            text.append(' ').append(host.process(vm)).append(" on ").append(host).append(';');
        }
        return text.substring(0, text.length() - 1);
    }
}
