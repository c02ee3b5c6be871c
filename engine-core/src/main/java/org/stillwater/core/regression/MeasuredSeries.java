package org.stillwater.core.regression;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One metric of one object: a value for each interval, the mean of its samples, weighted by their
 * numbers of operations. An interval with too few samples or operations is a gap: a mean of few
 * values is noise that looks like a level. Intervals are counted on one axis for the whole fleet.
 * Adding samples allocates nothing. Not thread-safe.
 */
public final class MeasuredSeries {

    /** Number of points of the newest level. */
    static final int RECENT = 8;

    private static final int FEWEST_RECENT = 5;

    /** Number of points of the old level when other series show the begin. */
    private static final int SHARED_BEFORE = 24;

    /** Standard errors above which a step at a known begin is significant. */
    private static final double SHARED_ERRORS = 3;

    /** Least operations of an interval: the error of their mean is about a fifth. */
    static final double LEAST_OPERATIONS = 30;

    /** Most stored marks; they are rare, and only new ones matter. */
    static final int MOST_MARKS = 16;

    /**
     * Newest points that are compared one by one, after those of the past: as many as one suspicion
     * lasts, so that a step that was suspicious before a restart is so after it.
     */
    private static final int COMPARED = 16;

    private final RegressionMetric metric;
    private final int leastSamples;
    private SeriesWatch watch;
    private long first;
    private @Nullable DayProfile profile;
    private SeriesOwner owner;
    private long key;
    private List<Mark> marks = List.of();
    private double sum;
    private double operations;
    private int count;
    private short silent;
    private boolean dropped;

    MeasuredSeries(
            RegressionMetric metric,
            SeriesOwner owner,
            SeriesWatch watch,
            long first,
            int leastSamples,
            @Nullable DayProfile profile) {
        this.metric = metric;
        this.owner = owner;
        this.watch = watch;
        this.first = first;
        this.leastSamples = leastSamples;
        this.profile = profile;
    }

    /** The measured metric. */
    public RegressionMetric metric() {
        return metric;
    }

    /** The measured object and its present dependencies. */
    public SeriesOwner owner() {
        return owner;
    }

    /**
     * The dependencies of the object changed, for example by a migration.
     *
     * @param next owner with the same name
     */
    public void moved(SeriesOwner next) {
        if (!next.name().equals(owner.name())) {
            throw new IllegalArgumentException(next.name() + " is not " + owner.name());
        }
        owner = next;
    }

    /** Whether the fleet dropped it, because it had no samples for a window. */
    public boolean isDropped() {
        return dropped;
    }

    void drop() {
        dropped = true;
    }

    /**
     * Adds a sample to the present interval; values that are not positive and finite are ignored.
     */
    public void sample(double value) {
        sample(value, LEAST_OPERATIONS);
    }

    /**
     * Adds the mean of some operations to the present interval.
     *
     * @param value the mean; values that are not positive and finite are ignored
     * @param count number of operations; 0 for no sample
     */
    public void sample(double value, double count) {
        if (value > 0 && value < Double.POSITIVE_INFINITY && count > 0) {
            sum += value * count;
            operations += count;
            this.count++;
        }
    }

    /** Records an event of the object in the present interval. */
    public void mark(Mark.Kind kind) {
        List<Mark> next = new ArrayList<>(marks);
        if (next.size() == MOST_MARKS) {
            next.removeFirst();
        }
        next.add(new Mark(watch.added(), kind));
        marks = List.copyOf(next);
    }

    /** Identity among all series; not 0. */
    long key() {
        if (key == 0) {
            key = SeriesPoints.key(metric, owner.name());
        }
        return key;
    }

    /** Marks of an interval: sum of their bits. */
    int marks(long interval) {
        int bits = 0;
        for (Mark mark : marks) {
            if (first + mark.index() == interval) {
                bits |= mark.kind().bit();
            }
        }
        return bits;
    }

    /** Marks of some intervals, the later bound excluded, by their distance from the first. */
    List<Mark> marks(long from, long until) {
        return marks.stream()
                .filter(mark -> first + mark.index() >= from && first + mark.index() < until)
                .map(mark -> new Mark(first + mark.index() - from, mark.kind()))
                .distinct()
                .toList();
    }

    /**
     * Puts the points of an earlier life of the engine before its own. Intervals in between are
     * gaps, and the first one after them is marked.
     *
     * @param past older points; those of intervals that this series has already are left out
     * @param empty a watch without points
     * @return false if the window has no room for them
     */
    boolean extend(PastSeries past, SeriesWatch empty) {
        long begin = past.first();
        long until = Math.min(past.end(), first);
        long end = end();
        if (until <= begin || end - until >= empty.size()) {
            return false;
        }
        long compared = Math.max(begin, end - COMPARED);
        for (long i = begin; i < end; i++) {
            double value = i < until ? past.value(i) : value(i);
            if (i < compared) {
                empty.load(value);
            } else {
                if (i == compared) {
                    empty.settle();
                }
                List<ChangePoint> _ = empty.add(value);
            }
        }
        DayProfile days = past.profile();
        if (profile != null && days != null && past.end() <= first) {
            for (long i = past.end(); i < end; i++) {
                days.add(i, value(i));
            }
            profile = days;
        }
        List<Mark> all = new ArrayList<>();
        for (Mark mark : past.marks()) {
            if (begin + mark.index() < until) {
                all.add(mark);
            }
        }
        if (until < first) {
            all.add(new Mark(first - begin, Mark.Kind.GAP));
        }
        for (Mark mark : marks) {
            all.add(new Mark(first - begin + mark.index(), mark.kind()));
        }
        marks = List.copyOf(all.subList(Math.max(0, all.size() - MOST_MARKS), all.size()));
        watch = empty;
        first = begin;
        return true;
    }

