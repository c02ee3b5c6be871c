package org.stillwater.monitoring.history;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.history.HistoryTier;
import org.stillwater.core.history.Samples;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;

/**
 * Answers queries of history. Samples in memory come from memory alone; only older ones are read
 * from the database: from the finest tier that reaches back far enough and is no finer than the
 * step, and the newest interval, which is not rolled up yet, from the finer tiers.
 *
 * <p>Thread-safe. Blocks only while the database is read.
 */
public final class HistoryQueries {

    private static final List<HistoryTier> FINEST_FIRST =
            List.of(HistoryTier.MINUTE, HistoryTier.HOUR, HistoryTier.DAY);

    private final HistorySettings settings;
    private final Recent recent;
    private final Duration cadence;
    private volatile Duration longest;
    private final EngineClock clock;
    private volatile @Nullable DurableHistory durable;

    /** History in memory. */
    @FunctionalInterface
    public interface Recent {

        /** The samples of one VM or host; null if there are none. */
        @Nullable Samples of(Subject subject, UUID id);
    }

    /** A query without an answer; the message names a query that has one. */
    public static final class Refused extends Exception {

        private static final long serialVersionUID = 1;

        Refused(String message) {
            super(message);
        }
    }

    /**
     * Answers from memory until it gets a store.
     *
     * @param cadence time between two samples in memory
     */
    public HistoryQueries(
            HistorySettings settings, Recent recent, Duration cadence, EngineClock clock) {
        this.settings = settings;
        this.recent = recent;
        this.cadence = cadence;
        this.longest = cadence;
        this.clock = clock;
    }

    /**
     * From now on a sample in memory counts until the next one, for this time at most: hosts with
     * longer intervals leave no gaps.
     */
    public void sampledWithin(Duration time) {
        longest = time;
    }

    /** Sets the source of points that memory lacks. */
    public void readFrom(DurableHistory history) {
        durable = history;
    }

    /**
     * The steps of an answer.
     *
     * @param from when the first begins
     * @param to when the last ends
     * @param points how many there are
     */
    private record Frame(Instant from, Instant to, Duration step, int points) {}

    /** An answer in the making. */
    private static final class Draft {

        private final HistoryQuery query;
        private final Frame frame;
        private final List<Steps> sums = new ArrayList<>();
        private final List<HistoryAnswer.Source> sources = new ArrayList<>();

        Draft(HistoryQuery query, Frame frame) {
            this.query = query;
            this.frame = frame;
            query.metrics()
                    .forEach(_ -> sums.add(new Steps(frame.from(), frame.step(), frame.points())));
        }

        void read(Samples samples, Instant oldest, Duration cadence, Duration longest) {
            if (longest.compareTo(cadence) > 0) {
                new GapFiller(cadence, longest, this::add).read(samples);
            } else {
                samples.each(this::add);
            }
            source("memory", later(oldest, frame.from()), frame.to(), cadence);
        }

        private void add(long epochSeconds, double[] values) {
            for (int i = 0; i < sums.size(); i++) {
                sums.get(i).add(epochSeconds, values[query.metrics().get(i).index()]);
            }
        }

        /** When the newest point begins; null without any. */
        @Nullable Instant read(DurableHistory durable, HistoryTier tier, Instant from, Instant to)
                throws StoreUnavailable {
            Instant newest = null;
            for (int i = 0; i < sums.size(); i++) {
                List<HistoryPoint> points =
                        durable.reader().read(query.metrics().get(i), query.id(), tier, from, to);
                points.forEach(sums.get(i)::add);
                if (!points.isEmpty()) {
                    Instant last = points.getLast().at();
                    newest = newest == null ? last : later(last, newest);
                }
            }
            source(tier.name().toLowerCase(Locale.ROOT), from, to, durable.width(tier));
            return newest;
        }

        private void source(String name, Instant from, Instant to, Duration resolution) {
            sources.add(new HistoryAnswer.Source(name, from, to, resolution));
        }

        HistoryAnswer answer(@Nullable String missing) {
            List<HistoryAnswer.Series> series = new ArrayList<>();
            for (int i = 0; i < sums.size(); i++) {
                series.add(new HistoryAnswer.Series(query.metrics().get(i), sums.get(i).points()));
            }
            return new HistoryAnswer(
                    frame.from(), frame.to(), frame.step(), sources, missing, series);
        }
    }

