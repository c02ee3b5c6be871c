package org.stillwater.core.schedule;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.stillwater.core.id.VmId;

/**
 * Places VMs on hosts. A pure function: equal arguments give equal results in any order of the
 * hosts. Many threads may call it at once; each caller adds the placements of one call to the hosts
 * of the next.
 */
public final class Scheduler {

    private static final Comparator<PlacementRequest> URGENT_FIRST =
            Comparator.comparingInt(PlacementRequest::priority).reversed();

    private Scheduler() {}

    /**
     * Places VMs in one pass: the more urgent before the less urgent, those of one priority in the
     * given order. A VM's capacity is taken for all VMs after it.
     *
     * <p>VMs that an enforcing group binds together are placed together, at the turn of the most
     * urgent of them, on a host that takes all. Should that cost others their place, so that fewer
     * of the more urgent VMs are placed than if each was placed at its own turn, then each is.
     *
     * @param requests the VMs, each once
     * @param hosts the hosts, each once; those of other clusters do not matter, but are explained
     * @param groups affinity groups; those without a requested VM do not matter
     * @param policy how to choose
     * @return a decision for each VM, the more urgent first, then in the given order
     * @throws IllegalArgumentException if a VM or a host is given twice
     */
    public static List<PlacementDecision> place(
            List<PlacementRequest> requests,
            List<HostCandidate> hosts,
            List<AffinityGroup> groups,
            SchedulingPolicy policy) {
        Set<VmId> seen = new HashSet<>();
        for (PlacementRequest request : requests) {
            if (!seen.add(request.vm())) {
                throw new IllegalArgumentException("the VM " + request.vm() + " is there twice");
            }
        }
        List<PlacementRequest> sorted = new ArrayList<>(requests);
        sorted.sort(URGENT_FIRST); // stable
        PlacementPass together = PlacementPass.of(sorted, hosts, groups, policy, true);
        if (!together.hasBundled() || !hasNowhere(together.decisions())) {
            return together.decisions();
        }
        PlacementPass alone = PlacementPass.of(sorted, hosts, groups, policy, false);
        return isBetter(alone.decisions(), together.decisions(), sorted)
                ? alone.decisions()
                : together.decisions();
    }

    private static boolean hasNowhere(List<PlacementDecision> decisions) {
        return decisions.stream().anyMatch(PlacementDecision.Nowhere.class::isInstance);
    }

    /** Whether more VMs are placed of the highest priority in which the numbers differ. */
    private static boolean isBetter(
            List<PlacementDecision> one,
            List<PlacementDecision> other,
            List<PlacementRequest> requests) {
        int more = 0;
        for (int i = 0; i < requests.size(); i++) {
            boolean next = i > 0 && requests.get(i).priority() != requests.get(i - 1).priority();
            if (next && more != 0) {
                break;
            }
            more += placed(one.get(i)) - placed(other.get(i));
        }
        return more > 0;
    }

    private static int placed(PlacementDecision decision) {
        return switch (decision) {
            case PlacementDecision.Placed _ -> 1;
            case PlacementDecision.Nowhere _ -> 0;
        };
    }
}
