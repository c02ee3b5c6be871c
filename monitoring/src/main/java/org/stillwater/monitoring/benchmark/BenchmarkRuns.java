package org.stillwater.monitoring.benchmark;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.benchmark.BenchmarkMatrix;
import org.stillwater.core.benchmark.BenchmarkRun;
import org.stillwater.core.benchmark.BenchmarkSubject;
import org.stillwater.core.regression.ChangePointDetector;

/**
 * The newest benchmark runs in memory, with the matrices that compare them: at most so many of an
 * object and altogether. Changes are confined to the monitor's lock; any thread may read.
 */
final class BenchmarkRuns {

    private final BenchmarkSettings settings;
    private final Consumer<BenchmarkSubject> changed;
    private final ChangePointDetector detector = BenchmarkMatrix.detector();

    /** By object; replaced as a whole. */
    private volatile Map<BenchmarkSubject, BenchmarkHistory> known = Map.of();

    /**
     * No runs.
     *
     * @param changed receives each object whose runs have changed
     */
    BenchmarkRuns(BenchmarkSettings settings, Consumer<BenchmarkSubject> changed) {
        this.settings = settings;
        this.changed = changed;
    }

    /** How many runs there are. Any thread. */
    int size() {
        return known.values().stream().mapToInt(each -> each.runs().size()).sum();
    }

    /** Replaces all runs with stored ones, the newest first. */
    void restore(List<BenchmarkRun> newest) {
        Map<BenchmarkSubject, List<BenchmarkRun>> found = new HashMap<>();
        for (BenchmarkRun run : newest) {
            List<BenchmarkRun> own = found.computeIfAbsent(run.subject(), _ -> new ArrayList<>());
            if (own.size() < settings.mostRunsOfObject()) {
                own.add(run);
            }
        }
        Map<BenchmarkSubject, BenchmarkHistory> next = new HashMap<>();
        found.forEach((subject, runs) -> next.put(subject, history(subject, runs.reversed())));
        known = Map.copyOf(next);
        found.keySet().forEach(changed);
    }

    private BenchmarkHistory history(BenchmarkSubject subject, List<BenchmarkRun> runs) {
        return new BenchmarkHistory(
                runs, BenchmarkMatrix.perSetup(subject, runs, settings.leastChange(), detector));
    }

    /** How many runs of an object arrived after this moment. */
    long receivedSince(BenchmarkSubject subject, Instant moment) {
        return of(subject).runs().stream().filter(run -> run.receivedAt().isAfter(moment)).count();
    }

    /** Adds a run; the oldest ones above the limits are forgotten. */
    void add(BenchmarkRun run) {
        List<BenchmarkRun> runs = new ArrayList<>(of(run.subject()).runs());
        runs.add(run);
        runs.sort(BenchmarkRun.OLDEST_FIRST);
        if (runs.size() > settings.mostRunsOfObject()) {
            runs.removeFirst();
        }
        replace(run.subject(), runs);
        while (size() > settings.mostRuns()) {
            BenchmarkRun oldest =
                    known.values().stream()
                            .map(each -> each.runs().getFirst())
                            .min(BenchmarkRun.OLDEST_FIRST)
                            .orElseThrow();
            List<BenchmarkRun> rest = new ArrayList<>(of(oldest.subject()).runs());
            rest.removeFirst();
            replace(oldest.subject(), rest);
        }
    }

    private void replace(BenchmarkSubject subject, List<BenchmarkRun> runs) {
        Map<BenchmarkSubject, BenchmarkHistory> next = new HashMap<>(known);
        if (runs.isEmpty()) {
            next.remove(subject);
        } else {
            next.put(subject, history(subject, runs));
        }
        known = Map.copyOf(next);
        changed.accept(subject);
    }

    /** Forgets runs that started before this moment. */
    void forgetBefore(Instant moment) {
        for (BenchmarkHistory each : List.copyOf(known.values())) {
            List<BenchmarkRun> rest =
                    each.runs().stream().filter(run -> !run.startedAt().isBefore(moment)).toList();
            if (rest.size() < each.runs().size()) {
                replace(each.runs().getFirst().subject(), rest);
            }
        }
    }

    /** Forgets a run; false if it is not in memory. */
    boolean forget(UUID id) {
        BenchmarkRun gone = find(id);
        if (gone == null) {
            return false;
        }
        replace(
                gone.subject(),
                of(gone.subject()).runs().stream().filter(run -> !run.id().equals(id)).toList());
        return true;
    }

    /** The run of an identity, or null. Any thread. */
    @Nullable BenchmarkRun find(UUID id) {
        for (BenchmarkHistory each : known.values()) {
            for (BenchmarkRun run : each.runs()) {
                if (run.id().equals(id)) {
                    return run;
                }
            }
        }
        return null;
    }

    /** All runs, the newest first. Any thread. */
    List<BenchmarkRun> all() {
        return known.values().stream()
                .map(BenchmarkHistory::runs)
                .flatMap(Collection::stream)
                .sorted(BenchmarkRun.OLDEST_FIRST.reversed())
                .toList();
    }

    /** Runs and matrices of an object. Any thread. */
    BenchmarkHistory of(BenchmarkSubject subject) {
        BenchmarkHistory found = known.get(subject);
        return found == null ? BenchmarkHistory.NONE : found;
    }
}
