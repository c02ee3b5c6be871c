package org.stillwater.monitoring.write;

import org.jspecify.annotations.Nullable;

/**
 * Changes of a VM or host that the database does not have yet.
 *
 * @param waitingSinceNanos arrival of the message with the oldest change that is not durable, on
 *     the engine's monotonic clock; null if all changes are durable
 * @param refusal the database's reason for refusing its row; null if it does not
 * @param unavailable why the database cannot be written now; null while it can, and without waiting
 *     changes
 */
public record Durability(
        @Nullable Long waitingSinceNanos, @Nullable String refusal, @Nullable String unavailable) {}
