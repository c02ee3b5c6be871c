package org.stillwater.core.analysis;

import java.time.Instant;
import java.util.function.Predicate;
import org.stillwater.core.model.HostId;

/**
 * What else a decision depends on.
 *
 * @param reporter the host that made the report
 * @param now wall-clock time of the analysis, for start and stop times
 * @param nonResponsive whether a host is known not to respond
 * @param outOfContact whether nothing can be learned from a host at present, for whatever reason
 * @param handOverOverdue whether the VM's state has stood for longer than the engine waits for a
 *     migrated VM to be seen on its new host
 */
public record AnalysisContext(
        HostId reporter,
        Instant now,
        Predicate<HostId> nonResponsive,
        Predicate<HostId> outOfContact,
        boolean handOverOverdue) {}
