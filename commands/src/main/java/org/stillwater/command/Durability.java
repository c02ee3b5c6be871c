package org.stillwater.command;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.time.EngineClock;

/** Whether operations become durable: since when not, and why. Thread-safe. */
public final class Durability {

    /** Beginnings in a row that fail by a defect; one alone may be the operation's fault. */
    private static final int MOST_DEFECTS = 3;

    /** Time without a further defect after which defects no longer count. */
    private static final Duration MEMORY = Duration.ofMinutes(1);

    private final EngineClock clock;

    // Guarded by this.
    private @Nullable Instant since;
    private @Nullable String reason;
    private int defects;
    private long defectNanos;

    Durability(EngineClock clock) {
        this.clock = clock;
    }

    /** Operations were not written: the database does not answer, or the store fails. */
    public synchronized void lost(String why) {
        if (since == null) {
            since = clock.now();
        }
        reason = why;
    }

    /** The store failed with the beginning of one operation, and of no other at the same time. */
    public synchronized void defect(String why) {
        defects++;
        defectNanos = clock.nanoTime();
        if (defects >= MOST_DEFECTS) {
            lost(why);
        }
    }

    /** Operations began. */
    public synchronized void begun() {
        defects = 0;
        kept();
    }

    /** The database took something, perhaps not an operation that is to begin. */
    public synchronized void kept() {
        if (defects < MOST_DEFECTS || clock.nanoTime() - defectNanos >= MEMORY.toNanos()) {
            since = null;
            reason = null;
        }
    }

    public synchronized boolean isLost() {
        return since != null;
    }

    public synchronized @Nullable Instant since() {
        return since;
    }

    public synchronized @Nullable String reason() {
        return reason;
    }
}
