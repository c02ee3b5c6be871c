package org.stillwater.monitoring.device;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.stillwater.core.analysis.DeviceAnalysis;
import org.stillwater.core.analysis.FoundSpecification;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DeviceUpdate;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmWithDevices;

/**
 * A VM to import.
 *
 * @param vm its first state
 * @param devices all its devices
 * @param digest of its definition
 */
record NewVm(StoredVm vm, DeviceUpdate devices, long digest) {

    /** Its rows. */
    VmWithDevices rows() {
        return new VmWithDevices(vm, devices.additions(), devices.hash(), devices.specification());
    }

    /** The same VM, with identities of its interfaces that no other VM has. */
    NewVm withOwnNics(Map<UUID, VmId> owners) {
        List<VmNic> reported = vm.definition().nics();
        List<VmNic> own = DeviceAnalysis.ownNics(vm.id(), List.of(), reported, owners);
        own.forEach(nic -> owners.putIfAbsent(nic.id(), vm.id()));
        return own.equals(reported)
                ? this
                : new NewVm(
                        new StoredVm(
                                vm.id(),
                                vm.definition().withNics(own),
                                vm.runtime(),
                                vm.placement()),
                        withNics(own),
                        digest);
    }

    /** The same devices, with these identities in the definition. */
    private DeviceUpdate withNics(List<VmNic> own) {
        VmSpecification specification = devices.specification();
        return new DeviceUpdate(
                devices.vmId(),
                devices.hash(),
                devices.updates(),
                devices.removals(),
                devices.additions(),
                devices.nics(),
                specification == null ? null : FoundSpecification.withNics(specification, own));
    }
}
