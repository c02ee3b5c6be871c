package org.stillwater.core.regression;

import java.util.List;

/**
 * The change points of a series that grows point by point. A point costs a sum of deviations from
 * the known level (Page's test); the newest points are analysed only when the sum is suspicious,
 * and at regular intervals for small changes. A point that changes nothing allocates nothing. Not
 * thread-safe.
 */
public final class SeriesWatch {

    /** Points between two regular analyses. */
    private static final int REGULAR = 24;

    /** Deviation in standard errors that does not count: half of the smallest step that matters. */
    private static final double ALLOWED = 0.5;

    /** A single outlier counts as much as this many standard errors. */
    private static final double MOST = 2.5;

    private static final double SUSPICIOUS = 4;

    /** Points in a row that may be analysed because of one suspicion. */
    private static final int LONGEST_SUSPICION = 16;

    private final ChangePointDetector detector;
    private final int phase;
    private final float[] ring;

    private long added;
    private boolean known;
    private double level;
    private double deviation = 1;
    private double above;
    private double below;
    private int suspicion;
    private List<ChangePoint> points = List.of();

    SeriesWatch(ChangePointDetector detector, int size, int phase) {
        if (size < 2 * detector.options().minimumSegment()
                || size > detector.options().mostPoints()) {
            throw new IllegalArgumentException("a window of " + size + " points");
        }
        this.detector = detector;
        this.phase = Math.floorMod(phase, REGULAR);
        ring = new float[size];
    }

    /** The change points among the newest points, oldest first. */
    public List<ChangePoint> points() {
        return points;
    }

    /**
     * Adds the next point.
     *
     * @param value the measured value, or {@code Double.NaN} for a gap
     * @return the change points among the newest points; the same list while nothing changed
     */
    public List<ChangePoint> add(double value) {
        ring[(int) (added % ring.length)] = (float) value;
        added++;
        boolean suspicious = isSuspicious(value);
        if (suspicious || added % REGULAR == phase) {
            analyse();
            if (suspicious && ++suspicion >= LONGEST_SUSPICION) {
                forget();
            }
        }
        return points;
    }

    /** Whether there are enough points for a level. */
    boolean hasLevel() {
        return known;
    }

    /** Points added so far, gaps included. */
    public long added() {
        return added;
    }

    /** Points that are kept at most. */
    int size() {
        return ring.length;
    }

    /** A point by its index; NaN for a gap, and for what is no longer or not yet there. */
    public double value(long index) {
        return index < 0 || index >= added || added - index > ring.length
                ? Double.NaN
                : ring[(int) (index % ring.length)];
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
        int size = (int) Math.min(added, ring.length);
        long offset = added - size;
        detector.begin(size);
        int at = (int) (offset % ring.length);
        for (int i = 0; i < size; i++) {
            detector.add(i, ring[at]);
            at = at + 1 == ring.length ? 0 : at + 1;
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

    /** Whether each begin is within the interval that is known, and each change, too. */
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
