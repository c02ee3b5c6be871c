package org.stillwater.server.profile;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the last hour, by intervals of some seconds. Its time is that of the events: it
 * has no clock, no thread, and knows nothing of the flight recorder. Bounded: in intervals, in
 * nodes of the tree of calls, and in names of each kind in an interval. Not thread-safe.
 */
final class Profile {

    private static final long NANOS_PER_MILLI = 1_000_000;

    /** The name of everything beyond the bound. */
    static final String FURTHER = "(further)";

    /** Frames of a path in the tree, from the outermost on. */
    private static final int DEEPEST = 64;

    /**
     * Bounds.
     *
     * @param interval length of an interval, whole seconds
     * @param span how much is kept
     * @param treeNodes nodes of the tree of calls
     * @param names types, waits and statements of an interval, each
     */
    record Limits(Duration interval, Duration span, int treeNodes, int names) {}

    private final Limits limits;
    private final long seconds;
    private final long kept;
    private final CallTree calls;
    private final TreeMap<Long, Interval> intervals = new TreeMap<>();
    private final Map<Stage, Interval.StageFigures> totals = new EnumMap<>(Stage.class);
    private @Nullable Instant first;
    private @Nullable Instant latest;
    private long late;
    private long lastCpuNanos = -1;
    private long lastCompilationMillis = -1;
    private long lastCollectionMillis = -1;

    Profile(Limits limits) {
        this.limits = limits;
        this.seconds = limits.interval().toSeconds();
        this.kept = Math.max(1, limits.span().toSeconds() / seconds);
        this.calls = new CallTree(limits.treeNodes());
    }

    /** A thread ran in this stack, its innermost frame first. */
    void sample(Instant at, List<Frame> stack, ThreadKind thread) {
        Interval interval = interval(at);
        if (interval == null) {
            return;
        }
        Stage stage = StageTable.stage(stack);
        interval.of(stage).samples++;
        total(stage).samples++;
        interval.of(thread).value++;
        interval.nodes.merge(calls.node(path(stage, stack)), 1L, Long::sum);
    }

    private static List<String> path(Stage stage, List<Frame> stack) {
        List<String> path = new ArrayList<>(stack.size() + 1);
        path.add(stage.tag());
        for (int i = stack.size() - 1; i >= Math.max(0, stack.size() - DEEPEST); i--) {
            path.add(stack.get(i).text());
        }
        return path;
    }

    /** A thread was in native code, most often waiting. */
    void nativeSample(Instant at, List<Frame> stack) {
        Interval interval = interval(at);
        if (interval != null) {
            interval.of(StageTable.stage(stack)).nativeSamples++;
        }
    }

    /** A sample that represents this number of allocated bytes. */
    void allocation(Instant at, List<Frame> stack, String type, long bytes) {
        Interval interval = interval(at);
        if (interval != null) {
            Stage stage = StageTable.stage(stack);
            interval.of(stage).allocatedBytes += bytes;
            total(stage).allocatedBytes += bytes;
            interval.types.of(type).value += bytes;
        }
    }

    /**
     * A thread waited for a lock.
     *
     * @param kind {@code monitor}, {@code lock} or {@code pinned}
     * @param name class of the lock
     */
    void waited(Instant at, String kind, String name, List<Frame> stack, long nanos) {
        Interval interval = interval(at);
        if (interval == null) {
            return;
        }
        Frame place = StageTable.place(stack);
        Interval.WaitFigures figures =
                interval.waits.of(
                        new Interval.WaitKey(
                                kind,
                                name,
                                StageTable.stage(stack),
                                place == null ? "" : place.text()));
        figures.waits++;
        figures.nanos += nanos;
        figures.longest = Math.max(figures.longest, nanos);
    }

    /** A statement was answered, or a transaction committed. */
    void statement(
            Instant at, Interval.StatementKey statement, long nanos, long rows, boolean failed) {
        Interval interval = interval(at);
        if (interval == null) {
            return;
        }
        Interval.StatementFigures figures = interval.statements.of(statement);
        figures.durations.add(nanos);
        figures.rows += rows;
        figures.failed += failed ? 1 : 0;
    }

    /** A garbage collection ended that stopped the engine for this time. */
    void collection(Instant at, long pauseNanos, long longestNanos) {
        Interval interval = interval(at);
        if (interval != null) {
            interval.collections++;
            interval.pauseNanos += pauseNanos;
            interval.longestPauseNanos = Math.max(interval.longestPauseNanos, longestNanos);
        }
    }

