package org.stillwater.core.store;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.definition.VmSpecification;

/**
 * A VM to add, with its first devices.
 *
 * @param vm its first state
 * @param devices all its devices
 * @param deviceHash the host's token for these devices; null for none, so that they are read again
 * @param specification its definition as its host reports it; null for a VM that has none
 */
public record VmWithDevices(
        StoredVm vm,
        List<VmDevice> devices,
        @Nullable String deviceHash,
        @Nullable VmSpecification specification) {

    /** A VM without a definition. */
    public VmWithDevices(StoredVm vm, List<VmDevice> devices, @Nullable String deviceHash) {
        this(vm, devices, deviceHash, null);
    }

    public VmWithDevices {
        devices = List.copyOf(devices);
    }
}
