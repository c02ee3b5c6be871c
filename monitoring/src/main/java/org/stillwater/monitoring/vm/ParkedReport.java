package org.stillwater.monitoring.vm;

import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.report.VmReport;

/**
 * The newest report of one host about a VM that was locked when it came in.
 *
 * @param source where it came from
 * @param report the report
 * @param base the runtime it was decoded against, so that it can be carried over to a newer one
 * @param receivedNanos the engine's monotonic clock when it arrived
 * @param resume told once the VM is free; must not block
 */
public record ParkedReport(
        ReportSource source,
        VmReport report,
        VmRuntime base,
        long receivedNanos,
        Runnable resume) {}
