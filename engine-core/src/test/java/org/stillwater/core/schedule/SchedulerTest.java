package org.stillwater.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.stillwater.core.schedule.PlacementScene.POLICY;
import static org.stillwater.core.schedule.PlacementScene.group;
import static org.stillwater.core.schedule.PlacementScene.host;
import static org.stillwater.core.schedule.PlacementScene.hostId;
import static org.stillwater.core.schedule.PlacementScene.names;
import static org.stillwater.core.schedule.PlacementScene.running;
import static org.stillwater.core.schedule.PlacementScene.vm;
import static org.stillwater.core.schedule.PlacementScene.vmId;
import static org.stillwater.core.schedule.PlacementScene.with;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostStatus;

class SchedulerTest {

    @Test
    void nothingToDoIsDone() {
        assertThat(place(List.of(), List.of(host(1, 8192)))).isEmpty();
    }

    @Test
    void aVmWithoutHostsGetsTheReason() {
        assertThat(place(List.of(vm(1, 1024)), List.of()).getFirst().explanation().text())
                .isEqualTo("there is no host for v1");
    }

    @Test
    void theMoreUrgentComeFirstThenTheGivenOrder() {
        List<PlacementDecision> decisions =
                place(
                        List.of(
                                vm(1, 2048).withPriority(1),
                                vm(2, 2048).withPriority(50),
                                vm(3, 2048).withPriority(1),
                                vm(4, 2048).withPriority(100)),
                        List.of(host(1, 6144)));

        assertThat(decisions)
                .extracting(PlacementDecision::vm)
                .containsExactly(vmId(4), vmId(2), vmId(1), vmId(3));
        assertThat(names(decisions)).containsExactly("h1", "h1", "h1", "-");
    }

    @Test
    void vmsKnowOfEachOther() {
        List<PlacementRequest> vms = IntStream.range(0, 6).mapToObj(n -> vm(n, 1024)).toList();

        assertThat(names(place(vms, List.of(host(1, 8192), host(2, 8192), host(3, 8192)))))
                .containsExactly("h1", "h2", "h3", "h1", "h2", "h3");
    }

    @Test
    void aGroupThatIsStartedAtOnceIsKeptApart() {
        List<PlacementRequest> vms = List.of(vm(1, 1024), vm(2, 1024), vm(3, 1024));
        List<PlacementDecision> decisions =
                place(
                        vms,
                        List.of(host(1, 8192), host(2, 8192)),
                        group("db", false, true, 1, 2, 3));

        assertThat(names(decisions)).containsExactly("h1", "h2", "-");
        assertThat(decisions.getLast().explanation().text())
                .isEqualTo(
                        "v3 does not fit on any of 2 hosts: 2 against its affinity (h1: VMs of db"
                            + " must run on different hosts, and one of them runs here; h2: VMs of"
                            + " db must run on different hosts, and one of them runs here)");
    }

    @Test
    void aGroupThatIsStartedAtOnceGoesWhereAllOfItFits() {
        List<PlacementDecision> decisions =
                place(
                        List.of(vm(1, 2048), vm(2, 2048), vm(3, 2048)),
                        List.of(host(1, 4096), host(2, 8192)),
                        group("web", true, true, 1, 2, 3));

        assertThat(names(decisions)).containsExactly("h2", "h2", "h2");
        assertThat(decisions.getFirst().explanation().text())
                .isEqualTo(
                        "v1 is placed on h2, the only that fits (1 % CPU expected); of 2 hosts, 1"
                                + " too small for all VMs that belong together");
    }

    @Test
    void groupsThatShareAVmAreOne() {
        assertThat(
                        names(
                                place(
                                        List.of(vm(1, 2048), vm(2, 2048), vm(3, 2048)),
                                        List.of(host(1, 4096), host(2, 6144)),
                                        group("a", true, true, 1, 2),
                                        group("b", true, true, 2, 3))))
                .containsExactly("h2", "h2", "h2");
    }

    @Test
    void aGroupThatFitsNowhereAsAWholeStartsInPart() {
        assertThat(
                        names(
                                place(
                                        List.of(vm(1, 2048), vm(2, 2048), vm(3, 2048)),
                                        List.of(host(1, 4096), host(2, 4096)),
                                        group("web", true, true, 1, 2, 3))))
                .containsExactly("h1", "h1", "-");
    }

    @Test
    void aGroupJoinsItsVmsThatRunAlready() {
        assertThat(
                        names(
                                place(
                                        List.of(vm(1, 1024), vm(2, 1024)),
                                        List.of(host(1, 8192), running(host(2, 4096), 3)),
                                        group("web", true, true, 1, 2, 3))))
                .containsExactly("h2", "h2");
    }

    @Test
    void aGroupMovesTogether() {
        List<PlacementRequest> leaving =
                List.of(vm(1, 1024).leaving(hostId(1)), vm(2, 1024).leaving(hostId(1)));
        AffinityGroup web = group("web", true, true, 1, 2);
        HostCandidate left = running(host(1, 8192), 1, 2);

        assertThat(names(place(leaving, List.of(left, host(2, 1024), host(3, 2048)), web)))
                .containsExactly("h3", "h3");
        assertThat(names(place(leaving, List.of(left, host(2, 1024), host(3, 1024)), web)))
                .as("rather stays than parts")
                .containsExactly("-", "-");
    }

