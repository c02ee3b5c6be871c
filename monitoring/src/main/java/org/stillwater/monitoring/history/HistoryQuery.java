package org.stillwater.monitoring.history;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;

/**
 * A question about the history of one VM or host.
 *
 * @param subject kind of the object
 * @param id which one
 * @param metrics of that subject, at least one
 * @param from inclusive
 * @param to exclusive; the future is left out
 * @param step the time that one point is to stand for, whole seconds; null for one that suits the
 *     time requested
 * @param remembered whether memory alone is to answer: samples that it lacks are a gap, and no
 *     store is read
 */
public record HistoryQuery(
        Subject subject,
        UUID id,
        List<HistoryMetric> metrics,
        Instant from,
        Instant to,
        @Nullable Duration step,
        boolean remembered) {

    public HistoryQuery {
        metrics = List.copyOf(metrics);
        if (metrics.isEmpty() || metrics.stream().anyMatch(it -> it.subject() != subject)) {
            throw new IllegalArgumentException("a question is about metrics of its subject");
        }
        if (step != null && (step.toSeconds() < 1 || step.toNanosPart() != 0)) {
            throw new IllegalArgumentException("a step is whole seconds");
        }
    }

    /** A query to memory and, for samples that memory lacks, to the database. */
    public HistoryQuery(
            Subject subject,
            UUID id,
            List<HistoryMetric> metrics,
            Instant from,
            Instant to,
            @Nullable Duration step) {
        this(subject, id, metrics, from, to, step, false);
    }
}
