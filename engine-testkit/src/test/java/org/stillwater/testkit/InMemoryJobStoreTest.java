package org.stillwater.testkit;

import java.util.Map;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.JobStore;
import org.stillwater.core.vm.VmStatus;

class InMemoryJobStoreTest extends JobStoreContract {

    @Override
    protected JobStore emptyJobs(Map<VmId, VmStatus> vms) {
        return new InMemoryJobStore(vms::get);
    }
}
