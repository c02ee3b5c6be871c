package org.stillwater.core.analysis;

import org.stillwater.core.model.AuditEvent;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmCommands.InFlight;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.model.WorkKind;

/**
 * A complete answer of the host that is responsible for a VM does not mention it (monitoring
 * specification §4.7). A host that answers and does not list a VM proves that it is not there.
 */
final class Disappearance {

    private Disappearance() {}

    static VmOutcome decide(KnownVm known, AnalysisContext context) {
        Verdict verdict = new Verdict(known, context);
        if (known.runtime().status().isNotRunning()) {
            verdict.placement = verdict.placement.withRunOn(null);
            return verdict.outcome();
        }
        VmClaim claim = Claims.strongest(known);
        if (claim != null && !leftForItsDestination(known, context)) {
            return Claims.grant(claim, known, context, null);
        }
        if (known.commands().poweringOff() && !known.commands().coldReboot()) {
            poweredOff(verdict, context);
            return verdict.outcome();
        }
        if (!leftForItsDestination(known, context)) {
            if (!HandOver.isAwaited(known) && Claims.endsTooEarly(known, context)) {
                verdict.decide(new Decision.HearOthers(known.id()));
                return verdict.outcome();
            }
        }
        switch (known.runtime().status()) {
            case MIGRATING_FROM -> leftByMigration(verdict);
            case REBOOT_IN_PROGRESS, POWERING_DOWN -> Ending.STOPPED.endNormally(verdict);
            case UNKNOWN -> {
                HostId target = known.placement().migratingTo();
                if (target != null && !target.equals(context.reporter())) {
                    // Its source fell silent while it migrated, and came back without it.
                    HandOver.to(target, verdict);
                } else if (!HandOver.isAwaited(known)) {
                    unexpectedly(verdict);
                } else if (context.handOverOverdue()) {
                    HandOver.giveUp(verdict);
                }
            }
            case DOWN,
                    SUSPENDED,
                    IMAGE_ILLEGAL,
                    IMAGE_LOCKED,
                    UNASSIGNED,
                    UP,
                    POWERING_UP,
                    PAUSED,
                    MIGRATING_TO,
                    NOT_RESPONDING,
                    WAIT_FOR_LAUNCH,
                    SAVING_STATE,
                    RESTORING_STATE ->
                    unexpectedly(verdict);
        }
        return verdict.outcome();
    }

    /** Whether it is known where the VM went: nobody else need be believed. */
    private static boolean leftForItsDestination(KnownVm known, AnalysisContext context) {
        HostId target = known.placement().migratingTo();
        VmStatus status = known.runtime().status();
        return target != null
                && !target.equals(context.reporter())
                && (status == VmStatus.MIGRATING_FROM || status == VmStatus.UNKNOWN);
    }

    /**
     * Its destruction was ordered so lately that this is the answer to it. A VM that may have
     * arrived is down only if it can be destroyed there as well: while nothing is heard of its
     * destination, it may run there, and could be started a second time.
     */
    private static void poweredOff(Verdict verdict, AnalysisContext context) {
        HostId target = verdict.known.placement().migratingTo();
        if (target != null
                && leftForItsDestination(verdict.known, context)
                && context.outOfContact().test(target)) {
            HandOver.unseen(target, verdict);
        } else {
            Exits.destroyAtDestination(verdict);
            Ending.POWERED_OFF.endNormally(verdict);
        }
    }

    private static void leftByMigration(Verdict verdict) {
        HostId target = verdict.known.placement().migratingTo();
        if (target != null) {
            HandOver.to(target, verdict);
        } else {
            Ending.NOT_FOUND.abortMigration(verdict);
        }
    }

    private static void unexpectedly(Verdict verdict) {
        if (verdict.commands.coldReboot() && verdict.commands.inFlight() != InFlight.RUN) {
            verdict.audit(AuditEvent.VM_DOWN_ERROR, Ending.NOT_FOUND.details());
            verdict.dropCommand();
            Ending.NOT_FOUND.goDown(verdict);
            verdict.queue(WorkKind.PROCESS_DOWN, "it stopped");
            Ending.coldReboot(verdict);
        } else {
            Ending.NOT_FOUND.endWithError(verdict);
        }
    }
}