    /** CPU time of a collection's pauses. */
    void collector(Instant at, long cpuNanos) {
        Interval interval = interval(at);
        if (interval != null) {
            interval.collectorNanos += cpuNanos;
        }
    }

    /** Bytes in the heap after a collection. */
    void heapAfterCollection(Instant at, long bytes) {
        Interval interval = interval(at);
        if (interval != null) {
            interval.heapAfterCollection = bytes;
            interval.heapAt = at;
        }
    }

    /** Memory that the process has of the machine. */
    void resident(Instant at, long bytes) {
        Interval interval = interval(at);
        if (interval != null) {
            interval.residentBytes = bytes;
        }
    }

    /** Memory of direct buffers, which is outside the heap. */
    void direct(Instant at, long bytes) {
        Interval interval = interval(at);
        if (interval != null) {
            interval.directBytes = bytes;
        }
    }

    /**
     * CPU time of the process, time of its compiler, and time of its collector beside pauses, since
     * the process started.
     */
    void process(Instant at, long cpuNanos, long compilationMillis, long collectionMillis) {
        Interval interval = interval(at);
        if (interval == null) {
            return;
        }
        if (lastCpuNanos >= 0) {
            interval.cpuNanos += Math.max(0, cpuNanos - lastCpuNanos);
            interval.compilationMillis += Math.max(0, compilationMillis - lastCompilationMillis);
            interval.collectorNanos +=
                    NANOS_PER_MILLI * Math.max(0, collectionMillis - lastCollectionMillis);
        }
        lastCpuNanos = cpuNanos;
        lastCompilationMillis = compilationMillis;
        lastCollectionMillis = collectionMillis;
    }

    /** Use of a stage since the profile began. */
    Interval.StageFigures total(Stage stage) {
        return totals.computeIfAbsent(stage, _ -> new Interval.StageFigures());
    }

    private @Nullable Interval interval(Instant at) {
        long index = Math.floorDiv(at.getEpochSecond(), seconds);
        if (latest == null || first == null) {
            first = at;
            latest = at;
        } else if (latest.isBefore(at)) {
            latest = at;
        }
        Interval known = intervals.get(index);
        if (known != null) {
            return known;
        }
        if (!intervals.isEmpty() && index <= intervals.lastKey() - kept) {
            late++;
            return null;
        }
        Interval begun = new Interval(limits.names());
        intervals.put(index, begun);
        intervals.headMap(intervals.lastKey() - kept, true).clear();
        if (calls.isFull()) {
            prune();
        }
        return begun;
    }

    private void prune() {
        List<Integer> used =
                intervals.values().stream()
                        .flatMap(interval -> interval.nodes.keySet().stream())
                        .distinct()
                        .toList();
        int[] renamed = calls.retain(used);
        for (Interval interval : intervals.values()) {
            interval.nodes =
                    interval.nodes.entrySet().stream()
                            .collect(
                                    Collectors.toMap(
                                            count -> renamed[count.getKey()],
                                            Map.Entry::getValue,
                                            Long::sum));
        }
    }

    /**
     * The intervals of the last seconds, by this number, before the newest event.
     *
     * @param since start of the first interval, or of the profile
     * @param until the newest event
     * @param intervals by start
     * @param sum all of them together
     */
    record Window(
            Instant since,
            Instant until,
            NavigableMap<Instant, Interval> intervals,
            Interval sum) {}

    /** The last seconds, by this number; null before the first event. */
    @Nullable Window window(long wanted) {
        if (latest == null || first == null) {
            return null;
        }
        Instant from = latest.minusSeconds(wanted);
        TreeMap<Instant, Interval> found = new TreeMap<>();
        Interval sum = new Interval(Integer.MAX_VALUE);
        intervals
                .tailMap(Math.floorDiv(from.getEpochSecond(), seconds), true)
                .forEach((index, interval) -> {
                    found.put(Instant.ofEpochSecond(index * seconds), interval);
                    sum.add(interval);
                });
        Instant start = found.isEmpty() ? latest : found.firstKey();
        return new Window(start.isBefore(first) ? first : start, latest, found, sum);
    }

    /** The calls of a window. */
    CallTree.Node tree(Window window) {
        return calls.tree(window.sum().nodes);
    }

    /** Events that came when their interval was forgotten. */
    long late() {
        return late;
    }

    /** Paths that ended early because the tree was full. */
    long cut() {
        return calls.cut();
    }
}
