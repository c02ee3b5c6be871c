package org.stillwater.monitoring.write;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.stillwater.core.store.WriteOutcome;

/**
 * Unsaved rows of one subject that is not part of a VM's or host's own row: the newest value per
 * key, so that memory is bounded by the number of keys however long the database is away. At most
 * one task of a subject waits at the writer.
 *
 * <p>If saving throws, which is a bug, the rows are saved one by one until none waits, so that the
 * row at fault is the only one given up. Thread-safe.
 *
 * @param <K> key of a row
 * @param <V> value to be saved
 */
public final class PendingRows<K, V> {

    private final BatchWriter writer;
    private final Function<List<V>, WriteOutcome> store;

    // Guarded by this.
    private final LinkedHashMap<K, V> waiting = new LinkedHashMap<>();
    private final Map<K, V> beingSaved = new LinkedHashMap<>();

    /** Number of rows that the task under way took; rows forgotten meanwhile count. */
    private int taken;

    /** Whether rows are saved one by one, because saving several threw. */
    private boolean singly;

    /** Whether a task is at the writer, waiting or under way. */
    private boolean taskExists;

    /**
     * Has no rows to save.
     *
     * @param writer the writer that saves on its thread
     * @param store saves values; must tolerate repetition
     */
    public PendingRows(BatchWriter writer, Function<List<V>, WriteOutcome> store) {
        this.writer = writer;
        this.store = store;
    }

    /** Has a value saved; the value of this key that still waits, if any, is dropped for it. */
    public void put(K key, V value) {
        synchronized (this) {
            waiting.put(key, value);
            if (taskExists) {
                return;
            }
            taskExists = true;
        }
        writer.perform(new Task());
    }

    /** Withdraws a value. A save under way may complete, but is not tried again. */
    public synchronized void forget(K key) {
        waiting.remove(key);
        beingSaved.remove(key);
    }

    /** How many values wait or are being saved. */
    public synchronized int size() {
        int size = waiting.size();
        for (K key : beingSaved.keySet()) {
            size += waiting.containsKey(key) ? 0 : 1;
        }
        return size;
    }

    private synchronized List<V> take() {
        if (!singly) {
            beingSaved.putAll(waiting);
            waiting.clear();
        } else if (beingSaved.isEmpty() && !waiting.isEmpty()) {
            Map.Entry<K, V> first = waiting.pollFirstEntry();
            beingSaved.put(first.getKey(), first.getValue());
        }
        taken = beingSaved.size();
        return new ArrayList<>(beingSaved.values());
    }

    /** Returns unsaved rows to waiting, behind newer values; their task still exists. */
    private synchronized void putBack() {
        beingSaved.forEach(waiting::putIfAbsent);
        beingSaved.clear();
    }

    /** The task is done; rows added meanwhile need another task. */
    private void done() {
        synchronized (this) {
            beingSaved.clear();
            taskExists = !waiting.isEmpty();
            if (!taskExists) {
                singly = false;
                return;
            }
        }
        writer.perform(new Task());
    }

    /** Saving threw: of several rows each is tried alone, and one that was alone is given up. */
    private void failed() {
        synchronized (this) {
            if (taken > 1) {
                putBack();
                singly = true;
            }
        }
        done();
    }

    private final class Task implements StoreTask {

        @Override
        public WriteOutcome write() {
            List<V> taken = take();
            if (taken.isEmpty()) {
                return new WriteOutcome.Written(0, List.of());
            }
            WriteOutcome outcome = store.apply(taken);
            if (outcome instanceof WriteOutcome.Unavailable) {
                putBack();
            }
            return outcome;
        }

        @Override
        public void written(WriteOutcome.Written outcome) {
            done();
        }

        @Override
        public void abandoned() {
            failed();
        }
    }
}
