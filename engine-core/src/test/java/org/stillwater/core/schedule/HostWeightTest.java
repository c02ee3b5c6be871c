package org.stillwater.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.stillwater.core.schedule.PlacementScene.POLICY;
import static org.stillwater.core.schedule.PlacementScene.busy;
import static org.stillwater.core.schedule.PlacementScene.group;
import static org.stillwater.core.schedule.PlacementScene.host;
import static org.stillwater.core.schedule.PlacementScene.hostId;
import static org.stillwater.core.schedule.PlacementScene.name;
import static org.stillwater.core.schedule.PlacementScene.names;
import static org.stillwater.core.schedule.PlacementScene.running;
import static org.stillwater.core.schedule.PlacementScene.vm;
import static org.stillwater.core.schedule.PlacementScene.with;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HostWeightTest {

    @Test
    void evenCpuTakesTheLeastBusy() {
        PlacementDecision decision =
                place(
                        Weighting.EVEN_CPU,
                        vm(1, 1024, 4),
                        List.of(),
                        with(host(1, 8192), busy(30)),
                        with(host(2, 8192), busy(12)),
                        with(host(3, 8192), busy(90)));

        assertThat(name(decision)).isEqualTo("h2");
        assertThat(decision.explanation().weights())
                .singleElement()
                .satisfies(weight -> {
                    assertThat(weight.name()).isEqualTo("cpu");
                    assertThat(weight.score()).isEqualTo(100 / 1.17, within(1e-9));
                    // 12 %, and four of 16 processors are expected to be busy by 20 %
                    assertThat(weight.reason()).isEqualTo("17 % CPU expected");
                });
    }

    @Test
    void evenCpuCountsArrivingVms() {
        HostLoad starting = new HostLoad(null, 0, 0, 0, 16, 16, 0);

        assertThat(
                        name(
                                place(
                                        Weighting.EVEN_CPU,
                                        vm(1, 1024),
                                        List.of(),
                                        with(host(1, 8192), starting),
                                        with(host(2, 8192), busy(19)))))
                .isEqualTo("h2");
    }

    @Test
    void evenCpuGuessesWhereNothingIsReported() {
        HostLoad silent = new HostLoad(null, 0, 0, 8, 0, 8, null);

        assertThat(
                        name(
                                place(
                                        Weighting.EVEN_CPU,
                                        vm(1, 1024),
                                        List.of(),
                                        with(host(1, 8192), silent), // 8 × 20 % of 16: 10 %
                                        with(host(2, 8192), busy(11)))))
                .isEqualTo("h1");
    }

    @Test
    void ofOverloadedHostsTheLeastLoadedIsStillTheBest() {
        HostLoad full = new HostLoad(null, 0, 0, 0, 80, 80, 100);
        HostLoad fuller = new HostLoad(null, 0, 0, 0, 90, 90, 100);

        assertThat(
                        name(
                                place(
                                        Weighting.EVEN_CPU,
                                        vm(1, 1024),
                                        List.of(),
                                        with(host(1, 8192), fuller),
                                        with(host(2, 8192), full))))
                .isEqualTo("h2");
    }

    @Test
    void evenMemoryTakesTheOneWithTheLargestShareLeft() {
        PlacementDecision decision =
                place(
                        Weighting.EVEN_MEMORY,
                        vm(1, 1024),
                        List.of(),
                        host(1, 4096),
                        with(host(2, 65_536), new HostLoad(null, 40_000, 0, 0, 0, 9, 0)));

        assertThat(name(decision)).isEqualTo("h1");
        assertThat(decision.explanation().weights())
                .containsExactly(
                        new Explanation.Weight("memory", 75, 1, "3072 of 4096 MiB stay free"));
    }

    @Test
    void powerSavingFillsTheFullestUpToALimit() {
        HostCandidate idle = with(host(1, 10_000), used(0));
        HostCandidate little = with(host(2, 10_000), used(1_500));
        HostCandidate half = with(host(3, 10_000), used(5_000));
        HostCandidate more = with(host(4, 10_000), used(6_900));
        HostCandidate limit = with(host(5, 10_000), used(7_001));
        HostCandidate full = with(host(6, 10_000), used(8_900));

        List<HostCandidate> best = List.of(more, half, little, idle, limit, full);
        for (int i = 0; i < best.size(); i++) {
            List<HostCandidate> left = best.subList(i, best.size());
            PlacementDecision decision =
                    Scheduler.place(
                                    List.of(vm(1, 1_000)),
                                    left,
                                    List.of(),
                                    POLICY.with(Weighting.POWER_SAVING))
                            .getFirst();
            assertThat(name(decision)).isEqualTo(best.get(i).name());
        }
    }

    @Test
    void powerSavingNeedsNoRangeBetweenItsLimits() {
        SchedulingPolicy narrow =
                new SchedulingPolicy(Weighting.POWER_SAVING, 10, 100, 0, 20, 80, 80, 2, 5, 2_000);

        assertThat(
                        Scheduler.place(
                                        List.of(vm(1, 8_000)),
                                        List.of(host(1, 10_000)),
                                        List.of(),
                                        narrow)
                                .getFirst()
                                .explanation()
                                .weights())
                .containsExactly(
                        new Explanation.Weight("power saving", 100, 1, "80 % full with it"));
    }

    @Test
    void withoutWeightingTheFirstThatFitsIsTaken() {
        List<PlacementRequest> vms = IntStream.range(0, 5).mapToObj(n -> vm(n, 1024)).toList();

        assertThat(
                        names(
                                Scheduler.place(
                                        vms,
                                        List.of(host(3, 8192), host(2, 2048), host(1, 2048)),
                                        List.of(),
                                        POLICY.with(Weighting.NONE))))
                .containsExactly("h1", "h1", "h2", "h2", "h3");
    }

    @Test
    void aWishComesBeforeEverythingElse() {
        PlacementDecision decision =
                place(
                        Weighting.EVEN_CPU,
                        vm(1, 1024).preferring(hostId(1)),
                        List.of(group("web", true, false, 1, 2)),
                        with(host(1, 8192), busy(100)),
                        running(with(host(2, 8192), busy(0)), 2));

        assertThat(name(decision)).isEqualTo("h1");
        assertThat(decision.explanation().weights())
                .extracting(Explanation.Weight::reason)
                .containsExactly("it is preferred", "0 of web with it", "101 % CPU expected");
    }

    @Test
    void anUnfulfilledWishIsReported() {
        PlacementDecision decision =
                place(
                        Weighting.NONE,
                        vm(1, 1024).preferring(hostId(1)),
                        List.of(),
                        host(1, 10),
                        host(2, 8192));

        assertThat(decision.explanation().text())
                .isEqualTo(
                        "v1 is placed on h2, the only that fits (the preferred one does not fit);"
                                + " of 2 hosts, 1 short of memory");
    }

    @Test
    void attractionCountsMoreThanBalance() {
        PlacementDecision decision =
                place(
                        Weighting.EVEN_CPU,
                        vm(1, 1024),
                        List.of(group("web", true, false, 1, 2, 3, 4)),
                        with(host(1, 8192), busy(0)),
                        running(with(host(2, 8192), busy(30)), 2, 3),
                        running(with(host(3, 8192), busy(0)), 4));

        assertThat(name(decision)).isEqualTo("h2");
        assertThat(decision.explanation().weights().getFirst().score())
                .isEqualTo(50 + 50 * 2 / 3.0, within(1e-9));
        assertThat(decision.explanation().text()).contains("2 of web with it");
    }

    @Test
    void repulsionTakesTheHostWithTheFewest() {
        AffinityGroup db = group("db", false, false, 1, 2, 3, 4);

        assertThat(
                        name(
                                place(
                                        Weighting.EVEN_CPU,
                                        vm(1, 1024),
                                        List.of(db),
                                        running(with(host(1, 8192), busy(0)), 2, 3),
                                        running(with(host(2, 8192), busy(10)), 4))))
                .isEqualTo("h2");
        assertThat(
                        place(
                                        Weighting.NONE,
                                        vm(1, 1024),
                                        List.of(db),
                                        running(host(1, 8192), 2, 3))
                                .explanation()
                                .text())
                .contains("2 of db in spite of it");
    }

    @Test
    void manyGroupsStayReadable() {
        List<AffinityGroup> groups =
                IntStream.range(0, 5).mapToObj(n -> group("g" + n, true, false, 1, 2)).toList();

        assertThat(
                        place(Weighting.NONE, vm(1, 1024), groups, running(host(1, 8192), 2))
                                .explanation()
                                .weights())
                .containsExactly(
                        new Explanation.Weight(
                                "affinity",
                                100,
                                2,
                                "1 of g0 with it, 1 of g1 with it, 1 of g2 with it and more"));
    }

    private static HostLoad used(int mebibytes) {
        return new HostLoad(null, mebibytes, 0, 0, 0, 0, 0);
    }

    private static PlacementDecision place(
            Weighting weighting,
            PlacementRequest vm,
            List<AffinityGroup> groups,
            HostCandidate... hosts) {
        return Scheduler.place(List.of(vm), List.of(hosts), groups, POLICY.with(weighting))
                .getFirst();
    }
}
