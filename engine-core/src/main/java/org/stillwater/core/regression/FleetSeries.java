package org.stillwater.core.regression;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
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

    private final ChangePointDetector detector = new ChangePointDetector(DetectorOptions.DEFAULTS);
    private final int window;
    private final int mostSeries;
    private final int leastSamples;
    private final int day;
    private final Map<RegressionMetric, Map<String, MeasuredSeries>> series =
            new EnumMap<>(RegressionMetric.class);
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

    /** Counts a series that was not asked for because the fleet is full. */
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
                        detector.watch(window, owner.name().hashCode() + metric.label().hashCode()),
                        interval,
                        metric.isSampled() ? leastSamples : 1,
                        day == 0 ? null : new DayProfile(day));
        all.put(owner.name(), added);
        size++;
        return added;
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
