package org.stillwater.server.profile;

import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The figures of some seconds. Not thread-safe. */
final class Interval {

    /** Use of a stage. */
    static final class StageFigures {
        long samples;
        long nativeSamples;
        long allocatedBytes;

        void add(StageFigures other) {
            samples += other.samples;
            nativeSamples += other.nativeSamples;
            allocatedBytes += other.allocatedBytes;
        }
    }

    /** A number that grows. */
    static final class Sum {
        long value;
    }

    /** Waits for one lock at one position in the code. */
    static final class WaitFigures {
        long waits;
        long nanos;
        long longest;

        void add(WaitFigures other) {
            waits += other.waits;
            nanos += other.nanos;
            longest = Math.max(longest, other.longest);
        }
    }

    /** Calls of one statement. */
    static final class StatementFigures {
        final Latencies durations = new Latencies();
        long failed;
        long rows;

        void add(StatementFigures other) {
            durations.add(other.durations);
            failed += other.failed;
            rows += other.rows;
        }
    }

    /**
     * Lock or other object of a wait.
     *
     * @param kind {@code monitor}, {@code lock} or {@code pinned}
     * @param name class of the monitor or lock
     * @param place innermost method of the engine on the waiting stack
     */
    record WaitKey(String kind, String name, Stage stage, String place) {
        static final WaitKey FURTHER = new WaitKey("lock", Profile.FURTHER, Stage.OTHER, "");
    }

    /**
     * A statement.
     *
     * @param name class and method that send it
     * @param statement its verb and table
     * @param stage its subject, as dal names it
     */
    record StatementKey(String name, String statement, String stage) {
        static final StatementKey FURTHER = new StatementKey(Profile.FURTHER, "", "other");
    }

    final Map<Stage, StageFigures> stages = new EnumMap<>(Stage.class);
    final Map<ThreadKind, Sum> threads = new EnumMap<>(ThreadKind.class);
    final Tally<String, Sum> types;
    final Tally<WaitKey, WaitFigures> waits;
    final Tally<StatementKey, StatementFigures> statements;
    Map<Integer, Long> nodes = new HashMap<>();
    long cpuNanos;
    long compilationMillis;
    long collections;
    long collectorNanos;
    long pauseNanos;
    long longestPauseNanos;
    long heapAfterCollection = -1;
    @Nullable Instant heapAt;
    long residentBytes = -1;
    long directBytes = -1;

    /** Nothing yet, with a limit of types, waits and statements each. */
    Interval(int mostNames) {
        types = new Tally<>(mostNames, Profile.FURTHER, Sum::new);
        waits = new Tally<>(mostNames, WaitKey.FURTHER, WaitFigures::new);
        statements = new Tally<>(mostNames, StatementKey.FURTHER, StatementFigures::new);
    }

    StageFigures of(Stage stage) {
        return stages.computeIfAbsent(stage, _ -> new StageFigures());
    }

    Sum of(ThreadKind kind) {
        return threads.computeIfAbsent(kind, _ -> new Sum());
    }

    /** Adds a later interval; periodically measured values become the newest ones. */
    void add(Interval later) {
        later.stages.forEach((stage, figures) -> of(stage).add(figures));
        later.threads.forEach((kind, sum) -> of(kind).value += sum.value);
        later.types.all().forEach((type, sum) -> types.of(type).value += sum.value);
        later.waits.all().forEach((key, figures) -> waits.of(key).add(figures));
        later.statements.all().forEach((key, figures) -> statements.of(key).add(figures));
        later.nodes.forEach((node, count) -> nodes.merge(node, count, Long::sum));
        cpuNanos += later.cpuNanos;
        compilationMillis += later.compilationMillis;
        collections += later.collections;
        collectorNanos += later.collectorNanos;
        pauseNanos += later.pauseNanos;
        longestPauseNanos = Math.max(longestPauseNanos, later.longestPauseNanos);
        if (later.heapAt != null) {
            heapAt = later.heapAt;
            heapAfterCollection = later.heapAfterCollection;
        }
        residentBytes = later.residentBytes < 0 ? residentBytes : later.residentBytes;
        directBytes = later.directBytes < 0 ? directBytes : later.directBytes;
    }
}
