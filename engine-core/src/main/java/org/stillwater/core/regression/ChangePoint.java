package org.stillwater.core.regression;

import java.util.List;

/**
 * A change of a series' level that lasts for at least a segment.
 *
 * @param index most likely first point of the new level, counted from the start of the series
 * @param earliest first point of the 95 % interval of the begin
 * @param latest last point of that interval
 * @param relativeChange new level relative to the old one: -0.2 is one fifth less
 * @param low lower end of the 95 % interval of the relative change
 * @param high upper end of that interval
 * @param confidence probability that noise alone does not cause such a difference anywhere in the
 *     series, from 0 to 1
 * @param shape how the level moved
 * @param marks events within the interval of the begin: a coincidence, not a cause
 */
public record ChangePoint(
        long index,
        long earliest,
        long latest,
        double relativeChange,
        double low,
        double high,
        double confidence,
        Shape shape,
        List<Mark> marks) {

    /** Shape of a change. */
    public enum Shape {
        /** A change between two points. */
        STEP,
        /** A change over many points, such as a leak or the daily load. */
        DRIFT
    }

    public ChangePoint {
        if (earliest > index || index > latest) {
            throw new IllegalArgumentException("index is outside its interval");
        }
        if (!(low <= relativeChange && relativeChange <= high)) {
            throw new IllegalArgumentException("relativeChange is outside its interval");
        }
        if (!(confidence >= 0 && confidence <= 1)) {
            throw new IllegalArgumentException("confidence is not between 0 and 1");
        }
        marks = List.copyOf(marks);
    }
}
