package org.stillwater.core.history;

import java.time.Duration;
import java.util.List;

/**
 * Format that the rings of one subject share: the metrics, the resolution of each, the time span
 * and the capacity. Immutable.
 */
public final class RingFormat {

    /** Number of bits of a record for changed metrics. */
    static final int MOST_METRICS = 12;

    /** The ring (24), the header of its array (16), a reference to it, and the heap's rounding. */
    private static final int OVERHEAD_BYTES = 72;

    /** The state of a ring, and a record of every kind. */
    private static final int LEAST_BYTES = 256;

    private static final int MOST_BYTES = 32 * 1024;

    private final List<HistoryMetric> metrics;
    private final Resolution[] resolutions;
    private final long spanSeconds;
    private final int limitBytes;

    /**
     * A format.
     *
     * @param metrics kept metrics, in the order in which values are handed in; at most 12
     * @param span how long a sample is kept, 1 s to 18 h
     * @param limitBytes most bytes of heap that a ring may take, headers and all, 256 to 32768; a
     *     ring that is full drops its oldest samples early
     */
    public RingFormat(List<HistoryMetric> metrics, Duration span, int limitBytes) {
        if (metrics.isEmpty() || metrics.size() > MOST_METRICS) {
            throw new IllegalArgumentException("a ring holds 1 to 12 metrics");
        }
        if (span.toSeconds() < 1 || span.toHours() >= 18) {
            throw new IllegalArgumentException("samples are kept for 1 s to 18 h, not " + span);
        }
        if (limitBytes < LEAST_BYTES || limitBytes > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "a ring takes 256 to 32768 bytes, not " + limitBytes);
        }
        this.metrics = List.copyOf(metrics);
        this.resolutions = metrics.stream().map(Resolution::of).toArray(Resolution[]::new);
        this.spanSeconds = span.toSeconds();
        this.limitBytes = limitBytes;
    }

    /** Metrics of the ring, in the order of the values. */
    public List<HistoryMetric> metrics() {
        return metrics;
    }

    int size() {
        return resolutions.length;
    }

    Resolution resolution(int index) {
        return resolutions[index];
    }

    /**
     * Turns a sample's values into the numbers that rings keep.
     *
     * @param values in the order of the metrics; NaN for unknown values
     * @param into takes a number for each
     */
    public void code(double[] values, char[] into) {
        for (int i = 0; i < resolutions.length; i++) {
            into[i] = (char) resolutions[i].code(values[i]);
        }
    }

    long spanSeconds() {
        return spanSeconds;
    }

    /** The longest array that a ring may have; a multiple of 8, as the heap counts. */
    int longestArray() {
        return (limitBytes - OVERHEAD_BYTES) / 8 * 8;
    }
}
