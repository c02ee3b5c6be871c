package org.stillwater.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.schedule.PlacementScene.POLICY;
import static org.stillwater.core.schedule.PlacementScene.group;
import static org.stillwater.core.schedule.PlacementScene.host;
import static org.stillwater.core.schedule.PlacementScene.hostId;
import static org.stillwater.core.schedule.PlacementScene.in;
import static org.stillwater.core.schedule.PlacementScene.name;
import static org.stillwater.core.schedule.PlacementScene.running;
import static org.stillwater.core.schedule.PlacementScene.vm;
import static org.stillwater.core.schedule.PlacementScene.with;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;

class HostFilterTest {

    @Test
    void filtersStandInTheOrderOfTheRules() {
        assertThat(HostFilter.all().stream().map(HostFilter::rule).toList())
                .containsExactlyElementsOf(
                        EnumSet.complementOf(EnumSet.of(PlacementRule.TOGETHER)));
    }

    @Test
    void aVmRunsOnTheHostsThatItIsPinnedToOnly() {
        PlacementRequest vm = vm(1, 1024).pinnedTo(Set.of(hostId(2)));

        assertRejected(
                place(vm, host(1, 4096)), PlacementRule.PINNED, "another host was requested");
        assertThat(name(place(vm, host(1, 8192), host(2, 4096)))).isEqualTo("h2");
    }

    @Test
    void aVmLeavesItsHost() {
        assertRejected(
                place(vm(1, 1024).leaving(hostId(1)), host(1, 4096)),
                PlacementRule.EXCLUDED,
                "the VM is to leave it");
    }

    @Test
    void aHostIsNotTriedTwice() {
        assertRejected(
                place(vm(1, 1024).excluding(Set.of(hostId(1))), host(1, 4096)),
                PlacementRule.EXCLUDED,
                "it was tried before");
    }

    @Test
    void aVmStaysInItsCluster() {
        assertRejected(
                place(vm(1, 1024), in(host(1, 4096), new ClusterId(new UUID(0, 2)), false)),
                PlacementRule.CLUSTER,
                "it is in another cluster");
    }

    @ParameterizedTest
    @EnumSource(value = HostStatus.class, mode = EnumSource.Mode.EXCLUDE, names = "UP")
    void onlyHostsThatAreUpGetVms(HostStatus status) {
        assertThat(place(vm(1, 1024), with(host(1, 4096), status)).explanation().rejections())
                .extracting(Explanation.Rejection::rule)
                .containsExactly(PlacementRule.STATUS);
    }

    @Test
    void aStatusIsNamed() {
        assertRejected(
                place(vm(1, 1024), with(host(1, 4096), HostStatus.NON_RESPONSIVE)),
                PlacementRule.STATUS,
                "its status is non responsive");
    }

    @Test
    void aHostThatIsWantedInMaintenanceGetsNone() {
        assertRejected(
                place(vm(1, 1024), in(host(1, 4096), ClusterId.DEFAULT, true)),
                PlacementRule.MAINTENANCE,
                "it is wanted in maintenance");
    }

    @Test
    void aHostEmulatesTheMachine() {
        PlacementRequest vm = needing("pc-q35-9.4", null, Set.of());

        assertRejected(
                place(vm, offering(Set.of(), Set.of("pc-q35-8.6"), Set.of())),
                PlacementRule.MACHINE,
                "it does not emulate pc-q35-9.4");
        assertThat(name(place(vm, offering(Set.of(), Set.of("pc-q35-9.4"), Set.of()))))
                .isEqualTo("h1");
    }

    @Test
    void aProcessorHasTheFlagsThatVmsCountOn() {
        ProcessorNeeds type = new ProcessorNeeds("Sea Lake", Set.of("avx2", "vmx", "nx"));
        PlacementRequest vm = needing(null, type, Set.of());

        assertRejected(
                place(vm, offering(Set.of(), Set.of(), Set.of("nx", "sse"))),
                PlacementRule.MACHINE,
                "for Sea Lake its processors lack avx2, vmx");
        assertThat(name(place(vm, offering(Set.of(), Set.of(), Set.of("nx", "vmx", "avx2")))))
                .isEqualTo("h1");
    }

    @Test
    void aHostIsAttachedToTheNetworks() {
        PlacementRequest vm = needing(null, null, Set.of("storage", "guests", "ovirtmgmt"));

        assertRejected(
                place(vm, offering(Set.of("ovirtmgmt"), Set.of(), Set.of())),
                PlacementRule.NETWORKS,
                "it is not attached to guests, storage");
    }

