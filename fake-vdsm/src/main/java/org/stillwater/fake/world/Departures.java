package org.stillwater.fake.world;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The source side of migrations and hibernations, as VDSM's source threads perform it ({@code
 * vdsm/virt/migration.py}). An order is accepted at once; the VM counts as migrating or saving from
 * then on. It waits in its host until fewer VMs than the limit are on their way. A full destination
 * is retried later. A later failure happens after the answer: the VM runs on, and its migration
 * status keeps the error.
 *
 * <p>Every method runs under the world's lock, and changes a domain under the monitor of its host.
 */
final class Departures {

    /** Time after which a host detects an address without an answer. */
    private static final long CONNECT_FAILS_MILLIS = 1_000;

    /** A host finds out so late that a volume is not there. */
    private static final long PREPARE_FAILS_MILLIS = 1_000;

    /** Pause before a retry at a busy destination (VDSM's {@code migration_retry_timeout}). */
    private static final long RETRY_MILLIS = 10_000;

    private final Lifecycle life;
    private final EventSchedule agenda;
    private final Events events;
    private final WorldSettings settings;
    private final Storage storage;

    /** VMs that wait for their turn, by host; those that no longer wait are passed over. */
    private final Map<FakeHost, Deque<Domain>> waiting = new HashMap<>();

    /** Hosts that are granting slots: one after the other, not nested. */
    private final Set<FakeHost> granting = new HashSet<>();

    Departures(
            Lifecycle life,
            EventSchedule agenda,
            Events events,
            WorldSettings settings,
            Storage storage) {
        this.life = life;
        this.agenda = agenda;
        this.events = events;
        this.settings = settings;
        this.storage = storage;
    }

    // ---- migration

    /**
     * Orders a VM to another host. The caller has checked that it is neither starting nor leaving
     * nor down.
     *
     * @param target the other host; {@code null} if no host is at the address
     * @param outgoingLimit how many VMs this host lets go at a time; 0 leaves it unchanged
     * @param incomingLimit how many the other one receives at a time; 0 leaves it unchanged
     */
    void migrate(Domain source, @Nullable FakeHost target, long outgoingLimit, long incomingLimit) {
        Departure departure = Departure.migration(source.phase, target, incomingLimit);
        boolean runs = source.phase == Phase.RUNNING || source.phase == Phase.PAUSED;
        begin(source, departure, runs ? Phase.MIGRATION_SOURCE : source.phase);
        if (outgoingLimit > 0) {
            source.host.setOutgoingBound(outgoingLimit);
        }
        if (runs && isReachable(target)) {
            takeTurn(source, departure);
        } else {
            later(
                    source,
                    departure,
                    CONNECT_FAILS_MILLIS,
                    () -> recover(source, departure, VdsmError.MIGRATION_FAILED));
        }
    }

    /**
     * Moves a VM as a script wants it, past everything that waits for its turn.
     *
     * @throws WorldException if it cannot move there
     */
    void migrate(Domain source, FakeHost target, MigrationOrder order) {
        Migrations.requireMovable(source, target);
        Departure departure = Departure.migration(source.phase, target, 0);
        departure.reach(Departure.Stage.ON_ITS_WAY);
        begin(source, departure, Phase.MIGRATION_SOURCE);
        life.migrations().begin(source, target, order, departure);
    }

    private static boolean isReachable(@Nullable FakeHost target) {
        return target != null && target.condition() == FakeHost.Condition.UP && !target.isSilent();
    }

    private void go(Domain source, Departure departure) {
        FakeHost target = departure.target;
        if (target == null || !isReachable(target)) {
            recover(source, departure, VdsmError.MIGRATION_FAILED);
            return;
        }
        Domain known;
        boolean room;
        boolean busy;
        synchronized (target) {
            known = target.domain(source.machine.idText);
            room = target.hasRoomFor(source.machine.memoryMib + HostReport.GUEST_OVERHEAD_MIB);
            if (departure.incomingLimit > 0) {
                target.setIncomingBound(departure.incomingLimit);
            }
            busy = Migrations.arriving(target) >= target.incomingBound();
        }
        if (known != null) {
            departure.failed(VdsmError.VM_EXISTS);
            life.destroy(known); // the source removes any record that it finds there
            recover(source, departure, VdsmError.VM_EXISTS);
        } else if (busy) {
            departure.failed(VdsmError.MIGRATION_LIMIT);
            departure.reach(Departure.Stage.WAITING_FOR_DESTINATION);
            later(source, departure, RETRY_MILLIS, () -> takeTurn(source, departure));
        } else {
            life.migrations()
                    .begin(
                            source,
                            target,
                            room
                                    ? MigrationOrder.to(target.name.value())
                                    : new MigrationOrder(
                                            target.name.value(),
                                            MigrationOrder.Outcome.FAILURE,
                                            null),
                            departure);
        }
    }

