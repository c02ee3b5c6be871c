package org.stillwater.monitoring.benchmark;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.stillwater.core.benchmark.BenchmarkSubject;

/**
 * Permitted runs that were not posted in time, at most {@value #MOST}: the oldest is forgotten. In
 * memory only. Not thread-safe.
 */
final class LostRuns {

    static final int MOST = 100;

    private final Deque<PermittedRun> lost = new ArrayDeque<>();

    void add(PermittedRun run) {
        lost.addLast(run);
        if (lost.size() > MOST) {
            lost.removeFirst();
        }
    }

    /**
     * Forgets the runs that were permitted before a time.
     *
     * @return whether there were any
     */
    boolean forgetBefore(Instant time) {
        return lost.removeIf(run -> run.grantedAt().isBefore(time));
    }

    /** A run that is posted after its time is not lost. */
    void posted(BenchmarkSubject subject, Instant began) {
        Iterator<PermittedRun> newestFirst = lost.descendingIterator();
        while (newestFirst.hasNext()) {
            PermittedRun run = newestFirst.next();
            if (run.subject().equals(subject) && !run.grantedAt().isAfter(began)) {
                newestFirst.remove();
                return;
            }
        }
    }

    List<PermittedRun> list() {
        return List.copyOf(lost);
    }
}
