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
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmJob;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.port.JobStore;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.WriteOutcome;
import org.stillwater.core.report.VmJobReport;
import org.stillwater.monitoring.observe.MonitoringMeters;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.PendingRows;

/**
 * The jobs that the engine knows, by VM (monitoring specification §6.4). Complete: loaded at the
 * engine's start, then changed only by {@link #register}, {@link #reported} and {@link #remove}. As
 * long as no command registers a job there is no work and no access to the database; a VM without
 * jobs costs one look-up, and its host's list of jobs is not even decoded.
 *
 * <p>Thread-safe; nothing here blocks but {@link #register}.
 */
public final class VmJobs {

    private static final Logger LOG = LoggerFactory.getLogger(VmJobs.class);

    private final JobStore store;
    private final EngineClock clock;
    private final MonitoringMeters meters;
    private final PendingRows<UUID, Change> pending;
    private final Map<VmId, List<KnownJob>> jobs = new ConcurrentHashMap<>();

    /** What is to be saved of one job. */
    private sealed interface Change {
        record Updated(VmJob job) implements Change {}

        record Ended(UUID id) implements Change {}
    }

    /** No jobs yet. */
    public VmJobs(JobStore store, BatchWriter writer, EngineClock clock, MonitoringMeters meters) {
        this.store = store;
        this.clock = clock;
        this.meters = meters;
        this.pending = new PendingRows<>(writer, this::save);
        meters.gauge(
                "stillwater.jobs",
                null,
                "Jobs on VMs that the engine knows",
                this,
                it -> it.jobs.values().stream().mapToInt(List::size).sum());
    }

    /**
     * Takes in what the database holds, at the engine's start. Jobs of VMs that are down, or not
     * known, ended while nobody looked.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    public void recover(Predicate<VmId> isKnown) throws StoreUnavailable {
        int dropped = 0;
        for (JobStore.StoredJob stored : store.loadAll()) {
            VmJob job = stored.job();
            if (stored.vmStatus() == VmStatus.DOWN || !isKnown.test(job.vmId())) {
                pending.put(job.id(), new Change.Ended(job.id()));
                dropped++;
            } else {
                keep(new KnownJob(job, null));
            }
        }
        if (dropped > 0) {
            LOG.info("jobs of stopped VMs dropped: {}", dropped);
        }
    }

    /**
     * Saves a job, then knows it. For a command, on its own thread and under the VM's lock, once
     * the host has confirmed that the job runs; it waits for the database. Reports that were asked
     * for before this call are known to say nothing about the job.
     *
     * @return false, knowing nothing, if the database has no such VM
     * @throws StoreUnavailable if the database cannot be written now
     */
    public boolean register(VmJob job) throws StoreUnavailable {
        long startedNanos = clock.nanoTime();
        pending.forget(job.id());
        if (!store.add(job)) {
            return false;
        }
        keep(new KnownJob(job, startedNanos));
        LOG.info("vm={} job={} {} registered", job.vmId(), job.id(), job.blockType());
        return true;
    }

    private void keep(KnownJob job) {
        jobs.compute(
                job.job().vmId(),
                (_, known) -> {
                    List<KnownJob> next = new ArrayList<>();
                    if (known != null) {
                        next.addAll(known);
                        next.removeIf(other -> other.job().id().equals(job.job().id()));
                    }
                    next.add(job);
                    return List.copyOf(next);
                });
    }

    /** Whether a VM has jobs, so that its host's list of them is worth decoding. */
    public boolean has(VmId vm) {
        return !jobs.isEmpty() && jobs.containsKey(vm);
    }

    /** The jobs of a VM, oldest first. */
    public List<VmJob> of(VmId vm) {
        return jobs.getOrDefault(vm, List.of()).stream().map(KnownJob::job).toList();
    }

    /**
     * Takes in the host's complete list of a VM's jobs.
     *
     * @param fetchedNanos the engine's monotonic clock when the list was asked for
     */
    public void reported(VmId vm, List<VmJobReport> reported, long fetchedNanos) {
        jobs.computeIfPresent(vm, (_, known) -> compare(vm, known, reported, fetchedNanos));
    }

    private @Nullable List<KnownJob> compare(
            VmId vm, List<KnownJob> known, List<VmJobReport> reported, long fetchedNanos) {
        JobAnalysis.Outcome outcome = JobAnalysis.decide(known, reported, fetchedNanos);
        outcome.updated().forEach(job -> pending.put(job.id(), new Change.Updated(job)));
        outcome.ended().forEach(id -> end(vm, id));
        meters.jobs(outcome.updated().size(), outcome.ended().size());
        return outcome.known().isEmpty() ? null : outcome.known();
    }

    private void end(VmId vm, UUID id) {
        LOG.info("vm={} job={} ended", vm, id);
        pending.put(id, new Change.Ended(id));
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
        List<VmJob> updated = new ArrayList<>();
        List<UUID> ended = new ArrayList<>();
        for (Change change : changes) {
            switch (change) {
                case Change.Updated(VmJob job) -> updated.add(job);
                case Change.Ended(UUID id) -> ended.add(id);
            }
        }
        updated.sort(Comparator.comparing(job -> VmId.of(job.id())));
        ended.sort(Comparator.comparing(VmId::of));
        WriteOutcome update =
                updated.isEmpty() ? new WriteOutcome.Written(0, List.of()) : store.update(updated);
        if (ended.isEmpty() || !(update instanceof WriteOutcome.Written written)) {
            return update;
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
