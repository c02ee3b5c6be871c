package org.stillwater.testkit.memory;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;

/** Base of stores in memory: they count calls and rows, and can be made unavailable. */
abstract class InMemoryStore {

    private @Nullable String unavailable;
    private int calls;
    private int rows;

    /** From now on every call finds the database unavailable; null ends it. */
    public synchronized void unavailable(@Nullable String reason) {
        unavailable = reason;
    }

    /** Calls made so far, reads included: the statements of a database. */
    public synchronized int calls() {
        return calls;
    }

    /** Rows touched so far. */
    public synchronized int rows() {
        return rows;
    }

    /** Whether calls fail now. */
    final boolean isUnavailable() {
        return unavailable != null;
    }

    /** Counts a call that may fail by exception. */
    final void reach() throws StoreUnavailable {
        calls++;
        if (unavailable != null) {
            throw new StoreUnavailable(unavailable, new IllegalStateException(unavailable));
        }
    }

    /** Counts a write; returns its refusal, or null. */
    final WriteOutcome.@Nullable Unavailable refusal() {
        calls++;
        return unavailable == null ? null : new WriteOutcome.Unavailable(unavailable);
    }

    final WriteOutcome touched(int count) {
        rows += count;
        return new WriteOutcome.Written(count, List.of());
    }
}
