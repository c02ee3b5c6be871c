package org.stillwater.core.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/**
 * One pass over VMs and hosts. Used once, by one thread.
 *
 * <p>Each VM examines each host: with 1 000 of both, a million checks, which is little as long as
 * each is cheap. So results that do not change within a pass are computed once for all VMs with the
 * same requirements; the rest compares numbers. A rejected host is counted, and leaves no object
 * behind. Only if all are rejected, a second check names those that lack least.
 *
 * <p>VMs that must share a host are placed at the turn of the first of them, on a host that takes
 * all; if there is none, each at its own turn.
 *
 * <p>It is long because checks, scores and bundles of a pass share the sums that make it cheap.
 */
final class PlacementPass {

    private static final byte FITS = -1;

    private static final HostFilter[] FILTERS = HostFilter.all().toArray(HostFilter[]::new);

    /** Those of them that run once for all VMs with the same requirements. */
    private static final int[] FIXED =
            IntStream.range(0, FILTERS.length)
                    .filter(i -> FILTERS[i] instanceof HostFilter.Fixed)
                    .toArray();

    /** Stands behind the filters: hosts that would take the VM, but not all that go with it. */
    private static final int TOGETHER = FILTERS.length;

    private final HostCapacity[] rooms;
    private final List<RequestState> applicants = new ArrayList<>();
    private final List<PlacementDecision> decisions = new ArrayList<>();
    private final SchedulingPolicy policy;
    private boolean bundled;
    private long looks;

    private PlacementPass(
            List<PlacementRequest> requests,
            List<HostCandidate> hosts,
            List<AffinityGroup> groups,
            SchedulingPolicy policy) {
        this.policy = policy;
        rooms = rooms(hosts, policy);
        Fitness fitness = new Fitness();
        for (PlacementRequest request : requests) {
            applicants.add(new RequestState(request, applicants.size(), fitness.of(request)));
        }
        join(groups);
        List<HostWeight> weights = HostWeight.of(policy);
        for (RequestState vm : applicants) {
            vm.weights =
                    weights.stream()
                            .filter(weight -> weight.matters(vm))
                            .toArray(HostWeight[]::new);
            vm.filters =
                    IntStream.range(0, FILTERS.length)
                            .filter(i -> !(FILTERS[i] instanceof HostFilter.Fixed))
                            .filter(i -> FILTERS[i].matters(vm))
                            .toArray();
        }
    }

    /**
     * Places VMs.
     *
     * @param requests the VMs in the order in which they are placed, each once
     * @param hosts the hosts, each once
     * @param groups affinity groups
     * @param policy how to choose
     * @param together whether VMs that must share a host are checked together
     */
    static PlacementPass of(
            List<PlacementRequest> requests,
            List<HostCandidate> hosts,
            List<AffinityGroup> groups,
            SchedulingPolicy policy,
            boolean together) {
        PlacementPass pass = new PlacementPass(requests, hosts, groups, policy);
        pass.run(together ? pass.bundles() : Map.of());
        return pass;
    }

    /** A decision for each VM, in the order of the requests. */
    List<PlacementDecision> decisions() {
        return decisions;
    }

    /** Whether any VMs were placed together. */
    boolean hasBundled() {
        return bundled;
    }

    /** Number of checks of a VM against a host. */
    long looks() {
        return looks;
    }

    /**
     * The results of fixed filters: each filter checks each host once for all VMs with the same
     * requirements.
     */
    private final class Fitness {

        private final Map<List<Object>, BitSet> accepted = new HashMap<>();
        private final Map<List<BitSet>, byte[]> verdicts = new HashMap<>();

        /** For each host the first filter that rejects it, or {@link #FITS}. */
        byte[] of(PlacementRequest request) {
            RequestState any = new RequestState(request, 0, new byte[0]);
            List<BitSet> answers = new ArrayList<>(FIXED.length);
            for (int i : FIXED) {
                if (FILTERS[i] instanceof HostFilter.Fixed filter) {
                    answers.add(
                            accepted.computeIfAbsent(
                                    List.of(i, filter.decidedBy(request)),
                                    _ -> acceptedBy(filter, any)));
                }
            }
            return verdicts.computeIfAbsent(answers, this::verdict);
        }

