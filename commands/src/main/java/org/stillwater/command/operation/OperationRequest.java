package org.stillwater.command.operation;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.VmId;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;

/**
 * Something that somebody wants done with a VM.
 *
 * @param vm the VM
 * @param kind what
 * @param parameters how
 * @param password for a console, what its user has to say: it is kept in memory, as long as the
 *     operation is under way, and told to nobody but the host; null for anything else
 */
public record OperationRequest(
        VmId vm, OperationKind kind, OperationParameters parameters, @Nullable String password) {

    /** Something that needs no password. */
    public OperationRequest(VmId vm, OperationKind kind, OperationParameters parameters) {
        this(vm, kind, parameters, null);
    }

    @Override
    public String toString() {
        return "OperationRequest[%s of %s, %s]".formatted(kind, vm, parameters);
    }
}
