package org.stillwater.testkit.memory;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.DeviceStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.VmStore;
import org.stillwater.testkit.contract.DeviceStoreContract;

class InMemoryDeviceStoreTest extends DeviceStoreContract {

    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryDeviceStore devices = new InMemoryDeviceStore(vms);
    private final InMemoryDefinitionStore definitions = new InMemoryDefinitionStore(vms);

    @Override
    protected VmStore emptyVms() {
        return vms;
    }

    @Override
    protected DeviceStore devices() {
        return devices;
    }

    @Override
    protected @Nullable VmSpecification specification(VmId vm) throws StoreUnavailable {
        DefinitionStore.Definition stored = definitions.load(List.of(vm)).get(vm);
        return stored == null ? null : stored.specification();
    }

    @Override
    protected void define(VmId vm, VmSpecification specification) throws StoreUnavailable {
        DefinitionStore store = definitions;
        DefinitionStore.Definition stored = store.load(List.of(vm)).get(vm);
        boolean _ =
                store.update(
                        vm,
                        new DefinitionStore.Definition(
                                Objects.requireNonNull(stored).definition(),
                                specification,
                                0,
                                null,
                                null));
    }

    @Override
    protected long generationsSinceAdded(VmId vm) {
        return devices.generation(vm);
    }
}