    // ---- hibernation

    /**
     * Orders a VM to be saved.
     *
     * @param volumes the volumes for its state; {@code null} saves it at once, without a volume
     */
    void hibernate(Domain domain, VolumeAddress.@Nullable Pair volumes) {
        Departure departure = Departure.hibernation(domain.phase, volumes);
        boolean runs = domain.phase == Phase.RUNNING || domain.phase == Phase.PAUSED;
        if (!runs) {
            begin(domain, departure, domain.phase);
            later(
                    domain,
                    departure,
                    CONNECT_FAILS_MILLIS,
                    () -> recover(domain, departure, VdsmError.MIGRATION_FAILED));
            return;
        }
        synchronized (domain.host) {
            if (domain.active != null) {
                domain.active.pause(life.now());
            }
        }
        begin(domain, departure, Phase.SAVING);
        if (volumes == null) {
            departure.reach(Departure.Stage.ON_ITS_WAY);
            save(domain, departure);
        } else {
            takeTurn(domain, departure);
        }
    }

    private void save(Domain domain, Departure departure) {
        VolumeAddress.Pair volumes = departure.volumes;
        if (volumes != null && !storage.has(volumes.memory())) {
            later(
                    domain,
                    departure,
                    PREPARE_FAILS_MILLIS,
                    () -> recover(domain, departure, VdsmError.MIGRATION_FAILED));
            return;
        }
        later(
                domain,
                departure,
                settings.shutdown().toMillis(),
                () -> {
                    if (volumes != null) {
                        storage.saveMemory(volumes.memory(), domain.machine.idText);
                        if (!storage.has(volumes.configuration())) {
                            strand(domain, departure);
                            return;
                        }
                    }
                    departure.completed("SaveState done", -1);
                    life.down(domain, Exit.SAVED, null);
                });
    }

    /**
     * The memory is saved, so that the guest is gone, and VDSM fails before it has noted that: it
     * tries to let the guest run on, which fails as well. The record stays unchanged.
     */
    private void strand(Domain domain, Departure departure) {
        synchronized (domain.host) {
            departure.failed(VdsmError.MIGRATION_FAILED);
            departure.reach(Departure.Stage.OVER);
            domain.responsive = false;
            domain.changed();
        }
        grantTurns(domain.host);
    }

    // ---- turns

    private void begin(Domain domain, Departure departure, Phase phase) {
        synchronized (domain.host) {
            domain.departure = departure;
            domain.phase = phase;
            domain.changed();
            events.status(domain);
        }
    }

    private void takeTurn(Domain domain, Departure departure) {
        departure.reach(Departure.Stage.WAITING_FOR_TURN);
        waiting.computeIfAbsent(domain.host, _ -> new ArrayDeque<>()).add(domain);
        grantTurns(domain.host);
    }

    /** Lets VMs go while there is room for them. Not entered again from within. */
    private void grantTurns(FakeHost host) {
        Deque<Domain> queue = waiting.get(host);
        if (queue == null || !granting.add(host)) {
            return;
        }
        try {
            while (!queue.isEmpty() && onTheirWay(host) < host.outgoingBound()) {
                Domain next = queue.remove();
                Departure departure = next.departure;
                if (departure != null && departure.stage() == Departure.Stage.WAITING_FOR_TURN) {
                    grant(next, departure);
                }
            }
        } finally {
            granting.remove(host);
        }
        if (queue.isEmpty()) {
            boolean _ = waiting.remove(host, queue);
        }
    }

