package org.stillwater.monitoring.write;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.stillwater.core.port.WriteOutcome;

/**
 * Unsaved rows of one subject that is not part of a VM's or host's own row: the newest value per
 * key, so that memory is bounded by the number of keys however long the database is away. At most
 * one task of a subject waits at the writer. Thread-safe.
 *
 * @param <K> key of a row
 * @param <V> what is to be saved
 */
public final class PendingRows<K, V> {

    private final BatchWriter writer;
    private final Function<List<V>, WriteOutcome> store;

    // Guarded by this.
    private final Map<K, V> waiting = new LinkedHashMap<>();
    private boolean taskWaits;

    /**
     * Nothing to save yet.
     *
     * @param writer on whose thread it is saved
     * @param store saves values; bears repetition
     */
    public PendingRows(BatchWriter writer, Function<List<V>, WriteOutcome> store) {
        this.writer = writer;
        this.store = store;
    }

    /** Has a value saved; the value of this key that still waits, if any, is dropped for it. */
    public void put(K key, V value) {
        synchronized (this) {
            waiting.put(key, value);
            if (taskWaits) {
                return;
            }
            taskWaits = true;
        }
        writer.perform(new Task());
    }

    /** Takes a value back, unless it is being saved already. */
    public synchronized void forget(K key) {
        waiting.remove(key);
    }

    /** How many values wait. */
    public synchronized int size() {
        return waiting.size();
    }

    private synchronized Map<K, V> take() {
        Map<K, V> taken = new LinkedHashMap<>(waiting);
        waiting.clear();
        taskWaits = false;
        return taken;
    }

    /** What was not saved waits again, under what came meanwhile; a task for it still exists. */
    private synchronized void putBack(Map<K, V> taken) {
        taken.forEach(waiting::putIfAbsent);
        taskWaits = true;
    }

    private final class Task implements StoreTask {

        @Override
        public WriteOutcome write() {
            Map<K, V> taken = take();
            if (taken.isEmpty()) {
                return new WriteOutcome.Written(0, List.of());
            }
            WriteOutcome outcome = store.apply(new ArrayList<>(taken.values()));
            if (outcome instanceof WriteOutcome.Unavailable) {
                putBack(taken);
            }
            return outcome;
        }

        @Override
        public void written(WriteOutcome.Written outcome) {}

        @Override
        public void abandoned() {}
    }
}
