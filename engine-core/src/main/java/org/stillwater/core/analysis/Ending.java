package org.stillwater.core.analysis;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;

/**
 * How a VM stops: recorded values, cleared values and follow-up work (monitoring specification §4.6
 * "Clear", §4.11). Branches give the reason of the stop; this class draws the consequences.
 *
 * @param status whether it ended as it should
 * @param reason why it ended
 * @param message the host's or the engine's words, possibly empty
 */
record Ending(ExitStatus status, ExitReason reason, @Nullable String message) {

    /** Text for a VM after a recent order to destroy it. */
    static final Ending POWERED_OFF =
            new Ending(ExitStatus.NORMAL, ExitReason.SUCCESS, "It was powered off");

    /** The words for a VM that was about to stop anyway. */
    static final Ending STOPPED = new Ending(ExitStatus.NORMAL, ExitReason.SUCCESS, "");

    /** The words for a VM that is gone unexpectedly. */
    static final Ending NOT_FOUND =
            new Ending(
                    ExitStatus.ERROR,
                    ExitReason.GENERIC_ERROR,
                    "The VM was not found on its host any more");

    /** Text for a VM on a host that is known to have been off. */
    static final Ending HOST_FENCED =
            new Ending(
                    ExitStatus.ERROR, ExitReason.GENERIC_ERROR, "Its host was fenced or rebooted");

    /**
     * The words for a VM that moved and never arrived anywhere. How it ended is not known, nor that
     * it did, so it is no failure: a highly available VM that failed is started again, at the
     * latest when the engine starts.
     */
    static final Ending NOT_SEEN_AGAIN =
            new Ending(
                    ExitStatus.UNKNOWN,
                    ExitReason.UNKNOWN,
                    "The VM migrated away and was not seen on any host since");

    boolean isError() {
        return status == ExitStatus.ERROR;
    }

    Map<String, String> details() {
        return message == null || message.isEmpty() ? Map.of() : Map.of("exitMessage", message);
    }

    /** Ends the VM by its exit status: the general case. */
    void end(DecisionBuilder builder) {
        if (isError()) {
            endWithError(builder);
        } else {
            endNormally(builder);
        }
    }

    /** A VM failed: a start that waits for it is tried elsewhere, a highly available VM again. */
    void endWithError(DecisionBuilder builder) {
        endWithError(builder, AuditEvent.VM_DOWN_ERROR);
    }

    /** The same, recorded as this audit event. */
    void endWithError(DecisionBuilder builder, AuditEvent event) {
        builder.audit(event, details());
        if (builder.commands.inFlight() == InFlight.RUN) {
            // The start itself failed: the cleanup after a VM that ran would undo it.
            builder.by(VmRule.START_FAILED);
            builder.commands = builder.commands.dropped();
            goDown(builder);
            builder.queue(WorkKind.RERUN, "its start failed");
            return;
        }
        builder.by(
                builder.known.definition().highlyAvailable()
                        ? VmRule.FAILED_HIGHLY_AVAILABLE
                        : VmRule.FAILED);
        builder.dropCommand();
        goDown(builder);
        builder.queue(WorkKind.PROCESS_DOWN, "it failed");
        restartIfHighlyAvailable(builder);
    }

    /** A VM stopped as it should: listeners are notified before any state is dropped. */
    void endNormally(DecisionBuilder builder) {
        boolean toBeStarted =
                builder.commands.coldReboot() || reason == ExitReason.DESTROYED_ON_REBOOT;
        builder.by(
                toBeStarted
                        ? VmRule.COLD_REBOOT
                        : builder.commands.inFlight() == InFlight.RUN
                                ? VmRule.START_STOPPED
                                : VmRule.STOPPED);
        builder.audit(AuditEvent.VM_DOWN, details());
        builder.dropCommand();
        goDown(builder);
        builder.queue(WorkKind.PROCESS_DOWN, "it stopped");
        if (toBeStarted) {
            coldReboot(builder);
        }
    }

    /** A migration ended with the VM. */
    void abortMigration(DecisionBuilder builder) {
        builder.by(VmRule.MIGRATION_ABORTED);
        builder.audit(AuditEvent.VM_MIGRATION_ABORT, details());
        builder.dropCommand();
        goDown(builder);
        builder.queue(WorkKind.PROCESS_DOWN, "its migration was aborted");
        if (isError()) {
            restartIfHighlyAvailable(builder);
        }
    }

    /** The VM's memory is on disk, or was to be. */
    void suspend(DecisionBuilder builder) {
        builder.by(isError() ? VmRule.SUSPEND_FAILED : VmRule.SUSPENDED);
        if (isError()) {
            builder.audit(AuditEvent.USER_FAILED_SUSPEND_VM, details());
        } else {
            builder.audit(AuditEvent.USER_SUSPEND_VM_OK);
        }
        builder.dropCommand();
        stop(builder, VmStatus.SUSPENDED);
    }

    static void coldReboot(DecisionBuilder builder) {
        builder.audit(AuditEvent.COLD_REBOOT_VM_DOWN);
        builder.queue(WorkKind.COLD_REBOOT, "it is to be started with its next configuration");
    }

    private static void restartIfHighlyAvailable(DecisionBuilder builder) {
        if (builder.known.definition().highlyAvailable()) {
            builder.audit(AuditEvent.HA_VM_FAILED);
            builder.queue(WorkKind.HA_RESTART, "it is highly available and failed");
        }
    }

    /** Down, with this ending; jobs end with their VM. */
    void goDown(DecisionBuilder builder) {
        stop(builder, VmStatus.DOWN);
        builder.decide(new Decision.RemoveJobs(builder.known.id()));
    }

    /** Stops the VM. Orders of commands for this run do not apply to the next one. */
    private void stop(DecisionBuilder builder, VmStatus next) {
        builder.commands = builder.commands.ofNextRun();
        VmRuntime.Draft draft = builder.runtime.edit();
        for (RuntimeField field : RuntimeField.values()) {
            if (field.reset() != RuntimeField.Reset.NEVER) {
                draft.clear(field);
            }
        }
        builder.runtime =
                draft.set(RuntimeField.STATUS, next)
                        .set(RuntimeField.EXIT_STATUS, status)
                        .set(RuntimeField.EXIT_REASON, reason)
                        .set(RuntimeField.EXIT_MESSAGE, message)
                        .build();
        VmRun run = builder.placement.run();
        builder.placement =
                builder.placement
                        .withRunOn(null)
                        .withMigratingTo(null)
                        .withLastStop(builder.context.now())
                        .withRun(next == VmStatus.DOWN ? run.ended() : run.unobserved());
    }
}
