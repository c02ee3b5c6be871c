package org.stillwater.fake.world;

import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Everything that can happen to a VM, with its events and its consequences later on. Every method
 * runs under the world's lock, and changes a domain under the monitor of its host.
 *
 * <p>It is long because it has a method for each event in the life of a VM.
 */
final class Lifecycle {

    /** An agent that already exists answers a host that did not know it within a tick. */
    private static final long AGENT_FOUND_MILLIS = 2_500;

    /** Interval in which a held launch checks whether it may continue. */
    private static final long HELD_MILLIS = 1_000;

    /** VDSM's prefix of the reason why a saved VM does not start. */
    private static final String WAKE_UP = "Wake up from hibernation failed:";

    /** Interval of retries to reach an agent that cannot answer because its guest does not run. */
    private static final long AGENT_RETRY_MILLIS = 5_000;

    private final SimulationClock clock;
    private final EventSchedule agenda;
    private final Events events;
    private final WorldSettings settings;
    private final Storage storage;
    private final Migrations migrations;
    private final Departures departures;

    Lifecycle(
            SimulationClock clock,
            EventSchedule agenda,
            Events events,
            WorldSettings settings,
            Storage storage) {
        this.clock = clock;
        this.agenda = agenda;
        this.events = events;
        this.settings = settings;
        this.storage = storage;
        this.migrations = new Migrations(this, agenda, events, settings);
        this.departures = new Departures(this, agenda, events, settings, storage);
    }

    /** Migrations between hosts. */
    Migrations migrations() {
        return migrations;
    }

    /** Migrations and hibernations, on the source side. */
    Departures departures() {
        return departures;
    }

    /** A VM that has been running for long, with nothing left to happen. */
    static Domain settled(Machine machine, FakeHost host, long since) {
        Domain domain = new Domain(machine, host, Phase.WAIT_FOR_LAUNCH);
        domain.run(since, since);
        domain.pauseCode = "NOERR";
        if (machine.agent) {
            domain.agent = Domain.Agent.ACTIVE;
            domain.agentSince = since;
            domain.agentKnown = true;
        }
        host.add(domain);
        machine.home = domain;
        return domain;
    }

    Domain create(Machine machine, FakeHost host, Launch launch) {
        Domain domain;
        synchronized (host) {
            if (host.condition() != FakeHost.Condition.UP) {
                throw WorldException.conflict(host.name + " is not up");
            }
            if (host.domain(machine.idText) != null) {
                throw new WorldException(
                        WorldException.Reason.EXISTS,
                        "%s is known to %s already".formatted(machine.idText, host.name));
            }
            domain =
                    new Domain(
                            machine,
                            host,
                            launch.restored() ? Phase.RESTORING : Phase.WAIT_FOR_LAUNCH);
            domain.endsOnReboot = launch.endsOnReboot();
            host.add(domain);
        }
        machine.home = domain;
        after(domain, jittered(settings.launch(), machine), () -> launch(domain, launch));
        return domain;
    }

    /** A restored guest continues where it was, so that its agent need not start (§3.3.2). */
    private void launch(Domain domain, Launch launch) {
        boolean held;
        synchronized (domain.host) {
            held = domain.host.holdsLaunches();
        }
        if (held) {
            after(domain, HELD_MILLIS, () -> launch(domain, launch));
            return;
        }
        Exit failure = launch.failure();
        if (failure != null) {
            down(domain, failure, launch.restored() ? WAKE_UP + failure.message() : null);
            return;
        }
        String obstacle = obstacleToRestore(domain, launch);
        if (obstacle != null) {
            down(domain, Exit.ERROR, WAKE_UP + obstacle);
            return;
        }
        synchronized (domain.host) {
            domain.run(now(), now());
            domain.pauseCode = launch.restored() ? null : "NOERR";
            if (launch.paused()) {
                domain.paused(now());
            }
            events.started(domain);
        }
        if (domain.machine.agent) {
            expectAgent(
                    domain,
                    launch.restored()
                            ? AGENT_FOUND_MILLIS
                            : jittered(settings.agent(), domain.machine));
        }
    }

