package org.stillwater.ovirt.action;

import org.stillwater.core.access.Role;
import org.stillwater.core.operation.Operation;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;

/**
 * Actions on jobs, which are operations. {@code end} takes one back as far as that is possible;
 * {@code clear} has nothing to do for one that has ended, because the engine forgets them by
 * itself.
 */
final class JobActions {

    private final Access access;
    private final Operations operations;

    JobActions(Access access, Operations operations) {
        this.access = access;
        this.operations = operations;
    }

    Outcome act(Change change, String id, String action) {
        Operation operation = operations.find(id);
        if (operation == null || !may(change, operation, Role.READER)) {
            throw Refused.notFound("Job", id);
        }
        if (!may(change, operation, Role.OPERATOR)) {
            throw Refused.forbidden();
        }
        if (action.equals("clear")) {
            if (!operation.isEnded()) {
                throw Refused.conflict("Cannot clear Job: it has not ended.");
            }
        } else {
            String refusal = operations.commands().cancel(operation.id(), change.origin());
            if (refusal != null) {
                throw Refused.conflict("Cannot end Job: " + Operations.sentence(refusal));
            }
        }
        return Operations.removed(change, operation.id().toString());
    }

    private boolean may(Change change, Operation operation, Role role) {
        if (change.caller().has(role)) {
            return true;
        }
        if (operation.vm() != null) {
            VmView vm = access.fleet().vm(operation.vm());
            return vm != null && change.caller().has(role, vm.id(), vm.definition().cluster());
        }
        HostView host = operation.host() == null ? null : access.fleet().host(operation.host());
        Role needed = role == Role.READER ? Role.READER : Role.ADMINISTRATOR;
        return host != null && change.caller().has(needed, host.state().definition().cluster());
    }
}
