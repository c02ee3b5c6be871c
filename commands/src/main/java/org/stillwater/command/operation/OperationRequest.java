package org.stillwater.command.operation;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;

/**
 * A request for an operation on a VM.
 *
 * @param vm the VM
 * @param kind the kind of operation
 * @param parameters its parameters
 * @param password the password of a console ticket: memory keeps it while the operation is under
 *     way, and only the host gets it; null for every other kind
 */
public record OperationRequest(
        VmId vm, OperationKind kind, OperationParameters parameters, @Nullable String password) {

    /** A request without a password. */
    public OperationRequest(VmId vm, OperationKind kind, OperationParameters parameters) {
        this(vm, kind, parameters, null);
    }

    @Override
    public String toString() {
        return "OperationRequest[%s of %s, %s]".formatted(kind, vm, parameters);
    }
}
