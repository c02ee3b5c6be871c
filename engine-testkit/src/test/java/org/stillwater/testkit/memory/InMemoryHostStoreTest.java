package org.stillwater.testkit.memory;

import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.VmStore;
import org.stillwater.testkit.contract.HostStoreContract;

class InMemoryHostStoreTest extends HostStoreContract {

    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryHostStore hosts = new InMemoryHostStore(vms);

    @Override
    protected HostStore emptyHosts() {
        return hosts;
    }

    @Override
    protected ClusterStore clusters() {
        return new InMemoryClusterStore(hosts::refersTo);
    }

    @Override
    protected VmStore vms() {
        return vms;
    }
}
