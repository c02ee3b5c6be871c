package org.stillwater.core.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.stillwater.core.regression.SeriesPoints;

/**
 * Points of the series in which regressions are searched, durable for some days. Thread-safe; calls
 * block.
 */
public interface SeriesPointStore {

    /**
     * Writes points, all or nothing; they replace those of the same interval, slice and part.
     *
     * @param width time between two points, in whole milliseconds
     * @throws StoreUnavailable if they are not known to be durable; the same call may be made again
     */
    void write(Duration width, List<SeriesPoints> points) throws StoreUnavailable;

    /**
     * Points of one slice, the newest interval first and its largest part first.
     *
     * @param width time between two points; points of another width are left out
     * @param from the oldest interval
     * @param before end of the range, exclusive
     * @param limit most returned rows, of at most {@link SeriesPoints#MOST} points each
     * @throws StoreUnavailable if the database does not answer now
     */
    List<SeriesPoints> read(Duration width, int slice, long from, Position before, int limit)
            throws StoreUnavailable;

    /**
     * Removes points of intervals that began before a time, of any width.
     *
     * @return how many rows were removed
     * @throws StoreUnavailable if the database does not answer now
     */
    int removeBefore(Instant time) throws StoreUnavailable;

    /**
     * A place in the order of the points of a slice.
     *
     * @param interval number of the interval
     * @param part number of the part
     */
    record Position(long interval, int part) {

        /** The place of some points. */
        public static Position of(SeriesPoints points) {
            return new Position(points.interval(), points.part());
        }
    }
}
