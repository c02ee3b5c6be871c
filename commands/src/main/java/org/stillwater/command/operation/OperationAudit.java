package org.stillwater.command.operation;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;

/** Audit events of operations, with oVirt's own event where oVirt's clients know one. */
public final class OperationAudit {

    private OperationAudit() {}

    /** The event of an operation that begins or ended; null for none. */
    static @Nullable AuditEvent of(Operation operation, boolean begins) {
        if (operation.host() != null) {
            return null; // their executor reports them with reasons
        }
        if (begins) {
            return switch (operation.kind()) {
                case MIGRATE -> AuditEvent.VM_MIGRATION_START;
                case RUN, ADD_VM, UPDATE_VM, CONSOLE_TICKET -> null;
                default -> AuditEvent.VM_OPERATION_ASKED;
            };
        }
        boolean done = operation.state() == OperationState.SUCCEEDED;
        if (!done && isAutomatic(operation)) {
            return null; // the queue of automatic starts reports it
        }
        return switch (operation.kind()) {
            case RUN -> done ? AuditEvent.USER_RUN_VM : AuditEvent.USER_FAILED_RUN_VM;
            case POWER_OFF -> done ? AuditEvent.USER_STOP_VM : AuditEvent.USER_FAILED_STOP_VM;
            case MIGRATE -> done ? AuditEvent.VM_MIGRATION_DONE : AuditEvent.VM_MIGRATION_FAILED;
            case ADD_VM -> done ? AuditEvent.USER_ADD_VM : AuditEvent.VM_OPERATION_FAILED;
            case UPDATE_VM -> done ? AuditEvent.USER_UPDATE_VM : AuditEvent.VM_OPERATION_FAILED;
            default -> done ? AuditEvent.VM_OPERATION_DONE : AuditEvent.VM_OPERATION_FAILED;
        };
    }

    /** Values of the text of an operation's event, with the correlation id of its requester. */
    public static Map<String, String> details(Operation operation, Map<String, String> values) {
        Map<String, String> all = new TreeMap<>(values);
        all.put(AuditEntry.CORRELATION, operation.origin().correlation());
        return all;
    }

    private static boolean isAutomatic(Operation operation) {
        return operation.kind() == OperationKind.RUN
                && operation.parameters() instanceof OperationParameters.Run run
                && run.cause() != OperationParameters.Cause.REQUEST;
    }
}
