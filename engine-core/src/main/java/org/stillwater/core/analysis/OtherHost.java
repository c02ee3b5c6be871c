package org.stillwater.core.analysis;

import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/**
 * A VM has a process on a host that is not responsible for it (monitoring specification §4.5): one
 * side of a migration, a leftover, or a claim ({@link Claims}).
 */
final class OtherHost {

    private OtherHost() {}

    static VmOutcome decide(KnownVm known, VmRuntime seen, AnalysisContext context) {
        DecisionBuilder builder = new DecisionBuilder(known, context);
        if (isOneSideOfAMigration(known, seen, context)) {
            return VmOutcome.Quiet.QUIET;
        }
        if (isPausedLeftover(known, seen, context)) {
            builder.by(VmRule.PAUSED_LEFTOVER);
            builder.destroyProcess(
                    context.reporter(), "paused leftover of a VM that runs elsewhere");
            return builder.outcome();
        }
        if (!Claims.isBelieved(known, seen, context)) {
            Claims.contest(builder, seen);
        } else if (mayFailToStart(known, seen)) {
            return VmOutcome.Quiet.QUIET;
        } else {
            take(builder, seen);
        }
        return builder.outcome();
    }

    /** The reporter becomes responsible. */
    static void take(DecisionBuilder builder, VmRuntime seen) {
        boolean migratingHere = isMigratingHere(builder.known, builder.context);
        if (isSurprising(builder.known, migratingHere)) {
            Claims.surprise(builder);
        }
        Transitions.onAnotherHost(builder, seen, migratingHere);
        builder.by(ruleOf(builder, migratingHere));
        Reporting.apply(builder, seen);
    }

    /** Why the reporter is accepted. */
    private static VmRule ruleOf(DecisionBuilder builder, boolean migratingHere) {
        VmStatus status = builder.knownStatus();
        if (status.isNotRunning()) {
            return VmRule.STARTED_OUTSIDE;
        }
        if (migratingHere) {
            return status == VmStatus.MIGRATING_FROM ? VmRule.DESTINATION_FIRST : VmRule.ARRIVED;
        }
        if (HandOver.isAwaited(builder.known)) {
            return VmRule.SEEN_AGAIN;
        }
        if (builder.reporter().equals(builder.known.commands().startingOn())) {
            return VmRule.STARTED_BY_LEASE;
        }
        return status == VmStatus.UNKNOWN ? VmRule.UP_ELSEWHERE : VmRule.MOVED;
    }

    /**
     * Whether the reporter still starts a VM that the engine does not know to run: the start may
     * fail, so the report does not change the VM yet. A claim of a start is kept like any other.
     */
    private static boolean mayFailToStart(KnownVm known, VmRuntime seen) {
        return seen.status() == VmStatus.WAIT_FOR_LAUNCH
                && known.runtime().status() == VmStatus.UNKNOWN;
    }

    /** Such reports do not determine the host that is responsible in the end. */
    private static boolean isOneSideOfAMigration(
            KnownVm known, VmRuntime seen, AnalysisContext context) {
        boolean somebodyIsResponsible = known.placement().runOn() != null;
        if (seen.status() == VmStatus.MIGRATING_TO) {
            return somebodyIsResponsible;
        }
        if (seen.status() == VmStatus.MIGRATING_FROM) {
            // Only the destination was seen so far, and nothing was handed over to it: until then
            // the source is responsible.
            boolean destinationCameFirst =
                    known.runtime().status() == VmStatus.MIGRATING_TO
                            && known.placement().migratingTo() == null;
            boolean nobodyKnows = known.runtime().status() == VmStatus.UNKNOWN;
            // A VM that leaves the destination has arrived there: its report is no half of this
            // migration.
            boolean leavesAgain = isMigratingHere(known, context);
            return somebodyIsResponsible && !destinationCameFirst && !nobodyKnows && !leavesAgain;
        }
        return ExpectedHost.isInPostCopy(seen);
    }

    private static boolean isPausedLeftover(
            KnownVm known, VmRuntime seen, AnalysisContext context) {
        return seen.status() == VmStatus.PAUSED
                && known.placement().runOn() != null
                && known.runtime().status() != VmStatus.UNKNOWN
                && !isMigratingHere(known, context)
                && !migratesWhereNobodySaid(known);
    }

    /**
     * Whether the VM migrates to an unknown destination: a paused VM on another host may be the
     * same VM after its arrival.
     */
    private static boolean migratesWhereNobodySaid(KnownVm known) {
        return known.runtime().status() == VmStatus.MIGRATING_FROM
                && known.placement().migratingTo() == null;
    }

    private static boolean isMigratingHere(KnownVm known, AnalysisContext context) {
        return context.reporter().equals(known.placement().migratingTo());
    }

    private static boolean isSurprising(KnownVm known, boolean migratingHere) {
        HostId responsible = known.placement().runOn();
        VmStatus status = known.runtime().status();
        return responsible != null
                && !migratingHere
                && !status.isMigrating()
                && status != VmStatus.UNKNOWN;
    }
}
