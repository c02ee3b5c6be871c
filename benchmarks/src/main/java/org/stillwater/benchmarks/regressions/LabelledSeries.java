package org.stillwater.benchmarks.regressions;

/**
 * A series and the truth about it.
 *
 * @param begins first points of new levels
 * @param changes the relative change at each of them
 */
@SuppressWarnings("ArrayRecordComponent") // never changed and never compared
record LabelledSeries(Cell cell, Kind kind, double[] values, int[] begins, double[] changes) {

    /** Kinds of injected changes. */
    enum Kind {
        STEP,
        RECOVERY,
        UNCHANGED,
        /** Values return within less than five points. */
        DIP,
        /** The curve of a day, without a step. */
        DIURNAL,
        /** A slow change over the whole series. */
        DRIFT;

        boolean isWeakSpot() {
            return this == DIURNAL || this == DRIFT;
        }
    }
}
