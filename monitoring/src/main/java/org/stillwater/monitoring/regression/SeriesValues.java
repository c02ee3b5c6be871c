package org.stillwater.monitoring.regression;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.store.StoreUnavailable;

/**
 * The values of the series in which regressions are searched, interval by interval. Thread-safe.
 */
public interface SeriesValues {

    /** There are no series. */
    SeriesValues NONE =
            new SeriesValues() {
                @Override
                public Duration interval() {
                    return Duration.ofMinutes(5);
                }

                @Override
                public Duration reach() {
                    return interval();
                }

                @Override
                public long newest() {
                    return UNKNOWN;
                }

                @Override
                public void visit(RegressionMetric metric, long interval, Visitor visitor) {}

                @Override
                public Map<String, float[]> past(
                        RegressionMetric metric,
                        Collection<String> owners,
                        long from,
                        int count,
                        BooleanSupplier goesOn) {
                    return Map.of();
                }
            };

    /** No interval is over yet. */
    long UNKNOWN = -1;

    /** Takes the value of a series; it must not block. */
    @FunctionalInterface
    interface Visitor {

        /**
         * A series and its value.
         *
         * @param value NaN in an interval without load
         */
        void look(SeriesOwner owner, double value);
    }

    /** Time between two values; their numbers count it from the epoch. */
    Duration interval();

    /** How far back there may be values. */
    Duration reach();

    /**
     * Number of the newest interval that is over and that this life of the engine measured from its
     * begin; {@link #UNKNOWN} before the first one.
     */
    long newest();

    /** Shows every series of a metric with its value of an interval. */
    void visit(RegressionMetric metric, long interval, Visitor visitor);

    /**
     * Values of the past: those in memory and the durable ones.
     *
     * @param owners names of the objects
     * @param from number of the first interval
     * @param count number of intervals
     * @param goesOn asked between two reads; series that are not read in full are left out
     * @return the values by the name of the object, NaN where there is none
     * @throws StoreUnavailable if the database does not answer now
     */
    Map<String, float[]> past(
            RegressionMetric metric,
            Collection<String> owners,
            long from,
            int count,
            BooleanSupplier goesOn)
            throws StoreUnavailable;
}
