package org.stillwater.fake.world;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One VM of a world, to direct. Thread-safe. An action that does not fit its state is refused with
 * a {@link WorldException}.
 */
public final class SimulatedVm {

    private static final long MERGE_MIN_BYTES = 1L << 30;

    private final World world;
    private final Machine machine;

    SimulatedVm(World world, Machine machine) {
        this.world = world;
        this.machine = machine;
    }

    /** Its id. */
    public UUID id() {
        return machine.id;
    }

    /** Its name. */
    public String name() {
        return machine.name;
    }

    /** The truth about it as JSON text. */
    public String state() {
        return world.changing(() -> WorldState.ofVm(world, machine));
    }

    /** The host that runs it or has its last record; {@code null} if no host knows it. */
    public @Nullable String host() {
        return world.changing(() -> machine.home == null ? null : machine.home.host.name.value());
    }

    /** The status its host reports; {@code null} if no host knows it. */
    public @Nullable String status() {
        return world.changing(
                () -> machine.home == null ? null : machine.home.status(world.clock().millis()));
    }

    /**
     * Makes its storage slower.
     *
     * @param disk one of its devices; {@code null} for all
     * @param shape as of {@link SimulatedHost#slowDown}
     * @param percent of the usual latency; of {@code noise} the spread
     * @param lasts how long; zero for no end
     */
    public void slowDown(@Nullable String disk, String shape, int percent, Duration lasts) {
        List<String> devices = machine.disks.stream().map(Disk::device).toList();
        if (disk != null && !devices.contains(disk)) {
            throw new IllegalArgumentException(
                    "'disk' %s is none of the VM; one of %s".formatted(disk, devices));
        }
        world.slowdowns()
                .add(
                        new Slowdown(
                                disk == null ? "vm" : "disk",
                                List.of(machine.idText),
                                disk,
                                Slowdown.LatencyCurve.ofCode(shape),
                                percent,
                                world.clock().millis(),
                                lasts.toMillis()));
    }

    /**
     * Starts it again after it was destroyed.
     *
     * @param hostName name of the host; {@code any} draws a host that is up
     * @param failure how the start ends, if it does not succeed
     */
    public void start(String hostName, @Nullable Exit failure) {
        world.doing(() -> {
            if (machine.home != null) {
                throw new WorldException(
                        WorldException.Reason.EXISTS,
                        "%s is on %s".formatted(machine.name, machine.home.host.name));
            }
            Domain _ =
                    world.life()
                            .create(
                                    machine,
                                    world.targetFor(hostName, machine),
                                    Launch.endingIn(failure));
        });
    }

    /** The guest agent answers. */
    public void agentUp() {
        act(Lifecycle::agentUp);
    }

    /** The guest agent falls silent. */
    public void agentDown() {
        act(Lifecycle::agentDown);
    }

    /** Pauses it. */
    public void pause(PauseCause cause) {
        act((life, domain) -> life.pause(domain, cause));
    }

    /** Resumes it. */
    public void resume() {
        act(Lifecycle::resume);
    }

    /** Reboots the guest. */
    public void reboot() {
        act(Lifecycle::reboot);
    }

    /** Shuts down from within the guest. */
    public void shutDownByUser() {
        act(Lifecycle::shutDownByUser);
    }

    /**
     * The engine asks it to shut down.
     *
     * @param obeys whether the guest does so
     */
    public void shutDownByAdmin(boolean obeys) {
        act((life, domain) -> life.shutDownByAdmin(domain, Duration.ZERO, obeys, false, null));
    }

    /** The emulator dies. */
    public void crash() {
        crash(Exit.LOST_QEMU, null);
    }

    /**
     * It ends at once.
     *
     * @param exit how
     * @param message the text it leaves; {@code null} for the usual one
     */
    public void crash(Exit exit, @Nullable String message) {
        act((life, domain) -> life.down(domain, exit, message));
    }

    /** Its host forgets it, running or not. */
    public void destroy() {
        act(Lifecycle::destroy);
    }

    /** Saves it to disk; it is down then. */
    public void hibernate() {
        act((life, domain) -> {
            Lifecycle.require(domain, phase -> phase == Phase.RUNNING, "it is not running");
            life.departures().hibernate(domain, null);
        });
    }

    /** Moves it to another host. */
    public void migrate(MigrationOrder order) {
        act((life, domain) ->
                life.departures().migrate(domain, world.targetFor(order.target(), machine), order));
    }

    /** Stops a migration that has not switched to post-copy. */
    public void cancelMigration() {
        act((life, domain) -> {
            Migration migration = domain.migration;
            if (migration == null && domain.isLeaving()) {
                life.departures().cancel(domain); // it waits for its turn
            } else {
                life.migrations().cancel(migration == null ? domain : migration.source);
            }
        });
    }

    /** Adds a NIC; the next polls have another hash. */
    public void plugNic() {
        actOnDevices(domain -> {
            if (machine.nics.size() >= 7) {
                throw WorldException.conflict(machine.name + " has 7 NICs already");
            }
            machine.plug(machine.newNic(machine.nics.size(), world.clock().millis()));
            domain.nicPlugged();
        });
    }

    /** Removes the last NIC. */
    public void unplugNic() {
        actOnDevices(domain -> {
            if (machine.nics.isEmpty()) {
                throw WorldException.conflict(machine.name + " has no NIC");
            }
            int last = machine.nics.size() - 1;
            machine.unplugNic(last);
            domain.nicUnplugged(last);
        });
    }

