package org.stillwater.testkit.memory;

import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.VmStore;
import org.stillwater.testkit.contract.DefinitionStoreContract;

class InMemoryDefinitionStoreTest extends DefinitionStoreContract {

    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryHostStore hosts = new InMemoryHostStore(vms);
    private final InMemoryDefinitionStore definitions = new InMemoryDefinitionStore(vms);

    @Override
    protected VmStore emptyVms() {
        return vms;
    }

    @Override
    protected HostStore hosts() {
        return hosts;
    }

    @Override
    protected DefinitionStore definitions() {
        return definitions;
    }
}
