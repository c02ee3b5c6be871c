package org.stillwater.core.analysis;

import java.util.List;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;

/**
 * Evaluates a host's report about a VM: known state and report in, next state and decisions out.
 * The class carries nothing out.
 *
 * <p>The tree is that of monitoring specification §4.3, one class for each branch: {@link
 * ExpectedHost} (§4.4), {@link OtherHost} (§4.5), {@link Exits} (§4.6), {@link Disappearance}
 * (§4.7), {@link UnmanagedVms} (§4.8). Code that several branches share: {@link Transitions} (the
 * table of §2.4), {@link Ending}, {@link HandOver}, {@link Reporting}. The host's view of its own
 * VMs always wins; the responsible host needs care while a VM migrates.
 */
public final class VmAnalysis {

    private VmAnalysis() {}

    /** Outcome of a report about a VM that the engine knows. */
    @SuppressWarnings(
            "ReferenceEquality") // a decoder hands back the known instance when nothing differs:
    // the stable case
    public static VmOutcome decide(KnownVm known, VmReport report, AnalysisContext context) {
        return switch (report) {
            case VmReport.Running running when known.placement().isOn(context.reporter()) ->
                    running.runtime() == known.runtime()
                            ? VmOutcome.Quiet.QUIET
                            : ExpectedHost.decide(known, running.runtime(), context);
            case VmReport.Running running -> OtherHost.decide(known, running.runtime(), context);
            case VmReport.Exited exited -> Exits.decide(known, exited, context);
            case VmReport.Absent _ -> Disappearance.decide(known, context);
        };
    }

    /**
     * Decisions about a report of a VM that the engine does not know.
     *
     * @param hostedEngineName name of the VM that runs the engine itself
     */
    public static List<Decision> decideUnknown(
            VmReport report, HostId reporter, String hostedEngineName) {
        return UnmanagedVms.decide(report, reporter, hostedEngineName);
    }

    /**
     * Outcome for a VM after its host was switched off or booted (monitoring specification §3.6):
     * its process has ended, and remains of its migration at the destination must be removed too. A
     * VM that had left for an unknown host may run there, and is not started a second time.
     *
     * @param context with that host as the reporter
     */
    public static VmOutcome hostFenced(KnownVm known, AnalysisContext context) {
        if (!known.placement().isOn(context.reporter())
                || known.runtime().status().isNotRunning()) {
            return VmOutcome.Quiet.QUIET;
        }
        HostId destination = known.placement().migratingTo();
        // A VM that was handed over to the fenced host has nothing elsewhere.
        HostId target = context.reporter().equals(destination) ? null : destination;
        VmClaim claim = Claims.strongest(known);
        if (claim != null && target == null) {
            return Claims.grant(claim, known, context, null);
        }
        DecisionBuilder builder = new DecisionBuilder(known, context);
        if (HandOver.isAwaited(known)) {
            HandOver.giveUp(builder); // it did not run there any more
            return builder.outcome();
        }
        if (target != null) {
            builder.destroy(target, "the host that it came from was fenced");
        }
        Ending.HOST_FENCED.endWithError(
                builder, AuditEvent.VM_WAS_SET_DOWN_DUE_TO_HOST_REBOOT_OR_MANUAL_FENCE);
        builder.by(VmRule.HOST_FENCED);
        return builder.outcome();
    }

    /**
     * Outcome for a VM on a host that does not respond (monitoring specification §5.1): only the
     * status changes, all other values may still be valid.
     *
     * @param context with the silent host as the reporter
     */
    public static VmOutcome hostLost(KnownVm known, AnalysisContext context) {
        VmStatus status = known.runtime().status();
        if (status.isNotRunning() || status == VmStatus.UNKNOWN) {
            return VmOutcome.Quiet.QUIET;
        }
        DecisionBuilder builder = new DecisionBuilder(known, context);
        builder.dropCommand();
        builder.runtime = builder.runtime.with(RuntimeField.STATUS, VmStatus.UNKNOWN);
        builder.audit(AuditEvent.VM_SET_TO_UNKNOWN_STATUS);
        builder.by(VmRule.HOST_LOST);
        return builder.outcome();
    }
}
