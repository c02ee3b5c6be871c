package org.stillwater.core.command;

import java.util.List;

/**
 * How an operation on a VM goes on.
 *
 * @param task its new state
 * @param effects effects, in this order
 */
public record VmStep(VmTask task, List<VmEffect> effects) {
    public VmStep {
        effects = List.copyOf(effects);
    }
}
