package org.stillwater.core.regression;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.regression.FleetSeries.Worsening;

/** A finding with its steps. Mutable; used by its tracker only. */
final class TrackedFinding {

    /** Points before and after the begin that levels and evidence use. */
    static final int AROUND = 48;

    private final Map<RegressionMetric, Map<String, Worsening>> steps =
            new EnumMap<>(RegressionMetric.class);
    private final Set<String> names = new HashSet<>();
    private final SeriesOwner.Shared where;
    private final long index;
    private @Nullable Finding finding;

    /** The finding of an earlier run of the engine; null if this run found it. */
    private @Nullable Finding restored;

    private int age;

    /** A new finding without steps. */
    TrackedFinding(SeriesOwner.Shared where, long index) {
        this.where = where;
        this.index = index;
    }

    /** A finding of an earlier run of the engine. */
    static TrackedFinding restored(Finding finding) {
        TrackedFinding tracked =
                new TrackedFinding(
                        finding.where(),
                        finding.begin().toEpochMilli() / finding.interval().toMillis());
        tracked.finding = finding;
        tracked.restored = finding;
        tracked.names.addAll(finding.members());
        return tracked;
    }

    SeriesOwner.Shared where() {
        return where;
    }

    long index() {
        return index;
    }

    /** The last built finding. */
    Finding finding() {
        Finding built = finding;
        if (built == null) {
            throw new IllegalStateException("the finding is not built yet");
        }
        return built;
    }

    void finding(Finding next) {
        finding = next;
    }

    boolean isOpen() {
        return finding == null || finding.isOpen();
    }

    /** Whether it concerns a single object. */
    boolean isLone() {
        return names.size() == 1;
    }

    /**
     * Whether a begin belongs to this finding: a series has no second step so soon, and noise
     * shifts the detected begin.
     */
    boolean isNear(long other) {
        return Math.abs(other - index) <= DetectorOptions.DEFAULTS.minimumSegment();
    }

    /** Whether a step belongs to it. */
    boolean explains(Worsening step) {
        return names.contains(step.series().owner().name()) && isNear(step.point().index());
    }

    /** Adds a step; false if it already has one of this metric and object. */
    boolean add(Worsening step) {
        Map<String, Worsening> known =
                steps.computeIfAbsent(step.series().metric(), _ -> new LinkedHashMap<>());
        String name = step.series().owner().name();
        names.add(name);
        return known.put(name, step) == null;
    }

    /** Whether an older finding has no steps in this run of the engine. */
    boolean hasSteps() {
        return !steps.isEmpty();
    }

    /** Steps of all metrics. */
    List<Worsening> all() {
        return steps.values().stream().flatMap(each -> each.values().stream()).toList();
    }

    /** Whether the evidence is due for an update: at intervals until it has enough points. */
    boolean isDue() {
        age++;
        return hasSteps() && (age == AROUND / 4 || age == AROUND);
    }

    /** Builds the finding from its steps. */
    Finding build(
            FleetSeries series,
            Collection<RecordedChange> recorded,
            FindingTracker.Fleet fleet,
            FindingOptions options,
            Instant now) {
        Finding before = finding;
        List<Finding.Change> changes = new ArrayList<>();
        for (Map.Entry<RegressionMetric, Map<String, Worsening>> each : steps.entrySet()) {
            changes.add(change(each.getKey(), each.getValue().values(), series.interval()));
        }
        Finding earlier = restored;
        if (earlier != null) {
            for (Finding.Change change : earlier.changes()) {
                if (!steps.containsKey(change.metric())) {
                    changes.add(change); // its series are not known, or not yet
                }
            }
        }
        changes.sort(
                Comparator.comparingDouble(
                                (Finding.Change change) -> Math.abs(change.relativeChange()))
                        .reversed());
        List<Worsening> all = all();
        List<SeriesOwner> owners = all.stream().map(each -> each.series().owner()).toList();
        Duration interval = options.interval();
        Instant begin =
                at(median(all.stream().mapToLong(w -> w.point().index()).toArray()), interval);
        Instant earliest =
                at(median(all.stream().mapToLong(w -> w.point().earliest()).toArray()), interval);
        Instant latest =
                at(median(all.stream().mapToLong(w -> w.point().latest()).toArray()), interval);
        List<String> members = names.stream().sorted().toList();
        List<Coincidence> coincidences =
                Coincidence.ranked(
                        recorded,
                        owners,
                        begin,
                        // A change takes effect a moment later.
                        earliest.minus(interval.multipliedBy(FindingTracker.TOGETHER)),
                        latest.plus(interval));
        if (earlier != null && coincidences.size() < earlier.coincidences().size()) {
            coincidences = earlier.coincidences(); // not all changes of that run are known now
        }
        Finding built =
                new Finding(
                        before == null ? identity() : before.id(),
                        where,
                        begin,
                        earliest,
                        latest,
                        before == null ? now : before.detectedAt(),
                        interval,
                        changes,
                        members.subList(0, Math.min(Finding.MOST_MEMBERS, members.size())),
                        Math.max(members.size(), earlier == null ? 0 : earlier.memberCount()),
                        Math.max(vms(owners, fleet), earlier == null ? 0 : earlier.vms()),
                        coincidences,
                        evidence(series, interval),
                        null,
                        null,
                        before == null ? null : before.acknowledged(),
                        before == null ? null : before.silencedUntil());
        finding = built;
        return built;
    }

    private UUID identity() {
        return UUID.nameUUIDFromBytes(
                (where.level() + '|' + where.name() + '|' + index)
                        .getBytes(StandardCharsets.UTF_8));
    }

