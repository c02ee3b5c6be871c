package org.stillwater.monitoring.write;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * State of the batch writer.
 *
 * @param waiting VMs, hosts and additions that are not durable yet
 * @param oldestWaitingMillis how long the oldest of them has waited; 0 if none waits
 * @param notDurableSince since when the database cannot be written; null while it can
 * @param notDurableReason why it cannot
 * @param rejected rows that the database refuses, by name, with its words; at most a hundred
 */
public record WriterState(
        int waiting,
        long oldestWaitingMillis,
        @Nullable Instant notDurableSince,
        @Nullable String notDurableReason,
        Map<String, String> rejected) {

    public WriterState {
        rejected = Map.copyOf(rejected);
    }
}
