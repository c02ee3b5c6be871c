package org.stillwater.server.api.rows;

/** A row with aged values. */
public interface AgedRow {

    /** The age of values of an origin. */
    ValueAge age(Column.Origin origin);
}