    /**
     * Answers a query.
     *
     * @throws Refused if it exceeds a limit or is empty
     * @throws StoreUnavailable if memory has no data of the range and the database does not answer
     *     now
     */
    public HistoryAnswer answer(HistoryQuery query) throws Refused, StoreUnavailable {
        Instant now = clock.now();
        Instant to = earlier(query.to(), now);
        if (!query.from().isBefore(to)) {
            throw new Refused("from must be before to, and not in the future");
        }
        Samples samples = recent.of(query.subject(), query.id());
        Instant oldest = samples == null ? null : samples.oldest();
        DurableHistory behind = durable;
        if (query.remembered()
                || behind == null
                || (oldest != null && !query.from().isBefore(oldest))) {
            Draft draft = new Draft(query, frame(query, to, Duration.ZERO));
            return withMemory(draft, samples, oldest).answer(null);
        }
        HistoryTier tier = tier(behind, Duration.between(query.from(), now), step(query, to));
        Frame frame = frame(query, to, behind.width(tier));
        boolean remembered = oldest != null && oldest.isBefore(frame.to());
        Draft draft = new Draft(query, frame);
        try {
            Instant until = oldest == null ? frame.to() : earlier(oldest, frame.to());
            readDurable(draft, behind, tier, until, now);
        } catch (StoreUnavailable e) {
            if (!remembered) {
                throw e;
            }
            Draft part = new Draft(query, frame);
            return withMemory(part, samples, oldest).answer(String.valueOf(e.getMessage()));
        }
        return withMemory(draft, samples, oldest).answer(null);
    }

    private Draft withMemory(Draft draft, @Nullable Samples samples, @Nullable Instant oldest) {
        if (samples != null && oldest != null && oldest.isBefore(draft.frame.to())) {
            draft.read(samples, oldest, cadence, longest);
        }
        return draft;
    }

    /**
     * The finest tier that reaches back far enough and is no finer than the step; if there is none,
     * the finest one that reaches back far enough, else the one that reaches back farthest.
     */
    private static HistoryTier tier(DurableHistory durable, Duration age, Duration step) {
        HistoryTier reaching = null;
        for (HistoryTier tier : FINEST_FIRST) {
            if (durable.kept(tier).compareTo(age) >= 0) {
                if (durable.width(tier).compareTo(step) <= 0) {
                    return tier;
                }
                reaching = reaching == null ? tier : reaching;
            }
        }
        return reaching == null ? HistoryTier.DAY : reaching;
    }

    /**
     * Reads one tier up to its newest rolled-up interval, and newer intervals from the finer tiers.
     *
     * @param until end of the read; later samples are in memory
     */
    private static void readDurable(
            Draft draft, DurableHistory durable, HistoryTier coarsest, Instant until, Instant now)
            throws StoreUnavailable {
        Instant at = draft.frame.from();
        for (HistoryTier tier : FINEST_FIRST.reversed()) {
            if (tier.compareTo(coarsest) > 0 || !at.isBefore(until)) {
                continue;
            }
            if (tier == HistoryTier.MINUTE) {
                draft.read(durable, tier, at, until);
                return;
            }
            Duration width = tier.width();
            Instant complete = Steps.floor(earlier(until, now), width);
            if (at.isBefore(complete)) {
                Instant newest = draft.read(durable, tier, at, complete);
                Instant last = complete.minus(width);
                // The newest one may be on its way to the database still.
                boolean late = newest == null || newest.isBefore(last);
                at = late ? later(at, last) : complete;
            }
        }
    }

    /** Step of one point. */
    private Duration step(HistoryQuery query, Instant to) {
        if (query.step() != null) {
            return query.step();
        }
        int most = settings.mostValues() / query.metrics().size() - 2;
        int points = Math.max(1, Math.min(settings.points(), most));
        Duration even = Duration.between(query.from(), to).dividedBy(points);
        return Steps.round(even.compareTo(cadence) < 0 ? cadence : even);
    }

    private Frame frame(HistoryQuery query, Instant to, Duration least) throws Refused {
        Duration wanted = step(query, to);
        Duration step = wanted.compareTo(least) < 0 ? least : wanted;
        Instant first = Steps.floor(query.from(), step);
        Instant end = Steps.ceiling(to, step);
        long points = Duration.between(first, end).dividedBy(step);
        long most = settings.mostValues() / query.metrics().size();
        if (points > most) {
            Duration longer =
                    Steps.round(
                            Duration.between(query.from(), to).dividedBy(Math.max(1, most - 2)));
            throw new Refused(
                    ("%d points of %d metrics are more than the %d values that an answer may have;"
                                    + " ask for a step of %s or more, for fewer metrics or for less"
                                    + " time")
                            .formatted(
                                    points, query.metrics().size(), settings.mostValues(), longer));
        }
        return new Frame(first, end, step, (int) points);
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
