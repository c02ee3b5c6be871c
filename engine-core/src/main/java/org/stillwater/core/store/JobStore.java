package org.stillwater.core.store;

import java.util.List;
import org.stillwater.core.vm.VmJob;
import org.stillwater.core.vm.VmStatus;

/** Durable jobs of VMs. Read at the engine's start, then written on change only. Thread-safe. */
public interface JobStore {

    /** Writes these jobs, only where they differ; one of a VM that does not exist is left out. */
    WriteOutcome save(List<VmJob> jobs);

    /** Deletes these jobs; one that does not exist counts as deleted. */
    WriteOutcome delete(List<VmJob.Key> jobs);

    /**
     * Every job.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<StoredJob> loadAll() throws StoreUnavailable;

    /**
     * A job as the database holds it.
     *
     * @param job the job
     * @param vmStatus status of its VM as saved last
     */
    record StoredJob(VmJob job, VmStatus vmStatus) {}
}
