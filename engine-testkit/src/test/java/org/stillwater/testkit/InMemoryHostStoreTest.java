package org.stillwater.testkit;

import org.stillwater.core.port.ClusterStore;
import org.stillwater.core.port.HostStore;
import org.stillwater.core.port.VmStore;

class InMemoryHostStoreTest extends HostStoreContract {

    private final InMemoryVmStore vms = new InMemoryVmStore();

    @Override
    protected HostStore emptyHosts() {
        return new InMemoryHostStore(vms);
    }

    @Override
    protected ClusterStore clusters() {
        return new InMemoryClusterStore();
    }

    @Override
    protected VmStore vms() {
        return vms;
    }
}
