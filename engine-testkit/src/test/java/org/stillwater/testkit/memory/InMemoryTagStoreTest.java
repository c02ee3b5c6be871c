package org.stillwater.testkit.memory;

import java.util.List;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.TagStore;
import org.stillwater.testkit.contract.TagStoreContract;

class InMemoryTagStoreTest extends TagStoreContract {

    @Override
    protected TagStore empty(List<VmId> vms, List<HostId> hosts) {
        return new InMemoryTagStore();
    }
}
