package org.stillwater.core.analysis;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.ExitReason;
import org.stillwater.core.model.ExitStatus;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.PauseStatus;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.core.model.RuntimeFields;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmPlacement;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.report.VmReport;

/**
 * Decides what a host's report about a VM means: known state and report in, next state and
 * decisions out. Nothing is carried out here.
 *
 * <p>The tree is that of monitoring specification §4.3: a host that says a VM ended, a host that
 * does not mention a VM it should have, and a host that runs a VM, either the responsible one or
 * another. The host's view of its own VMs always wins; what needs care is who is responsible while
 * a VM migrates. Two rules keep a running VM from ever being shown as down:
 *
 * <ul>
 *   <li>A source that says "migrated away" hands the VM over; the VM is never marked down for it.
 *   <li>When nobody told the engine where the VM went, it becomes unknown until some host reports
 *       it, and the source's record is only destroyed then: as long as it is there, the source
 *       keeps proving that the VM moved.
 * </ul>
 */
public final class VmAnalysis {

    private static final String NOT_FOUND = "The VM was not found on its host any more";

    private static final String NOT_SEEN_AGAIN =
            "The VM migrated away and was not seen on any host since";

    private VmAnalysis() {}

    /** What follows from a report about a VM that the engine knows. */
    @SuppressWarnings(
            "ReferenceEquality") // a decoder hands back the known instance when nothing differs:
    // the stable case
    public static VmOutcome decide(KnownVm known, VmReport report, AnalysisContext context) {
        return switch (report) {
            case VmReport.Running running when known.placement().isOn(context.reporter()) ->
                    running.runtime() == known.runtime()
                            ? VmOutcome.Quiet.QUIET
                            : onItsHost(known, running.runtime(), context);
            case VmReport.Running running -> elsewhere(known, running.runtime(), context);
            case VmReport.Exited exited when known.placement().isOn(context.reporter()) ->
                    exited(known, exited, context);
            case VmReport.Exited exited when endedWhereItMovedTo(known, exited) ->
                    exited(known, exited, context);
            case VmReport.Exited _ -> leftover(known, context.reporter());
            case VmReport.Absent _ -> vanished(known, context);
        };
    }

    /** What follows from a report about a VM that the engine does not know. */
    public static List<Decision> decideUnknown(VmReport report, HostId reporter) {
        return switch (report) {
            case VmReport.Running running when isPausedByIoError(running.runtime()) ->
                    List.of(destroy(running.vmId(), reporter, "unknown VM paused by an I/O error"));
            case VmReport.Running running
                    when running.runtime().status() == VmStatus.MIGRATING_TO ->
                    List.of();
            case VmReport.Running running ->
                    List.of(new Decision.TakeInExternal(running.vmId(), reporter));
            case VmReport.Exited exited ->
                    List.of(destroy(exited.vmId(), reporter, "unknown VM that ended"));
            case VmReport.Absent _ -> List.of();
        };
    }

    private static boolean isPausedByIoError(VmRuntime runtime) {
        return runtime.status() == VmStatus.PAUSED && runtime.pauseStatus() == PauseStatus.EIO;
    }

    private static VmOutcome onItsHost(KnownVm known, VmRuntime seen, AnalysisContext context) {
        if (seen.status() == VmStatus.MIGRATING_TO) {
            return VmOutcome.Quiet.QUIET;
        }
        if (known.runtime().status() == VmStatus.MIGRATING_FROM && isPostCopy(seen)) {
            return handOver(known, context, List.of());
        }
        return apply(known, seen, context, List.of());
    }

    private static boolean isPostCopy(VmRuntime seen) {
        return seen.status() == VmStatus.PAUSED && seen.pauseStatus() == PauseStatus.POSTCOPY;
    }

    private static VmOutcome elsewhere(KnownVm known, VmRuntime seen, AnalysisContext context) {
        HostId responsible = known.placement().runOn();
        VmStatus status = known.runtime().status();
        boolean expected = context.reporter().equals(known.placement().migratingTo());
        if (seen.status() == VmStatus.MIGRATING_TO && responsible != null) {
            return VmOutcome.Quiet.QUIET;
        }
        if (seen.status() == VmStatus.MIGRATING_FROM
                && status == VmStatus.MIGRATING_TO
                && known.placement().migratingTo() == null) {
            // Only the destination was seen so far, and nothing was handed over to it: until then
            // the source is responsible.
            return apply(known, seen, context, List.of());
        }
        if (seen.status() == VmStatus.MIGRATING_FROM || isPostCopy(seen)) {
            return VmOutcome.Quiet.QUIET;
        }
        if (seen.status() == VmStatus.PAUSED
                && responsible != null
                && status != VmStatus.UNKNOWN
                && !expected) {
            return act(
                    known,
                    destroy(
                            known.id(),
                            context.reporter(),
                            "paused leftover of a VM that runs elsewhere"));
        }
        if (seen.status() == VmStatus.WAIT_FOR_LAUNCH && status == VmStatus.UNKNOWN) {
            return VmOutcome.Quiet.QUIET;
        }
        boolean surprising =
                responsible != null
                        && !expected
                        && !status.isMigrating()
                        && status != VmStatus.UNKNOWN;
        return apply(
                known,
                seen,
                context,
                surprising
                        ? List.of(
                                new Decision.NoteUnexpected(
                                        known.id(),
                                        "reported running by host " + context.reporter()))
                        : List.of());
    }

