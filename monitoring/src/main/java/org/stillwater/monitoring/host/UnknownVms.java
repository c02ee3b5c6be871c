package org.stillwater.monitoring.host;

import java.util.function.BooleanSupplier;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.analysis.KnownVm;
import org.stillwater.core.analysis.VmAnalysis;
import org.stillwater.core.analysis.VmOutcome;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.device.ExternalVms;

/**
 * Decides about VMs that a host reports and that the engine does not know: it imports them, or
 * removes their remains. Used by the host's thread only.
 */
final class UnknownVms {

    private final MonitoredHost here;
    private final HostId host;
    private final HostServices services;
    private final ExternalVms externals;
    private final BooleanSupplier intakeAdmitted;
    private final ReportMessage message;
    private final VmEvidence evidence;
    private int toRemove;

    /**
     * Has no unknown VMs.
     *
     * @param externals imports VMs
     * @param limiter decides whether another VM may be imported
     * @param message the analysed message
     */
    UnknownVms(
            MonitoredHost here,
            ExternalVms externals,
            EventLimiter limiter,
            ReportMessage message,
            VmEvidence evidence) {
        this.here = here;
        this.host = here.id();
        this.services = here.services();
        this.externals = externals;
        this.intakeAdmitted = limiter::admitsIntake;
        this.message = message;
        this.evidence = evidence;
    }

    /** A message begins. */
    void begin() {
        toRemove = 0;
    }

    /** Whether a report is older than the removal of its VM. */
    boolean isOlderThanRemoval(VmReport report) {
        return services.registry().wasRemovedAfter(report.vmId(), message.source.fetchedNanos());
    }

    /** The host reports a VM that the engine does not know. */
    void reported(VmReport report) {
        boolean ended = true;
        for (Decision decision :
                VmAnalysis.decideUnknown(report, host, services.settings().hostedEngineName())) {
            switch (decision) {
                case Decision.DestroyOnHost destroy -> {
                    // The next poll repeats those beyond the limit.
                    if (toRemove++ < services.settings().unknownLimit()) {
                        here.send(
                                destroy.host(),
                                new HostMessage.Destroy(
                                        destroy.vmId(),
                                        destroy.why(),
                                        message.source.fetchedNanos(),
                                        message.source.complete()));
                    } else {
                        here.logs()
                                .warnings()
                                .about(
                                        "too many unknown VMs ended at once; the next poll removes"
                                                + " more",
                                        "vm=" + destroy.vmId());
                    }
                }
                case Decision.TakeInExternal _ -> {
                    ended = false;
                    if (report instanceof VmReport.Running running) {
                        externals.seen(running, message.receivedNanos, intakeAdmitted);
                    }
                }
                case Decision.Audit audit -> here.audit(audit);
                case Decision.Queue _,
                        Decision.Tell _,
                        Decision.Contest _,
                        Decision.HearOthers _,
                        Decision.RemoveJobs _,
                        Decision.SaveExternalData _,
                        Decision.NoteUnexpected _ -> {}
            }
        }
        if (ended) {
            externals.gone(report.vmId());
        }
    }

    /**
     * First known state of an imported VM. Its name shows that the engine did not create it; the VM
     * that runs the engine itself keeps its own name.
     */
    StoredVm firstState(VmReport.Running report, VmStatic found) {
        message.now = services.clock().now();
        String name = found.name();
        VmStatic definition =
                name.equals(services.settings().hostedEngineName())
                        ? found.named(name, VmOrigin.HOSTED_ENGINE)
                        : found.named("external-" + name, VmOrigin.EXTERNAL);
        KnownVm nothing =
                new KnownVm(report.vmId(), definition, VmRuntime.INITIAL, VmPlacement.on(host));
        return switch (VmAnalysis.decide(nothing, report, evidence.contextAlone())) {
            case VmOutcome.Change change ->
                    new StoredVm(report.vmId(), definition, change.runtime(), change.placement());
            case VmOutcome.Quiet _ ->
                    new StoredVm(report.vmId(), definition, report.runtime(), VmPlacement.on(host));
        };
    }
}
