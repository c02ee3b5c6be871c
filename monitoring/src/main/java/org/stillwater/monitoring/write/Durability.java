package org.stillwater.monitoring.write;

import org.jspecify.annotations.Nullable;

/**
 * Changes of a VM or host that the database does not have yet.
 *
 * @param waitingSinceNanos when the message of the oldest change arrived that is not durable, on
 *     the engine's monotonic clock; null if everything is
 * @param refusal why the database refuses its row, in the database's words; null if it does not
 * @param unavailable why the database cannot be written now; null while it can, and if nothing
 *     waits
 */
public record Durability(
        @Nullable Long waitingSinceNanos, @Nullable String refusal, @Nullable String unavailable) {}
