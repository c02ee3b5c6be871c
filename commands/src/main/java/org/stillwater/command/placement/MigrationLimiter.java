package org.stillwater.command.placement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.stillwater.core.id.HostId;

/**
 * Limits the migrations that leave and reach each host to the number that hosts allow; the others
 * wait in the order of arrival. A host gets no order that it would only refuse. Used by the
 * deciding thread only.
 */
public final class MigrationLimiter {

    private final int atOnce;
    private final Map<UUID, Way> underWay = new HashMap<>();
    private final Map<UUID, Waiting> waiting = new LinkedHashMap<>();
    private final Ends busy = new Ends();
    private final Ends wanted = new Ends();
    private boolean changed;

    /** From where to where. */
    private record Way(HostId source, HostId destination) {}

    /**
     * A waiting migration.
     *
     * @param untilNanos its time limit
     * @param go action when its turn comes
     * @param late action at its time limit
     */
    private record Waiting(Way way, long untilNanos, Runnable go, Runnable late) {}

    /** How many ways begin and end at each host. */
    private static final class Ends {
        private final Map<HostId, Integer> leaving = new HashMap<>();
        private final Map<HostId, Integer> arriving = new HashMap<>();

        void add(Way way) {
            leaving.merge(way.source(), 1, Integer::sum);
            arriving.merge(way.destination(), 1, Integer::sum);
        }

        void remove(Way way) {
            leaving.computeIfPresent(way.source(), (_, n) -> n == 1 ? null : n - 1);
            arriving.computeIfPresent(way.destination(), (_, n) -> n == 1 ? null : n - 1);
        }

        /** The greater number of those at either end of a way. */
        int at(Way way) {
            return Math.max(
                    leaving.getOrDefault(way.source(), 0),
                    arriving.getOrDefault(way.destination(), 0));
        }
    }

    /** Turns, limited for each host and direction. */
    public MigrationLimiter(int atOnce) {
        this.atOnce = atOnce;
    }

    /**
     * Waits for a turn; it may come with the next {@link #advance}.
     *
     * @param go action then
     * @param late action if its turn has not come by {@code untilNanos}
     * @return whether others come first
     */
    public boolean enter(
            UUID id,
            HostId source,
            HostId destination,
            long untilNanos,
            Runnable go,
            Runnable late) {
        leave(id);
        Way way = new Way(source, destination);
        boolean full = wanted.at(way) >= atOnce;
        waiting.put(id, new Waiting(way, untilNanos, go, late));
        wanted.add(way);
        changed = true;
        return full;
    }

    /** Counts a migration that is under way already: the engine was restarted meanwhile. */
    public void adopt(UUID id, HostId source, HostId destination) {
        leave(id);
        Way way = new Way(source, destination);
        wanted.add(way);
        take(id, way);
    }

    /** A migration has ended, or searches for another host. */
    public void leave(UUID id) {
        Waiting gone = waiting.remove(id);
        if (gone != null) {
            wanted.remove(gone.way());
        }
        Way way = underWay.remove(id);
        if (way != null) {
            wanted.remove(way);
            busy.remove(way);
            changed = true;
        }
    }

    private void take(UUID id, Way way) {
        underWay.put(id, way);
        busy.add(way);
    }

    /** Number of migrations that wait. */
    public int waiting() {
        return waiting.size();
    }

    /**
     * Runs waiting migrations while there is room, and the late action of overdue ones; returns
     * whether any ran.
     */
    public boolean advance(long nowNanos) {
        if (waiting.isEmpty()) {
            return false;
        }
        List<Runnable> next = new ArrayList<>();
        Iterator<Map.Entry<UUID, Waiting>> each = waiting.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<UUID, Waiting> entry = each.next();
            Waiting one = entry.getValue();
            if (changed && busy.at(one.way()) < atOnce) {
                each.remove();
                take(entry.getKey(), one.way());
                next.add(one.go());
            } else if (nowNanos - one.untilNanos() >= 0) {
                each.remove();
                wanted.remove(one.way());
                next.add(one.late());
            } else if (!changed) {
                break; // those behind came later
            }
        }
        changed = false;
        next.forEach(Runnable::run);
        return !next.isEmpty();
    }
}
