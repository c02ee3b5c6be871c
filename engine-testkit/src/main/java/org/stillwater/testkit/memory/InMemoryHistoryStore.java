package org.stillwater.testkit.memory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.history.HistoryTier;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.Samples;

/**
 * History in memory, with the semantics of the database: every interval keeps the values of all
 * subjects in it, the plainest form that sparse rows can be held against. Thread-safe.
 */
public final class InMemoryHistoryStore extends InMemoryStore implements HistoryStore {

    /** Subject of numbers. */
    private record Who(Subject subject, UUID id) {}

    /**
     * One interval.
     *
     * @param noted as it was written
     * @param values every subject's numbers; NaN if they were not known
     */
    private record Minute(Interval noted, Map<Who, float[]> values) {}

    /**
     * One hour or day.
     *
     * @param noted as it was written; null if it was computed from saved samples
     * @param points every subject's numbers by metric; null for those never known
     */
    private record RolledUpTime(
            @Nullable Interval noted, Map<Who, @Nullable HistoryPoint[]> points) {}

    private final NavigableMap<Instant, Minute> minutes = new TreeMap<>();
    private final NavigableMap<Instant, RolledUpTime> hours = new TreeMap<>();
    private final NavigableMap<Instant, RolledUpTime> days = new TreeMap<>();
    private final List<Instant> readyUntil = new ArrayList<>();
    private @Nullable String rollUpsRefused;
    private int lostAnswers;
    private int sampleRows;

    /** The next writes are done but not confirmed, as if the connection broke after the commit. */
    public synchronized void loseAnswers(int count) {
        lostAnswers = count;
    }

    /** From now on roll-ups from samples fail with this reason; null ends it. */
    public synchronized void refuseRollUps(@Nullable String reason) {
        rollUpsRefused = reason;
    }

    /** Intervals written, in order. */
    public synchronized List<Instant> intervals() {
        return List.copyOf(minutes.keySet());
    }

    /** Intervals as they were written, in order. */
    public synchronized List<Interval> noted() {
        return minutes.values().stream().map(Minute::noted).toList();
    }

    /** Hours rolled up, in order. */
    public synchronized List<Instant> hours() {
        return List.copyOf(hours.keySet());
    }

    /** Days rolled up, in order. */
    public synchronized List<Instant> days() {
        return List.copyOf(days.keySet());
    }

    /** Rows of samples written so far, those of intervals not counted. */
    public synchronized int sampleRows() {
        return sampleRows;
    }

    /** How often room was made. */
    public synchronized int maintenances() {
        return readyUntil.size();
    }

    @Override
    public synchronized List<HistoryPoint> read(
            HistoryMetric metric, UUID id, HistoryTier tier, Instant from, Instant to)
            throws StoreUnavailable {
        reach();
        Who who = new Who(metric.subject(), id);
        List<HistoryPoint> points = new ArrayList<>();
        switch (tier) {
            case MINUTE ->
                    minutes.subMap(from, to)
                            .forEach((at, minute) -> {
                                float[] values = minute.values().get(who);
                                if (values != null && !Float.isNaN(values[metric.index()])) {
                                    points.add(HistoryPoint.sample(at, values[metric.index()]));
                                }
                            });
            case HOUR -> collect(hours.subMap(from, to), who, metric, points);
            case DAY -> collect(days.subMap(from, to), who, metric, points);
        }
        return points;
    }

    private static void collect(
            Map<Instant, RolledUpTime> times,
            Who who,
            HistoryMetric metric,
            List<HistoryPoint> points) {
        for (RolledUpTime time : times.values()) {
            @Nullable HistoryPoint @Nullable [] all = time.points().get(who);
            HistoryPoint point = all == null ? null : all[metric.index()];
            if (point != null) {
                points.add(point);
            }
        }
    }

