package org.stillwater.core.analysis;

import java.util.Map;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;

/**
 * Consequences of a status change of a VM with a process (monitoring specification §2.4). The
 * host's view always wins, so every transition is allowed; each function is one row of that table
 * and does nothing when its row does not apply.
 */
final class Transitions {

    private Transitions() {}

    /** The rows for a VM that is where it should be, in the order of the table. */
    static void onItsHost(DecisionBuilder builder, VmRuntime seen) {
        VmStatus from = builder.knownStatus();
        VmStatus to = seen.status();
        restored(builder, from, to);
        poweringUp(builder, from, to);
        powerDownFailed(builder, from, to);
        recovered(builder, from, to);
        rebooted(builder, from, to);
        runSucceeded(builder, from, to);
        migrationSucceeded(builder, from, to);
        migrationFailed(builder, from, to);
        stoppedResponding(builder, from, to);
        paused(builder, from, seen);
    }

    /** The rows for a VM that turned up on another host. */
    static void onAnotherHost(DecisionBuilder builder, VmRuntime seen, boolean migratingHere) {
        VmStatus from = builder.knownStatus();
        VmStatus to = seen.status();
        if (migratingHere && to.isRunningOrPaused()) {
            builder.commandSucceeded(InFlight.MIGRATE);
        }
        boolean startedHere = builder.reporter().equals(builder.known.commands().startingOn());
        if (startedHere && to == VmStatus.UP) {
            builder.commandSucceeded(InFlight.RUN);
        }
        if (!migratingHere && !startedHere) {
            runsElsewhere(builder, to);
        }
        if (!HandOver.isAwaited(builder.known)) {
            restored(builder, from, to);
        }
        poweringUp(builder, from, to);
        rebooted(builder, from, to);
        stoppedResponding(builder, from, to);
        paused(builder, from, seen);
    }

    private static void restored(DecisionBuilder builder, VmStatus from, VmStatus to) {
        if (from == VmStatus.UNKNOWN && to != VmStatus.UNKNOWN) {
            builder.by(VmRule.RESTORED);
            builder.audit(AuditEvent.VM_STATUS_RESTORED, Map.of("status", to.label()));
            boolean stillUnderWay = to == VmStatus.WAIT_FOR_LAUNCH || to == VmStatus.MIGRATING_TO;
            if (!stillUnderWay && to != VmStatus.UP) {
                builder.dropCommand();
            }
        }
    }

    private static void poweringUp(DecisionBuilder builder, VmStatus from, VmStatus to) {
        if (from != to && (to == VmStatus.UP || to == VmStatus.POWERING_UP)) {
            builder.tell(Decision.Signal.POWERING_UP);
            if (from != VmStatus.UNKNOWN) {
                builder.by(to == VmStatus.UP ? VmRule.UP : VmRule.POWERING_UP);
            }
        }
    }

    private static void powerDownFailed(DecisionBuilder builder, VmStatus from, VmStatus to) {
        if (from == VmStatus.POWERING_DOWN && to == VmStatus.UP) {
            builder.by(VmRule.POWER_DOWN_FAILED);
            builder.audit(AuditEvent.VM_POWER_DOWN_FAILED);
        }
    }

    private static void recovered(DecisionBuilder builder, VmStatus from, VmStatus to) {
        if (from == VmStatus.PAUSED
                && to == VmStatus.UP
                && isError(builder.known.runtime().pauseStatus())) {
            builder.by(VmRule.RECOVERED);
            builder.audit(AuditEvent.VM_RECOVERED_FROM_PAUSE_ERROR);
        }
    }

    private static void rebooted(DecisionBuilder builder, VmStatus from, VmStatus to) {
        if (from != to && to == VmStatus.REBOOT_IN_PROGRESS) {
            builder.by(VmRule.REBOOTED);
            builder.tell(Decision.Signal.MEMORY_UNPLUG_FORGOTTEN);
            builder.audit(AuditEvent.USER_REBOOT_VM, Map.of("user", "Guest OS"));
        }
    }

    private static void runSucceeded(DecisionBuilder builder, VmStatus from, VmStatus to) {
        if (from != VmStatus.UP && from != VmStatus.MIGRATING_FROM && to == VmStatus.UP) {
            builder.commandSucceeded(InFlight.RUN);
        }
    }

    /**
     * A VM that was handed over to a host out of contact is unknown there; a VM with a silent
     * source is no longer waited for.
     */
    private static void migrationSucceeded(DecisionBuilder builder, VmStatus from, VmStatus to) {
        boolean handedOver = from == VmStatus.MIGRATING_TO || from == VmStatus.UNKNOWN;
        if (handedOver && to.isRunningOrPaused()) {
            if (from == VmStatus.MIGRATING_TO) {
                builder.by(to == VmStatus.PAUSED ? VmRule.ARRIVED_PAUSED : VmRule.ARRIVED);
            }
            builder.commandSucceeded(InFlight.MIGRATE);
        }
    }

    /**
     * A source that reports any other status than a migration has no migration of the VM under way:
     * VDSM reports a migration before every other status except a pause. A command that continued
     * to wait through a status in which no guest code runs would wait in vain.
     */
    private static void migrationFailed(DecisionBuilder builder, VmStatus from, VmStatus to) {
        if (from == VmStatus.MIGRATING_FROM
                && to != VmStatus.MIGRATING_FROM
                && to != VmStatus.PAUSED) {
            builder.by(VmRule.MIGRATION_FAILED);
            builder.placement = builder.placement.withMigratingTo(null);
            if (builder.commands.inFlight() == InFlight.MIGRATE) {
                builder.dropCommand();
                builder.queue(WorkKind.RERUN_MIGRATION, "its migration failed");
            }
        }
    }

    /**
     * A VM runs on a host without the order of a command: the event that a command waits for does
     * not come, and another host's report is not its success.
     */
    private static void runsElsewhere(DecisionBuilder builder, VmStatus to) {
        if (!to.isMigrating() && to != VmStatus.WAIT_FOR_LAUNCH) {
            builder.dropCommand();
        }
    }

    private static void stoppedResponding(DecisionBuilder builder, VmStatus from, VmStatus to) {
        if (from != to && to == VmStatus.NOT_RESPONDING) {
            builder.by(VmRule.NOT_RESPONDING);
            builder.audit(AuditEvent.VM_NOT_RESPONDING);
        }
    }

    private static void paused(DecisionBuilder builder, VmStatus from, VmRuntime seen) {
        if (seen.status() != VmStatus.PAUSED) {
            return;
        }
        if (from != VmStatus.PAUSED) {
            if (from != VmStatus.MIGRATING_TO && from != VmStatus.UNKNOWN) {
                builder.by(VmRule.PAUSED);
            }
            builder.dropCommand();
            builder.audit(AuditEvent.VM_PAUSED);
        }
        boolean newCause =
                from != VmStatus.PAUSED
                        || seen.pauseStatus() != builder.known.runtime().pauseStatus();
        if (newCause) {
            causeOfPause(builder, seen.pauseStatus());
        }
    }

    private static void causeOfPause(DecisionBuilder builder, PauseStatus cause) {
        switch (cause) {
            case ENOSPC -> builder.audit(AuditEvent.VM_PAUSED_ENOSPC);
            case EIO -> builder.audit(AuditEvent.VM_PAUSED_EIO);
            case EPERM -> builder.audit(AuditEvent.VM_PAUSED_EPERM);
            case EOTHER -> builder.audit(AuditEvent.VM_PAUSED_ERROR);
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
