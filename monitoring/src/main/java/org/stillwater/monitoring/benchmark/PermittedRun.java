package org.stillwater.monitoring.benchmark;

import java.time.Instant;
import java.util.UUID;
import org.stillwater.core.benchmark.BenchmarkSubject;

/**
 * A run that the engine permitted and that was not posted yet.
 *
 * @param permit identity of the permit
 * @param subject the VM or host
 * @param grantedAt when it was permitted
 * @param expiresAt until when it must be posted
 * @param isLost whether that time is over: the run counts as failed, and takes no budget
 */
public record PermittedRun(
        UUID permit,
        BenchmarkSubject subject,
        Instant grantedAt,
        Instant expiresAt,
        boolean isLost) {

    /** The same, not posted in time. */
    PermittedRun lost() {
        return new PermittedRun(permit, subject, grantedAt, expiresAt, true);
    }
}
