package org.stillwater.core.analysis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmJobReport;
import org.stillwater.core.vm.VmJob;

/**
 * Applies a host's list of a VM's jobs to the jobs that the engine knows (monitoring specification
 * §6.4). Pure.
 *
 * <p>A job that a host reports for the first time becomes known, if the report contains its type.
 * From then on each list updates it, and a list without it ends it. A list that the engine asked
 * for no later than the one that made the job known need not contain it and does not end that job.
 * Times are compared by subtraction: a monotonic clock may be zero or negative.
 */
public final class JobAnalysis {

    private JobAnalysis() {}

    /**
     * A job that the engine knows.
     *
     * @param job the saved job
     * @param sinceNanos the engine's monotonic clock when it requested the list that made the job
     *     known; null for a job from an earlier life of the engine, which every list is later than
     */
    public record KnownJob(VmJob job, @Nullable Long sinceNanos) {

        boolean isYoungerThan(long fetchedNanos) {
            return sinceNanos != null && fetchedNanos - sinceNanos <= 0;
        }

        KnownJob with(VmJob next) {
            return new KnownJob(next, sinceNanos);
        }
    }

    /**
     * Known jobs after the list, and their changes.
     *
     * @param known the jobs of the VM from now on, each with the time it had
     * @param found jobs that are new, to be written
     * @param updated jobs that changed, to be written
     * @param ended jobs to be deleted
     */
    public record Outcome(
            List<KnownJob> known, List<VmJob> found, List<VmJob> updated, List<UUID> ended) {
        public Outcome {
            known = List.copyOf(known);
            found = List.copyOf(found);
            updated = List.copyOf(updated);
            ended = List.copyOf(ended);
        }
    }

    /**
     * Decides.
     *
     * @param vmId the VM
     * @param known its jobs
     * @param reported the host's complete list of the VM's jobs
     * @param fetchedNanos the engine's monotonic clock when the list was requested
     */
    public static Outcome decide(
            VmId vmId, List<KnownJob> known, List<VmJobReport> reported, long fetchedNanos) {
        Map<UUID, VmJobReport> byId = LinkedHashMap.newLinkedHashMap(reported.size());
        reported.forEach(report -> byId.put(report.id(), report));
        List<KnownJob> next = new ArrayList<>(known.size());
        List<VmJob> found = new ArrayList<>();
        List<VmJob> updated = new ArrayList<>();
        List<UUID> ended = new ArrayList<>();
        for (KnownJob before : known) {
            VmJobReport report = byId.remove(before.job().id());
            if (before.isYoungerThan(fetchedNanos)) {
                next.add(before);
            } else if (report == null) {
                ended.add(before.job().id());
            } else {
                VmJob after = report.over(before.job());
                next.add(before.with(after));
                if (!after.equalsButForState(before.job())) {
                    updated.add(after);
                }
            }
        }
        for (VmJobReport report : byId.values()) {
            VmJob job = report.asNew(vmId);
            if (job != null) {
                next.add(new KnownJob(job, fetchedNanos));
                found.add(job);
            }
        }
        return new Outcome(next, found, updated, ended);
    }
}