    private void grant(Domain domain, Departure departure) {
        departure.reach(Departure.Stage.ON_ITS_WAY);
        if (departure.isStopping()) {
            departure.cancel();
            recover(domain, departure, VdsmError.MIGRATION_CANCEL_FAILED);
        } else if (departure.hibernation) {
            save(domain, departure);
        } else {
            go(domain, departure);
        }
    }

    private static int onTheirWay(FakeHost host) {
        int count = 0;
        synchronized (host) {
            for (Domain domain : host.domains()) {
                Departure departure = domain.departure;
                if (departure != null && departure.hasTurn()) {
                    count++;
                }
            }
        }
        return count;
    }

    // ---- ends

    /** It has failed: the VM returns to its former phase, unless it is gone meanwhile. */
    void recover(Domain source, Departure departure, VdsmError error) {
        synchronized (source.host) {
            departure.failed(error);
            departure.reach(Departure.Stage.OVER);
            boolean here = source.host.domain(source.machine.idText) == source;
            if (here && source.departure == departure && isLeaving(source.phase)) {
                source.phase = departure.before;
                if (departure.hibernation
                        && departure.before == Phase.RUNNING
                        && source.active != null) {
                    source.active.resume(life.now());
                }
                source.changed();
                events.status(source);
            }
        }
        grantTurns(source.host);
    }

    private static boolean isLeaving(Phase phase) {
        return phase == Phase.MIGRATION_SOURCE || phase == Phase.SAVING;
    }

    /** The VM is down, or gone from its host: so is its way off. */
    void ended(Domain domain) {
        Departure departure = domain.departure;
        if (departure != null && departure.isUnderWay()) {
            synchronized (domain.host) {
                departure.reach(Departure.Stage.OVER);
            }
            grantTurns(domain.host);
        }
    }

    /** A host goes down: none of those that wait gets its turn. */
    void hostEnds(FakeHost host) {
        waiting.remove(host);
    }

    /**
     * A VDSM process has ended, and with its threads the waiting departures and its knowledge of
     * other hosts.
     */
    void vdsmEnded(FakeHost host) {
        waiting.remove(host);
        synchronized (host) {
            host.resetBounds();
            for (Domain domain : host.domains()) {
                Departure departure = domain.departure;
                if (departure != null && departure.isUnderWay() && isLeaving(domain.phase)) {
                    domain.phase = departure.before;
                    if (departure.before == Phase.RUNNING && domain.active != null) {
                        domain.active.resume(life.now());
                    }
                }
                domain.departure = null;
            }
        }
    }

    /**
     * Stops a VM on its way off.
     *
     * @throws VerbError if there is nothing to stop, or if VDSM reports so although it stops it:
     *     the answer is the state of the thread
     */
    void cancel(Domain domain) {
        Departure departure = domain.departure;
        if (!domain.phase.isRunningGuest()) {
            throw VdsmError.MIGRATION_CANCEL_FAILED.error();
        }
        if (departure == null) {
            return; // VDSM sends the stop to a thread that never began.
        }
        int code = departure.code();
        if (!departure.isUnderWay()) {
            if (departure.hasTransferred()) {
                throw VdsmError.MIGRATION_CANCEL_FAILED.error();
            }
            departure.saying("Migration process cancelled");
        } else if (departure.hasTurn()) {
            stop(domain, departure);
        } else {
            departure.stopWhenItsTurnComes();
            if (departure.stage() == Departure.Stage.WAITING_FOR_DESTINATION) {
                takeTurn(domain, departure);
            }
        }
        if (code != 0) {
            throw new VerbError(code, "Migration process cancelled");
        }
    }

    private void stop(Domain domain, Departure departure) {
        Migration migration = domain.migration;
        if (migration != null && (migration.isPostCopy() || migration.hasArrived())) {
            throw VdsmError.MIGRATION_CANCEL_FAILED.error();
        }
        if (migration == null) {
            departure.cancel();
            recover(domain, departure, VdsmError.MIGRATION_CANCEL_FAILED);
        } else {
            life.migrations().cancel(domain);
        }
    }

    private void later(Domain domain, Departure departure, long millis, Runnable action) {
        Departure.Stage stage = departure.stage();
        agenda.at(
                life.now() + millis,
                () -> {
                    if (domain.departure == departure && departure.stage() == stage) {
                        action.run();
                    }
                });
    }
}
