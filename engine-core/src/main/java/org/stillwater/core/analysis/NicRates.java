package org.stillwater.core.analysis;

/**
 * Arithmetic of interface counters (monitoring specification §4.9). Pure, on primitives, for the
 * per-cycle path.
 *
 * <p>An effective total is the host's counter plus an offset. The offset makes the first report
 * count as zero, and bridges the total that a host forgets when its counter starts again.
 */
public final class NicRates {

    private static final double BITS_PER_BYTE = 8;
    private static final double BITS_PER_MEGABIT = 1_000_000;

    private NicRates() {}

    /** The offset that makes a first report count as zero. */
    public static long firstOffset(long reportedBytes) {
        return -reportedBytes;
    }

    /**
     * The offset to add to a report so that totals never go back: the known one, or the previous
     * total when the host's counter was reset.
     *
     * @param reportedBytes counter of the host's newest report, not negative
     * @param offset the offset so far
     * @param previousTotal reported + offset of the previous sample
     */
    public static long nextOffset(long reportedBytes, long offset, long previousTotal) {
        return total(reportedBytes, offset) < previousTotal ? previousTotal : offset;
    }

    /**
     * The effective total.
     *
     * @param reportedBytes counter of the host's newest report, not negative
     * @param offset the offset to add
     * @return at most {@link Long#MAX_VALUE}: nonsense from a host must not turn totals negative
     */
    public static long total(long reportedBytes, long offset) {
        long total = reportedBytes + offset;
        return offset > 0 && total < 0 ? Long.MAX_VALUE : total;
    }

    /**
     * Usage of an interface.
     *
     * @param bytes transferred between two samples
     * @param seconds between the two samples
     * @param speedMegabitsPerSecond nominal speed
     * @return 0–100; NaN when no time passed, the counter went back, or there is no speed
     */
    public static double percent(long bytes, double seconds, int speedMegabitsPerSecond) {
        if (!(seconds > 0) || bytes < 0 || speedMegabitsPerSecond <= 0) {
            return Double.NaN;
        }
        return Math.min(
                100,
                100
                        * (BITS_PER_BYTE * bytes / BITS_PER_MEGABIT)
                        / seconds
                        / speedMegabitsPerSecond);
    }
}
