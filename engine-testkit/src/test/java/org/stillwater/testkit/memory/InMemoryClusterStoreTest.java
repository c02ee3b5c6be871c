package org.stillwater.testkit.memory;

import org.stillwater.core.store.ClusterStore;
import org.stillwater.testkit.contract.ClusterStoreContract;

class InMemoryClusterStoreTest extends ClusterStoreContract {

    @Override
    protected ClusterStore newClusters() {
        return new InMemoryClusterStore();
    }
}
