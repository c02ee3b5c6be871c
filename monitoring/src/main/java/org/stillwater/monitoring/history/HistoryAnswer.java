package org.stillwater.monitoring.history;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HistoryMetric;
import org.stillwater.core.model.HistoryPoint;

/**
 * History of one VM or host, in steps that begin at multiples of their length, in UTC. The first
 * and the last are as long as the others, though the question may have begun or ended in them.
 *
 * @param from when the first step begins
 * @param to when the last step ends
 * @param step length of a point's interval: the requested one, or a longer one if history is
 *     coarser
 * @param sources where the points come from, oldest first; empty if nothing is known
 * @param missing why a part that may be durable is not among them; null if it is
 * @param series one per metric, in the order asked for
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
     * A part of the time that was asked for.
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
     * @param metric which
     * @param points one per step; null where nothing is known
     */
    public record Series(HistoryMetric metric, List<@Nullable HistoryPoint> points) {

        public Series {
            points = Collections.unmodifiableList(new ArrayList<@Nullable HistoryPoint>(points));
        }
    }
}
