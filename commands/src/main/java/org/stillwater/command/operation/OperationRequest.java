package org.stillwater.command.operation;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.store.DefinitionStore.Definition;

/**
 * A request for an operation on a VM.
 *
 * @param vm the VM
 * @param kind the kind of operation
 * @param parameters its parameters
 * @param password the password of a console ticket: memory keeps it while the operation is under
 *     way, and only the host gets it; null for every other kind
 * @param basis the definition that a change of the definition was made from: the request is refused
 *     if the VM has another one by now; null for a request that replaces any definition
 */
public record OperationRequest(
        VmId vm,
        OperationKind kind,
        OperationParameters parameters,
        @Nullable String password,
        @Nullable Definition basis) {

    /** A request without a password. */
    public OperationRequest(VmId vm, OperationKind kind, OperationParameters parameters) {
        this(vm, kind, parameters, null);
    }

    /** A request for a console ticket with this password, null for any other kind. */
    public OperationRequest(
            VmId vm,
            OperationKind kind,
            OperationParameters parameters,
            @Nullable String password) {
        this(vm, kind, parameters, password, null);
    }

    /**
     * A change of a VM's definition.
     *
     * @param basis the definition that it was made from
     */
    public static OperationRequest changing(
            VmId vm, OperationParameters.Definition next, Definition basis) {
        return new OperationRequest(vm, OperationKind.UPDATE_VM, next, null, basis);
    }

    @Override
    public String toString() {
        return "OperationRequest[%s of %s, %s]".formatted(kind, vm, parameters);
    }
}
