package org.stillwater.core.regression;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The series of a fleet on one axis of intervals. Bounded by a number of series and by the window
 * of each; a series without samples for a whole window is dropped. An unchanged series costs one
 * comparison per interval and no allocation. Not thread-safe.
 */
public final class FleetSeries {

    /** Three days of minutes. */
    private static final int MOST_OF_DAYS = 4_320;

    private final ChangePointDetector detector = new ChangePointDetector(DetectorOptions.DEFAULTS);
    private final int window;
    private final int mostSeries;
    private final int leastSamples;
    private final int day;
    private final Map<RegressionMetric, Map<String, MeasuredSeries>> series =
            new EnumMap<>(RegressionMetric.class);
    private final Map<Long, PastSeries> past = new HashMap<>();
    private int size;
    private long refused;
    private long interval;

    /**
     * A fleet without series.
     *
     * @param window number of compared intervals
     * @param mostSeries limit of the number of series
     * @param interval number of the first interval
     */
    public FleetSeries(int window, int mostSeries, long interval) {
        this(window, mostSeries, interval, 1, 0);
    }

    /**
     * A fleet without series.
     *
     * @param window number of compared intervals
     * @param mostSeries limit of the number of series
     * @param interval number of the first interval
     * @param leastSamples least samples in an interval of a {@linkplain RegressionMetric#isSampled
     *     sampled} metric
     * @param day intervals of a day; 0 if days are not compared
     */
    public FleetSeries(int window, int mostSeries, long interval, int leastSamples, int day) {
        this.window = window;
        this.mostSeries = mostSeries;
        this.interval = interval;
        this.leastSamples = leastSamples;
        this.day = DayProfile.isPossible(day) ? day : 0;
        for (RegressionMetric metric : RegressionMetric.values()) {
            series.put(metric, new LinkedHashMap<>());
        }
    }

    /** Number of the present interval. */
    public long interval() {
        return interval;
    }

    /** Intervals that are compared. */
    public int window() {
        return window;
    }

    /** Number of series. */
    public int size() {
        return size;
    }

    /** Number of series that the limit refused so far. */
    public long refused() {
        return refused;
    }

    /** Whether a new series would be refused. */
    public boolean isFull() {
        return size >= mostSeries;
    }

    /** Counts a series that was not requested because the fleet is full. */
    public void refuse() {
        refused++;
    }

    private Map<String, MeasuredSeries> of(RegressionMetric metric) {
        Map<String, MeasuredSeries> all = series.get(metric);
        if (all == null) {
            throw new IllegalStateException("every metric has its series");
        }
        return all;
    }

    /** The series of an object, or null. */
    public @Nullable MeasuredSeries find(RegressionMetric metric, String owner) {
        return of(metric).get(owner);
    }

    /** The series of an object, created if it does not exist; null at the limit. */
    public @Nullable MeasuredSeries get(RegressionMetric metric, SeriesOwner owner) {
        Map<String, MeasuredSeries> all = of(metric);
        MeasuredSeries known = all.get(owner.name());
        if (known != null) {
            if (!known.owner().equals(owner)) {
                known.moved(owner);
            }
            return known;
        }
        if (isFull()) {
            refuse();
            return null;
        }
        MeasuredSeries added =
                new MeasuredSeries(
                        metric,
                        owner,
                        watch(metric, owner.name()),
                        interval,
                        metric.isSampled() ? leastSamples : 1,
                        day == 0 ? null : new DayProfile(day));
        all.put(owner.name(), added);
        size++;
        if (!past.isEmpty()) {
            boolean _ = extend(added);
        }
        return added;
    }

    private SeriesWatch watch(RegressionMetric metric, String owner) {
        return detector.watch(window, owner.hashCode() + metric.label().hashCode());
    }

    /**
     * Intervals of the past that matter: those that are compared, and those of the days before, of
     * which there are at most {@value #MOST_OF_DAYS}.
     */
    public int reach() {
        return (int) Math.max(window, Math.min((long) DayProfile.DAYS * day, MOST_OF_DAYS));
    }

    /** The points of an interval that has ended, with the series of all slices. */
    public List<SeriesPoints> points(long ended) {
        SeriesPoints.Collector points = new SeriesPoints.Collector(ended);
        for (Map<String, MeasuredSeries> all : series.values()) {
            for (MeasuredSeries one : all.values()) {
                double value = one.value(ended);
                int marks = one.marks(ended);
                if (value > 0 || marks != 0) {
                    points.add(one.key(), (float) value, marks);
                }
            }
        }
        return points.list();
    }

    /**
     * Collects stored points of a slice.
     *
     * @param until first interval that is left out: the one in which this life of the fleet began
     * @param span intervals before it
     */
    public SlicePast slice(long until, int span) {
        // Twice the slice's share: keys are not spread evenly, and series come and go.
        return new SlicePast(
                until, span, 2 * Math.ceilDiv(mostSeries, SeriesPoints.SLICES) + 64, window, day);
    }

