package org.stillwater.testkit.memory;

import org.stillwater.core.store.PoolStore;
import org.stillwater.core.store.VmStore;
import org.stillwater.testkit.contract.PoolStoreContract;

class InMemoryPoolStoreTest extends PoolStoreContract {

    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryPoolStore pools = new InMemoryPoolStore(vms);

    @Override
    protected VmStore emptyVms() {
        return vms;
    }

    @Override
    protected PoolStore pools() {
        return pools;
    }
}
