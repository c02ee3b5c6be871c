package org.stillwater.core.cadence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class CpuBudgetTest {

    private static final CadenceLimits LIMITS =
            new CadenceLimits(Duration.ofSeconds(5), Duration.ofSeconds(15), Duration.ofMinutes(2));
    private static final double NANOS_PER_VM = 30_000;
    private static final int VMS = 100;

    /** So many hosts that move. */
    private static List<HostDemand> restless(int hosts) {
        Pace pace =
                Cadence.next(
                        LIMITS,
                        Pace.begin(LIMITS),
                        new HostActivity(
                                new HostActivity.Polled(VMS, VMS, Duration.ofSeconds(15)),
                                null,
                                0,
                                false,
                                false,
                                null,
                                1));
        return Collections.nCopies(hosts, new HostDemand(VMS, pace));
    }

    private static double share(List<HostDemand> hosts, double stretch) {
        return hosts.stream().mapToDouble(host -> host.perSecond(LIMITS, stretch)).sum()
                * NANOS_PER_VM
                / 1e9;
    }

    @Test
    void aFleetWithinTheBudgetIsNotStretched() {
        assertThat(new CpuBudget(0.7).stretch(LIMITS, restless(1_000), NANOS_PER_VM, 0, 1)).isOne();
        assertThat(new CpuBudget(0).stretch(LIMITS, restless(100_000), NANOS_PER_VM, 0, 3)).isOne();
        assertThat(new CpuBudget(0.1).stretch(LIMITS, restless(1_000), 0, 0, 3)).isOne();
        assertThat(new CpuBudget(0.1).stretch(LIMITS, List.of(), NANOS_PER_VM, 0, 3)).isOne();
    }

    @Test
    void theStretchIsTheLeastThatFits() {
        List<HostDemand> hosts = restless(1_000);
        double stretch = new CpuBudget(0.2).stretch(LIMITS, hosts, NANOS_PER_VM, 0, 1);
        assertThat(stretch).isCloseTo(3, within(0.01));
        assertThat(share(hosts, stretch)).isCloseTo(0.2, within(0.001));
    }

    @Test
    void aSmallChangeOfCostsDoesNotMoveIt() {
        CpuBudget budget = new CpuBudget(0.2);
        List<HostDemand> hosts = restless(1_000);
        double stretch = budget.stretch(LIMITS, hosts, NANOS_PER_VM, 0, 1);
        assertThat(budget.stretch(LIMITS, hosts, NANOS_PER_VM * 1.03, 0, stretch))
                .isEqualTo(stretch);
        assertThat(budget.stretch(LIMITS, hosts, NANOS_PER_VM * 1.2, 0, stretch))
                .isGreaterThan(stretch);
        assertThat(budget.stretch(LIMITS, hosts, NANOS_PER_VM / 10, 0, stretch)).isOne();
    }

    @Test
    void pollsBesideTheIntervalsLeaveLess() {
        List<HostDemand> hosts = restless(1_000);
        double early = 0.1 * 1e9 / NANOS_PER_VM; // a tenth of a core
        assertThat(new CpuBudget(0.3).stretch(LIMITS, hosts, NANOS_PER_VM, early, 1))
                .isCloseTo(3, within(0.01));
        assertThat(new CpuBudget(0.05).stretch(LIMITS, hosts, NANOS_PER_VM, early, 1))
                .isEqualTo(24);
    }

    @Test
    void aFleetBeyondTheBudgetIsStretchedToTheLimit() {
        assertThat(new CpuBudget(0.001).stretch(LIMITS, restless(1_000), NANOS_PER_VM, 0, 1))
                .isEqualTo(24);
    }

    @Test
    void aViewedHostIsNotStretchedBeyondItsLimit() {
        Pace viewed =
                Cadence.next(
                        LIMITS,
                        restless(1).getFirst().pace(),
                        new HostActivity(null, null, 0, false, true, null, 1));
        assertThat(new HostDemand(12, viewed).perSecond(LIMITS, 24)).isEqualTo(1);
    }

    @Test
    void aShareIsNotNegative() {
        assertThatThrownBy(() -> new CpuBudget(-0.1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CpuBudget(Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
