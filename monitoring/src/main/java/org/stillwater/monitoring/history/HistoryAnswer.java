package org.stillwater.monitoring.history;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryPoint;

/**
 * History of one VM or host, in steps that begin at multiples of their length, in UTC. The first
 * and the last have the same length, although the query may begin or end within them.
 *
 * @param from begin of the first step
 * @param to end of the last step
 * @param step length of a point's interval: the requested one, or a longer one if history is
 *     coarser
 * @param sources sources of the points, oldest first; empty without data
 * @param missing why durable points are missing; null if none is
 * @param series one per metric, in the requested order
 */
public record HistoryAnswer(
        Instant from,
        Instant to,
        Duration step,
        List<Source> sources,
        @Nullable String missing,
        List<Series> series) {

    public HistoryAnswer {
        sources = List.copyOf(sources);
        series = List.copyOf(series);
    }

    /** Steps of the answer. */
    public int points() {
        return (int) Duration.between(from, to).dividedBy(step);
    }

    /** When a step begins. */
    public Instant at(int point) {
        return from.plus(step.multipliedBy(point));
    }

    /**
     * A part of the time that was requested.
     *
     * @param name {@code memory}, {@code minute}, {@code hour} or {@code day}
     * @param from inclusive
     * @param to exclusive
     * @param resolution how long one of its samples stands for
     */
    public record Source(String name, Instant from, Instant to, Duration resolution) {}

    /**
     * One metric.
     *
     * @param metric the metric
     * @param points one per step; null for a step without data
     */
    public record Series(HistoryMetric metric, List<@Nullable HistoryPoint> points) {

        public Series {
            points = Collections.unmodifiableList(new ArrayList<@Nullable HistoryPoint>(points));
        }
    }
}
