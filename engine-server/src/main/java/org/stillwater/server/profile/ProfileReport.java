package org.stillwater.server.profile;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.dal.SqlStage;

/** The reports that are made of a profile, as REST and the command line show them. Immutable. */
public final class ProfileReport {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NANOS_PER_MICRO = 1_000;
    private static final double P99 = 0.99;

    /** Most types, waits and statements of a report, each. */
    private static final int MOST_ITEMS = 200;

    /** The name that a commit has among statements. */
    static final String COMMIT = "COMMIT";

    /** Subjects of statements that monitoring sends; a stable fleet has none. */
    private static final Set<String> MONITORING =
            Set.of(
                            SqlStage.STATE,
                            SqlStage.WORK,
                            SqlStage.ADD,
                            SqlStage.DEVICES,
                            SqlStage.EXTERNAL_DATA,
                            SqlStage.HOSTS,
                            SqlStage.AUDIT,
                            SqlStage.BELIEFS,
                            SqlStage.JOBS,
                            SqlStage.LUNS,
                            SqlStage.NUMA)
                    .stream()
                    .map(SqlStage::tag)
                    .collect(Collectors.toUnmodifiableSet());

    private ProfileReport() {}

    /**
     * Use of a stage.
     *
     * @param share of the CPU time of the process, 0 to 1
     * @param cpuMillis estimated from the samples; measured for {@code gc} and {@code jit}
     * @param nativeSamples samples in native code, most of them waiting: no CPU time
     * @param allocatedBytes estimated from samples
     */
    public record StageItem(
            String stage,
            double share,
            long cpuMillis,
            long samples,
            long nativeSamples,
            long allocatedBytes) {}

    /**
     * Samples by kind of thread.
     *
     * @param share of all samples
     */
    public record ThreadItem(String kind, long samples, double share) {}

    /**
     * Waits for a lock.
     *
     * @param kind {@code monitor}, {@code lock} or {@code pinned}
     * @param place innermost method of the engine that waited
     */
    public record WaitItem(
            String name,
            String kind,
            String stage,
            String place,
            long waits,
            long totalMillis,
            long longestMillis) {}

    /**
     * A node of the tree of calls.
     *
     * @param name a stage at the first level, below it {@code class.method}
     * @param samples taken in it or in its callees
     */
    public record Call(String name, long samples, List<Call> children) {}

    /**
     * CPU.
     *
     * @param items stages, the dearest first, then {@code gc} and {@code jit}
     * @param cpuMillis CPU time of the process
     * @param cutPaths paths that ended early because the tree was full
     * @param tree null unless it was requested
     */
    public record Cpu(
            Instant since,
            Instant until,
            double seconds,
            long cpuMillis,
            long samples,
            long nativeSamples,
            long cutPaths,
            List<StageItem> items,
            List<ThreadItem> threads,
            List<WaitItem> waits,
            @Nullable Call tree) {}

    /**
     * A statement.
     *
     * @param name class and method that send it, {@code COMMIT} for commits
     * @param statement its verb and table
     * @param share of the time of all statements, 0 to 1
     */
    public record StatementItem(
            String name,
            String statement,
            String stage,
            long calls,
            long failed,
            long rows,
            long meanMicros,
            long p99Micros,
            long longestMicros,
            long totalMicros,
            double share) {}

    /**
     * Statements of one subject over time.
     *
     * @param calls one number for each interval
     */
    public record StatementSeries(String stage, List<Long> calls) {}

    /**
     * Statements.
     *
     * @param monitoringCalls calls of monitoring's subjects
     * @param summary one sentence about them
     * @param at starts of the intervals of {@code stages}
     */
    public record Statements(
            Instant since,
            Instant until,
            double seconds,
            long calls,
            long totalMicros,
            long monitoringCalls,
            String summary,
            List<StatementItem> items,
            List<Instant> at,
            List<StatementSeries> stages) {}

    /** Allocations of a type, estimated from samples. */
    public record TypeItem(String type, long allocatedBytes, double share) {}

