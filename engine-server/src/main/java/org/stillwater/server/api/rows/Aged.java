package org.stillwater.server.api.rows;

/** A row whose values have ages. */
public interface Aged {

    /** The age of what comes from there. */
    Age age(Column.Origin origin);
}
