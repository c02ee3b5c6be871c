package org.stillwater.ovirt.action;

import java.util.UUID;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationParameters.DeviceType;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmView;

/**
 * Plugs interfaces and disks into VMs and out of them, in the statuses in which oVirt does. The
 * host of a VM that runs does so first; the definition follows once it has. Thread-safe.
 */
final class DevicePlugs {

    private final Operations operations;

    DevicePlugs(Operations operations) {
        this.operations = operations;
    }

    /** The definition of a VM, which the engine must define. */
    Definition defined(VmView vm, String verb) {
        Definition stored = operations.stored(vm.id());
        if (!DefinitionEdits.isDefined(stored)) {
            throw Refused.conflict(
                    "Cannot %s: the engine found the VM on its host and does not define it."
                            .formatted(verb));
        }
        return stored;
    }

    /** Whether the host has to plug a device, as the VM is now. */
    static boolean isOnHost(DeviceType type, VmView vm) {
        VmStatus status = vm.state().runtime().status();
        return status == VmStatus.UP
                || status
                        == switch (type) {
                            case INTERFACE -> VmStatus.POWERING_UP;
                            case DISK -> VmStatus.PAUSED;
                        };
    }

    /**
     * Has the host of a VM plug a device in or out, if the VM runs; returns once it has. The
     * definition is left unchanged.
     *
     * @param verb action that a refusal names, for example {@code activate Interface}
     * @throws Refused with 409 if the VM is neither down nor in a status in which its host does so,
     *     or its host refuses
     */
    void plug(Change change, VmView vm, DeviceType type, UUID device, boolean in, String verb) {
        VmStatus status = vm.state().runtime().status();
        if (!isOnHost(type, vm)) {
            boolean rests =
                    status == VmStatus.DOWN
                            || (type == DeviceType.INTERFACE
                                    && (status == VmStatus.POWERING_DOWN
                                            || status == VmStatus.IMAGE_LOCKED));
            if (!rests) {
                throw Refused.conflict("Cannot %s: the VM is %s.".formatted(verb, status.label()));
            }
            return;
        }
        Operation ended =
                operations.ended(
                        operations.begin(
                                new OperationRequest(
                                        vm.id(),
                                        in
                                                ? OperationKind.PLUG_DEVICE
                                                : OperationKind.UNPLUG_DEVICE,
                                        new OperationParameters.Device(type, device)),
                                change.origin(),
                                verb));
        operations.requireDone(ended, verb);
    }
}
