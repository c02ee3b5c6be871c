package org.stillwater.monitoring.vm;

import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.VmRuntime;

/**
 * The newest report of one host about a VM that was locked at its arrival.
 *
 * @param source its origin
 * @param report the report
 * @param base the runtime against which it was decoded, so that it can be applied to a newer one
 * @param receivedNanos the engine's monotonic clock when it arrived
 * @param resume called when the VM is free; must not block
 */
public record ParkedReport(
        ReportSource source,
        VmReport report,
        VmRuntime base,
        long receivedNanos,
        Runnable resume) {}
