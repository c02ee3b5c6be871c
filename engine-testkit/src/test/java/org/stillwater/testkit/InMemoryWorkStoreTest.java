package org.stillwater.testkit;

import org.stillwater.core.port.VmStore;

class InMemoryWorkStoreTest extends WorkStoreContract {

    @Override
    protected VmStore emptyVms() {
        return new InMemoryVmStore();
    }
}
