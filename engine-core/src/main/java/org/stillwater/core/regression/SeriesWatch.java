package org.stillwater.core.regression;

import java.util.Arrays;
import java.util.List;

/**
 * The change points of a series that grows point by point. A point costs a sum of deviations from
 * the known level (Page's test); the newest points are analysed only when the sum is suspicious,
 * and at regular intervals for small changes. A point that changes nothing allocates nothing,
 * except a few times until the window is full: the array of points grows with them. Not
 * thread-safe.
 */
public final class SeriesWatch {

    /** Points between two regular analyses. */
    private static final int REGULAR = 24;

    /** Ignored deviation in standard errors: half of the smallest relevant step. */
    private static final double ALLOWED = 0.5;

    /** Largest contribution of a single point, in standard errors. */
    private static final double MOST = 2.5;

    private static final double SUSPICIOUS = 4;

    /** Consecutive points that may be analysed for one suspicion. */
    private static final int LONGEST_SUSPICION = 16;

    /** Initial capacity in points: a fleet has series that end soon, or just begin. */
    private static final int FIRST_POINTS = 16;

    // A fleet has tens of thousands of these: fields are as small as their values allow.

    private final ChangePointDetector detector;
    private final byte phase;
    private final int window;

    /** The newest points; shorter than the window until it is needed in full. */
    private float[] ring;

    /** Points so far; at one a second, they are counted for 68 years. */
    private int added;

    private boolean known;
    private double level;
    private double deviation = 1;
    private double above;
    private double below;
    private byte suspicion;
    private List<ChangePoint> points = List.of();

    SeriesWatch(ChangePointDetector detector, int size, int phase) {
        if (size < 2 * detector.options().minimumSegment()
                || size > detector.options().mostPoints()) {
            throw new IllegalArgumentException("a window of " + size + " points");
        }
        this.detector = detector;
        this.phase = (byte) Math.floorMod(phase, REGULAR);
        window = size;
        ring = new float[Math.min(size, FIRST_POINTS)];
    }

    /** The change points among the newest points, oldest first. */
    public List<ChangePoint> points() {
        return points;
    }

    /**
     * Adds the next point.
     *
     * @param value the measured value, or {@code Double.NaN} for a gap
     * @return the change points among the newest points; the same list without a change
     */
    public List<ChangePoint> add(double value) {
        keep(value);
        boolean suspicious = isSuspicious(value);
        if (suspicious || added % REGULAR == phase) {
            analyse();
            if (suspicious && ++suspicion >= LONGEST_SUSPICION) {
                forget();
            }
        }
        return points;
    }

    private void keep(double value) {
        if (added == ring.length && added < window) {
            ring = Arrays.copyOf(ring, Math.min(window, 2 * ring.length));
        }
        ring[place(added)] = (float) value;
        added++;
    }

    /** Adds a point of the past, without a comparison. */
    void load(double value) {
        keep(value);
    }

    /** Analyses the loaded points once. */
    void settle() {
        analyse();
    }

    private int place(long index) {
        return (int) (index % window);
    }

    /** Whether there are enough points for a level. */
    boolean hasLevel() {
        return known;
    }

    /** Points added so far, gaps included. */
    public long added() {
        return added;
    }

    /** Most stored points. */
    int size() {
        return window;
    }

    /** A point by its index; NaN for a gap or an index outside the window. */
    public double value(long index) {
        return index < 0 || index >= added || added - index > window
                ? Double.NaN
                : ring[place(index)];
    }

    private boolean isSuspicious(double value) {
        if (!known || !(value > 0 && value < Double.POSITIVE_INFINITY)) {
            return false;
        }
        double errors = Math.clamp((Math.log(value) - level) / deviation, -MOST, MOST);
        above = Math.clamp(above + errors - ALLOWED, 0, 2 * SUSPICIOUS);
        below = Math.clamp(below - errors - ALLOWED, 0, 2 * SUSPICIOUS);
        if (above < SUSPICIOUS && below < SUSPICIOUS) {
            suspicion = 0;
            return false;
        }
        return true;
    }

    private void forget() {
        above = 0;
        below = 0;
        suspicion = 0;
    }

    private void analyse() {
        int size = Math.min(added, window);
        long offset = (long) added - size;
        detector.begin(size);
        int at = place(offset);
        for (int i = 0; i < size; i++) {
            detector.add(i, ring[at]);
            at = at + 1 == window ? 0 : at + 1;
        }
        detector.analyse();
        if (detector.hasLevel()) {
            known = true;
            level = detector.newestLevel();
            deviation = detector.longRunDeviation();
        }
        if (!isUnchanged(offset)) {
            points = detector.published(offset, List.of());
            forget();
        }
    }

    /** Whether each begin and each change is within its earlier interval. */
    private boolean isUnchanged(long offset) {
        if (detector.found() != points.size()) {
            return false;
        }
        for (int i = 0; i < points.size(); i++) {
            ChangePoint point = points.get(i);
            ChangePointDetector.Draft draft = detector.draft(i);
            long index = offset + draft.index;
            double change = Math.expm1(draft.difference);
            if (index < point.earliest()
                    || index > point.latest()
                    || change < point.low()
                    || change > point.high()
                    || draft.drift != (point.shape() == ChangePoint.Shape.DRIFT)) {
                return false;
            }
        }
        return true;
    }
}
