package org.stillwater.core.port;

import java.util.List;
import org.stillwater.core.model.VmDevice;
import org.stillwater.core.model.VmId;

/**
 * The devices of one VM as the database holds them.
 *
 * @param vmId the VM
 * @param hash the host's token for this set of devices, empty when none was reported
 * @param devices the devices
 */
public record StoredDevices(VmId vmId, String hash, List<VmDevice> devices) {

    public StoredDevices {
        devices = List.copyOf(devices);
    }
}
