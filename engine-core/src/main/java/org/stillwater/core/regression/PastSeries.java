package org.stillwater.core.regression;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The points of one series before the start of the engine: the newest ones, as many as are
 * compared, and the means of the days before. Not thread-safe.
 */
public final class PastSeries {

    private final long key;
    private final long first;
    private final float[] values;
    private final @Nullable DayProfile profile;
    private final List<Mark> marks;

    /**
     * A series of the past.
     *
     * @param key key of the series
     * @param from interval of the first value
     * @param values one for each interval, NaN for gaps
     * @param marks at indices of the values
     * @param window intervals that are compared
     * @param day intervals of a day; 0 if days are not compared
     */
    PastSeries(long key, long from, float[] values, List<Mark> marks, int window, int day) {
        this.key = key;
        int dropped = Math.max(0, values.length - window);
        this.first = from + dropped;
        this.values = Arrays.copyOfRange(values, dropped, values.length);
        this.marks =
                marks.stream()
                        .filter(mark -> mark.index() >= dropped)
                        .map(mark -> new Mark(mark.index() - dropped, mark.kind()))
                        .toList();
        if (day == 0) {
            profile = null;
        } else {
            profile = new DayProfile(day);
            for (int i = 0; i < values.length; i++) {
                profile.add(from + i, values[i]);
            }
        }
    }

    /** Key of the series. */
    public long key() {
        return key;
    }

    /** Its first interval. */
    long first() {
        return first;
    }

    /** The interval after its last one. */
    long end() {
        return first + values.length;
    }

    /** Value of an interval; NaN for a gap or an interval that is not known. */
    double value(long interval) {
        return interval < first || interval >= end()
                ? Double.NaN
                : values[(int) (interval - first)];
    }

    /** Its marks, at indices from {@link #first()} on. */
    List<Mark> marks() {
        return marks;
    }

    /** Its days; null if days are not compared. The caller owns them afterwards. */
    @Nullable DayProfile profile() {
        return profile;
    }
}
