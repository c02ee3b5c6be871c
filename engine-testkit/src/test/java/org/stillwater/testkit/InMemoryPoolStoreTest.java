package org.stillwater.testkit;

import org.stillwater.core.store.PoolStore;
import org.stillwater.core.store.VmStore;

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
