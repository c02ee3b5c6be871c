package org.stillwater.core.analysis;

import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;

/**
 * A complete answer of the host that is responsible for a VM does not mention it (monitoring
 * specification §4.7). A host that answers and does not list a VM proves that it is not there.
 */
final class Disappearance {

    private Disappearance() {}

    static VmOutcome decide(KnownVm known, AnalysisContext context) {
        DecisionBuilder builder = new DecisionBuilder(known, context);
        if (known.runtime().status().isNotRunning()) {
            builder.by(VmRule.DOWN_ALREADY);
            builder.placement = builder.placement.withRunOn(null);
            return builder.outcome();
        }
        VmClaim claim = Claims.strongest(known);
        if (claim != null && !leftForItsDestination(known, context)) {
            return Claims.grant(claim, known, context, null);
        }
        if (known.commands().poweringOff() && !known.commands().coldReboot()) {
            poweredOff(builder, context);
            return builder.outcome();
        }
        if (!leftForItsDestination(known, context)) {
            if (!HandOver.isAwaited(known) && Claims.endsTooEarly(known, context)) {
                builder.by(VmRule.OTHERS_FIRST);
                builder.decide(new Decision.HearOthers(known.id()));
                return builder.outcome();
            }
        }
        switch (known.runtime().status()) {
            case MIGRATING_FROM -> leftByMigration(builder);
            case REBOOT_IN_PROGRESS, POWERING_DOWN -> {
                boolean coldReboot = known.commands().coldReboot();
                Ending.STOPPED.endNormally(builder);
                builder.by(coldReboot ? VmRule.GONE_IN_COLD_REBOOT : VmRule.GONE_AS_EXPECTED);
            }
            case UNKNOWN -> {
                HostId target = known.placement().migratingTo();
                if (target != null && !target.equals(context.reporter())) {
                    // Its source fell silent while it migrated, and came back without it.
                    HandOver.to(target, builder);
                } else if (!HandOver.isAwaited(known)) {
                    unexpectedly(builder);
                    builder.by(VmRule.NOT_RESTORED);
                } else if (context.handOverOverdue()) {
                    HandOver.giveUp(builder);
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
                    unexpectedly(builder);
        }
        return builder.outcome();
    }

    /** Whether it is known where the VM went: no other report needs to be accepted. */
    private static boolean leftForItsDestination(KnownVm known, AnalysisContext context) {
        HostId target = known.placement().migratingTo();
        VmStatus status = known.runtime().status();
        return target != null
                && !target.equals(context.reporter())
                && (status == VmStatus.MIGRATING_FROM || status == VmStatus.UNKNOWN);
    }

    /**
     * Its destruction was ordered so lately that this is the answer to it. A VM that may have
     * arrived is down only if it can be destroyed there as well: while its destination does not
     * report, it may run there, and could be started a second time.
     */
    private static void poweredOff(DecisionBuilder builder, AnalysisContext context) {
        HostId target = builder.known.placement().migratingTo();
        if (target != null
                && leftForItsDestination(builder.known, context)
                && context.outOfContact().test(target)) {
            HandOver.unseen(target, builder);
        } else {
            Exits.destroyAtDestination(builder);
            Ending.POWERED_OFF.endNormally(builder);
            builder.by(VmRule.POWERED_OFF);
        }
    }

    private static void leftByMigration(DecisionBuilder builder) {
        HostId target = builder.known.placement().migratingTo();
        if (target != null) {
            HandOver.to(target, builder);
        } else {
            Ending.NOT_FOUND.abortMigration(builder);
            builder.by(VmRule.GONE_IN_MIGRATION);
        }
    }

    private static void unexpectedly(DecisionBuilder builder) {
        if (builder.commands.coldReboot() && builder.commands.inFlight() != InFlight.RUN) {
            builder.audit(AuditEvent.VM_DOWN_ERROR, Ending.NOT_FOUND.details());
            builder.dropCommand();
            Ending.NOT_FOUND.goDown(builder);
            builder.queue(WorkKind.PROCESS_DOWN, "it stopped");
            Ending.coldReboot(builder);
            builder.by(VmRule.GONE_IN_COLD_REBOOT);
        } else {
            boolean starting = builder.commands.inFlight() == InFlight.RUN;
            Ending.NOT_FOUND.endWithError(builder);
            builder.by(starting ? VmRule.GONE_WHILE_STARTING : VmRule.GONE);
        }
    }
}
