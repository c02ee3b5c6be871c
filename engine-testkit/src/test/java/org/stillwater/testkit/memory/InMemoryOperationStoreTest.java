package org.stillwater.testkit.memory;

import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.VmStore;
import org.stillwater.testkit.contract.OperationStoreContract;

class InMemoryOperationStoreTest extends OperationStoreContract {

    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryHostStore hosts = new InMemoryHostStore(vms);
    private final InMemoryOperationStore operations = new InMemoryOperationStore(vms, hosts);

    @Override
    protected VmStore emptyVms() {
        return vms;
    }

    @Override
    protected HostStore hosts() {
        return hosts;
    }

    @Override
    protected OperationStore operations() {
        return operations;
    }
}
