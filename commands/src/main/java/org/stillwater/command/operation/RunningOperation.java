package org.stillwater.command.operation;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.command.VmTask;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.store.DefinitionStore.Definition;

/**
 * The state of an open operation that only the {@link OperationRunner} needs. Used by the deciding
 * thread only.
 */
final class RunningOperation {
    VmTask task;
    int turn;
    boolean holds;

    /** Number of times that it began to hold its VM: each hold has its own time limit. */
    int hold;

    /** The last order that a host got for it; null before. */
    @Nullable VmOrder order;

    boolean loaded;
    @Nullable Definition definition;

    /** Origin of a request to cancel it on its host, once the host has accepted it. */
    Operation.@Nullable Origin callOff;

    long placingSinceNanos;

    RunningOperation(VmTask task) {
        this.task = task;
    }
}
