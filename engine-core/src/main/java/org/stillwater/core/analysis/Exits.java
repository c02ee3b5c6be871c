package org.stillwater.core.analysis;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmStatus;

/** A host reports that a VM's process ended there (monitoring specification §4.6). */
final class Exits {

    private Exits() {}

    static VmOutcome decide(KnownVm known, VmReport.Exited exit, AnalysisContext context) {
        if (known.placement().isOn(context.reporter())) {
            return onItsHost(known, exit, context);
        }
        if (!endedWhereItMovedTo(known, exit)) {
            return isRemovedByItsSource(exit, context)
                    ? VmOutcome.Quiet.QUIET
                    : leftover(known, context);
        }
        // No host's report is accepted about a VM that another host claims to run.
        return known.claims().isEmpty() && !Claims.endsTooEarly(known, context)
                ? onItsHost(known, exit, context)
                : hearOthers(known, context);
    }

    private static VmOutcome hearOthers(KnownVm known, AnalysisContext context) {
        DecisionBuilder builder = new DecisionBuilder(known, context);
        builder.by(VmRule.OTHERS_FIRST);
        builder.decide(new Decision.HearOthers(known.id()));
        return builder.outcome();
    }

    private static VmOutcome onItsHost(
            KnownVm known, VmReport.Exited exit, AnalysisContext context) {
        DecisionBuilder builder = new DecisionBuilder(known, context);
        if (exit.status() == ExitStatus.UNKNOWN) {
            return VmOutcome.Quiet.QUIET;
        }
        if (known.externalDataUnsaved() && !migratedAway(exit)) {
            // The host's record is the only copy of unsaved data; the host keeps reporting it.
            builder.decide(new Decision.SaveExternalData(known.id(), context.reporter()));
            return builder.outcome();
        }
        Ending ending = new Ending(exit.status(), exit.reason(), exit.message());
        String why = "its process ended: " + exit.reason();
        VmClaim claim = Claims.strongest(known);
        if (claim != null && mayRunElsewhere(known, exit, context)) {
            return Claims.grant(claim, Claims.withoutOrders(known, exit), context, why);
        }
        if (restartMayFollow(known, exit) && Claims.endsTooEarly(known, context)) {
            return hearOthers(known, context);
        }
        if (neverArrived(known, exit)) {
            stayedWhereNobodySaid(builder, why);
            return builder.outcome();
        }
        switch (known.runtime().status()) {
            case SAVING_STATE -> {
                if (migratedAway(exit)) {
                    // Saving failed without a report; it continued and moved.
                    migrated(builder, why);
                } else {
                    builder.destroy(context.reporter(), why);
                    ending.suspend(builder);
                }
            }
            case DOWN, SUSPENDED, IMAGE_ILLEGAL, IMAGE_LOCKED -> {
                // The exit data of the first report stay; only the responsibility ends.
                builder.by(VmRule.DOWN_ALREADY);
                builder.destroy(context.reporter(), why);
                builder.placement = builder.placement.withRunOn(null);
            }
            case MIGRATING_FROM -> endedWhileItMigrated(builder, exit, ending, why);
            case UNKNOWN -> {
                if (destination(known, context) != null) {
                    // Its source fell silent while it migrated.
                    endedWhileItMigrated(builder, exit, ending, why);
                } else {
                    ended(builder, exit, ending, why);
                }
            }
            case UNASSIGNED,
                    UP,
                    POWERING_UP,
                    PAUSED,
                    MIGRATING_TO,
                    NOT_RESPONDING,
                    WAIT_FOR_LAUNCH,
                    REBOOT_IN_PROGRESS,
                    RESTORING_STATE,
                    POWERING_DOWN ->
                    ended(builder, exit, ending, why);
        }
        return builder.outcome();
    }

    private static void ended(
            DecisionBuilder builder, VmReport.Exited exit, Ending ending, String why) {
        if (migratedAway(exit)) {
            migrated(builder, why);
        } else {
            builder.destroy(builder.reporter(), why);
            boolean ordered =
                    builder.known.commands().poweringOff()
                            && !builder.known.commands().coldReboot()
                            && !ending.isError();
            toldOfPowerOff(builder, ending).end(builder);
            if (ordered) {
                builder.by(VmRule.POWERED_OFF);
            }
        }
    }

    /**
     * The source of a migration reports that its process ended. A source that no longer has a VM is
     * no further proof: the VM may run at an unreachable destination (ADR 24).
     */
    private static void endedWhileItMigrated(
            DecisionBuilder builder, VmReport.Exited exit, Ending ending, String why) {
        HostId target = builder.known.placement().migratingTo();
        if (migratedAway(exit)) {
            migrated(builder, why);
        } else if (ending.isError()
                && target != null
                && builder.context.outOfContact().test(target)) {
            builder.destroy(builder.reporter(), why);
            HandOver.unseen(target, builder);
        } else {
            builder.destroy(builder.reporter(), why);
            destroyAtDestination(builder);
            ending.abortMigration(builder);
        }
    }

