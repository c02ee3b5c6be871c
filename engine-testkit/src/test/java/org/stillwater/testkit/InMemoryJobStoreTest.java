package org.stillwater.testkit;

import java.util.Map;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.JobStore;

class InMemoryJobStoreTest extends JobStoreContract {

    @Override
    protected JobStore emptyJobs(Map<VmId, VmStatus> vms) {
        return new InMemoryJobStore(vms::get);
    }
}
