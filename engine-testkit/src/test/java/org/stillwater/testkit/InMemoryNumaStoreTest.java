package org.stillwater.testkit;

import java.util.List;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.HostNumaNode;
import org.stillwater.core.port.NumaStore;

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
