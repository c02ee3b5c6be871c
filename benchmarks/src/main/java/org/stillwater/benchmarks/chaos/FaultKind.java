package org.stillwater.benchmarks.chaos;

import java.util.Locale;

/** Faults of a round. */
enum FaultKind {
    /** A fast shutdown, and a start. */
    DATABASE_STOP(Seat.SERVER),
    /** SIGKILL of every process of the server, and a start with crash recovery. */
    DATABASE_KILL(Seat.SERVER),
    /** SIGSTOP of every process of the server: connections stand, no answer comes. */
    DATABASE_PAUSE(Seat.SERVER),
    /** The file system of the write-ahead log has no room left: the server panics. */
    WAL_DISK_FULL(Seat.SERVER),
    /** A session holds a lock on the table of VMs; statements run into their time-out. */
    DATABASE_LOCK(Seat.TABLES),
    /** The file system of the database's tables has no room left. */
    DISK_FULL(Seat.TABLES),
    /** Others hold every connection that the server gives out. */
    OUT_OF_CONNECTIONS(Seat.TABLES),
    /** The database takes no writes. */
    READ_ONLY(Seat.TABLES),
    /** Every message between engine and server takes its time. */
    DATABASE_SLOW(Seat.NETWORK),
    /** Connections between engine and server are reset, new ones refused. */
    DATABASE_CUT(Seat.NETWORK),
    /** SIGKILL of the engine. */
    ENGINE_KILL(Seat.ENGINE),
    /** SIGTERM to the engine: it writes as much as possible and ends. */
    ENGINE_STOP(Seat.ENGINE),
    /** The engine's wall clock jumps, and back. */
    CLOCK_JUMP(Seat.CLOCK);

    /** Target of a fault. */
    private enum Seat {
        SERVER,
        TABLES,
        NETWORK,
        ENGINE,
        CLOCK
    }

    private final Seat seat;

    FaultKind(Seat seat) {
        this.seat = seat;
    }

    /** As options and tables spell it. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it keeps the engine from its database while it lasts. */
    boolean isOfDatabase() {
        return seat == Seat.SERVER || seat == Seat.TABLES || seat == Seat.NETWORK;
    }

    /** Whether the engine ends by it. */
    boolean endsEngine() {
        return seat == Seat.ENGINE;
    }

    /** Whether both can strike in one round: a fault of tables needs a running server. */
    boolean canMeet(FaultKind other) {
        boolean needsServer =
                (seat == Seat.SERVER && other.seat == Seat.TABLES)
                        || (seat == Seat.TABLES && other.seat == Seat.SERVER);
        return seat != other.seat && !needsServer;
    }
}
