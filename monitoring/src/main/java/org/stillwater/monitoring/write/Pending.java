package org.stillwater.monitoring.write;

import java.util.ArrayList;
import java.util.List;

/** What is not durable yet, and what waits until it is. Guarded by the writer's lock. */
abstract class Pending {

    final long observedNanos;
    private List<Runnable> afterCommit = List.of();

    Pending(long observedNanos) {
        this.observedNanos = observedNanos;
    }

    final void then(Runnable action) {
        if (afterCommit.isEmpty()) {
            afterCommit = new ArrayList<>(1);
        }
        afterCommit.add(action);
    }

    /** Takes an action back. */
    @SuppressWarnings("ReferenceEquality") // an action is the object that was handed in
    final void withdraw(Runnable action) {
        if (!afterCommit.isEmpty()) {
            afterCommit.removeIf(other -> other == action);
        }
    }

    /** What waits, and does no longer. */
    final List<Runnable> takeActions() {
        List<Runnable> taken = afterCommit;
        afterCommit = List.of();
        return taken;
    }
}
