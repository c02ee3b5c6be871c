package org.stillwater.testkit;

import org.stillwater.core.store.VmStore;

class InMemoryWorkStoreTest extends WorkStoreContract {

    @Override
    protected VmStore emptyVms() {
        return new InMemoryVmStore();
    }
}
