package org.stillwater.testkit;

import org.stillwater.core.store.VmStore;
import org.stillwater.testkit.contract.WorkStoreContract;
import org.stillwater.testkit.memory.InMemoryVmStore;

class InMemoryWorkStoreTest extends WorkStoreContract {

    @Override
    protected VmStore emptyVms() {
        return new InMemoryVmStore();
    }
}