    /** Adds a disk. */
    public void plugDisk() {
        plugDisk((index, now) -> machine.newDisk(index, false, now));
    }

    /** Adds a LUN as a disk. */
    public void plugLun(int gibibytes) {
        requireSize(gibibytes);
        plugDisk((index, now) -> machine.newLun(index, gibibytes, now));
    }

    private void plugDisk(BiFunction<Integer, Long, Disk> disk) {
        actOnDevices(domain -> {
            int disks = (int) machine.disks.stream().filter(other -> !other.isCd()).count();
            if (disks >= 20) {
                throw WorldException.conflict(machine.name + " has 20 disks already");
            }
            machine.plug(disk.apply(disks, world.clock().millis()));
            domain.devicesChanged();
        });
    }

    /** The storage array gives another size to the LUN that was plugged last. */
    public void resizeLun(int gibibytes) {
        requireSize(gibibytes);
        actOnDevices(domain -> {
            if (machine.disks.isEmpty() || machine.disks.getLast().lun() == null) {
                throw WorldException.conflict("the last disk of " + machine.name + " is no LUN");
            }
            machine.replaceLastDisk(machine.disks.getLast().ofSize((long) gibibytes << 30));
            domain.changed();
        });
    }

    private static void requireSize(int gibibytes) {
        if (gibibytes < 1 || gibibytes > 1 << 20) {
            throw new IllegalArgumentException("'gibibytes' must be 1 to 1048576");
        }
    }

    /** Removes the last disk. */
    public void unplugDisk() {
        actOnDevices(domain -> {
            if (machine.disks.isEmpty() || machine.disks.getLast().isCd()) {
                throw WorldException.conflict(machine.name + " has no disk to unplug");
            }
            machine.unplugDisk(machine.disks.size() - 1);
            domain.devicesChanged();
        });
    }

    /** Changes the content of its trusted platform module; the next polls have another hash. */
    public void changeTpm() {
        actOnGuest(domain -> {
            if (!machine.hasTpm()) {
                throw WorldException.conflict(machine.name + " has no TPM");
            }
            machine.changeTpm();
            domain.changed();
        });
    }

    /** Merges a snapshot of its first disk; the job is in its polls as long as it takes. */
    public void liveMerge(Duration takes) {
        actOnDevices(domain -> {
            Disk disk =
                    machine.disks.stream()
                            .filter(candidate -> candidate.image() != null)
                            .findFirst()
                            .orElseThrow(
                                    () -> WorldException.conflict(machine.name + " has no image"));
            long now = world.clock().millis();
            domain.jobs.removeIf(job -> !job.isRunning(now));
            domain.jobs.add(
                    new BlockJob(
                            Seeds.uuid(Seeds.of(Seeds.of(machine.seed, "merge"), now)),
                            disk,
                            now,
                            now + takes.toMillis(),
                            Math.max(MERGE_MIN_BYTES, disk.allocatedBytes())));
        });
    }

    /** The emulator stops answering its host, or answers again. */
    public void respond(boolean responds) {
        actOnGuest(domain -> {
            domain.responsive = responds;
            domain.changed();
        });
    }

    /** Its watchdog fires. */
    public void fireWatchdog(String action) {
        actOnGuest(domain -> {
            domain.watchdog = new Domain.Watchdog(domain.host.moment().wallMillis(), action);
            domain.changed();
        });
    }

    /** A user opens its console, or with an empty address leaves it. */
    public void connectConsole(String clientAddress) {
        actOnGuest(domain -> {
            domain.clientAddress = clientAddress;
            domain.changed();
        });
    }

    /** Whether its guest obeys an engine's request to shut down. */
    public void obeyShutdown(boolean obeys) {
        world.doing(() -> machine.obeys = obeys);
    }

    /** A user logs in to the guest, or with an empty name all leave. */
    public void logIn(String userName) {
        actOnGuest(domain -> {
            machine.userName = userName;
            machine.session = userName.isEmpty() ? "Unknown" : "UserLoggedOn";
            domain.changed();
        });
    }

    /** The guest gets another address on one of its NICs. */
    public void changeAddress(int nic, String address) {
        actOnGuest(domain -> {
            if (nic < 0 || nic >= machine.nics.size()) {
                throw WorldException.conflict(
                        "%s has no NIC number %d".formatted(machine.name, nic));
            }
            machine.changeNic(nic, machine.nics.get(nic).withAddress(address));
            domain.changed();
        });
    }

    Machine machine() {
        return machine;
    }

    private void act(BiConsumer<Lifecycle, Domain> action) {
        world.doing(() -> action.accept(world.life(), home()));
    }

    /** A host refuses changes of devices during a migration. */
    private void actOnDevices(Consumer<Domain> action) {
        actOnGuest(domain -> {
            if (domain.migration != null || domain.isLeaving()) {
                throw WorldException.conflict(machine.name + " is migrating");
            }
            action.accept(domain);
        });
    }

    private void actOnGuest(Consumer<Domain> action) {
        world.doing(() -> {
            Domain domain = home();
            synchronized (domain.host) {
                if (!domain.phase.isRunningGuest()) {
                    throw WorldException.conflict(
                            "%s does not run (%s)".formatted(machine.name, domain.phase.wire()));
                }
                action.accept(domain);
            }
        });
    }

    private Domain home() {
        Domain home = machine.home;
        if (home == null) {
            throw WorldException.conflict(machine.name + " is not on any host");
        }
        return home;
    }
}
