package org.stillwater.core.analysis;

import java.util.Map;
import org.stillwater.core.model.AuditEvent;
import org.stillwater.core.model.PauseStatus;
import org.stillwater.core.model.VmCommands.InFlight;
import org.stillwater.core.model.VmRuntime;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.model.WorkKind;

/**
 * What follows from a VM with a process changing its status (monitoring specification §2.4). The
 * host's view always wins, so there is no transition that is not allowed; each function is one row
 * of that table and does nothing when its row does not apply.
 */
final class Transitions {

    private Transitions() {}

    /** The rows for a VM that is where it should be, in the order of the table. */
    static void onItsHost(Verdict verdict, VmRuntime seen) {
        VmStatus from = verdict.knownStatus();
        VmStatus to = seen.status();
        restored(verdict, from, to);
        poweringUp(verdict, from, to);
        powerDownFailed(verdict, from, to);
        recovered(verdict, from, to);
        rebooted(verdict, from, to);
        runSucceeded(verdict, from, to);
        migrationSucceeded(verdict, from, to);
        migrationFailed(verdict, from, to);
        stoppedResponding(verdict, from, to);
        paused(verdict, from, seen);
    }

    /** The rows for a VM that turned up on another host. */
    static void onAnotherHost(Verdict verdict, VmRuntime seen, boolean migratingHere) {
        VmStatus from = verdict.knownStatus();
        VmStatus to = seen.status();
        if (migratingHere && to.isRunningOrPaused()) {
            verdict.commandSucceeded(InFlight.MIGRATE);
        }
        boolean startedHere = verdict.reporter().equals(verdict.known.commands().startingOn());
        if (startedHere && to == VmStatus.UP) {
            verdict.commandSucceeded(InFlight.RUN);
        }
        if (!migratingHere && !startedHere) {
            runsElsewhere(verdict, to);
        }
        if (!HandOver.isAwaited(verdict.known)) {
            restored(verdict, from, to);
        }
        poweringUp(verdict, from, to);
        rebooted(verdict, from, to);
        stoppedResponding(verdict, from, to);
        paused(verdict, from, seen);
    }

    private static void restored(Verdict verdict, VmStatus from, VmStatus to) {
        if (from == VmStatus.UNKNOWN && to != VmStatus.UNKNOWN) {
            verdict.audit(AuditEvent.VM_STATUS_RESTORED, Map.of("status", to.label()));
            boolean stillUnderWay = to == VmStatus.WAIT_FOR_LAUNCH || to == VmStatus.MIGRATING_TO;
            if (!stillUnderWay && to != VmStatus.UP) {
                verdict.dropCommand();
            }
        }
    }

    private static void poweringUp(Verdict verdict, VmStatus from, VmStatus to) {
        if (from != to && (to == VmStatus.UP || to == VmStatus.POWERING_UP)) {
            verdict.tell(Decision.Signal.POWERING_UP);
        }
    }

    private static void powerDownFailed(Verdict verdict, VmStatus from, VmStatus to) {
        if (from == VmStatus.POWERING_DOWN && to == VmStatus.UP) {
            verdict.audit(AuditEvent.VM_POWER_DOWN_FAILED);
        }
    }

    private static void recovered(Verdict verdict, VmStatus from, VmStatus to) {
        if (from == VmStatus.PAUSED
                && to == VmStatus.UP
                && isError(verdict.known.runtime().pauseStatus())) {
            verdict.audit(AuditEvent.VM_RECOVERED_FROM_PAUSE_ERROR);
        }
    }

    private static void rebooted(Verdict verdict, VmStatus from, VmStatus to) {
        if (from != to && to == VmStatus.REBOOT_IN_PROGRESS) {
            verdict.tell(Decision.Signal.MEMORY_UNPLUG_FORGOTTEN);
            verdict.audit(AuditEvent.USER_REBOOT_VM, Map.of("user", "Guest OS"));
        }
    }

    private static void runSucceeded(Verdict verdict, VmStatus from, VmStatus to) {
        if (from != VmStatus.UP && from != VmStatus.MIGRATING_FROM && to == VmStatus.UP) {
            verdict.commandSucceeded(InFlight.RUN);
        }
    }

    /**
     * A VM that was handed over to a host that could not be asked then is unknown there; one whose
     * source fell silent is waited for no more.
     */
    private static void migrationSucceeded(Verdict verdict, VmStatus from, VmStatus to) {
        boolean handedOver = from == VmStatus.MIGRATING_TO || from == VmStatus.UNKNOWN;
        if (handedOver && to.isRunningOrPaused()) {
            verdict.commandSucceeded(InFlight.MIGRATE);
        }
    }

    /**
     * A source that says anything else than that the VM migrates has no migration of it under way,
     * whatever it says: VDSM reports a migration before everything but a pause. A command that went
     * on waiting through a status in which no guest code runs would wait in vain.
     */
    private static void migrationFailed(Verdict verdict, VmStatus from, VmStatus to) {
        if (from == VmStatus.MIGRATING_FROM
                && to != VmStatus.MIGRATING_FROM
                && to != VmStatus.PAUSED) {
            verdict.placement = verdict.placement.withMigratingTo(null);
            if (verdict.commands.inFlight() == InFlight.MIGRATE) {
                verdict.dropCommand();
                verdict.queue(WorkKind.RERUN_MIGRATION, "its migration failed");
            }
        }
    }

    /**
     * A VM runs on a host that no command asked to run it: what a command waits for comes to
     * nothing, and another host's word is not its success.
     */
    private static void runsElsewhere(Verdict verdict, VmStatus to) {
        if (!to.isMigrating() && to != VmStatus.WAIT_FOR_LAUNCH) {
            verdict.dropCommand();
        }
    }

    private static void stoppedResponding(Verdict verdict, VmStatus from, VmStatus to) {
        if (from != to && to == VmStatus.NOT_RESPONDING) {
            verdict.audit(AuditEvent.VM_NOT_RESPONDING);
        }
    }

    private static void paused(Verdict verdict, VmStatus from, VmRuntime seen) {
        if (seen.status() != VmStatus.PAUSED) {
            return;
        }
        if (from != VmStatus.PAUSED) {
            verdict.dropCommand();
            verdict.audit(AuditEvent.VM_PAUSED);
        }
        boolean newCause =
                from != VmStatus.PAUSED
                        || seen.pauseStatus() != verdict.known.runtime().pauseStatus();
        if (newCause) {
            causeOfPause(verdict, seen.pauseStatus());
        }
    }

    private static void causeOfPause(Verdict verdict, PauseStatus cause) {
        switch (cause) {
            case ENOSPC -> verdict.audit(AuditEvent.VM_PAUSED_ENOSPC);
            case EIO -> verdict.audit(AuditEvent.VM_PAUSED_EIO);
            case EPERM -> verdict.audit(AuditEvent.VM_PAUSED_EPERM);
            case EOTHER -> verdict.audit(AuditEvent.VM_PAUSED_ERROR);
            case NONE, NOERR, POSTCOPY -> {}
        }
    }

    private static boolean isError(PauseStatus cause) {
        return switch (cause) {
            case EOTHER, EIO, ENOSPC, EPERM -> true;
            case NONE, NOERR, POSTCOPY -> false;
        };
    }
}