    private static VmOutcome exited(KnownVm known, VmReport.Exited exit, AnalysisContext context) {
        VmStatus status = known.runtime().status();
        HostId reporter = context.reporter();
        if (exit.status() == ExitStatus.UNKNOWN) {
            return VmOutcome.Quiet.QUIET;
        }
        boolean migrated =
                exit.status() == ExitStatus.NORMAL
                        && exit.reason() == ExitReason.MIGRATION_SUCCEEDED;
        Decision destroyHere = destroy(known.id(), reporter, "its process ended: " + exit.reason());
        if (status == VmStatus.SAVING_STATE) {
            return stop(
                    known,
                    VmStatus.SUSPENDED,
                    exit.status(),
                    exit.reason(),
                    exit.message(),
                    context,
                    List.of(destroyHere));
        }
        if (migrated && known.placement().migratingTo() != null) {
            return handOver(known, context, List.of(destroyHere));
        }
        if (migrated && (status.isRunningOrPaused() || status == VmStatus.UNKNOWN)) {
            return movedWhereNobodySaid(known, destroyHere, context);
        }
        if (status == VmStatus.MIGRATING_FROM) {
            HostId target = known.placement().migratingTo();
            List<Decision> destroys =
                    target == null
                            ? List.of(destroyHere)
                            : List.of(
                                    destroyHere,
                                    destroy(known.id(), target, "its migration failed"));
            return stop(
                    known,
                    VmStatus.DOWN,
                    exit.status(),
                    exit.reason(),
                    exit.message(),
                    context,
                    destroys);
        }
        if (status == VmStatus.DOWN) {
            // The exit data of the first report stay; only the responsibility ends.
            return change(
                    known,
                    known.runtime(),
                    known.placement().withRunOn(null),
                    List.of(destroyHere));
        }
        return stop(
                known,
                VmStatus.DOWN,
                exit.status(),
                exit.reason(),
                exit.message(),
                context,
                List.of(destroyHere));
    }

    /**
     * The source proves that the VM runs elsewhere, so it is not down; nobody knows where. Its
     * record stays until some host reports the VM, or until waiting any longer would hide that it
     * was lost. The exit reason tells such a VM from one that is unknown because its host is
     * silent.
     */
    private static VmOutcome movedWhereNobodySaid(
            KnownVm known, Decision destroyHere, AnalysisContext context) {
        if (known.runtime().status() == VmStatus.UNKNOWN && context.handOverOverdue()) {
            return stop(
                    known,
                    VmStatus.DOWN,
                    ExitStatus.ERROR,
                    ExitReason.GENERIC_ERROR,
                    NOT_SEEN_AGAIN,
                    context,
                    List.of(destroyHere));
        }
        return change(
                known,
                known.runtime()
                        .with(RuntimeField.STATUS, VmStatus.UNKNOWN)
                        .with(RuntimeField.EXIT_REASON, ExitReason.MIGRATION_SUCCEEDED),
                known.placement(),
                List.of());
    }

    /**
     * Whether this is the end of a VM that had moved where nobody said: its source proved that it
     * moved, and the reporter is where it arrived and ended before it was seen running. The end of
     * a migration itself, on either side, is no end of the VM.
     */
    private static boolean endedWhereItMovedTo(KnownVm known, VmReport.Exited exit) {
        return known.runtime().status() == VmStatus.UNKNOWN
                && known.runtime().exitReason() == ExitReason.MIGRATION_SUCCEEDED
                && known.placement().runOn() != null
                && exit.reason() != ExitReason.MIGRATION_SUCCEEDED
                && exit.reason() != ExitReason.MIGRATION_FAILED;
    }

    private static VmOutcome leftover(KnownVm known, HostId reporter) {
        return act(
                known,
                destroy(
                        known.id(),
                        reporter,
                        "ended leftover of a VM that this host is not responsible for"));
    }

