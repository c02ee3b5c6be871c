package org.stillwater.server.profile;

import java.util.Locale;

/** A step of the engine's work to which CPU time and allocations are attributed. */
public enum Stage {
    /** Connections to hosts: TLS, certificates, retries. */
    CONNECT,
    /** Bytes of hosts become frames and messages. */
    RECEIVE,
    /** Messages become reports. */
    DECODE,
    /** Reports become decisions. */
    ANALYSE,
    /** Decisions change the state in memory. */
    APPLY,
    /** Changes reach their subscribers. */
    PUBLISH,
    /** Changes become statements. */
    WRITE,
    /** Transactions end. */
    COMMIT,
    /** History in memory and in the database. */
    HISTORY,
    /** A start reads the fleet from the database. */
    LOAD,
    /** Samples for a data warehouse. */
    DUMP,
    /** Operations, placement, fencing. */
    COMMAND,
    /** Requests of both REST interfaces. */
    REST,
    /** Readers of the event stream. */
    STREAM,
    /** Metrics. */
    SCRAPE,
    /** The profile itself. */
    PROFILE,
    /** The rest of the engine and its libraries. */
    OTHER,
    /** The garbage collector, which runs no Java code. */
    GC,
    /** The compiler of hot code. */
    JIT;

    /** The value of {@code stage} in REST. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
