package org.stillwater.testkit.memory;

import java.util.List;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.NumaStore;
import org.stillwater.testkit.contract.NumaStoreContract;

class InMemoryNumaStoreTest extends NumaStoreContract {

    private final InMemoryNumaStore store = new InMemoryNumaStore();

    @Override
    protected NumaStore emptyNuma(List<HostId> hosts) {
        return store;
    }

    @Override
    protected List<HostNumaNode> nodesOf(HostId host) {
        return store.nodes(host);
    }
}