        private BitSet acceptedBy(HostFilter filter, RequestState vm) {
            BitSet hosts = new BitSet(rooms.length);
            for (HostCapacity room : rooms) {
                hosts.set(room.index, filter.accepts(vm, room));
            }
            return hosts;
        }

        private byte[] verdict(List<BitSet> answers) {
            byte[] verdict = new byte[rooms.length];
            Arrays.fill(verdict, FITS);
            for (int i = FIXED.length - 1; i >= 0; i--) { // so that the first remains
                for (HostCapacity room : rooms) {
                    if (!answers.get(i).get(room.index)) {
                        verdict[room.index] = (byte) FIXED[i];
                    }
                }
            }
            return verdict;
        }
    }

    private static HostCapacity[] rooms(List<HostCandidate> hosts, SchedulingPolicy policy) {
        List<HostCandidate> sorted = new ArrayList<>(hosts);
        sorted.sort(Comparator.comparing(HostCandidate::id));
        HostCapacity[] rooms = new HostCapacity[sorted.size()];
        for (int i = 0; i < rooms.length; i++) {
            HostId id = sorted.get(i).id();
            if (i > 0 && id.equals(sorted.get(i - 1).id())) {
                throw new IllegalArgumentException("the host " + id + " is there twice");
            }
            rooms[i] = new HostCapacity(sorted.get(i), i, policy);
        }
        return rooms;
    }

    /** Passes the relevant groups to VMs and hosts. */
    private void join(List<AffinityGroup> groups) {
        if (groups.isEmpty()) {
            return;
        }
        Map<VmId, RequestState> byVm = new HashMap<>();
        for (RequestState vm : applicants) {
            byVm.put(vm.request.vm(), vm);
        }
        Map<VmId, List<GroupOccupancy>> byMember = new HashMap<>();
        for (AffinityGroup group : groups) {
            GroupOccupancy places = null;
            for (RequestState vm : requested(group, byVm)) {
                places = places == null ? new GroupOccupancy(group, rooms.length) : places;
                vm.groups.add(places);
            }
            if (places != null) {
                for (VmId member : group.members()) {
                    byMember.computeIfAbsent(member, _ -> new ArrayList<>(1)).add(places);
                }
            }
        }
        for (HostCapacity room : byMember.isEmpty() ? new HostCapacity[0] : rooms) {
            Set<VmId> there = room.host.vms();
            if (there.size() <= byMember.size()) {
                there.forEach(vm -> found(vm, room, byMember, byVm));
            } else {
                byMember.keySet().stream()
                        .filter(there::contains)
                        .forEach(vm -> found(vm, room, byMember, byVm));
            }
        }
    }

    /** Those of a group that are to be placed, in their order. */
    private List<RequestState> requested(AffinityGroup group, Map<VmId, RequestState> byVm) {
        List<RequestState> requested = new ArrayList<>();
        if (applicants.size() <= group.members().size()) {
            for (RequestState vm : applicants) {
                if (group.members().contains(vm.request.vm())) {
                    requested.add(vm);
                }
            }
        } else {
            for (VmId member : group.members()) {
                RequestState vm = byVm.get(member);
                if (vm != null) {
                    requested.add(vm);
                }
            }
        }
        requested.removeIf(vm -> !vm.request.cluster().equals(group.cluster()));
        return requested;
    }

    private static void found(
            VmId vm,
            HostCapacity room,
            Map<VmId, List<GroupOccupancy>> byMember,
            Map<VmId, RequestState> byVm) {
        List<GroupOccupancy> groups = byMember.get(vm);
        RequestState applicant = byVm.get(vm);
        if (groups == null) {
            return;
        }
        for (GroupOccupancy group : groups) {
            if (group.group.cluster().equals(room.host.cluster())) {
                group.add(room);
            }
        }
        if (applicant != null && applicant.request.cluster().equals(room.host.cluster())) {
            applicant.present.add(room);
        }
    }