    /**
     * Keeps the past of series until they are measured: {@link #extend} hands it to a series that
     * exists, and {@link #get} to one that is made later. It is forgotten when it is older than a
     * window. All kept and measured series together have the limit of series.
     *
     * @return how many are kept
     */
    public int remember(Collection<PastSeries> stored) {
        int kept = 0;
        for (PastSeries one : stored) {
            if (past.size() >= mostSeries) {
                refuse();
            } else {
                past.put(one.key(), one);
                kept++;
            }
        }
        return kept;
    }

    /** Number of series with a kept past, because they are not measured now. */
    public int remembered() {
        return past.size();
    }

    /** The series of a slice. */
    public List<MeasuredSeries> inSlice(int slice) {
        List<MeasuredSeries> found = new ArrayList<>();
        for (Map<String, MeasuredSeries> all : series.values()) {
            for (MeasuredSeries one : all.values()) {
                if (SeriesPoints.slice(one.key()) == slice) {
                    found.add(one);
                }
            }
        }
        return found;
    }

    /**
     * Puts its past before the points of a series.
     *
     * @return whether it has one
     */
    public boolean extend(MeasuredSeries one) {
        PastSeries before = one.isDropped() ? null : past.remove(one.key());
        return before != null && one.extend(before, watch(one.metric(), one.owner().name()));
    }

    /** Forgets the past of series that is too old, or beyond the limit of series. */
    public void forgetPast() {
        if (past.isEmpty()) {
            return;
        }
        past.values().removeIf(one -> interval - one.end() >= window);
        Iterator<PastSeries> rest = past.values().iterator();
        for (int excess = past.size() + size - mostSeries; excess > 0 && rest.hasNext(); excess--) {
            PastSeries _ = rest.next();
            rest.remove();
            refuse();
        }
    }

    /** Every series of a metric. */
    public Collection<MeasuredSeries> all(RegressionMetric metric) {
        return of(metric).values();
    }

    /**
     * The present slowness of an object.
     *
     * @param series number of series with a present value
     * @param latency mean of their present values, in the unit of the metrics
     * @param ratio geometric mean of present relative to normal values; NaN without a normal value
     */
    public record Load(int series, double latency, double ratio) {}

    /**
     * The present slowness of an object by the series that depend on it; null without present
     * values.
     *
     * @param object an object such as a storage domain
     * @param metrics latencies with one unit
     */
    public @Nullable Load load(SeriesOwner.Shared object, Set<RegressionMetric> metrics) {
        int count = 0;
        double sum = 0;
        int compared = 0;
        double logs = 0;
        for (RegressionMetric metric : metrics) {
            for (MeasuredSeries each : of(metric).values()) {
                if (!each.owner().shared().contains(object)) {
                    continue;
                }
                double present = each.present();
                if (!(present > 0)) {
                    continue;
                }
                count++;
                sum += present;
                double usual = each.usual(window);
                if (usual > 0) {
                    logs += Math.log(present / usual);
                    compared++;
                }
            }
        }
        return count == 0
                ? null
                : new Load(
                        count, sum / count, compared == 0 ? Double.NaN : Math.exp(logs / compared));
    }

    /**
     * Ends the present interval.
     *
     * @param next number of the next one; intervals in between are gaps
     */
    public void close(long next) {
        if (next <= interval) {
            throw new IllegalArgumentException("interval " + next + " is not after " + interval);
        }
        boolean anew = next - interval > window;
        for (Map<String, MeasuredSeries> all : series.values()) {
            if (anew) {
                size -= all.size();
                all.values().forEach(MeasuredSeries::drop);
                all.clear();
                continue;
            }
            Iterator<MeasuredSeries> each = all.values().iterator();
            while (each.hasNext()) {
                MeasuredSeries one = each.next();
                for (long i = interval; i < next; i++) {
                    one.close();
                }
                if (one.silent() >= window) {
                    one.drop();
                    each.remove();
                    size--;
                }
            }
        }
        interval = next;
        forgetPast();
    }

    /**
     * A degrading step of a series.
     *
     * @param series the series
     * @param point the step on the axis of the fleet
     */
    public record Worsening(MeasuredSeries series, ChangePoint point) {}

    /**
     * The degrading steps in the present windows. Drifts are excluded: they have no begin that
     * could be compared.
     *
     * @param least smallest relative change
     */
    public List<Worsening> worsenings(double least) {
        List<Worsening> found = new ArrayList<>();
        for (Map<String, MeasuredSeries> all : series.values()) {
            for (MeasuredSeries each : all.values()) {
                if (each.points().isEmpty()) {
                    continue;
                }
                for (ChangePoint point : each.points()) {
                    if (point.shape() == ChangePoint.Shape.STEP
                            && Math.abs(point.relativeChange()) >= least
                            && each.metric().isWorse(point.relativeChange())) {
                        found.add(new Worsening(each, each.onAxis(point)));
                    }
                }
            }
        }
        return found;
    }
}
