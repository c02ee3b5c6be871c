package org.stillwater.core.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.stillwater.core.vm.Belief;

/** Transitions of VMs and hosts, durable. Thread-safe. */
public interface BeliefStore {

    /** Kind of object of a transition. */
    enum Subject {
        /** A VM. */
        VM,
        /** A host. */
        HOST
    }

    /**
     * A transition.
     *
     * @param subject kind of the object
     * @param id identity of the VM or host
     * @param revision revision of the change feed; with id and time it identifies the row
     * @param belief the transition
     */
    record Row(Subject subject, UUID id, long revision, Belief belief) {}

    /**
     * Partitions that a call of {@link #maintain} changed.
     *
     * @param created made
     * @param dropped dropped, because they were too old
     */
    record Maintenance(int created, int dropped) {}

    /** Adds rows; those that already exist stay unchanged. */
    WriteOutcome append(List<Row> rows);

    /**
     * The newest transitions up to a time, the newest first.
     *
     * @param until including this time
     * @param limit how many at most
     * @throws StoreUnavailable if the database does not answer now
     */
    List<Belief> newest(Subject subject, UUID id, Instant until, int limit) throws StoreUnavailable;

    /**
     * Makes partitions for a time and drops those that are older than the retention, by the
     * database's clock.
     *
     * @param from partitions from this time on are made and stay, however old they are
     * @param until end of the time; at most 40 days later
     * @throws StoreUnavailable if the database does not answer now
     */
    Maintenance maintain(Instant from, Instant until, Duration retention) throws StoreUnavailable;
}
