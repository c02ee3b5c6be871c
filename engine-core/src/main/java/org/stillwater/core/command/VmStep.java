package org.stillwater.core.command;

import java.util.List;

/**
 * Next step of an operation on a VM.
 *
 * @param task its new state
 * @param effects effects, in this order
 */
public record VmStep(VmTask task, List<VmEffect> effects) {
    public VmStep {
        effects = List.copyOf(effects);
    }
}
