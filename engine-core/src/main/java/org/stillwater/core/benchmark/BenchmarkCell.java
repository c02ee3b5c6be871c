package org.stillwater.core.benchmark;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.regression.ChangePoint;

/**
 * A cell of the matrix over the runs of one setup.
 *
 * @param operation operation of the cell
 * @param recordBytes size of each read or write
 * @param last newest speed in MB/s
 * @param lastAt begin of the newest run with this cell
 * @param recent median of the newest speeds in MB/s
 * @param runs runs with this cell
 * @param level level that its speed is compared with, null while there are too few runs
 * @param dip that it is slower than its level and stays so, null if not
 */
public record BenchmarkCell(
        BenchmarkOperation operation,
        int recordBytes,
        double last,
        Instant lastAt,
        double recent,
        int runs,
        @Nullable Level level,
        @Nullable Dip dip) {

    /**
     * The level of a cell: that before a dip, or the present one.
     *
     * @param baseline typical speed in MB/s
     * @param low lower end of the band of runs of this level
     * @param high upper end of it
     */
    public record Level(double baseline, double low, double high) {}

    /**
     * A cell became slower.
     *
     * @param begin begin of the most likely first slower run
     * @param earliest begin of the first run of the 95 % interval
     * @param latest begin of the last run of it
     * @param point the change on the axis of runs
     * @param after speed since then, in MB/s
     */
    public record Dip(
            Instant begin, Instant earliest, Instant latest, ChangePoint point, double after) {}
}
