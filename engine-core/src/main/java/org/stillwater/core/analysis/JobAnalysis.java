package org.stillwater.core.analysis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.VmJob;
import org.stillwater.core.report.VmJobReport;

/**
 * What a host's list of a VM's jobs means for the jobs that the engine knows (monitoring
 * specification §6.4). Pure.
 *
 * <p>The engine knows the jobs that commands started; a job that only the host knows is none of its
 * business. A list that was asked for before a job was started cannot contain it, so it says
 * nothing about that job. Times are compared by subtraction: a monotonic clock may be zero or
 * negative.
 */
public final class JobAnalysis {

    private JobAnalysis() {}

    /**
     * A job that the engine knows.
     *
     * @param job what was saved
     * @param startedNanos the engine's monotonic clock when the host confirmed its start; null for
     *     a job from an earlier life of the engine, which every report is later than
     */
    public record KnownJob(VmJob job, @Nullable Long startedNanos) {

        boolean isYoungerThan(long fetchedNanos) {
            return startedNanos != null && fetchedNanos - startedNanos <= 0;
        }

        KnownJob with(VmJob next) {
            return new KnownJob(next, startedNanos);
        }
    }

    /**
     * What follows.
     *
     * @param known the jobs of the VM from now on, each with the start time it had
     * @param updated jobs to be written
     * @param ended jobs to be deleted
     */
    public record Outcome(List<KnownJob> known, List<VmJob> updated, List<UUID> ended) {
        public Outcome {
            known = List.copyOf(known);
            updated = List.copyOf(updated);
            ended = List.copyOf(ended);
        }
    }

    /**
     * Decides.
     *
     * @param known jobs of one VM
     * @param reported the host's complete list of the VM's jobs
     * @param fetchedNanos the engine's monotonic clock when the list was asked for
     */
    public static Outcome decide(
            List<KnownJob> known, List<VmJobReport> reported, long fetchedNanos) {
        Map<UUID, VmJobReport> byId = HashMap.newHashMap(reported.size());
        reported.forEach(report -> byId.put(report.id(), report));
        List<KnownJob> next = new ArrayList<>(known.size());
        List<VmJob> updated = new ArrayList<>();
        List<UUID> ended = new ArrayList<>();
        for (KnownJob before : known) {
            VmJobReport report = byId.get(before.job().id());
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
        return new Outcome(next, updated, ended);
    }
}
