package org.stillwater.core.command;

import java.util.List;

/**
 * How an operation on a VM goes on.
 *
 * @param task what it is now
 * @param effects what is to be done, in this order
 */
public record VmStep(VmTask task, List<VmEffect> effects) {
    public VmStep {
        effects = List.copyOf(effects);
    }
}
