package org.stillwater.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.schedule.PlacementScene.hostId;
import static org.stillwater.core.schedule.PlacementScene.in;
import static org.stillwater.core.schedule.PlacementScene.vm;
import static org.stillwater.core.schedule.PlacementScene.vmId;
import static org.stillwater.core.schedule.PlacementScene.with;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;

/** Laws of every placement, over fleets by seed. */
class SchedulerLawsTest {

    private static final ClusterId OTHER = new ClusterId(new UUID(0, 2));

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void noHostPromisesMoreThanThePolicyAllows(long seed) {
        Fleet fleet = new Fleet(seed);
        Map<HostId, HostCandidate> after = after(fleet, fleet.place());

        for (HostCandidate before : fleet.hosts) {
            HostLoad load = after.get(before.id()).load();
            if (load.equals(before.load())) {
                continue;
            }
            long physical = before.offer().physicalMebibytes();
            assertThat(load.committedMebibytes() + load.pendingMebibytes())
                    .isLessThanOrEqualTo(
                            physical * fleet.policy.memoryOvercommitPercent() / 100
                                    - fleet.policy.reservedMebibytes());
            assertThat((double) load.committedCpus() + load.pendingCpus())
                    .isLessThanOrEqualTo(
                            before.offer().onlineCpus() * fleet.policy.cpuOvercommit());
            if (load.freeMebibytes() != null) {
                assertThat(load.pendingMebibytes()).isLessThanOrEqualTo(load.freeMebibytes());
            }
            assertThat(before.status()).isEqualTo(HostStatus.UP);
            assertThat(before.maintenance()).isFalse();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void enforcedGroupsAreKept(long seed) {
        Fleet fleet = new Fleet(seed);
        List<PlacementDecision> decisions = fleet.place();
        Map<HostId, HostCandidate> after = after(fleet, decisions);
        Map<VmId, HostId> placed = placed(decisions);

        for (AffinityGroup group : fleet.groups) {
            if (!group.enforcing()) {
                continue;
            }
            Set<HostId> together = new HashSet<>();
            placed.forEach((vm, host) -> {
                if (!group.members().contains(vm)) {
                    return;
                }
                together.add(host);
                Set<VmId> there = new HashSet<>(after.get(host).vms());
                there.retainAll(group.members());
                if (!group.positive()) {
                    assertThat(there).as("%s on %s", group, host).containsExactly(vm);
                }
            });
            if (group.positive() && !runsAnywhere(fleet, group)) {
                assertThat(together).as("hosts of %s", group).hasSizeLessThanOrEqualTo(1);
            }
        }
    }

    private static boolean runsAnywhere(Fleet fleet, AffinityGroup group) {
        return fleet.hosts.stream()
                .anyMatch(host -> !Collections.disjoint(host.vms(), group.members()));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theSameQuestionHasTheSameAnswer(long seed) {
        Fleet fleet = new Fleet(seed);
        List<PlacementDecision> once = fleet.place();
        Collections.shuffle(fleet.hosts, new Random(seed));

        assertThat(fleet.place()).isEqualTo(once);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aPassIsOneByOneInTheSameOrder(long seed) {
        Fleet fleet = new Fleet(seed);

        assertThat(
                        PlacementPass.of(
                                        fleet.sorted(),
                                        fleet.hosts,
                                        fleet.groups,
                                        fleet.policy,
                                        false)
                                .decisions())
                .isEqualTo(oneByOne(fleet));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aBatchIsNeverWorseThanOneByOne(long seed) {
        Fleet fleet = new Fleet(seed);
        Map<Integer, Integer> batch = placedByPriority(fleet, fleet.place());
        Map<Integer, Integer> single = placedByPriority(fleet, oneByOne(fleet));

        for (Map.Entry<Integer, Integer> level : single.entrySet()) { // the most urgent first
            int difference = batch.getOrDefault(level.getKey(), 0) - level.getValue();
            assertThat(difference).as("priority %d", level.getKey()).isNotNegative();
            if (difference > 0) {
                return;
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void everyHostIsExplainedOnce(long seed) {
        Fleet fleet = new Fleet(seed);
        Set<HostId> all = new HashSet<>();
        fleet.hosts.forEach(host -> all.add(host.id()));

        for (PlacementDecision decision : fleet.place()) {
            Explanation why = decision.explanation();
            int rejected = why.rejections().stream().mapToInt(Explanation.Rejection::hosts).sum();
            assertThat(why.fitting() + rejected).isEqualTo(why.hosts()).isEqualTo(all.size());
            assertThat(why.text()).hasSizeLessThanOrEqualTo(fleet.policy.longestExplanation());
            switch (decision) {
                case PlacementDecision.Placed placed -> {
                    assertThat(why.fitting()).isPositive();
                    assertThat(all).contains(placed.host());
                }
                case PlacementDecision.Nowhere _ -> {
                    List<HostId> named = new ArrayList<>();
                    why.rejections()
                            .forEach(rejection -> {
                                assertThat(rejection.named()).hasSize(rejection.hosts());
                                rejection.named().forEach(host -> named.add(host.id()));
                            });
                    assertThat(named).doesNotHaveDuplicates().hasSameSizeAs(all).isSubsetOf(all);
                }
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void noVmIsLeftWhileAHostWouldTakeIt(long seed) {
        Fleet fleet = new Fleet(seed);
        List<PlacementDecision> decisions = fleet.place();
        List<HostCandidate> after = List.copyOf(after(fleet, decisions).values());
        Map<VmId, HostId> placed = placed(decisions);

        for (PlacementRequest vm : fleet.requests) {
            boolean grouped =
                    fleet.groups.stream().anyMatch(group -> group.members().contains(vm.vm()));
            if (!placed.containsKey(vm.vm()) && !grouped) {
                assertThat(
                                Scheduler.place(List.of(vm), after, fleet.groups, fleet.policy)
                                        .getFirst())
                        .isInstanceOf(PlacementDecision.Nowhere.class);
            }
        }
    }

    private static List<PlacementDecision> oneByOne(Fleet fleet) {
        List<HostCandidate> hosts = new ArrayList<>(fleet.hosts);
        List<PlacementDecision> decisions = new ArrayList<>();
        for (PlacementRequest vm : fleet.sorted()) {
            PlacementDecision decision =
                    Scheduler.place(List.of(vm), hosts, fleet.groups, fleet.policy).getFirst();
            decisions.add(decision);
            if (decision instanceof PlacementDecision.Placed placed) {
                hosts.replaceAll(host -> host.id().equals(placed.host()) ? host.with(vm) : host);
            }
        }
        return decisions;
    }

    private static Map<VmId, HostId> placed(List<PlacementDecision> decisions) {
        Map<VmId, HostId> placed = new HashMap<>();
        for (PlacementDecision decision : decisions) {
            if (decision instanceof PlacementDecision.Placed there) {
                placed.put(there.vm(), there.host());
            }
        }
        return placed;
    }

    private static Map<Integer, Integer> placedByPriority(
            Fleet fleet, List<PlacementDecision> decisions) {
        Map<VmId, HostId> placed = placed(decisions);
        Map<Integer, Integer> counts = new TreeMap<>(Comparator.reverseOrder());
        for (PlacementRequest vm : fleet.requests) {
            counts.merge(vm.priority(), placed.containsKey(vm.vm()) ? 1 : 0, Integer::sum);
        }
        return counts;
    }

    /** The hosts after the decisions, with their VMs on the way. */
    private static Map<HostId, HostCandidate> after(
            Fleet fleet, List<PlacementDecision> decisions) {
        Map<HostId, HostCandidate> hosts = new HashMap<>();
        fleet.hosts.forEach(host -> hosts.put(host.id(), host));
        Map<VmId, HostId> placed = placed(decisions);
        for (PlacementRequest vm : fleet.requests) {
            HostId host = placed.get(vm.vm());
            if (host != null) {
                hosts.computeIfPresent(host, (_, there) -> there.with(vm));
            }
        }
        return hosts;
    }

    /** Hosts and VMs by chance, tight enough that not all fit. */
    private static final class Fleet {

        private final Random random;
        private final List<HostCandidate> hosts = new ArrayList<>();
        private final List<PlacementRequest> requests = new ArrayList<>();
        private final List<AffinityGroup> groups = new ArrayList<>();
        private final SchedulingPolicy policy;

        Fleet(long seed) {
            random = new Random(seed * 7_919 + 13);
            policy =
                    SchedulingPolicy.DEFAULT
                            .with(any(List.of(Weighting.values())))
                            .promising(
                                    1 + random.nextInt(4),
                                    random.nextBoolean() ? 100 : 150,
                                    random.nextInt(300))
                            .explaining(100, 500);
            int hostCount = 1 + random.nextInt(8);
            int vmCount = 1 + random.nextInt(24);
            int runningCount = random.nextInt(10); // of the numbers after those to be placed
            List<List<Integer>> running = new ArrayList<>();
            for (int i = 0; i < hostCount; i++) {
                running.add(new ArrayList<>());
            }
            for (int i = 0; i < runningCount; i++) {
                running.get(random.nextInt(hostCount)).add(vmCount + i);
            }
            for (int i = 0; i < vmCount; i++) {
                PlacementRequest vm =
                        vm(i, 256 * random.nextInt(12), 1 + random.nextInt(4))
                                .withPriority(random.nextInt(3));
                if (random.nextInt(4) == 0) {
                    int from = random.nextInt(hostCount);
                    running.get(from).add(i);
                    vm = vm.leaving(hostId(from));
                }
                if (random.nextInt(6) == 0) {
                    vm = vm.excluding(Set.of(hostId(random.nextInt(hostCount))));
                }
                if (random.nextInt(8) == 0) {
                    vm = vm.pinnedTo(Set.of(hostId(1 + random.nextInt(hostCount)), hostId(0)));
                }
                requests.add(
                        random.nextInt(6) == 0
                                ? vm.preferring(hostId(random.nextInt(hostCount)))
                                : vm);
            }
            for (int i = 0; i < hostCount; i++) {
                hosts.add(host(i, running.get(i)));
            }
            int groupCount = random.nextInt(5);
            for (int i = 0; i < groupCount; i++) {
                Set<VmId> members = new HashSet<>();
                for (int n = 2 + random.nextInt(3); n > 0; n--) {
                    members.add(vmId(random.nextInt(vmCount + runningCount)));
                }
                groups.add(
                        new AffinityGroup(
                                new UUID(3, i),
                                "g" + i,
                                random.nextInt(10) == 0 ? OTHER : ClusterId.DEFAULT,
                                random.nextBoolean(),
                                random.nextInt(3) > 0,
                                members));
            }
            groups.removeIf(group -> group.cluster().equals(OTHER) && group.enforcing());
        }

        private HostCandidate host(int number, List<Integer> running) {
            HostCandidate host =
                    PlacementScene.running(
                            PlacementScene.host(number, 2_048 + 512L * random.nextInt(10)),
                            running.stream().mapToInt(Integer::intValue).toArray());
            int committed = 256 * running.size();
            host =
                    with(
                            host,
                            new HostLoad(
                                    random.nextBoolean() ? null : 1_024L + random.nextInt(6_000),
                                    committed,
                                    random.nextInt(2) * 256L,
                                    running.size(),
                                    random.nextInt(2),
                                    running.size(),
                                    random.nextBoolean() ? null : random.nextInt(101)));
            if (random.nextInt(8) == 0) {
                host = with(host, any(List.of(HostStatus.values())));
            }
            return random.nextInt(8) == 0
                    ? in(
                            host,
                            random.nextBoolean() ? OTHER : ClusterId.DEFAULT,
                            random.nextBoolean())
                    : host;
        }

        private <T> T any(List<T> of) {
            return of.get(random.nextInt(of.size()));
        }

        List<PlacementDecision> place() {
            return Scheduler.place(requests, hosts, groups, policy);
        }

        /** The more urgent first. */
        List<PlacementRequest> sorted() {
            List<PlacementRequest> sorted = new ArrayList<>(requests);
            sorted.sort(Comparator.comparingInt(PlacementRequest::priority).reversed());
            return sorted;
        }
    }
}
