package org.stillwater.testkit;

import org.stillwater.core.store.HostStore;

class InMemoryHostWorkStoreTest extends HostWorkStoreContract {

    @Override
    protected HostStore emptyHosts() {
        return new InMemoryHostStore();
    }
}