    @Test
    void aVmDoesNotLeaveTheOthersOfItsGroup() {
        assertThat(
                        names(
                                place(
                                        List.of(vm(1, 1024).leaving(hostId(1))),
                                        List.of(running(host(1, 8192), 1, 2), host(2, 8192)),
                                        group("web", true, true, 1, 2))))
                .containsExactly("-");
    }

    @Test
    void aVmThatIsAboutToLeaveIsStillThere() {
        assertThat(
                        names(
                                place(
                                        List.of(
                                                vm(1, 1024).leaving(hostId(1)),
                                                vm(2, 1024).leaving(hostId(2))),
                                        List.of(
                                                running(host(1, 8192), 1),
                                                running(host(2, 8192), 2)),
                                        group("db", false, true, 1, 2))))
                .containsExactly("-", "-");
    }

    @Test
    void aGroupDoesNotTakeThePlaceOfTheMoreUrgent() {
        List<PlacementRequest> vms =
                List.of(
                        vm(1, 2048).withPriority(9),
                        vm(3, 4096).withPriority(5),
                        vm(2, 2048).withPriority(1));

        assertThat(
                        names(
                                place(
                                        vms,
                                        List.of(host(1, 2048), host(2, 4096)),
                                        group("web", true, true, 1, 2))))
                .as("v3 needs the host that would take both of the group")
                .containsExactly("h1", "h2", "-");
        assertThat(
                        names(
                                place(
                                        vms.stream().map(vm -> vm.withPriority(1)).toList(),
                                        List.of(host(1, 2048), host(2, 4096)),
                                        group("web", true, true, 1, 2))))
                .as("as many are placed, and the group is whole")
                .containsExactly("h2", "-", "h2");
    }

    @Test
    void manyThatBelongTogetherAreNoDepthOfCalls() {
        int vms = 3_000;
        AffinityGroup[] chain =
                IntStream.range(1, vms)
                        .mapToObj(n -> group("g" + n, true, true, n - 1, n))
                        .toArray(AffinityGroup[]::new);

        assertThat(
                        names(
                                place(
                                        IntStream.range(0, vms).mapToObj(n -> vm(n, 0)).toList(),
                                        List.of(hugeHost(1), hugeHost(2)),
                                        chain)))
                .hasSize(vms)
                .containsOnly("h1");
    }

    @Test
    void theNearestAreNamedAndTheOthersCounted() {
        List<HostCandidate> hosts =
                IntStream.rangeClosed(1, 20)
                        .mapToObj(n ->
                                n > 15
                                        ? with(host(n, 8192), HostStatus.CONNECTING)
                                        : host(n, 100L * n))
                        .toList();

        Explanation why =
                Scheduler.place(List.of(vm(1, 4096)), hosts, List.of(), POLICY.explaining(2, 2_000))
                        .getFirst()
                        .explanation();

        assertThat(why.text())
                .isEqualTo(
                        "v1 does not fit on any of 20 hosts: 5 not up (h16: its status is"
                            + " connecting; h17: its status is connecting; and 3 more), 15 short of"
                            + " memory (h15: 4096 MiB needed, 1500 MiB left of 1500; h14: 4096 MiB"
                            + " needed, 1400 MiB left of 1400; and 13 more)");
        assertThat(why.hosts()).isEqualTo(20);
        assertThat(why.fitting()).isZero();
        assertThat(why.host()).isNull();
        assertThat(why.weights()).isEmpty();
        assertThat(why.rejections().getLast().named())
                .extracting(Explanation.RejectedHost::id)
                .containsExactly(hostId(15), hostId(14));
    }

    @Test
    void aTextIsNoLongerThanItMayBe() {
        List<HostCandidate> hosts = IntStream.range(0, 50).mapToObj(n -> host(n, 10)).toList();

        assertThat(
                        Scheduler.place(
                                        List.of(vm(1, 4096)),
                                        hosts,
                                        List.of(),
                                        POLICY.explaining(50, 120))
                                .getFirst()
                                .explanation()
                                .text())
                .hasSize(120)
                .endsWith("…");
    }

    @Test
    void namesAreOptional() {
        assertThat(
                        Scheduler.place(
                                        List.of(vm(1, 4096)),
                                        List.of(host(1, 10)),
                                        List.of(),
                                        POLICY.explaining(0, 200))
                                .getFirst()
                                .explanation()
                                .text())
                .isEqualTo("v1 does not fit on any of 1 host: 1 short of memory");
    }

    @Test
    void duplicatesAreRefused() {
        assertThatThrownBy(() -> place(List.of(vm(1, 1), vm(1, 2)), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("VM " + vmId(1));
        assertThatThrownBy(() -> place(List.of(), List.of(host(1, 1), host(2, 1), host(1, 2))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("host " + hostId(1));
    }

    private static HostCandidate hugeHost(int number) {
        return with(host(number, 0), new HostOffer(100_000, 1024, 0, Set.of(), Set.of(), Set.of()));
    }

    private static List<PlacementDecision> place(
            List<PlacementRequest> vms, List<HostCandidate> hosts, AffinityGroup... groups) {
        return Scheduler.place(vms, hosts, List.of(groups), POLICY);
    }
}
