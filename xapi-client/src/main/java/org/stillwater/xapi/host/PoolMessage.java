package org.stillwater.xapi.host;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A message of a pool: XAPI's own alert.
 *
 * @param uuid its identity
 * @param name kind of the event, {@code VM_CRASHED} for instance
 * @param priority 1, the gravest, to 5
 * @param about class of the object
 * @param object uuid of the object
 * @param at time, by the pool's clock; null if the pool does not report it
 * @param body more words, possibly empty
 */
public record PoolMessage(
        String uuid,
        String name,
        long priority,
        String about,
        String object,
        @Nullable Instant at,
        String body) {}
