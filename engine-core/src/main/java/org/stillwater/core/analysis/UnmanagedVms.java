package org.stillwater.core.analysis;

import java.util.List;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/**
 * A host mentions a VM that the engine does not know (monitoring specification §4.8): an ended or
 * broken VM is removed, a running one is imported.
 */
final class UnmanagedVms {

    private UnmanagedVms() {}

    static List<Decision> decide(VmReport report, HostId reporter, String hostedEngineName) {
        return switch (report) {
            case VmReport.Running running when isPausedByIoError(running.runtime()) ->
                    List.of(
                            new Decision.DestroyOnHost(
                                    running.vmId(),
                                    reporter,
                                    "unknown VM paused by an I/O error",
                                    true));
            case VmReport.Running running
                    when running.runtime().status() == VmStatus.MIGRATING_TO ->
                    List.of();
            case VmReport.Running running ->
                    List.of(
                            new Decision.TakeInExternal(
                                    running.vmId(),
                                    reporter,
                                    hostedEngineName.equals(running.name())
                                            ? VmOrigin.HOSTED_ENGINE
                                            : VmOrigin.EXTERNAL));
            case VmReport.Exited exited ->
                    List.of(
                            new Decision.DestroyOnHost(
                                    exited.vmId(), reporter, "unknown VM that ended", false));
            case VmReport.Absent _ -> List.of();
        };
    }

    private static boolean isPausedByIoError(VmRuntime runtime) {
        return runtime.status() == VmStatus.PAUSED && runtime.pauseStatus() == PauseStatus.EIO;
    }
}
