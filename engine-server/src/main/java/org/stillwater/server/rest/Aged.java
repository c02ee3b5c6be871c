package org.stillwater.server.rest;

/** A row whose values have ages. */
interface Aged {

    /** The age of what comes from there. */
    Age age(Column.Origin origin);
}
