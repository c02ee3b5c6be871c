package org.stillwater.monitoring.feed;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostDefinition;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;

/**
 * What is known about one host at one revision: immutable, replaced as a whole when anything in it
 * changes. Numbers that change every cycle are not part of it.
 *
 * @param definition how to reach it
 * @param status its status
 * @param since when it took this status, or when the engine started
 * @param reason why it is not up: one sentence, null when there is nothing to say
 * @param capabilities what it is, null until it said so
 * @param hardware what its firmware says, null until it said so
 * @param revision the revision of the change feed that made it; 0 before the first publication
 */
public record HostState(
        HostDefinition definition,
        HostStatus status,
        Instant since,
        @Nullable String reason,
        @Nullable HostCapabilities capabilities,
        @Nullable HostHardware hardware,
        long revision) {

    /** The same as published at this revision. */
    public HostState withRevision(long next) {
        return new HostState(definition, status, since, reason, capabilities, hardware, next);
    }
}