    /** The message of VDSM or libvirt about bad volumes of a saved state; null for good ones. */
    private @Nullable String obstacleToRestore(Domain domain, Launch launch) {
        VolumeAddress.Pair volumes = launch.volumes();
        if (volumes == null) {
            return null;
        }
        return switch (storage.memory(volumes.memory(), domain.machine.idText)) {
            case THERE -> null;
            case FOREIGN -> "operation failed: image magic is incorrect";
            case MISSING -> "Bad volume specification " + volumes.memory();
        };
    }

    void agentUp(Domain domain) {
        require(domain, Phase::isRunningGuest, "its guest does not run");
        domain.machine.agent = true;
        domain.agentPlan++;
        agentAnswers(domain);
    }

    private void agentAnswers(Domain domain) {
        if (domain.phase != Phase.RUNNING) {
            expectAgent(domain, AGENT_RETRY_MILLIS);
            return;
        }
        synchronized (domain.host) {
            domain.agent = Domain.Agent.ACTIVE;
            domain.agentSince = now();
            domain.agentKnown = true;
            domain.rebooted = false;
            domain.changed();
            events.agent(domain);
        }
    }

    void agentDown(Domain domain) {
        require(domain, Phase::isRunningGuest, "its guest does not run");
        synchronized (domain.host) {
            domain.agentPlan++;
            domain.agent = Domain.Agent.STOPPED;
            domain.changed();
        }
    }

    void pause(Domain domain, PauseCause cause) {
        require(domain, phase -> phase == Phase.RUNNING, "it is not running");
        synchronized (domain.host) {
            domain.paused(now());
            if (cause.pollCode() != null) {
                domain.pauseCode = cause.pollCode();
            }
            domain.changed();
            String eventCode = cause.eventCode();
            if (eventCode == null) {
                events.status(domain);
            } else {
                events.ioError(domain, eventCode, lastDisk(domain.machine));
            }
        }
    }

    void resume(Domain domain) {
        require(domain, phase -> phase == Phase.PAUSED, "it is not paused");
        synchronized (domain.host) {
            domain.phase = Phase.RUNNING;
            if (domain.active != null) {
                domain.active.resume(now());
            }
            domain.pauseCode = null;
            domain.changed();
            events.status(domain);
        }
    }

    /** The guest restarts by itself; if configured so, the VM ends instead. */
    void reboot(Domain domain) {
        require(domain, phase -> phase == Phase.RUNNING, "it is not running");
        if (domain.endsOnReboot) {
            down(domain, Exit.DESTROYED_ON_REBOOT, null);
        } else {
            reset(domain);
        }
    }

    /** The guest restarts. */
    void reset(Domain domain) {
        require(domain, phase -> phase == Phase.RUNNING, "it is not running");
        synchronized (domain.host) {
            domain.agentPlan++;
            domain.agent =
                    domain.agent == Domain.Agent.SILENT
                            ? Domain.Agent.SILENT
                            : Domain.Agent.REBOOTING;
            domain.rebooted = true;
            domain.guestSince = now();
            domain.shutdownAskedAt = Domain.NEVER;
            domain.machine.userName = "";
            domain.machine.session = "Unknown";
            domain.changed();
            events.agent(domain);
        }
        if (domain.machine.agent) {
            expectAgent(domain, jittered(settings.agent(), domain.machine));
        } else {
            synchronized (domain.host) {
                domain.agent = Domain.Agent.SILENT;
            }
        }
    }

    /** Shuts down from within the guest. */
    void shutDownByUser(Domain domain) {
        require(domain, Phase::isRunningGuest, "its guest does not run");
        after(domain, settings.shutdown().toMillis(), () -> down(domain, Exit.USER_SHUTDOWN, null));
    }

