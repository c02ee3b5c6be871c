package org.stillwater.testkit.memory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.JobStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.VmJob;
import org.stillwater.core.vm.VmStatus;

/** Jobs in memory, with the semantics of the database. Thread-safe. */
public final class InMemoryJobStore extends InMemoryStore implements JobStore {

    private final Map<VmJob.Key, VmJob> jobs = new LinkedHashMap<>();
    private final Function<VmId, @Nullable VmStatus> vms;

    /**
     * No jobs.
     *
     * @param vms saved status of a VM, null if there is no such VM
     */
    public InMemoryJobStore(Function<VmId, @Nullable VmStatus> vms) {
        this.vms = vms;
    }

    /** Inserts a job without counting it. */
    public synchronized void put(VmJob job) {
        jobs.put(job.key(), job);
    }

    /** The job as stored, of the first VM that has one of this identity, or null. */
    public synchronized @Nullable VmJob job(UUID id) {
        for (VmJob job : jobs.values()) {
            if (job.id().equals(id)) {
                return job;
            }
        }
        return null;
    }

    /** Number of jobs. */
    public synchronized int size() {
        return jobs.size();
    }

    @Override
    public synchronized WriteOutcome save(List<VmJob> changed) {
        WriteOutcome refusal = refusal();
        if (refusal != null) {
            return refusal;
        }
        int touched = 0;
        for (VmJob job : changed) {
            if (vms.apply(job.vmId()) != null && !job.equals(jobs.put(job.key(), job))) {
                touched++;
            }
        }
        return touched(touched);
    }

    @Override
    public synchronized WriteOutcome delete(List<VmJob.Key> gone) {
        WriteOutcome refusal = refusal();
        if (refusal != null) {
            return refusal;
        }
        int touched = 0;
        for (VmJob.Key key : gone) {
            touched += jobs.remove(key) == null ? 0 : 1;
        }
        return touched(touched);
    }

    @Override
    public synchronized List<StoredJob> loadAll() throws StoreUnavailable {
        reach();
        List<StoredJob> all = new ArrayList<>();
        for (VmJob job : jobs.values()) {
            VmStatus status = vms.apply(job.vmId());
            if (status != null) {
                all.add(new StoredJob(job, status));
            }
        }
        return all;
    }
}
