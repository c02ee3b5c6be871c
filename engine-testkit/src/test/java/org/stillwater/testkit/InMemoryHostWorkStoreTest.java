package org.stillwater.testkit;

import org.stillwater.core.store.HostStore;
import org.stillwater.testkit.contract.HostWorkStoreContract;
import org.stillwater.testkit.memory.InMemoryHostStore;

class InMemoryHostWorkStoreTest extends HostWorkStoreContract {

    @Override
    protected HostStore emptyHosts() {
        return new InMemoryHostStore();
    }
}
