package org.stillwater.core.regression;

/**
 * Tests whether a step exceeds the normal behaviour of its series: its noise, its daily curve and
 * its recurring levels. On the first day, the curve of the day is not known: a step must explain
 * the values better than a curve does. Mutable scratch memory, not thread-safe.
 */
final class StepCheck {

    /**
     * Points before a begin for a clear step: the more there are, the better the noise is known.
     */
    private static final int AROUND = 250;

    /** Points after a begin for a clear step. */
    private static final int AFTER = 96;

    /** Least points before a begin for a clear step: an earlier level may be noise. */
    private static final int BEFORE = 24;

    /** Points of a series for its normal behaviour: a step of a younger series shows its start. */
    private static final int KNOWN = 36;

    /** Factor by which recurring levels make a step look clearer. */
    private static final double LASTING = 2;

    private final StepSignificance significance = new StepSignificance();
    private final DailyCurve curve = new DailyCurve();
    private final Recurrence recurrence = new Recurrence();

    /**
     * Difference of the levels in standard errors, positive for a rise; NaN if a level has too few
     * values.
     *
     * @param begin first interval of the new level
     * @param change relative change
     */
    double errors(MeasuredSeries series, long begin, double change) {
        double slope = slope(series, begin);
        double errors = errors(series, series.levelBefore(begin, AROUND, BEFORE), begin, slope);
        boolean isFirstDay = Double.isNaN(series.expected(begin));
        if (isFirstDay && !Double.isNaN(errors) && significance.isCurve()) {
            return 0;
        }
        if (Double.isNaN(errors) || !isHabit(series, begin, change, slope)) {
            return errors;
        }
        // The level may still occur far more often than before. Lasting levels are not noise with
        // one correlation, so the errors look larger than they are.
        double whole = errors(series, series.oldest(), begin, slope) / LASTING;
        return whole * errors > 0 && Math.abs(whole) < Math.abs(errors) ? whole : 0;
    }

    private double errors(MeasuredSeries series, long from, long begin, double slope) {
        significance.begin();
        long until = Math.min(begin + AFTER, series.end());
        for (long i = from; i < until; i++) {
            significance.add(i, Math.exp(log(series, i, slope)), i < begin);
        }
        return significance.errors();
    }

    /**
     * Whether a step of a single series can be distinguished from the series' normal behaviour:
     * there are enough points, and new points still add information about the step.
     */
    static boolean canTell(MeasuredSeries series, long begin) {
        if (series.end() - begin > AFTER + BEFORE) {
            return false;
        }
        int known = 0;
        for (long i = series.oldest(); i < begin && known < KNOWN; i++) {
            known += series.value(i) > 0 ? 1 : 0;
        }
        return known >= KNOWN;
    }

    /** The part of the points before the begin that earlier days explain. */
    private double slope(MeasuredSeries series, long begin) {
        curve.begin();
        for (long i = series.oldest(); i < begin; i++) {
            curve.add(series.expected(i), log(series, i, 0));
        }
        return curve.slope();
    }

    private boolean isHabit(MeasuredSeries series, long begin, double change, double slope) {
        double sum = 0;
        int known = 0;
        for (long i = begin; i < series.end(); i++) {
            double log = log(series, i, slope);
            if (!Double.isNaN(log)) {
                sum += log;
                known++;
            }
        }
        recurrence.begin(sum / known - Math.log1p(change) / 2, change > 0);
        for (long i = series.oldest(); i < series.end(); i++) {
            double log = log(series, i, slope);
            if (Double.isNaN(log)) {
                continue;
            }
            if (i < begin) {
                recurrence.addOld(log);
            } else {
                recurrence.addNew(log);
            }
        }
        return recurrence.isHabit();
    }

    /** Logarithm of a value without the daily curve; NaN for a gap. */
    private static double log(MeasuredSeries series, long interval, double slope) {
        double value = series.value(interval);
        if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
            return Double.NaN;
        }
        return Math.log(value) - (slope == 0 ? 0 : slope * series.expected(interval));
    }
}