    @Test
    void aLongListOfNetworksStaysReadable() {
        Set<String> many =
                IntStream.range(10, 30).mapToObj(n -> "net" + n).collect(Collectors.toSet());

        assertRejected(
                place(needing(null, null, many), offering(Set.of("a"), Set.of(), Set.of())),
                PlacementRule.NETWORKS,
                "it is not attached to net10, net11, net12, net13, net14, net15, net16, net17,"
                        + " net18, net19 and 10 more");
    }

    @Test
    void missingDataNeverDisqualifiesAHost() {
        ProcessorNeeds type = new ProcessorNeeds("Sea Lake", Set.of("avx2"));

        assertThat(name(place(needing("q35", type, Set.of("guests")), host(1, 4096))))
                .isEqualTo("h1");
    }

    @Test
    void memoryThatIsNotKnownIsNotPromised() {
        assertRejected(
                place(vm(1, 0), host(1, 0)), PlacementRule.MEMORY, "its memory is not known yet");
    }

    @Test
    void memoryIsPromisedOnce() {
        HostLoad load = new HostLoad(null, 40_000, 20_000, 0, 0, 9, 0);

        assertRejected(
                place(vm(1, 8192), with(host(1, 65_536), load)),
                PlacementRule.MEMORY,
                "8192 MiB needed, 5536 MiB left of 65536");
        assertThat(name(place(vm(1, 5536), with(host(1, 65_536), load)))).isEqualTo("h1");
    }

    @Test
    void resourcesOfArrivingVmsAreNotFree() {
        HostLoad load = new HostLoad(10_000L, 0, 4_000, 0, 0, 1, 0);

        assertRejected(
                place(vm(1, 6_001), with(host(1, 65_536), load)),
                PlacementRule.MEMORY,
                "6001 MiB needed, 6000 MiB free of 65536");
        assertThat(name(place(vm(1, 6_000), with(host(1, 65_536), load)))).isEqualTo("h1");
    }

    @Test
    void aHostThatPromisedTooMuchHasNothingLeft() {
        HostLoad load = new HostLoad(null, 70_000, 0, 0, 0, 9, 0);

        assertRejected(
                place(vm(1, 0), with(host(1, 65_536), load)),
                PlacementRule.MEMORY,
                "0 MiB needed, 0 MiB left of 65536");
    }

    @Test
    void aPolicyMayPromiseMemoryTwiceAndKeepSomeBack() {
        SchedulingPolicy policy = POLICY.promising(10, 200, 1_000);
        HostCandidate host = host(1, 10_000);

        assertThat(name(place(vm(1, 19_000), host, policy))).isEqualTo("h1");
        assertRejected(
                place(vm(1, 19_001), host, policy),
                PlacementRule.MEMORY,
                "19001 MiB needed, 19000 MiB left of 19000");
    }

    @Test
    void aHostThatKeepsMoreBackThanThePolicyIsBelieved() {
        HostOffer offer = new HostOffer(16, 10_000, 3_000, Set.of(), Set.of(), Set.of());

        assertThat(name(place(vm(1, 7_001), with(host(1, 0), offer)))).isEqualTo("-");
        assertThat(name(place(vm(1, 7_000), with(host(1, 0), offer)))).isEqualTo("h1");
    }

    @Test
    void absurdMemoryDoesNotOverflow() {
        HostOffer offer = new HostOffer(16, Long.MAX_VALUE, 0, Set.of(), Set.of(), Set.of());

        assertThat(name(place(vm(1, Integer.MAX_VALUE), with(host(1, 0), offer)))).isEqualTo("h1");
    }

    @Test
    void aVmHasNoMoreCpusThanItsHost() {
        assertRejected(
                place(vm(1, 1024, 17), host(1, 4096)),
                PlacementRule.CPU,
                "17 CPUs needed, it has 16");
        assertThat(name(place(vm(1, 1024, 16), host(1, 4096)))).isEqualTo("h1");
    }

    @Test
    void processorsThatAreNotKnownAreNotPromised() {
        HostOffer offer = new HostOffer(0, 4096, 0, Set.of(), Set.of(), Set.of());

        assertRejected(
                place(vm(1, 1024), with(host(1, 0), offer)),
                PlacementRule.CPU,
                "its processors are not known yet");
    }

    @Test
    void aProcessorIsPromisedAsOftenAsThePolicyHasIt() {
        SchedulingPolicy policy = POLICY.promising(1.5, 100, 0);
        HostCandidate host = with(host(1, 4096), new HostLoad(null, 0, 0, 12, 8, 5, 0));

        assertThat(name(place(vm(1, 1024, 4), host, policy))).isEqualTo("h1");
        assertRejected(
                place(vm(1, 1024, 5), host, policy),
                PlacementRule.CPU,
                "5 CPUs needed, 4 left of 24 that may be promised");
    }

