package org.stillwater.core.regression;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the change points of one series of positive numbers, such as latencies, throughputs or
 * durations at comparable load.
 *
 * <p>Logarithms make changes relative. {@link OutlierFilter} removes outliers and short dips,
 * {@link Segmentation} splits the rest into levels and keeps the significant ones, {@link
 * ChangeLocator} finds the begin of each and its interval. A boundary that a curve explains better
 * than a step is a drift. The result depends on the values only, not on earlier series or on
 * chance.
 *
 * <p>A value that is not positive or not finite is a gap. Gaps are skipped, not filled: points on
 * both sides of a gap are not neighbours, and the interval of a begin within a gap contains the
 * gap.
 *
 * <p>A detector owns scratch memory and allocates for change points only. Not thread-safe: one per
 * thread.
 */
public final class ChangePointDetector {

    /** Standard errors on each side of a 95 % interval: the errors are estimates themselves. */
    private static final double REACH_95 = 2.0;

    /** Required advantage of a curve over a step, in squared errors. */
    private static final double CURVED = 3;

    /** Required gain of each further level, in squared errors. */
    private static final double PER_LEVEL = 20;

    /** Least points of the first and the last level. */
    private static final int CONFIRMED = 8;

    /** Points at both ends of two segments at which the new level cannot begin. */
    private static final int MARGIN = 3;

    private final DetectorOptions options;
    private final OutlierFilter filter;
    private final Noise noise = new Noise();
    private final StepLikelihood likelihood = new StepLikelihood();
    private final Segmentation segmentation;
    private final ChangeLocator locator;

    private double[] logs = new double[0];
    private double[] cleaned = new double[0];
    private double[] scratch = new double[0];
    private int[] position = new int[0];
    private int count;

    private Draft[] drafts = new Draft[0];
    private int found;

    /** A change point that is not published yet; positions are indices of the given array. */
    static final class Draft {
        int segment;
        int index;
        int earliest;
        int latest;
        double difference;
        double error;
        double significance;
        boolean drift;
    }

    public ChangePointDetector(DetectorOptions options) {
        this.options = options;
        filter = new OutlierFilter(options.filterWidth());
        segmentation = new Segmentation(options, noise, likelihood);
        locator = new ChangeLocator(noise, likelihood);
    }

    DetectorOptions options() {
        return options;
    }

    /** The change points of a series, oldest first. */
    public List<ChangePoint> detect(double[] values) {
        return detect(values, List.of());
    }

    /** The change points of a series, oldest first, with the marks that coincide with them. */
    public List<ChangePoint> detect(double[] values, List<Mark> marks) {
        begin(values.length);
        for (int i = 0; i < values.length; i++) {
            add(i, values[i]);
        }
        analyse();
        return published(0, marks);
    }

    /**
     * Watches a series that grows. The watch uses this detector, and the same thread must use both.
     *
     * @param points number of the newest points that are compared
     * @param phase any number; it spreads the regular comparisons of many series over time
     */
    public SeriesWatch watch(int points, int phase) {
        return new SeriesWatch(this, points, phase);
    }

    /** Allocates memory for a series of at most this length. */
    void begin(int points) {
        if (points > options.mostPoints()) {
            throw new IllegalArgumentException(
                    "a series of " + points + " points; at most " + options.mostPoints());
        }
        if (logs.length < points) {
            logs = new double[points];
            cleaned = new double[points];
            scratch = new double[points];
            position = new int[points];
        }
        count = 0;
        found = 0;
    }

    void add(int index, double value) {
        if (value > 0 && value < Double.POSITIVE_INFINITY) {
            position[count] = index;
            logs[count++] = Math.log(value);
        }
    }

    void analyse() {
        if (count < 2 * options.minimumSegment()) {
            return;
        }
        double scale = filter.clean(logs, count, cleaned, scratch);
        segmentation.find(logs, cleaned, position, count, scale);
        for (int s = 1; s < segmentation.segments(); s++) {
            describe(s);
        }
        tellDrifts();
        mergeDrifts();
    }

    /** Number of change points of the last analysis. */
    int found() {
        return found;
    }

    Draft draft(int i) {
        return drafts[i];
    }

    /** Whether the last analysis had enough points for a level. */
    boolean hasLevel() {
        return count >= 2 * options.minimumSegment();
    }

    /** Logarithm of the newest level. */
    double newestLevel() {
        return segmentation.level(segmentation.segments() - 1);
    }

    /**
     * Standard deviation of independent noise with the same effect on means as the series' noise.
     */
    double longRunDeviation() {
        return Math.sqrt(noise.longRun());
    }