    /** VMs that must share a host because enforcing groups connect them, by each of them. */
    private Map<RequestState, List<RequestState>> bundles() {
        Map<GroupOccupancy, List<RequestState>> byGroup = new LinkedHashMap<>();
        for (RequestState vm : applicants) {
            for (GroupOccupancy group : vm.groups) {
                if (group.group.positive() && group.group.enforcing()) {
                    byGroup.computeIfAbsent(group, _ -> new ArrayList<>()).add(vm);
                }
            }
        }
        Map<RequestState, List<RequestState>> bundles = new HashMap<>();
        for (RequestState vm : applicants) {
            if (!bundles.containsKey(vm)) {
                List<RequestState> bundle = connected(vm, byGroup);
                if (bundle.size() > 1) {
                    bundle.forEach(each -> bundles.put(each, bundle));
                }
            }
        }
        return bundles;
    }

    /** A VM and all that groups connect it with, in their order. */
    private static List<RequestState> connected(
            RequestState first, Map<GroupOccupancy, List<RequestState>> byGroup) {
        Set<RequestState> seen = new HashSet<>(Set.of(first));
        List<RequestState> connected = new ArrayList<>(List.of(first));
        for (int i = 0; i < connected.size(); i++) { // grows meanwhile
            for (GroupOccupancy group : connected.get(i).groups) {
                List<RequestState> members = byGroup.remove(group); // each group once
                for (RequestState vm : members == null ? List.<RequestState>of() : members) {
                    if (seen.add(vm)) {
                        connected.add(vm);
                    }
                }
            }
        }
        connected.sort(Comparator.comparingInt(vm -> vm.turn));
        return connected;
    }

    private void run(Map<RequestState, List<RequestState>> bundles) {
        PlacementDecision[] made = new PlacementDecision[applicants.size()];
        for (RequestState vm : applicants) {
            List<RequestState> bundle = bundles.get(vm);
            if (bundle != null && bundle.getFirst() == vm) {
                place(bundle, made);
            }
            if (made[vm.turn] == null) {
                made[vm.turn] = place(vm, null);
            }
        }
        decisions.addAll(List.of(made));
    }

    /** Places VMs on one host, or none of them if no host takes all. */
    private void place(List<RequestState> bundle, PlacementDecision[] made) {
        bundle.forEach(RequestState::withdraw);
        BitSet taking = new BitSet(rooms.length);
        for (HostCapacity room : rooms) {
            taking.set(room.index, takesAll(bundle, room));
        }
        if (taking.isEmpty()) {
            bundle.forEach(RequestState::stay);
            return;
        }
        bundled = true;
        for (RequestState vm : bundle) {
            PlacementDecision decision = place(vm, taking);
            made[vm.turn] = decision;
            if (decision instanceof PlacementDecision.Placed placed && vm == bundle.getFirst()) {
                taking = only(placed.host());
            }
        }
    }

    private BitSet only(HostId host) {
        BitSet only = new BitSet(rooms.length);
        for (HostCapacity room : rooms) {
            only.set(room.index, room.host.id().equals(host));
        }
        return only;
    }

    /** Whether a host takes one after the other; leaves everything unchanged. */
    private boolean takesAll(List<RequestState> bundle, HostCapacity room) {
        int taken = 0;
        while (taken < bundle.size() && rejecting(bundle.get(taken), room) == FITS) {
            bundle.get(taken).take(room);
            taken++;
        }
        for (int i = 0; i < taken; i++) {
            bundle.get(i).giveBack(room);
        }
        return taken == bundle.size();
    }

