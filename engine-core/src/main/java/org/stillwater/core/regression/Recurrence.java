package org.stillwater.core.regression;

/**
 * Detects levels that a series takes repeatedly, such as a disk with and without cache hits:
 * episodes of values beyond the middle between two levels. An episode of the expected length is not
 * a new level. Mutable scratch memory, not thread-safe.
 */
final class Recurrence {

    /** Least episodes of a recurring level: a level that occurred once or twice is new. */
    private static final int HABIT = 3;

    /** Share of the series in which chance may make one episode too long within a window. */
    private static final double CHANCE = 0.005;

    private double middle;
    private boolean isRise;
    private int episodes;
    private int within;
    private int length;
    private int longest;

    /**
     * Starts with values of the old level.
     *
     * @param between a logarithm; values beyond it belong to the new level
     * @param rise whether the new level is the higher one
     */
    void begin(double between, boolean rise) {
        middle = between;
        isRise = rise;
        episodes = 0;
        within = 0;
        length = 0;
        longest = 0;
    }

    /** Adds the next logarithm of the old level. */
    void addOld(double log) {
        if (isBeyond(log)) {
            episodes += length == 0 ? 1 : 0;
            length++;
            within++;
        } else {
            length = 0;
        }
    }

    /** Adds the next logarithm of the new level. */
    void addNew(double log) {
        length = isBeyond(log) ? length + 1 : 0;
        longest = Math.max(longest, length);
    }

    private boolean isBeyond(double log) {
        return isRise ? log > middle : log < middle;
    }

    /** Whether the newest episode resembles the earlier ones. */
    boolean isHabit() {
        return episodes >= HABIT && longest < usual();
    }

    /** Points of the longest episode that chance makes: episodes end with the same probability. */
    private double usual() {
        double ends = (double) episodes / within;
        double scale = ends == 1 ? 0 : -1 / Math.log1p(-ends);
        return scale * Math.log(episodes / CHANCE) * (1 + 1 / Math.sqrt(episodes));
    }
}
