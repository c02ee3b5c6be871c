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
 */
public record AnalysisContext(HostId reporter, Instant now, Predicate<HostId> nonResponsive) {}
