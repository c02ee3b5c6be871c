package org.stillwater.core.analysis;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/**
 * Rules for accepting a host's report about a VM (ADR 0032): the engine accepts a host's reports
 * about its own VMs only. Another host becomes responsible
 *
 * <ul>
 *   <li>as the destination of a migration that the engine knows of, or the host that the engine
 *       ordered to run the VM by its lease, while the VM's state is unknown,
 *   <li>after the responsible host denied that it runs the VM, or
 *   <li>once the responsible host is no longer watched: it was fenced, taken out of service or
 *       removed.
 * </ul>
 *
 * <p>Every other claim is contested. It changes nothing, is kept, and is decided by the answer of
 * the responsible host.
 */
final class Claims {

    private Claims() {}

    /** Whether the reporter of a process may become the responsible host at once. */
    static boolean isBelieved(KnownVm known, VmRuntime seen, AnalysisContext context) {
        HostId responsible = known.placement().runOn();
        return responsible == null
                || known.runtime().status().isNotRunning()
                || context.reporter().equals(known.placement().migratingTo())
                || isStartedThere(known, context)
                || HandOver.isAwaited(known)
                || context.unwatched().test(responsible)
                || isSourceOfAnArrival(known, seen);
    }

    /**
     * A VM with a lease is started on another host while its state is unknown. Once a responsible
     * host reports again, or the VM is handed over to a reporting host, the engine asks that host
     * before it accepts that the start succeeded.
     */
    private static boolean isStartedThere(KnownVm known, AnalysisContext context) {
        return known.runtime().status() == VmStatus.UNKNOWN
                && context.reporter().equals(known.commands().startingOn());
    }

    /**
     * The responsible host itself reported that the VM arrives there and does not run yet, and the
     * source is unknown: the source's report decides.
     */
    private static boolean isSourceOfAnArrival(KnownVm known, VmRuntime seen) {
        return known.runtime().status() == VmStatus.MIGRATING_TO
                && known.placement().migratingTo() == null
                && seen.status() == VmStatus.MIGRATING_FROM;
    }

    /**
     * The claim that counts once the responsible host has denied that it runs the VM: one that it
     * never refused before one that it did, the older before the younger.
     *
     * @return null if no claim stands
     */
    static @Nullable VmClaim strongest(KnownVm known) {
        List<VmClaim> claims = known.claims();
        for (VmClaim claim : claims) {
            if (!claim.refused()) {
                return claim;
            }
        }
        return claims.isEmpty() ? null : claims.getFirst();
    }

    /**
     * The responsible host does not run the VM: the claimant has it.
     *
     * @param removeHere why the responsible host is to remove its record; null if there is none
     */
    static VmOutcome grant(
            VmClaim claim, KnownVm known, AnalysisContext context, @Nullable String removeHere) {
        DecisionBuilder builder = new DecisionBuilder(known, context.by(claim.claimant()));
        if (removeHere != null) {
            builder.destroy(context.reporter(), removeHere);
        }
        builder.note(
                "is claimed by host "
                        + claim.claimant()
                        + " and not on host "
                        + context.reporter()
                        + " any more");
        if (context.outOfContact().test(claim.claimant())) {
            builder.dropCommand();
            HandOver.unseen(claim.claimant(), builder);
        } else {
            OtherHost.take(builder, claim.seen());
        }
        builder.by(VmRule.CLAIM_GRANTED);
        return builder.outcome();
    }

    /**
     * The same VM, of which nothing is left that was ordered for a run that ended; a VM that only
     * moved continues with it.
     */
    static KnownVm withoutOrders(KnownVm known, VmReport.Exited exit) {
        return exit.reason() == ExitReason.MIGRATION_SUCCEEDED
                ? known
                : new KnownVm(
                        known.id(),
                        known.definition(),
                        known.runtime(),
                        known.placement(),
                        known.commands().ofNextRun(),
                        known.externalDataUnsaved(),
                        known.claims());
    }

    /** Whether other hosts must report before an end is accepted. */
    static boolean endsTooEarly(KnownVm known, AnalysisContext context) {
        return !known.runtime().status().isNotRunning() && !context.othersHeard().getAsBoolean();
    }

    /** A claim that is not accepted: the responsible host is to be polled. */
    static void contest(DecisionBuilder builder, VmRuntime seen) {
        builder.by(VmRule.CONTESTED);
        builder.decide(new Decision.Contest(builder.known.id(), builder.reporter(), seen));
    }

    /** A VM turned up where it was not expected. */
    static void surprise(DecisionBuilder builder) {
        builder.note("reported running by host " + builder.reporter());
        builder.audit(AuditEvent.VM_MOVED_UNEXPECTEDLY);
    }
}
