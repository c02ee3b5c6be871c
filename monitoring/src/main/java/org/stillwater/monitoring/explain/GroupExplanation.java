package org.stillwater.monitoring.explain;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Origin of the values of one group, which share one observation.
 *
 * @param group which values
 * @param observedAt when the newest report of them was decoded; null for values that no host
 *     reports, and before the first report
 * @param allObservedAt when the newest complete poll with all of them was requested, which an event
 *     with some of them may have followed; null if that is not known
 * @param report the newest report; null for none
 * @param change the newest change of the group; null if it is not tracked
 * @param delays why the group, or its row in the database, is older than it should be
 * @param text all this in plain sentences
 */
public record GroupExplanation(
        Group group,
        @Nullable Instant observedAt,
        @Nullable Instant allObservedAt,
        @Nullable ReportTrace report,
        @Nullable ChangeTrace change,
        List<Delay> delays,
        String text) {

    public GroupExplanation {
        delays = List.copyOf(delays);
    }

    /** Groups of values. */
    public enum Group {
        /** Defined by users, or found when the object was imported. */
        DEFINED,
        /** Decided by the engine. */
        DECIDED,
        /** Reported by a host. */
        REPORTED,
        /** Measured by a host, with every cycle. */
        COUNTED,
        /** Which VMs a host runs. */
        VMS
    }

    /** Whether the values in memory are older than they should be. */
    public boolean stale() {
        return delays.stream().anyMatch(delay -> !delay.code().isOfDatabase());
    }

    /** Whether the database is behind memory. */
    public boolean databaseBehind() {
        return delays.stream().anyMatch(delay -> delay.code().isOfDatabase());
    }
}
