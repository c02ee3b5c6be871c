package org.stillwater.command.operation;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How commands work, for health checks.
 *
 * @param open operations that have not ended
 * @param waiting operations that are to begin and are not durable yet
 * @param messages number of messages that wait for the deciding thread
 * @param notDurableSince since when operations do not become durable; null if they do
 * @param notDurableReason why, one clause; null if they do
 * @param notSaved operations that the database refuses to save while it saves others, and why; each
 *     is tried again
 */
public record CommandState(
        int open,
        int waiting,
        int messages,
        @Nullable Instant notDurableSince,
        @Nullable String notDurableReason,
        Map<UUID, String> notSaved) {

    public CommandState {
        notSaved = Map.copyOf(notSaved);
    }
}