    /** Allocations of a stage, estimated from samples. */
    public record AllocationItem(String stage, long allocatedBytes, double share) {}

    /**
     * Memory. Values not measured yet are null.
     *
     * @param heapAfterCollectionBytes live heap
     * @param collectorMillis CPU time of collections
     */
    public record Memory(
            Instant since,
            Instant until,
            double seconds,
            @Nullable Long heapAfterCollectionBytes,
            @Nullable Instant heapAt,
            @Nullable Long residentBytes,
            @Nullable Long directBytes,
            long collections,
            double pauseMillis,
            double longestPauseMillis,
            long collectorMillis,
            long allocatedBytes,
            List<TypeItem> types,
            List<AllocationItem> stages) {}

    private static double seconds(Profile.Window window) {
        return Duration.between(window.since(), window.until()).toMillis() / 1000.0;
    }

    private static double share(long part, long whole) {
        return share((double) part, (double) whole);
    }

    private static double share(double part, double whole) {
        return whole <= 0 ? 0 : Math.round(part / whole * 10_000) / 10_000.0;
    }

    /** CPU and waits of a window. */
    static Cpu cpu(Profile profile, Profile.Window window, boolean withTree) {
        Interval sum = window.sum();
        long samples = sum.stages.values().stream().mapToLong(each -> each.samples).sum();
        long natives = sum.stages.values().stream().mapToLong(each -> each.nativeSamples).sum();
        long process = sum.cpuNanos;
        long jit = sum.compilationMillis * NANOS_PER_MILLI;
        long code = Math.max(0, process - sum.collectorNanos - jit);
        List<StageItem> items = new ArrayList<>();
        for (Stage stage : Stage.values()) {
            if (stage != Stage.GC && stage != Stage.JIT) {
                Interval.StageFigures figures = sum.of(stage);
                double nanos = samples == 0 ? 0 : (double) code * figures.samples / samples;
                items.add(
                        new StageItem(
                                stage.tag(),
                                process > 0
                                        ? share(nanos, (double) process)
                                        : share(figures.samples, samples),
                                Math.round(nanos / NANOS_PER_MILLI),
                                figures.samples,
                                figures.nativeSamples,
                                figures.allocatedBytes));
            }
        }
        items.sort(Comparator.comparingLong(StageItem::samples).reversed());
        items.add(apart(Stage.GC, sum.collectorNanos, process));
        items.add(apart(Stage.JIT, jit, process));
        return new Cpu(
                window.since(),
                window.until(),
                seconds(window),
                process / NANOS_PER_MILLI,
                samples,
                natives,
                profile.cut(),
                items,
                threads(sum, samples),
                waits(sum),
                withTree ? call(profile.tree(window)) : null);
    }

    private static StageItem apart(Stage stage, long nanos, long process) {
        return new StageItem(stage.tag(), share(nanos, process), nanos / NANOS_PER_MILLI, 0, 0, 0);
    }

    private static List<ThreadItem> threads(Interval sum, long samples) {
        return sum.threads.entrySet().stream()
                .map(each ->
                        new ThreadItem(
                                each.getKey().tag(),
                                each.getValue().value,
                                share(each.getValue().value, samples)))
                .sorted(Comparator.comparingLong(ThreadItem::samples).reversed())
                .toList();
    }

    private static List<WaitItem> waits(Interval sum) {
        return sum.waits.all().entrySet().stream()
                .sorted(
                        Comparator.comparingLong(
                                        (Map.Entry<Interval.WaitKey, Interval.WaitFigures> each) ->
                                                each.getValue().nanos)
                                .reversed())
                .limit(MOST_ITEMS)
                .map(each ->
                        new WaitItem(
                                each.getKey().name(),
                                each.getKey().kind(),
                                each.getKey().stage().tag(),
                                each.getKey().place(),
                                each.getValue().waits,
                                each.getValue().nanos / NANOS_PER_MILLI,
                                each.getValue().longest / NANOS_PER_MILLI))
                .toList();
    }

