package org.stillwater.core.analysis;

import java.util.List;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;

/** Outcome of one report about one known VM. */
public sealed interface VmOutcome {

    /** No change of state and no decision. */
    enum Quiet implements VmOutcome {
        /** The only one. */
        QUIET
    }

    /**
     * State changes, decisions, or both.
     *
     * @param runtime the next runtime; the known instance when no reported field changes
     * @param placement the next placement; the known instance when it does not change
     * @param commands commands under way on the VM from now on
     * @param changed the reported fields that change
     * @param placementChanged whether the placement changes
     * @param decisions the decisions, in order
     * @param rule the rule that decided
     */
    record Change(
            VmRuntime runtime,
            VmPlacement placement,
            VmCommands commands,
            RuntimeFields changed,
            boolean placementChanged,
            List<Decision> decisions,
            VmRule rule)
            implements VmOutcome {
        public Change {
            decisions = List.copyOf(decisions);
        }

        /** Whether it has changes to store or publish. */
        public boolean changesState() {
            return placementChanged || !changed.isEmpty();
        }
    }
}
