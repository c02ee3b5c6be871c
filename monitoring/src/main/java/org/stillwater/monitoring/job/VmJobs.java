package org.stillwater.monitoring.job;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.JobAnalysis;
import org.stillwater.core.analysis.JobAnalysis.KnownJob;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmJobReport;
import org.stillwater.core.store.JobStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.VmJob;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.PendingRows;

/**
 * The jobs that the engine knows, by VM (monitoring specification §6.4). Complete: loaded at the
 * engine's start, then changed only by {@link #reported} and {@link #remove}. Without jobs there is
 * no work and no access to the database; while hosts report jobs, a VM without jobs costs one
 * look-up.
 *
 * <p>Thread-safe; does not block.
 */
public final class VmJobs {

    private static final Logger LOG = LoggerFactory.getLogger(VmJobs.class);

    private final JobStore store;
    private final MonitoringMeters meters;
    private final PendingRows<VmJob.Key, Change> pending;
    private final Map<VmId, List<KnownJob>> jobs = new ConcurrentHashMap<>();

    /** Change of one job to be saved. */
    private sealed interface Change {
        record Saved(VmJob job) implements Change {}

        record Ended(VmJob.Key key) implements Change {}
    }

    /** No jobs yet. */
    public VmJobs(JobStore store, BatchWriter writer, MonitoringMeters meters) {
        this.store = store;
        this.meters = meters;
        this.pending = new PendingRows<>(writer, this::save);
        meters.gauge(
                "stillwater.jobs",
                null,
                "Known jobs on VMs",
                this,
                it -> it.jobs.values().stream().mapToInt(List::size).sum());
    }

    /**
     * Loads the database's jobs at the engine's start, in place of those that a start that failed
     * had loaded. Jobs of VMs that are down or unknown ended unobserved.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    public void recover(Predicate<VmId> isKnown) throws StoreUnavailable {
        int dropped = 0;
        jobs.clear();
        for (JobStore.StoredJob stored : store.loadAll()) {
            VmJob job = stored.job();
            if (stored.vmStatus() == VmStatus.DOWN || !isKnown.test(job.vmId())) {
                pending.put(job.key(), new Change.Ended(job.key()));
                dropped++;
            } else {
                jobs.merge(job.vmId(), List.of(new KnownJob(job, null)), VmJobs::joined);
            }
        }
        if (dropped > 0) {
            LOG.info("jobs of stopped VMs dropped: {}", dropped);
        }
    }

    private static List<KnownJob> joined(List<KnownJob> known, List<KnownJob> more) {
        List<KnownJob> all = new ArrayList<>(known);
        all.addAll(more);
        return List.copyOf(all);
    }

    /** The jobs of a VM, oldest first. */
    public List<VmJob> of(VmId vm) {
        return jobs.getOrDefault(vm, List.of()).stream().map(KnownJob::job).toList();
    }

    /**
     * Applies the host's complete list of a VM's jobs. Under the VM's lock, so that a list does not
     * bring back the jobs of a VM that stopped.
     *
     * @param fetchedNanos the engine's monotonic clock at the request of the list
     */
    public void reported(VmId vm, List<VmJobReport> reported, long fetchedNanos) {
        if (!reported.isEmpty() || jobs.containsKey(vm)) {
            jobs.compute(
                    vm,
                    (_, known) ->
                            compare(vm, known == null ? List.of() : known, reported, fetchedNanos));
        }
    }

    private @Nullable List<KnownJob> compare(
            VmId vm, List<KnownJob> known, List<VmJobReport> reported, long fetchedNanos) {
        JobAnalysis.Outcome outcome = JobAnalysis.decide(vm, known, reported, fetchedNanos);
        for (VmJob job : outcome.found()) {
            LOG.info("vm={} job={} {} found", vm, job.id(), job.blockType());
            pending.put(job.key(), new Change.Saved(job));
        }
        outcome.updated().forEach(job -> pending.put(job.key(), new Change.Saved(job)));
        outcome.ended().forEach(id -> end(vm, id));
        meters.jobs(outcome.updated().size(), outcome.ended().size());
        return outcome.known().isEmpty() ? null : outcome.known();
    }

    private void end(VmId vm, UUID id) {
        LOG.info("vm={} job={} ended", vm, id);
        VmJob.Key key = new VmJob.Key(vm, id);
        pending.put(key, new Change.Ended(key));
    }

    /** The VM is down or gone, and so are its jobs. */
    public void remove(VmId vm) {
        if (jobs.isEmpty()) {
            return;
        }
        List<KnownJob> gone = jobs.remove(vm);
        if (gone != null) {
            gone.forEach(job -> end(vm, job.job().id()));
            meters.jobs(0, gone.size());
        }
    }

    private WriteOutcome save(List<Change> changes) {
        List<VmJob> saved = new ArrayList<>();
        List<VmJob.Key> ended = new ArrayList<>();
        for (Change change : changes) {
            switch (change) {
                case Change.Saved(VmJob job) -> saved.add(job);
                case Change.Ended(VmJob.Key key) -> ended.add(key);
            }
        }
        saved.sort(Comparator.comparing(VmJob::key));
        ended.sort(Comparator.naturalOrder());
        WriteOutcome save =
                saved.isEmpty() ? new WriteOutcome.Written(0, List.of()) : store.save(saved);
        if (ended.isEmpty() || !(save instanceof WriteOutcome.Written written)) {
            return save;
        }
        return switch (store.delete(ended)) {
            case WriteOutcome.Unavailable unavailable -> unavailable;
            case WriteOutcome.Written(int rows, List<WriteOutcome.Rejected> rejected, _, _) -> {
                List<WriteOutcome.Rejected> all = new ArrayList<>(written.rejected());
                all.addAll(rejected);
                yield new WriteOutcome.Written(written.rows() + rows, all);
            }
        };
    }
}