    /**
     * Asks the guest to shut down.
     *
     * @param delay how long the guest waits first
     * @param obeys whether it does so at all
     * @param reboot whether it starts again
     * @param force time after the delay at which it is ended if it does not obey; null for never
     */
    void shutDownByAdmin(
            Domain domain,
            Duration delay,
            boolean obeys,
            boolean reboot,
            @Nullable Duration force) {
        require(domain, Phase::isRunningGuest, "its guest does not run");
        if (!reboot) {
            synchronized (domain.host) {
                domain.shutdownAskedAt = now();
            }
        }
        if (!obeys && force != null) {
            after(
                    domain,
                    delay.plus(force).toMillis(),
                    () -> {
                        if (reboot) {
                            if (domain.phase == Phase.RUNNING) {
                                reset(domain);
                            }
                        } else {
                            down(domain, Exit.ADMIN_SHUTDOWN, null);
                        }
                    });
        }
        if (obeys) {
            after(
                    domain,
                    delay.toMillis() + settings.shutdown().toMillis(),
                    () -> {
                        if (reboot) {
                            if (domain.phase == Phase.RUNNING) {
                                reboot(domain);
                            }
                        } else {
                            down(domain, Exit.ADMIN_SHUTDOWN, null);
                        }
                    });
        }
    }

    /** Ends a VM at once; its record stays until it is destroyed. */
    void down(Domain domain, Exit exit, @Nullable String message) {
        if (domain.isDown()) {
            throw WorldException.conflict(domain.machine.name + " is down already");
        }
        migrations.abandon(domain, true);
        synchronized (domain.host) {
            domain.plan++;
            domain.agentPlan++;
            domain.phase = Phase.DOWN;
            domain.exit = exit;
            domain.exitMessage = message == null ? exit.message() : message;
            domain.agent = Domain.Agent.SILENT;
            domain.active = null;
            domain.jobs.clear();
            domain.clientAddress = "";
            domain.changed();
            events.down(domain);
        }
        departures.ended(domain);
    }

    /**
     * Sets the password of a console.
     *
     * @param console {@code vnc} or {@code spice}
     * @param disconnects whether connected clients are disconnected
     */
    void setTicket(Domain domain, String console, boolean disconnects) {
        domain.ticket = console;
        if (disconnects && !domain.clientAddress.isEmpty()) {
            synchronized (domain.host) {
                domain.clientAddress = "";
                domain.changed();
            }
        }
    }

    /**
     * Removes a VM from its host, running or not. A running VM goes down first, and its host
     * reports that: VDSM waits for the end of the emulator while it destroys, and sends an event
     * (§4.4).
     */
    void destroy(Domain domain) {
        if (domain.isDown()) {
            migrations.abandon(domain, true);
        } else {
            Exit exit = exitOfDestroyed(domain);
            boolean restoring = domain.phase == Phase.RESTORING;
            down(domain, exit, restoring ? WAKE_UP + exit.message() : null);
        }
        forget(domain);
    }

    private static Exit exitOfDestroyed(Domain domain) {
        Migration migration = domain.migration;
        return switch (domain.phase) {
            case WAIT_FOR_LAUNCH, RESTORING -> Exit.DESTROYED_ON_STARTUP;
            case MIGRATION_DESTINATION -> Exit.MIGRATION_FAILED;
            case MIGRATION_SOURCE ->
                    migration != null && migration.hasArrived()
                            ? Exit.MIGRATED
                            : Exit.ADMIN_SHUTDOWN;
            case RUNNING, PAUSED, SAVING, DOWN -> Exit.ADMIN_SHUTDOWN;
        };
    }

