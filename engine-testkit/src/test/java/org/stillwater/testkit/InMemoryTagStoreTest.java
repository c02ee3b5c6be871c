package org.stillwater.testkit;

import java.util.List;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.TagStore;

class InMemoryTagStoreTest extends TagStoreContract {

    @Override
    protected TagStore empty(List<VmId> vms, List<HostId> hosts) {
        return new InMemoryTagStore();
    }
}
