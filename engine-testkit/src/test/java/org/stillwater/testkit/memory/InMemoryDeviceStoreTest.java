package org.stillwater.testkit.memory;

import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DeviceStore;
import org.stillwater.core.store.VmStore;
import org.stillwater.testkit.contract.DeviceStoreContract;

class InMemoryDeviceStoreTest extends DeviceStoreContract {

    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryDeviceStore devices = new InMemoryDeviceStore(vms);

    @Override
    protected VmStore emptyVms() {
        return vms;
    }

    @Override
    protected DeviceStore devices() {
        return devices;
    }

    @Override
    protected long generationsSinceAdded(VmId vm) {
        return devices.generation(vm);
    }
}
