package org.stillwater.xapi.client;

import java.util.List;

/**
 * A reply of {@code rrd_updates}.
 *
 * @param stepSeconds between rows; larger than requested where the start was too long ago
 * @param endSeconds time of the newest row, by the host's clock, seconds since 1970
 * @param columns shared by all replies with the same legend
 * @param rows newest first
 */
public record RrdUpdates(
        long stepSeconds, long endSeconds, List<RrdColumn> columns, List<Row> rows) {

    /**
     * A row.
     *
     * @param seconds since 1970, by the host's clock
     * @param values in the units of {@link RrdColumn#factor}; not a number and infinite: unknown
     */
    @SuppressWarnings("ArrayRecordComponent") // read once
    public record Row(long seconds, double[] values) {}
}
