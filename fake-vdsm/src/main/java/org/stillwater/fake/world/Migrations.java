package org.stillwater.fake.world;

import java.time.Duration;

/**
 * Moves a VM from one host to another: memory first, with progress every 10 s, then the guest.
 * {@link Departures} handles the source's steps before and after.
 *
 * <p>Every method runs under the world's lock, and changes a domain under the monitor of its host.
 */
final class Migrations {

    private static final long PROGRESS_PERIOD_MILLIS = 10_000;

    /** The source of a migration ends a moment after the destination runs. */
    private static final long SOURCE_LINGERS_MILLIS = 100;

    private final Lifecycle life;
    private final EventSchedule agenda;
    private final Events events;
    private final WorldSettings settings;

    Migrations(Lifecycle life, EventSchedule agenda, Events events, WorldSettings settings) {
        this.life = life;
        this.agenda = agenda;
        this.events = events;
        this.settings = settings;
    }

    /**
     * Refuses a move that no host would carry out.
     *
     * @throws WorldException with the reason
     */
    static void requireMovable(Domain source, FakeHost target) {
        Lifecycle.require(
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
        synchronized (target) {
            if (target.condition() != FakeHost.Condition.UP) {
                throw WorldException.conflict(target.name + " is not up");
            }
            if (target.domain(source.machine.idText) != null) {
                throw WorldException.conflict(
                        "%s still knows %s".formatted(target.name, source.machine.idText));
            }
        }
    }

    /** Begins to move a VM that its host has released already. */
    void begin(Domain source, FakeHost target, MigrationOrder order, Departure departure) {
        Domain destination;
        synchronized (target) {
            destination = new Domain(source.machine, target, Phase.MIGRATION_DESTINATION);
            destination.endsOnReboot = source.endsOnReboot;
            target.add(destination);
        }
        Duration takes = order.takes() == null ? settings.migration() : order.takes();
        long downtime = 20 + (Seeds.of(source.machine.seed, now()) & 127);
        Migration migration =
                new Migration(
                        source, destination, departure, order.outcome(), now(), takes, downtime);
        synchronized (target) {
            destination.migration = migration;
        }
        departure.transfer();
        synchronized (source.host) {
            source.migration = migration;
        }
        if (migration.endsInPostCopy()) {
            during(
                    migration,
                    (migration.startedAt + migration.endsAt) / 2,
                    () -> switchToPostCopy(migration));
        }
        planProgress(migration, now() + PROGRESS_PERIOD_MILLIS);
        during(migration, migration.endsAt, () -> finish(migration));
    }

    /** Number of VMs that migrate to a host at the moment. */
    static int arriving(FakeHost host) {
        int count = 0;
        synchronized (host) {
            for (Domain domain : host.domains()) {
                Migration migration = domain.migration;
                if (migration != null
                        && !migration.hasArrived()
                        && migration.destination == domain) {
                    count++;
                }
            }
        }
        return count;
    }

    /**
     * Stops a migration.
     *
     * @throws WorldException if there is none that can be stopped
     */
    void cancel(Domain source) {
        Migration migration = source.migration;
        if (migration == null
                || migration.source != source
                || migration.isPostCopy()
                || migration.hasArrived()) {
            throw WorldException.conflict(source.machine.name + " has no migration to cancel");
        }
        migration.departure.cancel();
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
            migration.departure.reached(percent);
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
            if (migration.departure.before == Phase.PAUSED) {
                destination.paused(now());
            }
            events.started(destination);
        }
        destination.machine.home = destination;
        if (destination.machine.agent && migration.source.agent != Domain.Agent.STOPPED) {
            life.expectKnownAgent(destination);
        }
    }

    private void finish(Migration migration) {
        switch (migration.outcome) {
            case SUCCESS -> {
                completed(migration);
                arrive(migration);
                afterEnd(migration, () -> life.down(migration.source, Exit.MIGRATED, null));
            }
            case FAILURE -> fail(migration);
            case POSTCOPY -> {
                completed(migration);
                afterEnd(
                        migration,
                        () -> {
                            life.down(migration.source, Exit.MIGRATED, null);
                            life.forget(migration.source);
                        });
            }
            case POSTCOPY_FAILURE -> {
                over(migration);
                migration.departure.failed(VdsmError.MIGRATION_FAILED);
                life.down(migration.source, Exit.POSTCOPY_FAILED, null);
                if (!migration.destination.isDown()) {
                    life.down(migration.destination, Exit.POSTCOPY_FAILED, null);
                }
            }
        }
    }

    private void completed(Migration migration) {
        tellProgress(migration, migration.downtimeMillis);
        migration.departure.completed("Migration done", migration.downtimeMillis);
    }

    private void afterEnd(Migration migration, Runnable then) {
        leave(migration, migration.destination);
        migration.arrived();
        life.after(
                migration.source,
                SOURCE_LINGERS_MILLIS,
                () -> {
                    over(migration);
                    then.run();
                });
    }

    /** The VM stays where it was, and its host cleans up at the destination. */
    private void fail(Migration migration) {
        over(migration);
        discard(migration.destination, migration.source.host);
        migration.source.machine.home = migration.source;
        life.departures()
                .recover(migration.source, migration.departure, VdsmError.MIGRATION_FAILED);
    }

    /**
     * A VM does not arrive. The destination reports that it is down, and then the source destroys
     * the record there, if both hosts are alive.
     */
    private void discard(Domain destination, FakeHost source) {
        if (!destination.isDown()) {
            life.down(destination, Exit.MIGRATION_FAILED, null);
        }
        if (source.condition() == FakeHost.Condition.UP
                && destination.host.condition() == FakeHost.Condition.UP) {
            life.forget(destination);
        }
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

    /**
     * One end of a migration goes away: the other one draws its consequence.
     *
     * @param sourceLives whether the source, if it is the one, can still clean up after itself
     */
    void abandon(Domain domain, boolean sourceLives) {
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
        migration.departure.failed(VdsmError.MIGRATION_FAILED);
        if (migration.isPostCopy()) {
            life.down(other, Exit.POSTCOPY_FAILED, null);
        } else if (other == migration.source) {
            life.departures().recover(other, migration.departure, VdsmError.MIGRATION_FAILED);
        } else if (sourceLives) {
            discard(other, domain.host);
        } else {
            life.down(other, Exit.MIGRATION_FAILED, null);
        }
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

    private long now() {
        return life.now();
    }
}
