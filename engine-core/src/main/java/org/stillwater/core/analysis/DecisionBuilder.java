package org.stillwater.core.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;

/**
 * Collects the outcome of one analysis of a VM: its next state and the decisions, in the order in
 * which the shell carries them out. It records decisions and makes none: each rule is in the branch
 * of the analysis that it belongs to. Not shared between analyses.
 */
final class DecisionBuilder {

    final KnownVm known;
    final AnalysisContext context;

    VmRuntime runtime;
    VmPlacement placement;
    VmCommands commands;
    private VmRule rule = VmRule.AS_REPORTED;
    private final List<Decision> decisions = new ArrayList<>(4);

    DecisionBuilder(KnownVm known, AnalysisContext context) {
        this.known = known;
        this.context = context;
        this.runtime = known.runtime();
        this.placement = known.placement();
        this.commands = known.commands();
    }

    VmStatus knownStatus() {
        return known.runtime().status();
    }

    HostId reporter() {
        return context.reporter();
    }

    /** The branch follows this rule; the last such rule applies, as the most specific one. */
    void by(VmRule decided) {
        rule = decided;
    }

    void destroy(HostId host, String why) {
        decisions.add(new Decision.DestroyOnHost(known.id(), host, why, false));
    }

    /** Removes something that has a process: the shell wants to be sure before it does. */
    void destroyProcess(HostId host, String why) {
        decisions.add(new Decision.DestroyOnHost(known.id(), host, why, true));
    }

    void audit(AuditEvent event) {
        audit(event, Map.of());
    }

    void audit(AuditEvent event, Map<String, String> details) {
        decisions.add(new Decision.Audit(known.id(), reporter(), event, details));
    }

    void queue(WorkKind kind, String why) {
        decisions.add(
                new Decision.Queue(
                        new PendingWork(
                                known.id(), kind, placement.run().generation(), reporter(), why)));
    }

    void tell(Decision.Signal signal) {
        decisions.add(new Decision.Tell(known.id(), reporter(), signal));
    }

    void decide(Decision decision) {
        decisions.add(decision);
    }

    void note(String what) {
        decisions.add(new Decision.NoteUnexpected(known.id(), what));
    }

    /** The waiting command, if any, has succeeded. */
    void commandSucceeded(InFlight which) {
        if (commands.inFlight() == which) {
            commands = commands.dropped();
            tell(
                    which == InFlight.RUN
                            ? Decision.Signal.RUN_SUCCEEDED
                            : Decision.Signal.MIGRATION_SUCCEEDED);
        }
    }

    /** The command that waits, if any, waits in vain. */
    void dropCommand() {
        if (commands.isWaitedFor()) {
            commands = commands.dropped();
            tell(Decision.Signal.COMMAND_DROPPED);
        }
    }

    /**
     * The VM's state is unknown: clears the fields that hold only for an observed VM (monitoring
     * specification §4.6, "not-running or Unknown").
     */
    void becomeUnknown() {
        VmRuntime.Draft draft = runtime.edit();
        for (RuntimeField field : RuntimeField.values()) {
            if (field.reset() == RuntimeField.Reset.WHEN_NOT_RUNNING_OR_UNKNOWN) {
                draft.clear(field);
            }
        }
        runtime = draft.set(RuntimeField.STATUS, VmStatus.UNKNOWN).build();
        placement = placement.withMigratingTo(null).withRun(placement.run().unobserved());
    }

    VmOutcome outcome() {
        RuntimeFields changed = runtime.differencesFrom(known.runtime());
        boolean moved = !placement.equals(known.placement());
        if (changed.isEmpty()
                && !moved
                && decisions.isEmpty()
                && commands.equals(known.commands())) {
            return VmOutcome.Quiet.QUIET;
        }
        return new VmOutcome.Change(
                changed.isEmpty() ? known.runtime() : runtime,
                moved ? placement : known.placement(),
                commands,
                changed,
                moved,
                decisions,
                rule);
    }
}
