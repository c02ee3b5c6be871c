package org.stillwater.fake.world;

import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Everything that can happen to a VM, with its events and its consequences later on. Every method
 * runs under the world's lock, and changes a domain under the monitor of its host.
 */
final class Lifecycle {

    private static final long PROGRESS_PERIOD_MILLIS = 10_000;

    /** The source of a migration ends a moment after the destination runs. */
    private static final long SOURCE_LINGERS_MILLIS = 100;

    /** An agent that is already there answers a host that did not know it within a tick. */
    private static final long AGENT_FOUND_MILLIS = 2_500;

    /** An agent that cannot answer now, because its guest does not run, is asked again. */
    private static final long AGENT_RETRY_MILLIS = 5_000;

    private final SimulationClock clock;
    private final Agenda agenda;
    private final Events events;
    private final WorldSettings settings;

    Lifecycle(SimulationClock clock, Agenda agenda, Events events, WorldSettings settings) {
        this.clock = clock;
        this.agenda = agenda;
        this.events = events;
        this.settings = settings;
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

    /** A restored guest goes on where it was, so that its agent need not start (§3.3.2). */
    private void launch(Domain domain, Launch launch) {
        if (launch.failure() != null) {
            down(domain, launch.failure(), null);
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

    /** The guest starts anew by itself; where it was asked to, the VM ends instead. */
    void reboot(Domain domain) {
        require(domain, phase -> phase == Phase.RUNNING, "it is not running");
        if (domain.endsOnReboot) {
            down(domain, Exit.DESTROYED_ON_REBOOT, null);
        } else {
            reset(domain);
        }
    }

    /** The guest starts anew. */
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
     * @param force ends it so long after the delay if it does not obey; null for never
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

    /** Hibernates: saving for a while, then down. */
    void hibernate(Domain domain) {
        require(domain, phase -> phase == Phase.RUNNING, "it is not running");
        synchronized (domain.host) {
            domain.phase = Phase.SAVING;
            if (domain.active != null) {
                domain.active.pause(now());
            }
            domain.changed();
        }
        after(domain, settings.shutdown().toMillis(), () -> down(domain, Exit.SAVED, null));
    }

    /** Ends a VM at once; its record stays until it is destroyed. */
    void down(Domain domain, Exit exit, @Nullable String message) {
        if (domain.isDown()) {
            throw WorldException.conflict(domain.machine.name + " is down already");
        }
        abandonMigration(domain);
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
    }

    /**
     * Sets the password of its console.
     *
     * @param disconnects whether whoever is connected has to leave
     */
    void setTicket(Domain domain, boolean disconnects) {
        if (disconnects && !domain.clientAddress.isEmpty()) {
            synchronized (domain.host) {
                domain.clientAddress = "";
                domain.changed();
            }
        }
    }

    /** Removes a VM from its host, running or not; there is no event for that (§4.4). */
    void destroy(Domain domain) {
        abandonMigration(domain);
        forget(domain);
    }

    private void forget(Domain domain) {
        synchronized (domain.host) {
            domain.plan++;
            domain.agentPlan++;
            domain.host.remove(domain);
        }
        if (domain.machine.home == domain) {
            domain.machine.home = null;
            domain.machine.userName = "";
            domain.machine.session = "Unknown";
        }
    }

    // ---- migration

    Migration migrate(Domain source, FakeHost target, MigrationOrder order) {
        require(
                source,
                phase -> phase == Phase.RUNNING || phase == Phase.PAUSED,
                "it is neither running nor paused");
        if (target == source.host) {
            throw WorldException.conflict("it is on " + target.name + " already");
        }
        if (source.migration != null) {
            throw WorldException.conflict(
                    "%s is still arriving at %s".formatted(source.machine.name, source.host.name));
        }
        Domain destination;
        synchronized (target) {
            if (target.condition() != FakeHost.Condition.UP) {
                throw WorldException.conflict(target.name + " is not up");
            }
            if (target.domain(source.machine.idText) != null) {
                throw WorldException.conflict(
                        "%s still knows %s".formatted(target.name, source.machine.idText));
            }
            destination = new Domain(source.machine, target, Phase.MIGRATION_DESTINATION);
            destination.endsOnReboot = source.endsOnReboot;
            target.add(destination);
        }
        Duration takes = order.takes() == null ? settings.migration() : order.takes();
        long downtime = 20 + (Seeds.of(source.machine.seed, now()) & 127);
        Migration migration =
                new Migration(source, destination, order.outcome(), now(), takes, downtime);
        synchronized (target) {
            destination.migration = migration;
        }
        synchronized (source.host) {
            source.migration = migration;
            source.phase = Phase.MIGRATION_SOURCE;
            source.changed();
            events.status(source);
        }
        if (migration.endsInPostCopy()) {
            during(
                    migration,
                    (migration.startedAt + migration.endsAt) / 2,
                    () -> switchToPostCopy(migration));
        }
        planProgress(migration, now() + PROGRESS_PERIOD_MILLIS);
        during(migration, migration.endsAt, () -> finish(migration));
        return migration;
    }

    /** How many VMs leave a host, or come to it, at the moment. */
    static int migrating(FakeHost host, boolean leaving) {
        int count = 0;
        synchronized (host) {
            for (Domain domain : host.domains()) {
                Migration migration = domain.migration;
                if (migration != null
                        && !migration.hasArrived()
                        && (leaving ? migration.source : migration.destination) == domain) {
                    count++;
                }
            }
        }
        return count;
    }

    void cancelMigration(Domain source) {
        Migration migration = source.migration;
        if (migration == null
                || migration.source != source
                || migration.isPostCopy()
                || migration.hasArrived()) {
            throw WorldException.conflict(source.machine.name + " has no migration to cancel");
        }
        fail(migration);
    }

    private void planProgress(Migration migration, long at) {
        if (at < migration.endsAt) {
            during(
                    migration,
                    at,
                    () -> {
                        tellProgress(migration, -1);
                        planProgress(migration, at + PROGRESS_PERIOD_MILLIS);
                    });
        }
    }

    private void tellProgress(Migration migration, long downtimeMillis) {
        Domain source = migration.source;
        synchronized (source.host) {
            int percent = downtimeMillis >= 0 ? 100 : migration.progress(now());
            events.migrationProgress(source, percent, migration.isPostCopy(), downtimeMillis);
        }
    }

    private void switchToPostCopy(Migration migration) {
        Domain source = migration.source;
        synchronized (source.host) {
            migration.switchToPostCopy();
            if (source.active != null) {
                source.active.pause(now());
            }
            source.changed();
            events.switchedToPostCopy(source);
        }
        arrive(migration);
    }

    private void arrive(Migration migration) {
        Domain destination = migration.destination;
        synchronized (destination.host) {
            destination.run(now(), migration.source.guestSince);
            if (migration.phase == Phase.PAUSED) {
                destination.paused(now());
            }
            events.started(destination);
        }
        destination.machine.home = destination;
        if (destination.machine.agent && migration.source.agent != Domain.Agent.STOPPED) {
            expectAgent(destination, AGENT_FOUND_MILLIS);
        }
    }

    private void finish(Migration migration) {
        switch (migration.outcome) {
            case SUCCESS -> {
                tellProgress(migration, migration.downtimeMillis);
                arrive(migration);
                afterEnd(migration, () -> down(migration.source, Exit.MIGRATED, null));
            }
            case FAILURE -> fail(migration);
            case POSTCOPY -> {
                tellProgress(migration, migration.downtimeMillis);
                afterEnd(
                        migration,
                        () -> {
                            down(migration.source, Exit.MIGRATED, null);
                            forget(migration.source);
                        });
            }
            case POSTCOPY_FAILURE -> {
                over(migration);
                down(migration.source, Exit.POSTCOPY_FAILED, null);
                if (!migration.destination.isDown()) {
                    down(migration.destination, Exit.POSTCOPY_FAILED, null);
                }
            }
        }
    }

    private void afterEnd(Migration migration, Runnable then) {
        leave(migration, migration.destination);
        migration.arrived();
        after(
                migration.source,
                SOURCE_LINGERS_MILLIS,
                () -> {
                    over(migration);
                    then.run();
                });
    }

    /** The VM stays where it was; the destination's record says why. */
    private void fail(Migration migration) {
        over(migration);
        Domain source = migration.source;
        synchronized (source.host) {
            source.phase = migration.phase;
            source.changed();
            events.status(source);
        }
        Domain destination = migration.destination;
        if (!destination.isDown()) {
            down(destination, Exit.MIGRATION_FAILED, null);
        }
        source.machine.home = source;
    }

    private static void over(Migration migration) {
        leave(migration, migration.source);
        leave(migration, migration.destination);
    }

    /** A VM that has arrived may be on its way again: its next migration is not ended. */
    private static void leave(Migration migration, Domain domain) {
        synchronized (domain.host) {
            if (domain.migration == migration) {
                domain.migration = null;
            }
        }
    }

    /** One end of a migration goes away: the other one draws its consequence. */
    private void abandonMigration(Domain domain) {
        Migration migration = domain.migration;
        if (migration == null) {
            return;
        }
        over(migration);
        if (migration.hasArrived()) {
            return;
        }
        Domain other = domain == migration.source ? migration.destination : migration.source;
        if (other.isDown()) {
            return;
        }
        if (migration.isPostCopy()) {
            down(other, Exit.POSTCOPY_FAILED, null);
        } else if (other == migration.source) {
            synchronized (other.host) {
                other.phase = migration.phase;
                other.changed();
                events.status(other);
            }
        } else {
            down(other, Exit.MIGRATION_FAILED, null);
        }
    }

    // ---- hosts

    /** The VDSM process of a host has ended: what it kept in memory only is lost. */
    void vdsmEnded(FakeHost host) {
        for (Domain domain : host.domains()) {
            abandonMigration(domain);
        }
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

    /** VDSM has found its VMs again, and says so for each of them (§4.4). */
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
     * @param orderly whether it says so of each VM first
     */
    void hostDown(FakeHost host, boolean orderly) {
        for (Domain domain : host.domains()) {
            if (orderly && !domain.isDown()) {
                down(domain, Exit.HOST_SHUTDOWN, null);
            } else {
                abandonMigration(domain);
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

    private void after(Domain domain, long millis, Runnable action) {
        int plan = domain.plan;
        agenda.at(
                now() + millis,
                () -> {
                    if (domain.plan == plan) {
                        action.run();
                    }
                });
    }

    private void during(Migration migration, long at, Runnable action) {
        agenda.at(
                at,
                () -> {
                    if (migration.source.migration == migration) {
                        action.run();
                    }
                });
    }

    /** A setting, and up to as much again, by what the machine is. */
    private static long jittered(Duration setting, Machine machine) {
        return setting.toMillis() * (256 + (machine.seed >>> 24 & 255)) / 256;
    }

    private static void require(Domain domain, Predicate<Phase> allowed, String otherwise) {
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
