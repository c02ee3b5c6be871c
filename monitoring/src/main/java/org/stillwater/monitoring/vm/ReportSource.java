package org.stillwater.monitoring.vm;

import org.stillwater.core.id.HostId;

/**
 * Origin of the reports of one message; the staleness rules compare it besides a report's own
 * stamp.
 *
 * @param reporter the host
 * @param boot number of the host's boot as counted by its monitor; stamps of different boots are
 *     not comparable
 * @param session number of the connection that the message came over
 * @param complete whether it is a complete poll, which was requested on this very connection
 * @param fetchedNanos the engine's monotonic clock when a poll's request was sent or an event
 *     arrived
 */
public record ReportSource(
        HostId reporter, int boot, int session, boolean complete, long fetchedNanos) {}
