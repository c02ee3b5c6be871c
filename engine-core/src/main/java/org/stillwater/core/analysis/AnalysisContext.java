package org.stillwater.core.analysis;

import java.time.Instant;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.stillwater.core.id.HostId;

/**
 * Further inputs of a decision.
 *
 * @param reporter the host that made the report
 * @param now wall-clock time of the analysis, for start and stop times
 * @param nonResponsive whether a host is known not to respond
 * @param outOfContact whether a host cannot give any information at present, for any reason
 * @param unwatched whether the engine no longer asks a host: it was fenced, taken out of service or
 *     removed
 * @param handOverOverdue whether the VM's state has stood for longer than the engine waits for a
 *     migrated VM to be seen on its new host
 * @param othersHeard whether every other host in contact that may have the VM has answered a
 *     complete poll requested since the VM was last placed; evaluated only when needed
 * @param polled whether the report is part of a complete answer, which lists all VMs of the host;
 *     an event reports a change, which may be in the past
 */
public record AnalysisContext(
        HostId reporter,
        Instant now,
        Predicate<HostId> nonResponsive,
        Predicate<HostId> outOfContact,
        Predicate<HostId> unwatched,
        boolean handOverOverdue,
        BooleanSupplier othersHeard,
        boolean polled) {

    /** A context of a poll in which every host is monitored and the others have reported. */
    public AnalysisContext(
            HostId reporter,
            Instant now,
            Predicate<HostId> nonResponsive,
            Predicate<HostId> outOfContact,
            boolean handOverOverdue) {
        this(
                reporter,
                now,
                nonResponsive,
                outOfContact,
                _ -> false,
                handOverOverdue,
                () -> true,
                true);
    }

    /** The same, with another host as the reporter. */
    AnalysisContext by(HostId other) {
        return new AnalysisContext(
                other,
                now,
                nonResponsive,
                outOfContact,
                unwatched,
                handOverOverdue,
                othersHeard,
                polled);
    }
}
