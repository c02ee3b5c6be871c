package org.stillwater.testkit;

import org.stillwater.core.store.ClusterStore;

class InMemoryClusterStoreTest extends ClusterStoreContract {

    @Override
    protected ClusterStore newClusters() {
        return new InMemoryClusterStore();
    }
}