    private int vms(List<SeriesOwner> owners, FindingTracker.Fleet fleet) {
        Set<SeriesOwner.Shared> vms = new LinkedHashSet<>();
        for (SeriesOwner owner : owners) {
            for (SeriesOwner.Shared each : owner.shared()) {
                if (each.level().equals(SeriesOwner.VM)) {
                    vms.add(each);
                }
            }
        }
        return Math.max(vms.size(), fleet.vms(where));
    }

    private static Instant at(long index, Duration interval) {
        return Instant.ofEpochMilli(index * interval.toMillis());
    }

    private static Finding.Change change(
            RegressionMetric metric, Collection<Worsening> steps, long interval) {
        double[] changes = steps.stream().mapToDouble(w -> w.point().relativeChange()).toArray();
        double[] lows = steps.stream().mapToDouble(w -> w.point().low()).toArray();
        double[] highs = steps.stream().mapToDouble(w -> w.point().high()).toArray();
        double confidence = 0;
        double perHour = 0;
        double before = 0;
        double after = 0;
        int known = 0;
        for (Worsening each : steps) {
            long begin = each.point().index();
            double old = each.series().level(begin - AROUND, begin);
            double fresh = each.series().level(begin, Math.min(interval, begin + AROUND));
            confidence = Math.max(confidence, each.point().confidence());
            if (old > 0 && fresh > 0) {
                perHour += metric.unit().impact(fresh - old);
                before += Math.log(old);
                after += Math.log(fresh);
                known++;
            }
        }
        double median = median(changes);
        return new Finding.Change(
                metric,
                median,
                Math.min(median, median(lows)),
                Math.max(median, median(highs)),
                confidence,
                known == 0 ? 0 : Math.exp(before / known),
                known == 0 ? 0 : Math.exp(after / known),
                perHour);
    }

    /** The points of the clearest members. */
    List<Finding.Evidence> evidence(FleetSeries series, Duration interval) {
        List<Finding.Evidence> former = finding == null ? List.of() : finding.evidence();
        boolean isCut = index - AROUND < series.interval() - series.window();
        List<Finding.Evidence> shown = new ArrayList<>();
        for (Map<String, Worsening> each : steps.values()) {
            each.values().stream()
                    .sorted(
                            // The window has lost points of members that were not shown before.
                            Comparator.comparingInt(
                                            (Worsening w) -> isCut && of(w, former) == null ? 1 : 0)
                                    .thenComparingDouble(w -> -w.point().confidence())
                                    .thenComparing(w -> w.series().owner().name()))
                    .limit(Finding.MOST_EVIDENCE)
                    .forEach(step -> {
                        long from = step.point().index() - AROUND;
                        long until = Math.min(series.interval(), step.point().index() + AROUND);
                        List<@Nullable Double> values = new ArrayList<>();
                        Finding.Evidence earlier = of(step, former);
                        for (long i = from; i < until; i++) {
                            double value = step.series().value(i);
                            values.add(
                                    value > 0
                                            ? (Double) value
                                            : value(earlier, at(i, interval), interval));
                        }
                        shown.add(
                                new Finding.Evidence(
                                        step.series().metric(),
                                        step.series().owner().name(),
                                        at(from, interval),
                                        values,
                                        List.of(),
                                        marks(step.series(), earlier, from, until, interval)));
                    });
        }
        return shown;
    }

    /** Marks that the series has, and earlier ones that its evidence has. */
    private List<Mark> marks(
            MeasuredSeries series,
            Finding.@Nullable Evidence earlier,
            long from,
            long until,
            Duration interval) {
        Set<Mark> marks = new LinkedHashSet<>();
        if (earlier != null) {
            long shift = Duration.between(earlier.first(), at(from, interval)).dividedBy(interval);
            for (Mark mark : earlier.marks()) {
                if (mark.index() >= shift && mark.index() - shift < until - from) {
                    marks.add(new Mark(mark.index() - shift, mark.kind()));
                }
            }
        }
        marks.addAll(series.marks(from, until));
        return marks.stream()
                .sorted(Comparator.comparingLong(Mark::index).thenComparing(Mark::kind))
                .toList();
    }

    private static Finding.@Nullable Evidence of(Worsening step, List<Finding.Evidence> among) {
        for (Finding.Evidence each : among) {
            if (each.metric() == step.series().metric()
                    && each.member().equals(step.series().owner().name())) {
                return each;
            }
        }
        return null;
    }

    /** A point that evidence has; null for none. */
    private static @Nullable Double value(
            Finding.@Nullable Evidence evidence, Instant at, Duration interval) {
        if (evidence == null) {
            return null;
        }
        long place = Duration.between(evidence.first(), at).dividedBy(interval);
        return place < 0 || place >= evidence.values().size()
                ? null
                : evidence.values().get((int) place);
    }

    private static long median(long[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    /**
     * Whether its members are closer to the old levels than to the new ones. Aggregates decide, so
     * that a finding of an earlier run of the engine ends, too.
     */
    boolean isRecovered(FleetSeries series) {
        boolean any = false;
        Finding built = finding();
        for (Finding.Change change : built.changes()) {
            double logs = 0;
            int known = 0;
            for (String member : built.members()) {
                MeasuredSeries one = series.find(change.metric(), member);
                double newest = one == null ? Double.NaN : one.newest();
                if (newest > 0) {
                    logs += Math.log(newest);
                    known++;
                }
            }
            if (known == 0 || !(change.before() > 0 && change.after() > 0)) {
                continue;
            }
            any = true;
            double level = logs / known;
            if (Math.abs(level - Math.log(change.before()))
                    >= Math.abs(level - Math.log(change.after()))) {
                return false;
            }
        }
        return any;
    }
}
