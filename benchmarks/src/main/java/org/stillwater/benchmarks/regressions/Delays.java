package org.stillwater.benchmarks.regressions;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Points from the begins of steps, these included, until they are reported. */
final class Delays {

    /** Of a step that is not reported. */
    static final int NEVER = Integer.MAX_VALUE;

    /** The target: points after which a step is reported. */
    static final int IN_TIME = 12;

    private final int[] sorted;

    Delays(int[] points) {
        sorted = points.clone();
        Arrays.sort(sorted);
    }

    /** Those of many cells. */
    static Delays all(List<Delays> cells) {
        return new Delays(
                cells.stream().flatMapToInt(each -> Arrays.stream(each.sorted)).toArray());
    }

    int count() {
        return sorted.length;
    }

    /** The delay that this share of the steps does not exceed. */
    int quantile(double share) {
        return sorted.length == 0
                ? 0
                : sorted[Math.min(sorted.length - 1, (int) (share * sorted.length))];
    }

    /** The same as text. */
    String text(double share) {
        int delay = quantile(share);
        return delay == NEVER ? "never" : Integer.toString(delay);
    }

    /** Steps that are reported later than the target, or never. */
    long late() {
        return Arrays.stream(sorted).filter(delay -> delay > IN_TIME).count();
    }

    /** For the file of figures; a quantile that is never reached is left out. */
    Map<String, Object> figures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        if (quantile(0.5) != NEVER) {
            figures.put("p50", quantile(0.5));
        }
        if (quantile(0.95) != NEVER) {
            figures.put("p95", quantile(0.95));
        }
        figures.put("steps", count());
        figures.put("late", late());
        return figures;
    }

    /** Median, 95th percentile and how many are late. */
    String describe() {
        return String.format(
                Locale.ROOT,
                "%5s %5s, %d of %d later than %d or never",
                text(0.5),
                text(0.95),
                late(),
                count(),
                IN_TIME);
    }
}
