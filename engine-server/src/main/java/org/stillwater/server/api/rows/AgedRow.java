package org.stillwater.server.api.rows;

/** A row whose values have ages. */
public interface AgedRow {

    /** The age of what comes from there. */
    ValueAge age(Column.Origin origin);
}
