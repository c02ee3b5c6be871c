package org.stillwater.core.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.schedule.PlacementScene.POLICY;
import static org.stillwater.core.schedule.PlacementScene.host;
import static org.stillwater.core.schedule.PlacementScene.vm;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The cost of a pass, counted. */
class PlacementCostTest {

    private static final int MANY = 1_000;

    @Test
    void aVmLooksAtAHostOnce() {
        PlacementPass pass = PlacementPass.of(vms(MANY), hosts(100, 0), List.of(), POLICY, true);

        assertThat(pass.decisions()).allMatch(PlacementDecision.Placed.class::isInstance);
        assertThat(pass.looks()).isEqualTo(MANY * 100L);
    }

    @Test
    void aVmThatFitsNowhereLooksTwice() {
        PlacementPass pass = PlacementPass.of(vms(MANY), hosts(0, 100), List.of(), POLICY, true);

        assertThat(pass.decisions()).allMatch(PlacementDecision.Nowhere.class::isInstance);
        assertThat(pass.looks()).isEqualTo(2 * MANY * 100L);
    }

    @Test
    void vmsThatBelongTogetherLookTwice() {
        AffinityGroup all =
                PlacementScene.group("all", true, true, IntStream.range(0, MANY).toArray());
        PlacementPass pass = PlacementPass.of(vms(MANY), hosts(100, 0), List.of(all), POLICY, true);

        assertThat(pass.hasBundled()).isTrue();
        assertThat(pass.looks()).isEqualTo(2 * MANY * 100L);
    }

    /** Any garbage for each would be at least 16 bytes for each of 990 hosts. */
    @Test
    void aHostThatIsRejectedLeavesNothingBehind() {
        long few = bytesPerVm(hosts(10, 0));
        long many = bytesPerVm(hosts(10, 990));

        assertThat(many - few).as("bytes per VM: %d and %d", few, many).isLessThan(1_000);
    }

    private static long bytesPerVm(List<HostCandidate> hosts) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 5; attempt++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            PlacementPass.of(vms(1), hosts, List.of(), POLICY, true);
            long between = threads.getCurrentThreadAllocatedBytes();
            PlacementPass.of(vms(MANY + 1), hosts, List.of(), POLICY, true);
            long after = threads.getCurrentThreadAllocatedBytes();
            least = Math.min(least, (after - between - (between - before)) / MANY);
        }
        return least;
    }

    private static List<PlacementRequest> vms(int count) {
        return IntStream.range(0, count).mapToObj(n -> vm(n, 64)).toList();
    }

    /** So many hosts on which everything fits, and so many on which nothing does. */
    private static List<HostCandidate> hosts(int large, int small) {
        List<HostCandidate> hosts = new ArrayList<>();
        for (int i = 0; i < large + small; i++) {
            HostOffer offer =
                    new HostOffer(1_000, i < large ? 1 << 20 : 32, 0, Set.of(), Set.of(), Set.of());
            hosts.add(PlacementScene.with(host(i, 0), offer));
        }
        return hosts;
    }
}
