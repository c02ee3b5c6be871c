package org.stillwater.monitoring.history;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryPoint;

/** Adds up samples of one metric by the step that they fall into. Not thread-safe. */
final class Steps {

    private static final List<Duration> ROUND =
            List.of(
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(2),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(15),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(2),
                    Duration.ofMinutes(5),
                    Duration.ofMinutes(10),
                    Duration.ofMinutes(15),
                    Duration.ofMinutes(30),
                    Duration.ofHours(1),
                    Duration.ofHours(2),
                    Duration.ofHours(3),
                    Duration.ofHours(6),
                    Duration.ofHours(12),
                    Duration.ofDays(1));

    private final long from;
    private final long step;
    private final double[] least;
    private final double[] most;
    private final double[] sum;
    private final int[] count;

    Steps(Instant from, Duration step, int points) {
        this.from = from.getEpochSecond();
        this.step = step.toSeconds();
        this.least = new double[points];
        this.most = new double[points];
        this.sum = new double[points];
        this.count = new int[points];
        Arrays.fill(least, Double.POSITIVE_INFINITY);
        Arrays.fill(most, Double.NEGATIVE_INFINITY);
    }

    /** Adds a sample; unknown values and samples outside the steps do not count. */
    void add(long epochSeconds, double value) {
        if (!Double.isNaN(value)) {
            add(epochSeconds, value, value, value, 1);
        }
    }

    void add(HistoryPoint point) {
        add(point.at().getEpochSecond(), point.min(), point.mean(), point.max(), point.count());
    }

    private void add(long epochSeconds, double min, double mean, double max, int samples) {
        long index = Math.floorDiv(epochSeconds - from, step);
        if (index < 0 || index >= count.length) {
            return;
        }
        int i = (int) index;
        least[i] = Math.min(least[i], min);
        most[i] = Math.max(most[i], max);
        sum[i] += mean * samples;
        count[i] += samples;
    }

    /** Every step; null where there is no sample. */
    List<@Nullable HistoryPoint> points() {
        List<@Nullable HistoryPoint> points = new ArrayList<>(count.length);
        for (int i = 0; i < count.length; i++) {
            points.add(
                    count[i] == 0
                            ? null
                            : new HistoryPoint(
                                    Instant.ofEpochSecond(from + i * step),
                                    least[i],
                                    sum[i] / count[i],
                                    most[i],
                                    count[i]));
        }
        return points;
    }

    /** The last multiple of a time that is not after this one. */
    static Instant floor(Instant time, Duration width) {
        long seconds = width.toSeconds();
        return Instant.ofEpochSecond(Math.floorDiv(time.getEpochSecond(), seconds) * seconds);
    }

    /** The first multiple of a time that is not before this one. */
    static Instant ceiling(Instant time, Duration width) {
        Instant floor = floor(time, width);
        return floor.equals(time) ? floor : floor.plus(width);
    }

    /** A round step, at least as long as this. */
    static Duration round(Duration least) {
        for (Duration each : ROUND) {
            if (each.compareTo(least) >= 0) {
                return each;
            }
        }
        return Duration.ofDays(least.minusNanos(1).toDays() + 1);
    }
}
