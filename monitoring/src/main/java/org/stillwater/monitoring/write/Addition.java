package org.stillwater.monitoring.write;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.StoredDevices;
import org.stillwater.core.port.StoredVm;

/**
 * VMs to be added and device lists to be replaced.
 *
 * @param vms new VMs, possibly none
 * @param devices device lists, possibly none
 * @param done told once all is durable, with the VMs that the database refused; on the writer's
 *     thread, must not block
 */
public record Addition(List<StoredVm> vms, List<StoredDevices> devices, Consumer<Set<VmId>> done) {

    public Addition {
        vms = vms.stream().sorted(Comparator.comparing(StoredVm::id)).toList();
        devices = devices.stream().sorted(Comparator.comparing(StoredDevices::vmId)).toList();
    }
}