    /** A host no longer has a record of a VM. */
    void forget(Domain domain) {
        synchronized (domain.host) {
            domain.plan++;
            domain.agentPlan++;
            domain.host.remove(domain);
        }
        departures.ended(domain);
        if (domain.machine.home == domain) {
            domain.machine.home = null;
            domain.machine.userName = "";
            domain.machine.session = "Unknown";
        }
    }

    // ---- hosts

    /** The VDSM process of a host has ended: its volatile data is lost. */
    void vdsmEnded(FakeHost host) {
        for (Domain domain : host.domains()) {
            migrations.abandon(domain, false);
        }
        departures.vdsmEnded(host);
        synchronized (host) {
            host.become(FakeHost.Condition.RECOVERING);
            for (Domain domain : host.domains()) {
                if (domain.isDown()) {
                    forget(domain);
                }
            }
            host.vdsmStarted(now());
            for (Domain domain : host.domains()) {
                domain.agentPlan++;
                domain.agent = Domain.Agent.SILENT;
                domain.agentKnown = false;
                domain.watchdog = null;
                if (domain.phase == Phase.RUNNING) {
                    domain.pauseCode = "NOERR";
                }
                domain.changed();
            }
        }
    }

    /** VDSM has found its VMs again, and reports each of them (§4.4). */
    void recovered(FakeHost host) {
        synchronized (host) {
            host.become(FakeHost.Condition.UP);
            for (Domain domain : host.domains()) {
                if (domain.phase.isRunningGuest()) {
                    events.started(domain);
                }
            }
        }
        for (Domain domain : host.domains()) {
            if (domain.machine.agent && domain.phase.isRunningGuest()) {
                expectAgent(domain, AGENT_FOUND_MILLIS);
            }
        }
    }

    /**
     * A host goes down with all its VMs.
     *
     * @param orderly whether it reports the end of each VM first
     */
    void hostDown(FakeHost host, boolean orderly) {
        departures.hostEnds(host);
        for (Domain domain : host.domains()) {
            if (orderly && !domain.isDown()) {
                down(domain, Exit.HOST_SHUTDOWN, null);
            } else {
                migrations.abandon(domain, false);
            }
        }
        for (Domain domain : host.domains()) {
            forget(domain);
        }
        synchronized (host) {
            host.become(FakeHost.Condition.OFF);
        }
    }

    void hostBooted(FakeHost host) {
        synchronized (host) {
            host.booted(now());
            host.vdsmStarted(now());
            host.become(FakeHost.Condition.RECOVERING);
        }
    }

    // ---- planning

    long now() {
        return clock.millis();
    }

    /** A guest that was here before answers its new host within a tick of it. */
    void expectKnownAgent(Domain domain) {
        expectAgent(domain, AGENT_FOUND_MILLIS);
    }

    private void expectAgent(Domain domain, long millis) {
        int plan = domain.agentPlan;
        agenda.at(
                now() + millis,
                () -> {
                    if (domain.agentPlan == plan) {
                        agentAnswers(domain);
                    }
                });
    }

    void after(Domain domain, long millis, Runnable action) {
        int plan = domain.plan;
        agenda.at(
                now() + millis,
                () -> {
                    if (domain.plan == plan) {
                        action.run();
                    }
                });
    }

    /** A setting, plus up to as much again, derived from the machine's identity. */
    private static long jittered(Duration setting, Machine machine) {
        return setting.toMillis() * (256 + (machine.seed >>> 24 & 255)) / 256;
    }

    static void require(Domain domain, Predicate<Phase> allowed, String otherwise) {
        if (!allowed.test(domain.phase)) {
            throw WorldException.conflict(
                    "%s on %s: %s (%s)"
                            .formatted(
                                    domain.machine.name,
                                    domain.host.name,
                                    otherwise,
                                    domain.phase.wire()));
        }
    }

    private static @Nullable Disk lastDisk(Machine machine) {
        for (Disk disk : machine.disks.reversed()) {
            if (!disk.isCd()) {
                return disk;
            }
        }
        return null;
    }
}
