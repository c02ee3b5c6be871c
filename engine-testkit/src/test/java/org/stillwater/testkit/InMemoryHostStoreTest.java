package org.stillwater.testkit;

import org.stillwater.core.port.HostStore;

class InMemoryHostStoreTest extends HostStoreContract {

    @Override
    protected HostStore emptyHosts() {
        return new InMemoryHostStore();
    }
}
