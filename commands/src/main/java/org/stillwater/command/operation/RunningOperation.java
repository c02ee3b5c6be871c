package org.stillwater.command.operation;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.port.DefinitionStore.Definition;

/**
 * What the deciding thread keeps of an operation beside what is in the book. Used by that thread
 * only.
 */
final class RunningOperation {
    VmTask task;
    int turn;
    boolean holds;

    /** How often it began to hold its VM: each hold has its own time. */
    int hold;

    boolean loaded;
    @Nullable Definition definition;

    /** Who wants its host to call it off, as soon as that has accepted it. */
    Operation.@Nullable Origin callOff;

    long placingSinceNanos;

    RunningOperation(VmTask task) {
        this.task = task;
    }
}