    /**
     * Places a VM on the best host.
     *
     * @param taking the hosts that take all that go with it, null if it goes alone
     */
    private PlacementDecision place(RequestState vm, @Nullable BitSet taking) {
        int[] rejected = new int[TOGETHER + 1];
        int fitting = 0;
        HostCapacity best = null;
        double bestScore = 0;
        for (HostCapacity room : rooms) {
            int rejecting = rejecting(vm, room);
            if (rejecting == FITS && taking != null && !taking.get(room.index)) {
                rejecting = TOGETHER;
            }
            if (rejecting != FITS) {
                rejected[rejecting]++;
                continue;
            }
            fitting++;
            double score = score(vm, room);
            if (best == null || score > bestScore) { // of equals the first, by id
                best = room;
                bestScore = score;
            }
        }
        if (best == null) {
            return new PlacementDecision.Nowhere(vm.request.vm(), whyNowhere(vm, rejected));
        }
        Explanation why = whyThere(vm, best, fitting, rejected);
        vm.take(best);
        return new PlacementDecision.Placed(vm.request.vm(), best.host.id(), why);
    }

    /** The filter that rejects a host, the first of them in the order of the rules. */
    private int rejecting(RequestState vm, HostCapacity room) {
        looks++;
        int fixed = vm.fixed[room.index];
        for (int filter : vm.filters) {
            if (fixed != FITS && filter > fixed) {
                break;
            }
            if (!FILTERS[filter].accepts(vm, room)) {
                return filter;
            }
        }
        return fixed;
    }

    private static double score(RequestState vm, HostCapacity room) {
        double sum = 0;
        for (HostWeight weight : vm.weights) {
            sum += weight.factor() * weight.score(vm, room);
        }
        return sum;
    }

    private Explanation whyThere(RequestState vm, HostCapacity room, int fitting, int[] rejected) {
        List<Explanation.Weight> why = new ArrayList<>(vm.weights.length);
        for (HostWeight weight : vm.weights) {
            why.add(
                    new Explanation.Weight(
                            weight.name(),
                            weight.score(vm, room),
                            weight.factor(),
                            weight.reason(vm, room)));
        }
        List<Explanation.Rejection> rejections = new ArrayList<>();
        for (int i = 0; i < rejected.length; i++) {
            if (rejected[i] > 0) {
                rejections.add(new Explanation.Rejection(rule(i), rejected[i], List.of()));
            }
        }
        return new Explanation(
                vm.request.name(),
                room.host.name(),
                rooms.length,
                fitting,
                why,
                rejections,
                policy.longestExplanation());
    }

    private static PlacementRule rule(int filter) {
        return filter == TOGETHER ? PlacementRule.TOGETHER : FILTERS[filter].rule();
    }

    private Explanation whyNowhere(RequestState vm, int[] rejected) {
        List<List<HostCapacity>> nearest = new ArrayList<>(FILTERS.length);
        for (HostFilter _ : FILTERS) {
            nearest.add(new ArrayList<>(0));
        }
        for (HostCapacity room : rooms) {
            int filter = rejecting(vm, room);
            remember(nearest.get(filter), FILTERS[filter], vm, room);
        }
        List<Explanation.Rejection> rejections = new ArrayList<>();
        for (int i = 0; i < FILTERS.length; i++) {
            HostFilter filter = FILTERS[i];
            if (rejected[i] > 0) {
                rejections.add(
                        new Explanation.Rejection(
                                filter.rule(),
                                rejected[i],
                                nearest.get(i).stream()
                                        .map(room -> named(filter, vm, room))
                                        .toList()));
            }
        }
        return new Explanation(
                vm.request.name(),
                null,
                rooms.length,
                0,
                List.of(),
                rejections,
                policy.longestExplanation());
    }

    /** Keeps a list of the hosts that lack least, of equals those with the lowest ids. */
    private void remember(
            List<HostCapacity> nearest, HostFilter filter, RequestState vm, HostCapacity room) {
        long lack = filter.lack(vm, room);
        int at = nearest.size();
        while (at > 0 && filter.lack(vm, nearest.get(at - 1)) > lack) {
            at--;
        }
        if (at < policy.namedHosts()) {
            nearest.add(at, room);
        }
        if (nearest.size() > policy.namedHosts()) {
            nearest.removeLast();
        }
    }

    private static Explanation.RejectedHost named(
            HostFilter filter, RequestState vm, HostCapacity room) {
        return new Explanation.RejectedHost(
                room.host.id(), room.host.name(), filter.reason(vm, room));
    }
}
