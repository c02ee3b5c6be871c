package org.stillwater.monitoring.write;

import java.util.ArrayList;
import java.util.List;

/**
 * Changes of one VM or host that are not durable yet, with the actions that wait for them. Guarded
 * by the writer's lock.
 *
 * @param <K> identity of the VM or host
 * @param <P> this class
 */
abstract class Pending<K, P extends Pending<K, P>> {

    final K id;
    final long observedNanos;
    private List<Runnable> afterCommit = List.of();

    Pending(K id, long observedNanos) {
        this.id = id;
        this.observedNanos = observedNanos;
    }

    /** Whether it has no change left to write. */
    abstract boolean isWritten();

    /** It is durable, or refused. */
    abstract void written();

    /** The same values to be written another time; without the actions that waited for them. */
    abstract P again(long nanos);

    /** This unwritten change, merged with a newer one. */
    abstract P overtakenBy(P newer);

    /** The columns that are to be written, for messages; empty where all of a row is. */
    String columns() {
        return "";
    }

    /** How much work is to become durable with it. */
    abstract int workCount();

    final void then(Runnable action) {
        if (afterCommit.isEmpty()) {
            afterCommit = new ArrayList<>(1);
        }
        afterCommit.add(action);
    }

    /** Takes an action back. */
    @SuppressWarnings("ReferenceEquality") // an action is the given object itself
    final void withdraw(Runnable action) {
        if (!afterCommit.isEmpty()) {
            afterCommit.removeIf(other -> other == action);
        }
    }

    /** Removes and returns the waiting actions. */
    final List<Runnable> takeActions() {
        List<Runnable> taken = afterCommit;
        afterCommit = List.of();
        return taken;
    }
}
