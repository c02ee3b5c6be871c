package org.stillwater.monitoring.vm;

import java.time.Instant;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;

/**
 * Known state of one VM at one revision: immutable, replaced as a whole at each change, so that a
 * reader always sees one moment.
 *
 * @param runtime runtime that hosts reported
 * @param placement placement that the engine decided
 * @param revision the revision of the change feed that made it; 0 before the first publication
 * @param observedAt when the report that led to it arrived; for a state recovered from the
 *     database, when it was recovered
 * @param observedNanos the same on the engine's monotonic clock
 */
public record VmState(
        VmRuntime runtime,
        VmPlacement placement,
        long revision,
        Instant observedAt,
        long observedNanos) {}