    private static VmOutcome vanished(KnownVm known, AnalysisContext context) {
        return switch (known.runtime().status()) {
            case MIGRATING_FROM ->
                    known.placement().migratingTo() != null
                            ? handOver(known, context, List.of())
                            : lost(known, context);
            case REBOOT_IN_PROGRESS, POWERING_DOWN ->
                    stop(
                            known,
                            VmStatus.DOWN,
                            ExitStatus.NORMAL,
                            ExitReason.SUCCESS,
                            "",
                            context,
                            List.of());
            case DOWN, SUSPENDED, IMAGE_ILLEGAL, IMAGE_LOCKED ->
                    change(known, known.runtime(), known.placement().withRunOn(null), List.of());
            case UNASSIGNED,
                    UP,
                    POWERING_UP,
                    PAUSED,
                    MIGRATING_TO,
                    UNKNOWN,
                    NOT_RESPONDING,
                    WAIT_FOR_LAUNCH,
                    SAVING_STATE,
                    RESTORING_STATE ->
                    lost(known, context);
        };
    }

    private static VmOutcome lost(KnownVm known, AnalysisContext context) {
        return stop(
                known,
                VmStatus.DOWN,
                ExitStatus.ERROR,
                ExitReason.GENERIC_ERROR,
                NOT_FOUND,
                context,
                List.of());
    }

    /**
     * Makes the migration's destination responsible. The caller has seen to it that there is one,
     * or the VM was lost.
     */
    private static VmOutcome handOver(
            KnownVm known, AnalysisContext context, List<Decision> decisions) {
        HostId target = known.placement().migratingTo();
        if (target == null) {
            // Post-copy towards a host that nobody named: the source stays responsible until the VM
            // is seen elsewhere.
            return VmOutcome.Quiet.QUIET;
        }
        VmStatus next =
                context.nonResponsive().test(target) ? VmStatus.UNKNOWN : VmStatus.MIGRATING_TO;
        return change(
                known,
                known.runtime().with(RuntimeField.STATUS, next),
                known.placement().withRunOn(target),
                decisions);
    }

    /** Takes a running report over as the truth, with the reporter as the responsible host. */
    private static VmOutcome apply(
            KnownVm known, VmRuntime seen, AnalysisContext context, List<Decision> decisions) {
        VmRuntime.Draft draft = seen.edit();
        if (seen.status() != VmStatus.UP && known.placement().isOn(context.reporter())) {
            // Guests report no applications while they boot or shut down; the list known from
            // before stays.
            draft.set(RuntimeField.APP_LIST, known.runtime().value(RuntimeField.APP_LIST));
        }
        if (!seen.guestNics().equals(known.runtime().guestNics())) {
            draft.set(
                    RuntimeField.GUEST_IPS,
                    GuestAddresses.of(seen.guestNics(), known.definition()));
        } else {
            draft.set(RuntimeField.GUEST_IPS, known.runtime().value(RuntimeField.GUEST_IPS));
        }
        VmPlacement placement = known.placement().withRunOn(context.reporter());
        if (!seen.status().isMigrating()) {
            placement = placement.withMigratingTo(null);
        }
        if (known.runtime().status().isNotRunning()) {
            placement = placement.withLastStart(context.now());
        }
        return change(known, draft.build(), placement, decisions);
    }

    /** Ends a VM: forgets what is only true of a running one and records how it ended. */
    private static VmOutcome stop(
            KnownVm known,
            VmStatus status,
            ExitStatus exitStatus,
            ExitReason exitReason,
            @Nullable String exitMessage,
            AnalysisContext context,
            List<Decision> decisions) {
        VmRuntime.Draft draft = known.runtime().edit();
        for (RuntimeField field : RuntimeField.values()) {
            if (field.reset() != RuntimeField.Reset.NEVER) {
                draft.clear(field);
            }
        }
        draft.set(RuntimeField.STATUS, status)
                .set(RuntimeField.EXIT_STATUS, exitStatus)
                .set(RuntimeField.EXIT_REASON, exitReason)
                .set(RuntimeField.EXIT_MESSAGE, exitMessage);
        VmPlacement placement =
                known.placement().withRunOn(null).withMigratingTo(null).withLastStop(context.now());
        return change(known, draft.build(), placement, decisions);
    }

    private static VmOutcome change(
            KnownVm known, VmRuntime runtime, VmPlacement placement, List<Decision> decisions) {
        RuntimeFields changed = runtime.differencesFrom(known.runtime());
        boolean moved = !placement.equals(known.placement());
        if (changed.isEmpty() && !moved && decisions.isEmpty()) {
            return VmOutcome.Quiet.QUIET;
        }
        return new VmOutcome.Change(
                changed.isEmpty() ? known.runtime() : runtime,
                moved ? placement : known.placement(),
                changed,
                moved,
                decisions);
    }

    private static VmOutcome act(KnownVm known, Decision decision) {
        return new VmOutcome.Change(
                known.runtime(), known.placement(), RuntimeFields.NONE, false, List.of(decision));
    }

    private static Decision destroy(VmId vmId, HostId host, String why) {
        return new Decision.DestroyOnHost(vmId, host, why);
    }
}
