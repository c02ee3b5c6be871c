package org.stillwater.monitoring.history.durable;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * State of durable history.
 *
 * @param enabled whether it is recorded
 * @param waiting intervals that are not durable yet
 * @param newest the newest durable interval of this engine, null before the first
 * @param notDurableSince since when the database does not take history; null while it does
 * @param notDurableReason why it does not
 * @param leftOut intervals left out since then, because too many waited; 0 while all is well
 */
public record DurableHistoryState(
        boolean enabled,
        int waiting,
        @Nullable Instant newest,
        @Nullable Instant notDurableSince,
        @Nullable String notDurableReason,
        long leftOut) {}
