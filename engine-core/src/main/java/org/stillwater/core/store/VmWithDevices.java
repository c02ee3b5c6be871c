package org.stillwater.core.store;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmDevice;

/**
 * A VM to add, with its first devices.
 *
 * @param vm its first state
 * @param devices all its devices
 * @param deviceHash the host's token for these devices; null for none, so that they are read again
 */
public record VmWithDevices(StoredVm vm, List<VmDevice> devices, @Nullable String deviceHash) {

    public VmWithDevices {
        devices = List.copyOf(devices);
    }
}
