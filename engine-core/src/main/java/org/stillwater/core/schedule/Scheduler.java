package org.stillwater.core.schedule;

import java.util.List;

/** Places VMs on hosts. Pure and deterministic; may be called by many threads at once. */
public final class Scheduler {

    private Scheduler() {}

    /**
     * Places VMs in one pass: the more urgent before the less urgent, those of one priority in the
     * given order. What one takes of a host those after it find taken.
     *
     * @param requests the VMs, each once
     * @param hosts the hosts, each once
     * @param groups affinity groups; those without a requested VM do not matter
     * @param policy how to choose
     * @return a decision for each VM, in the order in which they were placed
     * @throws IllegalArgumentException if a VM or a host is there twice
     */
    public static List<PlacementDecision> place(
            List<PlacementRequest> requests,
            List<HostCandidate> hosts,
            List<AffinityGroup> groups,
            SchedulingPolicy policy) {
        if (requests.isEmpty()) {
            return List.of();
        }
        throw new UnsupportedOperationException("not built yet");
    }
}
