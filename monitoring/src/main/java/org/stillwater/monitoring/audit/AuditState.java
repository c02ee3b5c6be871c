package org.stillwater.monitoring.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * State of the audit log.
 *
 * @param waiting entries that are not durable yet
 * @param notDurableSince since when the database does not take entries; null while it does
 * @param notDurableReason why it does not
 * @param givenUp entries given up, since then, because too many waited; 0 while all is well
 */
public record AuditState(
        int waiting,
        @Nullable Instant notDurableSince,
        @Nullable String notDurableReason,
        long givenUp) {}
