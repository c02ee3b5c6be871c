package org.stillwater.monitoring.worker;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How one supervised thread works.
 *
 * @param name of the worker and its thread
 * @param condition whether it works
 * @param failures since the start, those of single pieces of work included
 * @param failuresInRow of the loop, since its last success
 * @param lasts how long the condition has lasted; zero if it is {@link Condition#WELL}
 * @param reason the trouble, one clause; null for none
 */
public record WorkerHealth(
        String name,
        Condition condition,
        long failures,
        int failuresInRow,
        Duration lasts,
        @Nullable String reason) {

    /** Whether a worker works. */
    public enum Condition {
        /** It works, is idle, or is not started. */
        WELL,
        /** It failed, or a piece of its work did, and it tries again. */
        DEGRADED,
        /** It, or a piece of its work, failed, failed again, and has for longer than the limit. */
        FAILING,
        /** It has worked on one piece for longer than the limit. */
        STUCK,
        /** Its thread ended although it is not to. */
        ENDED
    }

    /** Whether health must be DOWN. */
    public boolean isDown() {
        return switch (condition) {
            case WELL, DEGRADED -> false;
            case FAILING, STUCK, ENDED -> true;
        };
    }
}
