package org.stillwater.core.regression;

/**
 * Sensitivity of the detector. The defaults were chosen on generated series with seeds other than
 * those of the published grid; {@code docs/explanation/regressions.md} shows their results.
 *
 * @param minimumSegment least length of a level, in points
 * @param filterWidth width of the running median in points, odd: dips shorter than half of it
 *     vanish
 * @param threshold least difference of two levels in standard errors, for segments of half the
 *     series; shorter ones need a little more
 * @param minimumChange least relative change, such as 0.02 for 2 %
 * @param mostPoints longest accepted series, in points
 */
public record DetectorOptions(
        int minimumSegment,
        int filterWidth,
        double threshold,
        double minimumChange,
        int mostPoints) {

    /** Defaults for medians of 1 to 5 minutes over a day. */
    public static final DetectorOptions DEFAULTS = new DetectorOptions(10, 9, 4.1, 0.02, 10_000);

    public DetectorOptions {
        if (minimumSegment < 4) {
            throw new IllegalArgumentException("minimumSegment is less than 4 points");
        }
        if (filterWidth < 3 || filterWidth % 2 == 0) {
            throw new IllegalArgumentException("filterWidth is no odd number of at least 3");
        }
        if (filterWidth / 2 >= minimumSegment) {
            throw new IllegalArgumentException("filterWidth hides segments of minimumSegment");
        }
        if (!(threshold >= 2 && threshold < 100)) {
            throw new IllegalArgumentException("threshold is not between 2 and 100");
        }
        if (!(minimumChange >= 0 && minimumChange < 1)) {
            throw new IllegalArgumentException("minimumChange is not between 0 and 1");
        }
        if (mostPoints < 2 * minimumSegment) {
            throw new IllegalArgumentException("mostPoints is less than two segments");
        }
    }
}