    @Test
    void aGroupKeepsItsVmsApart() {
        assertRejected(
                place(vm(1, 1024), group("db", false, true, 1, 2), running(host(1, 4096), 2)),
                PlacementRule.AFFINITY,
                "VMs of db must run on different hosts, and one of them runs here");
    }

    @Test
    void aGroupKeepsItsVmsTogether() {
        AffinityGroup web = group("web", true, true, 1, 2);

        assertThat(name(place(vm(1, 1024), web, host(1, 4096), running(host(2, 2048), 2))))
                .isEqualTo("h2");
        assertRejected(
                place(
                        vm(1, 1024).excluding(Set.of(hostId(2))),
                        web,
                        host(1, 4096),
                        running(host(2, 2048), 2)),
                PlacementRule.AFFINITY,
                "VMs of web must run on one host, and others run elsewhere");
    }

    @Test
    void aVmOnASilentHostBlocksNoOther() {
        assertThat(
                        name(
                                place(
                                        vm(1, 1024),
                                        group("web", true, true, 1, 2),
                                        host(1, 4096),
                                        with(
                                                running(host(2, 4096), 1, 2),
                                                HostStatus.NON_RESPONSIVE))))
                .isEqualTo("h1");
    }

    @Test
    void aVmDoesNotBindItself() {
        HostCandidate old = running(host(2, 4096), 1);

        assertThat(
                        name(
                                place(
                                        vm(1, 1024).leaving(hostId(2)),
                                        group("web", true, true, 1, 2),
                                        host(1, 4096),
                                        old)))
                .isEqualTo("h1");
        assertThat(name(place(vm(1, 1024), group("db", false, true, 1, 2), old))).isEqualTo("h2");
    }

    @Test
    void aGroupOfAnotherClusterHasNoEffect() {
        AffinityGroup other =
                new AffinityGroup(
                        new UUID(1, 1),
                        "other",
                        new ClusterId(new UUID(0, 2)),
                        false,
                        true,
                        PlacementScene.vmIds(1, 2));

        assertThat(name(place(vm(1, 1024), other, running(host(1, 4096), 2)))).isEqualTo("h1");
    }

    @Test
    void theFirstOfSeveralRulesIsReported() {
        HostCandidate host =
                with(in(host(1, 10), new ClusterId(new UUID(0, 2)), true), HostStatus.DOWN);

        assertThat(place(vm(1, 1024), host).explanation().rejections())
                .extracting(Explanation.Rejection::rule)
                .containsExactly(PlacementRule.CLUSTER);
        assertThat(place(vm(1, 1024).pinnedTo(Set.of(hostId(3))), host).explanation().rejections())
                .extracting(Explanation.Rejection::rule)
                .containsExactly(PlacementRule.PINNED);
    }

    private static void assertRejected(
            PlacementDecision decision, PlacementRule rule, String reason) {
        assertThat(decision).isInstanceOf(PlacementDecision.Nowhere.class);
        assertThat(decision.explanation().rejections())
                .filteredOn(rejection -> rejection.rule() == rule)
                .singleElement()
                .satisfies(rejection ->
                        assertThat(rejection.named())
                                .extracting(Explanation.RejectedHost::reason)
                                .containsOnly(reason));
    }

    private static PlacementDecision place(PlacementRequest vm, HostCandidate... hosts) {
        return Scheduler.place(List.of(vm), List.of(hosts), List.of(), POLICY).getFirst();
    }

    private static PlacementDecision place(
            PlacementRequest vm, HostCandidate host, SchedulingPolicy policy) {
        return Scheduler.place(List.of(vm), List.of(host), List.of(), policy).getFirst();
    }

    private static PlacementDecision place(
            PlacementRequest vm, AffinityGroup group, HostCandidate... hosts) {
        return Scheduler.place(List.of(vm), List.of(hosts), List.of(group), POLICY).getFirst();
    }

    private static HostCandidate offering(
            Set<String> networks, Set<String> machines, Set<String> flags) {
        return with(host(1, 0), new HostOffer(16, 4096, 0, networks, machines, flags));
    }

    private static PlacementRequest needing(
            @Nullable String machine, @Nullable ProcessorNeeds type, Set<String> networks) {
        PlacementRequest vm = vm(1, 1024);
        return new PlacementRequest(
                vm.vm(),
                vm.name(),
                vm.cluster(),
                vm.memoryMebibytes(),
                vm.cpus(),
                networks,
                machine,
                type,
                null,
                Set.of(),
                Set.of(),
                null,
                0);
    }
}