    /** Ends the present interval. */
    void close() {
        boolean isEnough = count >= leastSamples && operations >= LEAST_OPERATIONS;
        double value = isEnough ? sum / operations : Double.NaN;
        silent = (short) (isEnough ? 0 : Math.min(silent + 1, Short.MAX_VALUE));
        sum = 0;
        operations = 0;
        count = 0;
        if (profile != null) {
            profile.add(end(), value);
        }
        List<ChangePoint> _ = watch.add(value);
    }

    /** Consecutive intervals without a value. */
    int silent() {
        return silent;
    }

    /** Whether there are enough points to detect a change. */
    boolean hasLevel() {
        return watch.hasLevel();
    }

    /** The change points of the newest intervals, in positions of this series. */
    List<ChangePoint> points() {
        return watch.points();
    }

    /** A change point on the axis of the fleet, with the marks within the interval of its begin. */
    ChangePoint onAxis(ChangePoint point) {
        return new ChangePoint(
                first + point.index(),
                first + point.earliest(),
                first + point.latest(),
                point.relativeChange(),
                point.low(),
                point.high(),
                point.confidence(),
                point.shape(),
                marks.stream()
                        .filter(mark ->
                                mark.index() >= point.earliest() && mark.index() <= point.latest())
                        .map(mark -> new Mark(first + mark.index(), mark.kind()))
                        .toList());
    }

    /** The value of an interval; NaN for a gap or an interval outside the window. */
    public double value(long interval) {
        return watch.value(interval - first);
    }

    /** Mean of the samples of the present interval, else the value of the last one, else NaN. */
    double present() {
        return count > 0 ? sum / operations : watch.value(watch.added() - 1);
    }

    /** Geometric mean of the stored intervals; NaN if there are too few for a level. */
    double usual(long window) {
        long until = first + watch.added();
        int known = 0;
        for (long i = Math.max(first, until - window); i < until; i++) {
            if (value(i) > 0) {
                known++;
            }
        }
        return known < RECENT ? Double.NaN : level(until - window, until);
    }

    /** Geometric mean of some intervals, the later bound excluded; NaN without values. */
    double level(long from, long until) {
        double logs = 0;
        int known = 0;
        for (long i = Math.max(from, first); i < Math.min(until, first + watch.added()); i++) {
            double value = value(i);
            if (value > 0) {
                logs += Math.log(value);
                known++;
            }
        }
        return known == 0 ? Double.NaN : Math.exp(logs / known);
    }

    /**
     * The step at a begin that other series show, if this series shows it too: in the same
     * direction, at least half as large, and beyond its noise; otherwise null. This needs fewer
     * points than a search for a step.
     *
     * @param begin first interval of the new level
     * @param until end of the new level, excluded
     * @param change relative change of the others
     */
    @Nullable ChangePoint shared(long begin, long until, double change) {
        double[] old = moments(begin - SHARED_BEFORE, begin);
        double[] fresh = moments(begin, until);
        if (old[0] < FEWEST_RECENT || fresh[0] < FEWEST_RECENT) {
            return null;
        }
        double difference = fresh[1] - old[1];
        double error = Math.sqrt(old[2] / old[0] + fresh[2] / fresh[0]);
        double least = Math.log1p(change) / 2;
        if (difference * least <= 0
                || Math.abs(difference) < Math.abs(least)
                || Math.abs(difference) < SHARED_ERRORS * error) {
            return null;
        }
        return new ChangePoint(
                begin,
                begin,
                begin,
                Math.expm1(difference),
                Math.expm1(difference - 2 * error),
                Math.expm1(difference + 2 * error),
                0,
                ChangePoint.Shape.STEP,
                List.of());
    }

    /** First stored interval. */
    long oldest() {
        return Math.max(first, end() - watch.size());
    }

    /** The interval after the last one. */
    long end() {
        return first + watch.added();
    }

    /** Expected logarithm by the same time of earlier days; NaN without enough data. */
    double expected(long interval) {
        return profile == null ? Double.NaN : profile.expected(interval);
    }

    /**
     * First interval of the level before a begin: not before an earlier step.
     *
     * @param most most requested intervals
     * @param least least requested intervals, across an earlier step
     */
    long levelBefore(long begin, int most, int least) {
        long from = begin - most;
        for (ChangePoint other : watch.points()) {
            if (first + other.index() < begin) {
                from = Math.max(from, Math.min(first + other.index(), begin - least));
            }
        }
        return Math.max(from, first);
    }

    /** Number, mean and variance of the logarithms of some intervals. */
    private double[] moments(long from, long until) {
        double sumOfLogs = 0;
        double squares = 0;
        int known = 0;
        for (long i = Math.max(from, first); i < Math.min(until, first + watch.added()); i++) {
            double value = value(i);
            if (value > 0) {
                double log = Math.log(value);
                sumOfLogs += log;
                squares += log * log;
                known++;
            }
        }
        double mean = known == 0 ? 0 : sumOfLogs / known;
        double variance =
                known < 2 ? 0 : Math.max(0, (squares - known * mean * mean) / (known - 1));
        return new double[] {known, mean, variance};
    }

    /** Median of the newest intervals with load; NaN if there are too few. */
    double newest() {
        double[] recent = new double[RECENT];
        int known = 0;
        for (long i = watch.added() - 1;
                i >= Math.max(0, watch.added() - 2L * RECENT) && known < RECENT;
                i--) {
            double value = watch.value(i);
            if (value > 0) {
                recent[known++] = value;
            }
        }
        if (known < FEWEST_RECENT) {
            return Double.NaN;
        }
        Arrays.sort(recent, 0, known);
        return recent[known / 2];
    }
}