    /**
     * Whether the VM may run on another host that reports it: the end of a process is not the end
     * of a VM that moved. The destination of a migration that the engine ordered is known.
     */
    private static boolean mayRunElsewhere(
            KnownVm known, VmReport.Exited exit, AnalysisContext context) {
        boolean wentToItsDestination = migratedAway(exit) && destination(known, context) != null;
        return !known.runtime().status().isNotRunning() && !wentToItsDestination;
    }

    /**
     * Known destination of a VM that left the reporter. A destination that was handed the VM and
     * reports its migration has seen it leave again: its new host is unknown.
     */
    private static @Nullable HostId destination(KnownVm known, AnalysisContext context) {
        HostId target = known.placement().migratingTo();
        return context.reporter().equals(target) ? null : target;
    }

    /** Whether something would be started because of this end, so that it had better be true. */
    private static boolean restartMayFollow(KnownVm known, VmReport.Exited exit) {
        return known.runtime().status() != VmStatus.SAVING_STATE
                && !known.commands().poweringOff()
                && (exit.status() == ExitStatus.ERROR
                        || exit.reason() == ExitReason.DESTROYED_ON_REBOOT
                        || known.commands().coldReboot());
    }

    private static boolean migratedAway(VmReport.Exited exit) {
        return exit.status() == ExitStatus.NORMAL
                && exit.reason() == ExitReason.MIGRATION_SUCCEEDED;
    }

    /**
     * Only a destination reports a failed migration. If it counts as the VM's host and no source is
     * known, the VM stays on its present host.
     */
    private static boolean neverArrived(KnownVm known, VmReport.Exited exit) {
        VmStatus status = known.runtime().status();
        return exit.reason() == ExitReason.MIGRATION_FAILED
                && known.placement().migratingTo() == null
                && !status.isNotRunning();
    }

    private static void stayedWhereNobodySaid(DecisionBuilder builder, String why) {
        if (HandOver.isAwaited(builder.known) && builder.context.handOverOverdue()) {
            builder.destroy(builder.reporter(), why);
            HandOver.giveUp(builder);
        } else {
            HandOver.toNobodyKnowsWhere(builder, ExitReason.MIGRATION_FAILED);
        }
    }

    private static void migrated(DecisionBuilder builder, String why) {
        HostId target = destination(builder.known, builder.context);
        if (target != null) {
            builder.destroy(builder.reporter(), why);
            HandOver.to(target, builder);
        } else if (HandOver.isAwaited(builder.known) && builder.context.handOverOverdue()) {
            builder.destroy(builder.reporter(), why);
            HandOver.giveUp(builder);
        } else {
            HandOver.toNobodyKnowsWhere(builder, ExitReason.MIGRATION_SUCCEEDED);
        }
    }

    /** The user that ordered the power-off a moment ago needs no hypervisor's words for it. */
    private static Ending toldOfPowerOff(DecisionBuilder builder, Ending ending) {
        return builder.commands.poweringOff() && !ending.isError()
                ? new Ending(ending.status(), ending.reason(), Ending.POWERED_OFF.message())
                : ending;
    }

    static void destroyAtDestination(DecisionBuilder builder) {
        HostId target = builder.known.placement().migratingTo();
        if (target != null) {
            builder.destroy(target, "its migration failed");
        }
    }

    /**
     * Whether this is the end of a VM that had moved to an unknown place: its source proved that it
     * moved, and it arrived at the reporter and ended before it was seen running. The end of a
     * migration itself, on either side, is no end of the VM.
     */
    private static boolean endedWhereItMovedTo(KnownVm known, VmReport.Exited exit) {
        return HandOver.isAwaited(known)
                && exit.reason() != ExitReason.MIGRATION_SUCCEEDED
                && exit.reason() != ExitReason.MIGRATION_FAILED;
    }

    /**
     * The source of a migration that fails or is cancelled removes its copy at the destination
     * itself. Only a process that a later complete answer still lists was left behind.
     */
    private static boolean isRemovedByItsSource(VmReport.Exited exit, AnalysisContext context) {
        return exit.reason() == ExitReason.MIGRATION_FAILED && !context.polled();
    }

    private static VmOutcome leftover(KnownVm known, AnalysisContext context) {
        DecisionBuilder builder = new DecisionBuilder(known, context);
        builder.by(
                known.runtime().status() == VmStatus.MIGRATING_FROM
                        ? VmRule.NEVER_ARRIVED
                        : VmRule.ENDED_LEFTOVER);
        builder.destroy(
                context.reporter(),
                known.runtime().status() == VmStatus.MIGRATING_FROM
                        ? "its migration to this host failed"
                        : "ended leftover of a VM that this host is not responsible for");
        return builder.outcome();
    }
}
