package org.stillwater.testkit;

import org.stillwater.core.port.HostStore;

class InMemoryHostWorkStoreTest extends HostWorkStoreContract {

    @Override
    protected HostStore emptyHosts() {
        return new InMemoryHostStore();
    }
}
