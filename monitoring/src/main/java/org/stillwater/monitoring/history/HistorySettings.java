package org.stillwater.monitoring.history;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.RingFormat;

/**
 * Limits of history in memory and of the questions about it.
 *
 * @param span how long samples stay in memory, up to 17 h; zero for none in memory at all
 * @param subjectBytes most bytes of memory for the samples of one VM or host, 256 to 32768
 * @param points approximate number of points of time in an answer to a query without step, 1 or
 *     more
 * @param mostValues most points of time times metrics in an answer
 */
public record HistorySettings(Duration span, int subjectBytes, int points, int mostValues) {

    private static final Duration LONGEST = Duration.ofHours(17);

    /** An hour in 3 KiB; 500 points; 20 000 values. */
    public static final HistorySettings DEFAULT =
            new HistorySettings(Duration.ofHours(1), 3 * 1024, 500, 20_000);

    /**
     * Time kept beyond the span: otherwise a query of the whole span between two cycles would
     * always miss its first moments.
     */
    private static final Duration MARGIN = Duration.ofMinutes(1);

    public HistorySettings {
        if (span.isNegative() || span.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("history stays in memory for up to 17 h");
        }
        if (subjectBytes < 256 || subjectBytes > 32 * 1024) {
            throw new IllegalArgumentException("history of one VM takes 256 to 32768 bytes");
        }
        if (points < 1 || mostValues < points) {
            throw new IllegalArgumentException("an answer has at least one point");
        }
    }

    /** The same without samples in memory. */
    public HistorySettings withoutMemory() {
        return new HistorySettings(Duration.ZERO, subjectBytes, points, mostValues);
    }

    /** How samples are kept in memory; null if they are not. */
    public @Nullable RingFormat format(Subject subject) {
        return span.isZero()
                ? null
                : new RingFormat(HistoryMetric.of(subject), span.plus(MARGIN), subjectBytes);
    }
}
