package org.stillwater.core.regression;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Collects stored points of the series of one slice, the newest first, and makes series of them.
 * The span and a number of series bound its memory; with the newest points first, the series beyond
 * the limit are those that ended long ago. Not thread-safe.
 */
public final class SlicePast {

    private final long from;
    private final long until;
    private final int most;
    private final int window;
    private final int day;
    private final Map<Long, Collected> found = new HashMap<>();
    private long points;
    private long refused;
    private long oldest;

    private static final class Collected {
        private final float[] values;
        private List<Mark> marks = List.of();

        private Collected(int span) {
            values = new float[span];
            Arrays.fill(values, Float.NaN);
        }
    }

    /**
     * Without points.
     *
     * @param until first interval that is left out
     * @param span intervals before it
     * @param most limit of the number of series
     */
    SlicePast(long until, int span, int most, int window, int day) {
        this.from = until - span;
        this.until = until;
        this.most = most;
        this.window = window;
        this.day = day;
        this.oldest = until;
    }

    /** Adds points; those outside the span are left out. */
    public void add(SeriesPoints stored) {
        for (int i = 0; i < stored.size(); i++) {
            add(stored.key(i), stored.interval(), stored.value(i), stored.marks(i));
        }
    }

    /**
     * Adds a point; the point of an interval that was added before is replaced.
     *
     * @param marks sum of the bits of its marks
     */
    public void add(long key, long interval, float value, int marks) {
        if (interval < from || interval >= until) {
            return;
        }
        Collected one = found.get(key);
        if (one == null) {
            if (found.size() >= most) {
                refused++;
                return;
            }
            one = new Collected((int) (until - from));
            found.put(key, one);
        }
        int index = (int) (interval - from);
        if (value > 0 && value < Float.POSITIVE_INFINITY) {
            one.values[index] = value;
            points++;
            oldest = Math.min(oldest, interval);
        }
        if (marks != 0) {
            List<Mark> next = new ArrayList<>(one.marks);
            for (Mark.Kind kind : Mark.Kind.values()) {
                if ((marks & kind.bit()) != 0 && next.size() < MeasuredSeries.MOST_MARKS) {
                    next.add(new Mark(index, kind));
                }
            }
            one.marks = next;
        }
    }

    /** Number of points that have a value. */
    public long points() {
        return points;
    }

    /** Number of points that the limit of series refused. */
    public long refused() {
        return refused;
    }

    /** The oldest interval with a value; the end of the span without one. */
    public long oldest() {
        return oldest;
    }

    /** The series with a value. The points are forgotten. */
    public List<PastSeries> series() {
        List<PastSeries> all = new ArrayList<>(found.size());
        found.forEach((key, one) -> {
            int begin = 0;
            int end = one.values.length;
            while (end > 0 && !(one.values[end - 1] > 0)) {
                end--;
            }
            while (begin < end && !(one.values[begin] > 0)) {
                begin++;
            }
            if (begin < end) {
                all.add(of(key, one, begin, end));
            }
        });
        found.clear();
        return all;
    }

    private PastSeries of(long key, Collected one, int begin, int end) {
        List<Mark> marks =
                one.marks.stream()
                        .filter(mark -> mark.index() >= begin && mark.index() < end)
                        .map(mark -> new Mark(mark.index() - begin, mark.kind()))
                        .sorted(Comparator.comparingLong(Mark::index))
                        .toList();
        return new PastSeries(
                key, from + begin, Arrays.copyOfRange(one.values, begin, end), marks, window, day);
    }
}
