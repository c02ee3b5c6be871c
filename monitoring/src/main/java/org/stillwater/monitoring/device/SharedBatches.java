package org.stillwater.monitoring.device;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/**
 * Batches of hosts for one kind of write. Those that arrive during a write share the next one, so
 * that transactions depend on rows and not on hosts; the writer has at most one task for them.
 *
 * <p>If a write of several batches throws, which is a bug, they are written one by one, so that
 * only the faulty one is dropped. Thread-safe.
 *
 * @param <B> a batch
 */
final class SharedBatches<B> {

    // Guarded by this.
    private final Deque<B> waiting = new ArrayDeque<>();
    private List<B> underWay = List.of();
    private boolean taskExists;

    /** How many of the first batches are written alone, because a write of several threw. */
    private int alone;

    /**
     * Takes a batch.
     *
     * @return whether the writer needs a task for it
     */
    synchronized boolean add(B batch) {
        waiting.add(batch);
        boolean needed = !taskExists;
        taskExists = true;
        return needed;
    }

    /**
     * The batches of this write; those of the last one if it is repeated.
     *
     * @param fits whether the next batch may join the former ones; evaluated once for each, in
     *     order; the first one is taken in any case
     */
    synchronized List<B> take(Predicate<? super B> fits) {
        if (underWay.isEmpty()) {
            List<B> taken = new ArrayList<>();
            while (!waiting.isEmpty()) {
                boolean joins = fits.test(waiting.getFirst()) && alone == 0;
                if (!taken.isEmpty() && !joins) {
                    break;
                }
                taken.add(waiting.removeFirst());
            }
            underWay = List.copyOf(taken);
            alone = Math.max(0, alone - 1);
        }
        return underWay;
    }

    /** The batches of the present write. */
    synchronized List<B> underWay() {
        return underWay;
    }

    /**
     * The write threw.
     *
     * @return the batch that is given up; none if the batches are to be written one by one
     */
    synchronized List<B> giveUp() {
        if (underWay.size() > 1) {
            alone = underWay.size();
            underWay.reversed().forEach(waiting::addFirst);
            return List.of();
        }
        return underWay;
    }

    /**
     * The present write has ended.
     *
     * @return whether other batches wait, so that the writer needs another task
     */
    synchronized boolean done() {
        underWay = List.of();
        taskExists = !waiting.isEmpty();
        return taskExists;
    }
}