    private void describe(int segment) {
        int from = segmentation.start(segment - 1);
        int to = segmentation.start(segment + 1);
        locator.locate(from, to, MARGIN);
        int best = locator.best();
        if (best < CONFIRMED || count - best < CONFIRMED) {
            // Without this rule each dip at the end of a growing series would raise an alert.
            return;
        }
        if (found == drafts.length) {
            drafts = Arrays.copyOf(drafts, found + 4);
            for (int i = found; i < drafts.length; i++) {
                drafts[i] = new Draft();
            }
        }
        Draft draft = drafts[found++];
        draft.segment = segment;
        draft.index = position[best];
        draft.earliest = afterPrevious(locator.earliest());
        draft.latest = position[locator.latest()];
        draft.difference = locator.difference();
        draft.error = locator.error() * Math.sqrt(segmentation.relativeVariance(segment));
        draft.significance = segmentation.significance(segment);
        draft.drift = false;
    }

    /** A level may have begun during a gap. */
    private int afterPrevious(int i) {
        return i == 0 ? position[0] : position[i - 1] + 1;
    }

    /**
     * Separates drifts from steps: first each run of changes in one direction, then each change.
     */
    private void tellDrifts() {
        int from = 0;
        for (int i = 1; i <= found; i++) {
            if (i == found || drafts[i].difference * drafts[from].difference < 0) {
                boolean run = isCurve(drafts[from].segment, drafts[i - 1].segment);
                for (int j = from; j < i; j++) {
                    drafts[j].drift = run || isCurve(drafts[j].segment, drafts[j].segment);
                }
                from = i;
            }
        }
    }

    /** Whether a curve explains segments and their predecessor better than their levels do. */
    private boolean isCurve(int firstSegment, int lastSegment) {
        double steps = 0;
        for (int s = firstSegment - 1; s <= lastSegment; s++) {
            double level = segmentation.level(s);
            for (int i = segmentation.start(s); i < segmentation.start(s + 1); i++) {
                steps += (cleaned[i] - level) * (cleaned[i] - level);
            }
        }
        double curve =
                Curve.residual(
                        cleaned,
                        segmentation.start(firstSegment - 1),
                        segmentation.start(lastSegment + 1));
        double needed = CURVED - PER_LEVEL * (lastSegment - firstSegment);
        return steps - curve > needed * noise.longRun();
    }

    /** Merges neighbouring drifts in one direction: from the first level to the last one. */
    private void mergeDrifts() {
        int kept = 0;
        for (int i = 0; i < found; i++) {
            Draft draft = drafts[i];
            if (kept > 0 && draft.drift) {
                Draft last = drafts[kept - 1];
                if (last.drift && last.difference * draft.difference > 0) {
                    last.latest = draft.latest;
                    last.difference += draft.difference;
                    last.error = Math.hypot(last.error, draft.error);
                    last.significance = Math.max(last.significance, draft.significance);
                    continue;
                }
            }
            drafts[i] = drafts[kept];
            drafts[kept++] = draft;
        }
        found = kept;
    }

    /**
     * The drafts as values.
     *
     * @param offset index of the first point of the analysed series
     */
    List<ChangePoint> published(long offset, List<Mark> marks) {
        if (found == 0) {
            return List.of();
        }
        List<ChangePoint> points = new ArrayList<>(found);
        for (int i = 0; i < found; i++) {
            points.add(published(drafts[i], offset, marks));
        }
        return List.copyOf(points);
    }

    private ChangePoint published(Draft draft, long offset, List<Mark> marks) {
        long earliest = offset + draft.earliest;
        long latest = offset + draft.latest;
        List<Mark> within = new ArrayList<>();
        for (Mark mark : marks) {
            if (mark.index() >= earliest && mark.index() <= latest) {
                within.add(mark);
            }
        }
        double reach = REACH_95 * draft.error;
        return new ChangePoint(
                offset + draft.index,
                earliest,
                latest,
                Math.expm1(draft.difference),
                Math.expm1(draft.difference - reach),
                Math.expm1(draft.difference + reach),
                confidence(draft.significance),
                draft.drift ? ChangePoint.Shape.DRIFT : ChangePoint.Shape.STEP,
                within);
    }

    /** Each possible segment of the series is one more chance for noise to look like a step. */
    private double confidence(double significance) {
        double chances = 2.0 * count / options.minimumSegment();
        return 1 - Math.min(1, chances * 2 * NormalTail.above(significance));
    }
}