    @Override
    public synchronized Recorded write(Interval interval, Samples vms, Samples hosts)
            throws StoreUnavailable {
        reach();
        requireRoom(interval.at());
        Minute present = minutes.get(interval.at());
        if (present != null) {
            return present.noted().equals(interval) ? Recorded.BEFORE : Recorded.BY_ANOTHER;
        }
        Map<Who, float[]> values = new HashMap<>();
        minutes.subMap(interval.base(), interval.at()).values().stream()
                .filter(before -> before.noted().base().equals(interval.base()))
                .filter(before -> before.noted().run().equals(interval.run()))
                .reduce((_, newer) -> newer)
                .ifPresent(before -> values.putAll(before.values()));
        take(Subject.VM, vms, values);
        take(Subject.HOST, hosts, values);
        minutes.put(interval.at(), new Minute(interval, values));
        sampleRows += vms.size() + hosts.size();
        touched(1 + vms.size() + hosts.size());
        return answer();
    }

    private void requireRoom(Instant at) {
        if (readyUntil.stream().noneMatch(until -> !at.isAfter(until))) {
            throw new IllegalStateException("there is no partition for " + at);
        }
    }

    private Recorded answer() throws StoreUnavailable {
        if (lostAnswers > 0) {
            lostAnswers--;
            throw new StoreUnavailable(
                    "connection lost", new IllegalStateException("after commit"));
        }
        return Recorded.NOW;
    }

    private static void take(Subject subject, Samples rows, Map<Who, float[]> values) {
        int metrics = HistoryMetric.of(subject).size();
        for (int row = 0; row < rows.size(); row++) {
            float[] all = new float[metrics];
            for (int metric = 0; metric < metrics; metric++) {
                all[metric] = rows.value(row, metric);
            }
            values.put(new Who(subject, new UUID(rows.idUpper(row), rows.idLower(row))), all);
        }
    }

    @Override
    public synchronized Recorded writeHour(Interval hour, RollUps vms, RollUps hosts)
            throws StoreUnavailable {
        reach();
        requireRoom(hour.at());
        RolledUpTime present = hours.get(hour.at());
        if (present != null) {
            if (hour.equals(present.noted())) {
                return Recorded.BEFORE;
            }
            computeHour(hour.at());
        } else {
            Map<Who, @Nullable HistoryPoint[]> points = new HashMap<>();
            take(Subject.VM, hour.at(), vms, points);
            take(Subject.HOST, hour.at(), hosts, points);
            hours.put(hour.at(), new RolledUpTime(hour, points));
            touched(1 + points.size());
        }
        rollUpDayAnew(hour.at());
        Recorded recorded = answer();
        return present == null ? recorded : Recorded.BY_ANOTHER;
    }

    @Override
    public synchronized void rollUpHour(Instant hour) throws StoreUnavailable {
        reach();
        computeHour(hour);
        rollUpDayAnew(hour);
    }

    private void rollUpDayAnew(Instant hour) {
        Instant day = hour.truncatedTo(ChronoUnit.DAYS);
        if (days.containsKey(day)) {
            rollUpDay(day);
        }
    }

    private static void take(
            Subject subject, Instant at, RollUps rows, Map<Who, @Nullable HistoryPoint[]> points) {
        int metrics = HistoryMetric.of(subject).size();
        for (int row = 0; row < rows.size(); row++) {
            @Nullable HistoryPoint[] all = new @Nullable HistoryPoint[metrics];
            for (int metric = 0; metric < metrics; metric++) {
                if (rows.count(row, metric) > 0) {
                    all[metric] =
                            new HistoryPoint(
                                    at,
                                    rows.min(row, metric),
                                    rows.mean(row, metric),
                                    rows.max(row, metric),
                                    rows.count(row, metric));
                }
            }
            points.put(new Who(subject, new UUID(rows.idUpper(row), rows.idLower(row))), all);
        }
    }

    @Override
    public synchronized void readPart(Instant from, Instant before, PartSink sink)
            throws StoreUnavailable {
        reach();
        sums(from, before)
                .forEach((who, sums) -> {
                    for (HistoryMetric metric : HistoryMetric.of(who.subject())) {
                        Sum sum = sums[metric.index()];
                        if (sum.count > 0) {
                            sink.part(
                                    metric,
                                    who.id().getMostSignificantBits(),
                                    who.id().getLeastSignificantBits(),
                                    (float) sum.min,
                                    sum.sum,
                                    (float) sum.max,
                                    sum.count);
                        }
                    }
                });
    }

