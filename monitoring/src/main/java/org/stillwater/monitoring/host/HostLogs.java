package org.stillwater.monitoring.host;

import org.stillwater.monitoring.observe.ThrottledLog;

/**
 * Logs of one host's monitor. Thread-safe.
 *
 * @param warnings trouble with the host, logged once in a quiet period and counted
 * @param audits the audit log, within the limit of one host
 * @param lines the log, within the limit of one host
 */
record HostLogs(ThrottledLog warnings, HostAuditLog audits, HostLog lines) {}
