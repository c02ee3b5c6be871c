package org.stillwater.monitoring.feed;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostVersions;

/**
 * Known state of one host at one revision: immutable, replaced as a whole at each change.
 * Statistics that change every cycle are not part of it.
 *
 * @param definition how to reach it
 * @param condition its decided condition
 * @param since when it took its status, or when the engine started
 * @param reason why it is not up: one sentence, null if there is none
 * @param capabilities its capabilities, null until it reported them
 * @param hardware data of its firmware, null until it reported them
 * @param recorded versions that the database had of it when this run of the engine began
 * @param revision the revision of the change feed that made it; 0 before the first publication
 */
public record HostState(
        HostDefinition definition,
        HostCondition condition,
        Instant since,
        @Nullable String reason,
        @Nullable HostCapabilities capabilities,
        @Nullable HostHardware hardware,
        HostVersions recorded,
        long revision) {

    /** A host without a report in this run of the engine. */
    public static HostState unheard(
            HostDefinition definition, HostCondition condition, Instant now) {
        return unheard(definition, condition, HostVersions.UNKNOWN, now);
    }

    /** A host without a report in this run of the engine, of which the database has versions. */
    public static HostState unheard(
            HostDefinition definition,
            HostCondition condition,
            HostVersions recorded,
            Instant now) {
        return new HostState(definition, condition, now, null, null, null, recorded, 0);
    }

    /** Its status. */
    public HostStatus status() {
        return condition.status();
    }

    /** The same as published at this revision. */
    public HostState withRevision(long next) {
        return new HostState(
                definition, condition, since, reason, capabilities, hardware, recorded, next);
    }

    /** The same, reached differently. */
    public HostState withDefinition(HostDefinition next) {
        return new HostState(next, condition, since, reason, capabilities, hardware, recorded, 0);
    }

    /** The same state with newly reported capabilities. */
    public HostState withCapabilities(HostCapabilities next) {
        return new HostState(definition, condition, since, reason, next, hardware, recorded, 0);
    }

    /** The same after its firmware was read. */
    public HostState withHardware(HostHardware next) {
        return new HostState(definition, condition, since, reason, capabilities, next, recorded, 0);
    }

    /** The same after something else was decided about it. */
    public HostState withCondition(HostCondition next, Instant at, @Nullable String why) {
        return new HostState(definition, next, at, why, capabilities, hardware, recorded, 0);
    }
}