    private static final class Sum {
        double min = Double.POSITIVE_INFINITY;
        double max = Double.NEGATIVE_INFINITY;
        double sum;
        int count;

        void add(double least, double mean, double largest, int samples) {
            min = Math.min(min, least);
            max = Math.max(max, largest);
            sum += mean * samples;
            count += samples;
        }

        @Nullable HistoryPoint point(Instant at) {
            return count == 0 ? null : new HistoryPoint(at, min, (float) (sum / count), max, count);
        }
    }

    private static Sum[] newSums(Subject subject) {
        Sum[] sums = new Sum[HistoryMetric.of(subject).size()];
        Arrays.setAll(sums, _ -> new Sum());
        return sums;
    }

    private Map<Who, Sum[]> sums(Instant from, Instant before) {
        Map<Who, Sum[]> all = new HashMap<>();
        for (Minute minute : minutes.subMap(from, before).values()) {
            minute.values()
                    .forEach((who, values) -> {
                        Sum[] sums = all.computeIfAbsent(who, it -> newSums(it.subject()));
                        for (int metric = 0; metric < values.length; metric++) {
                            if (!Float.isNaN(values[metric])) {
                                sums[metric].add(values[metric], values[metric], values[metric], 1);
                            }
                        }
                    });
        }
        return all;
    }

    private void computeHour(Instant hour) {
        save(hours, hour, sums(hour, hour.plus(1, ChronoUnit.HOURS)));
    }

    private void rollUpDay(Instant day) {
        Map<Who, Sum[]> all = new HashMap<>();
        for (RolledUpTime hour : hours.subMap(day, day.plus(1, ChronoUnit.DAYS)).values()) {
            hour.points()
                    .forEach((who, points) -> {
                        Sum[] sums = all.computeIfAbsent(who, it -> newSums(it.subject()));
                        for (int metric = 0; metric < points.length; metric++) {
                            HistoryPoint point = points[metric];
                            if (point != null) {
                                sums[metric].add(
                                        point.min(), point.mean(), point.max(), point.count());
                            }
                        }
                    });
        }
        save(days, day, all);
    }

    private void save(NavigableMap<Instant, RolledUpTime> times, Instant at, Map<Who, Sum[]> all) {
        Map<Who, @Nullable HistoryPoint[]> points = new HashMap<>();
        all.forEach((who, sums) -> {
            @Nullable HistoryPoint[] row = new @Nullable HistoryPoint[sums.length];
            Arrays.setAll(row, metric -> sums[metric].point(at));
            points.put(who, row);
        });
        RolledUpTime present = times.get(at);
        times.put(at, new RolledUpTime(present == null ? null : present.noted(), points));
        touched(1 + points.size());
    }

    @Override
    public synchronized RolledUp rollUp(Instant before) throws StoreUnavailable {
        reach();
        String refused = rollUpsRefused;
        if (refused != null) {
            throw new StoreUnavailable(refused, new IllegalStateException(refused));
        }
        int rolledHours = 0;
        for (Instant at : minutes.headMap(before).keySet()) {
            Instant hour = at.truncatedTo(ChronoUnit.HOURS);
            if (!hours.containsKey(hour)) {
                computeHour(hour);
                rolledHours++;
            }
        }
        int rolledDays = 0;
        for (Instant hour : hours.headMap(before.truncatedTo(ChronoUnit.DAYS)).keySet()) {
            Instant day = hour.truncatedTo(ChronoUnit.DAYS);
            if (!days.containsKey(day)) {
                rollUpDay(day);
                rolledDays++;
            }
        }
        return new RolledUp(rolledHours, rolledDays);
    }

    @Override
    public synchronized Maintenance maintain(Instant from, Instant until, Retention retention)
            throws StoreUnavailable {
        reach();
        readyUntil.add(until);
        Instant kept = from.minus(retention.minutes()).truncatedTo(ChronoUnit.HOURS);
        minutes.headMap(kept).clear();
        return new Maintenance(0, 0, 0);
    }
}
