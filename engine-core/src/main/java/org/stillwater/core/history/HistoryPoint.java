package org.stillwater.core.history;

import java.time.Instant;

/**
 * Aggregate of one metric over an interval.
 *
 * @param at when that time begins
 * @param min least value, in the metric's unit
 * @param mean mean of the samples
 * @param max largest value
 * @param count samples that it is made of, at least 1
 */
public record HistoryPoint(Instant at, double min, double mean, double max, int count) {

    /** A single sample. */
    public static HistoryPoint sample(Instant at, double value) {
        return new HistoryPoint(at, value, value, value, 1);
    }
}
