package org.stillwater.testkit.memory;

import java.util.Map;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.JobStore;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.contract.JobStoreContract;

class InMemoryJobStoreTest extends JobStoreContract {

    @Override
    protected JobStore emptyJobs(Map<VmId, VmStatus> vms) {
        return new InMemoryJobStore(vms::get);
    }
}
