package org.stillwater.monitoring.host;

import org.stillwater.core.id.HostId;

/**
 * Reports of one host that wait for its thread.
 *
 * @param host the host
 * @param name its name
 * @param oldestReportNanos when the oldest of them arrived, on the engine's monotonic clock
 */
public record HostBacklog(HostId host, String name, long oldestReportNanos) {}
