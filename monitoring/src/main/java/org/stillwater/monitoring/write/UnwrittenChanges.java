package org.stillwater.monitoring.write;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Changes of all VMs, or of all hosts, that are not durable yet: waiting, under way, or refused by
 * the database. At most one entry per VM or host in each, so that it is bounded by their number.
 * Guarded by the writer's lock.
 */
final class UnwrittenChanges<K extends Comparable<K>, P extends Pending<K, P>> {

    /** Most reported names of refused rows. */
    private static final int MOST_NAMED = 100;

    private final Function<K, String> names;

    /** In the order of their oldest change. */
    private Map<K, P> waiting = new LinkedHashMap<>();

    private final Map<K, P> underWay = new HashMap<>();

    /** How many wait and are under way at once: counted, because meters and pages ask often. */
    private int twice;

    private final Map<K, Refused<P>> refused = new HashMap<>();

    /**
     * A change that the database refused.
     *
     * @param reason in its words
     */
    record Refused<P>(P pending, String reason) {}

    /** Has no changes. */
    UnwrittenChanges(Function<K, String> names) {
        this.names = names;
    }

    String nameOf(K id) {
        return names.apply(id);
    }

    /** How much waits to be written. */
    int waiting() {
        return waiting.size();
    }

    /** VMs or hosts of which something is not durable, refused rows left out. */
    int size() {
        return waiting.size() + underWay.size() - twice;
    }

    boolean isEmpty() {
        return waiting.isEmpty() && underWay.isEmpty();
    }

    /** Waiting change of one VM or host; null if there is none. */
    @Nullable P waiting(K id) {
        return waiting.get(id);
    }

    void put(P pending) {
        if (waiting.put(pending.id, pending) == null && underWay.containsKey(pending.id)) {
            twice++;
        }
    }

    /** The database's words for a row that it refuses; null if it refuses none of this one. */
    @Nullable String refusal(K id) {
        Refused<P> known = refused.get(id);
        return known == null ? null : known.reason();
    }

    /** Removes and returns the refused change of one VM or host; null if there is none. */
    @Nullable P takeRefused(K id) {
        Refused<P> before = refused.remove(id);
        return before == null ? null : before.pending();
    }

    @Nullable P underWay(K id) {
        return underWay.get(id);
    }

    /** Takes an action back, wherever it waits. */
    void withdraw(K id, Runnable action) {
        P pending = waiting.get(id);
        if (pending != null) {
            pending.withdraw(action);
        }
        P written = underWay.get(id);
        if (written != null) {
            written.withdraw(action);
        }
    }

    /** Drops the waiting change; returns it, or null. */
    @Nullable P forget(K id) {
        refused.remove(id);
        P dropped = waiting.remove(id);
        if (dropped != null && underWay.containsKey(id)) {
            twice--;
        }
        return dropped;
    }

    /**
     * Takes the oldest, up to this number, sorted by VM or host: they are under way from now on.
     */
    List<P> take(int most) {
        List<P> batch = new ArrayList<>(Math.min(waiting.size(), most));
        Iterator<P> oldestFirst = waiting.values().iterator();
        while (oldestFirst.hasNext() && batch.size() < most) {
            P next = oldestFirst.next();
            oldestFirst.remove();
            underWay.put(next.id, next);
            batch.add(next);
        }
        if (waiting.isEmpty()) {
            // A burst must not leave an ever larger table behind.
            waiting = new LinkedHashMap<>();
        }
        batch.sort(Comparator.comparing(pending -> pending.id));
        return batch;
    }

    /**
     * The database refuses a row: it is skipped until it changes or a caller needs it; if it
     * changed meanwhile, its present form is tried again.
     */
    void refuse(P row, String reason) {
        P again = row.again(row.observedNanos);
        P newer = waiting.get(row.id);
        land(row);
        if (newer == null) {
            refused.put(row.id, new Refused<>(again, reason));
        } else {
            waiting.put(row.id, again.overtakenBy(newer));
        }
    }

    /** Ends a batch: hands written changes on, and puts the others back before all waiting ones. */
    void settle(List<P> batch, Consumer<P> written) {
        Map<K, P> back = new LinkedHashMap<>();
        for (P pending : batch) {
            land(pending);
            if (pending.isWritten()) {
                written.accept(pending);
            } else {
                P newer = waiting.remove(pending.id);
                back.put(pending.id, newer == null ? pending : pending.overtakenBy(newer));
            }
        }
        if (!back.isEmpty()) {
            back.putAll(waiting);
            waiting = back;
        }
    }

    /** It is under way no longer. */
    private void land(P pending) {
        if (underWay.remove(pending.id) != null && waiting.containsKey(pending.id)) {
            twice--;
        }
    }

    /** The earlier of this time and that of the oldest change that waits. */
    long oldestNanos(long earliest) {
        if (waiting.isEmpty()) {
            return earliest;
        }
        long first = waiting.values().iterator().next().observedNanos;
        return first - earliest < 0 ? first : earliest;
    }

    /** Adds the names of refused rows, with the database's words. */
    void name(Map<String, String> named) {
        for (Map.Entry<K, Refused<P>> entry : refused.entrySet()) {
            if (named.size() == MOST_NAMED) {
                break;
            }
            named.put(nameOf(entry.getKey()), entry.getValue().reason());
        }
    }
}