    private static Call call(CallTree.Node node) {
        return new Call(
                node.name(),
                node.samples(),
                node.children().stream().map(ProfileReport::call).toList());
    }

    /** Statements of a window. */
    static Statements statements(Profile.Window window) {
        Map<Interval.StatementKey, Interval.StatementFigures> all = window.sum().statements.all();
        long total = all.values().stream().mapToLong(each -> each.durations.nanos()).sum();
        List<StatementItem> items = new ArrayList<>();
        all.forEach((key, figures) ->
                items.add(
                        new StatementItem(
                                key.name(),
                                key.statement(),
                                key.stage(),
                                figures.durations.calls(),
                                figures.failed,
                                figures.rows,
                                figures.durations.meanMicros(),
                                figures.durations.micros(P99),
                                figures.durations.longest() / NANOS_PER_MICRO,
                                figures.durations.nanos() / NANOS_PER_MICRO,
                                share(figures.durations.nanos(), total))));
        items.sort(Comparator.comparingLong(StatementItem::totalMicros).reversed());
        long monitoring =
                items.stream()
                        .filter(each -> MONITORING.contains(each.stage()))
                        .mapToLong(StatementItem::calls)
                        .sum();
        return new Statements(
                window.since(),
                window.until(),
                seconds(window),
                items.stream().mapToLong(StatementItem::calls).sum(),
                total / NANOS_PER_MICRO,
                monitoring,
                monitoring == 0
                        ? "Monitoring sent no statement."
                        : "Monitoring sent %d statements and commits.".formatted(monitoring),
                items.stream().limit(MOST_ITEMS).toList(),
                List.copyOf(window.intervals().keySet()),
                series(window));
    }

    private static List<StatementSeries> series(Profile.Window window) {
        int size = window.intervals().size();
        Map<String, long[]> calls = new TreeMap<>();
        int index = 0;
        for (Interval interval : window.intervals().values()) {
            for (Map.Entry<Interval.StatementKey, Interval.StatementFigures> each :
                    interval.statements.all().entrySet()) {
                calls.computeIfAbsent(each.getKey().stage(), _ -> new long[size])[index] +=
                        each.getValue().durations.calls();
            }
            index++;
        }
        List<StatementSeries> all = new ArrayList<>();
        calls.forEach((stage, counts) ->
                all.add(new StatementSeries(stage, Arrays.stream(counts).boxed().toList())));
        return all;
    }

    /** Memory of a window. */
    static Memory memory(Profile.Window window) {
        Interval sum = window.sum();
        Map<String, Long> stages = new LinkedHashMap<>();
        sum.stages.forEach((stage, figures) -> stages.put(stage.tag(), figures.allocatedBytes));
        long allocated = stages.values().stream().mapToLong(Long::longValue).sum();
        return new Memory(
                window.since(),
                window.until(),
                seconds(window),
                sum.heapAt == null ? null : (Long) sum.heapAfterCollection,
                sum.heapAt,
                sum.residentBytes < 0 ? null : (Long) sum.residentBytes,
                sum.directBytes < 0 ? null : (Long) sum.directBytes,
                sum.collections,
                millis(sum.pauseNanos),
                millis(sum.longestPauseNanos),
                sum.collectorNanos / NANOS_PER_MILLI,
                allocated,
                sum.types.all().entrySet().stream()
                        .map(each ->
                                new TypeItem(
                                        each.getKey(),
                                        each.getValue().value,
                                        share(each.getValue().value, allocated)))
                        .sorted(Comparator.comparingLong(TypeItem::allocatedBytes).reversed())
                        .limit(MOST_ITEMS)
                        .toList(),
                stages.entrySet().stream()
                        .filter(each -> each.getValue() > 0)
                        .map(each ->
                                new AllocationItem(
                                        each.getKey(),
                                        each.getValue(),
                                        share(each.getValue(), allocated)))
                        .sorted(Comparator.comparingLong(AllocationItem::allocatedBytes).reversed())
                        .toList());
    }

    private static double millis(long nanos) {
        return Math.round(nanos / 10_000.0) / 100.0;
    }
}
