package org.stillwater.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.benchmarks.scale.ProfileCostRun.Cost;

class ProfileCostTest {

    @Test
    void theCostIsTheDifferenceOfTheMeansWithItsStandardError() {
        Cost cost = new Cost(List.of(0.051, 0.053), List.of(0.049, 0.051));
        assertThat(cost.percent()).isCloseTo(4.0, within(1e-9));
        assertThat(cost.error()).isCloseTo(100 * Math.sqrt(2e-6) / 0.05, within(1e-9));
        assertThat(cost.text())
                .contains("Profile on  0.05200 ms", "Profile off 0.05000 ms")
                .contains(
                        "It costs 4.00 % of the CPU, standard error 2.83 % (4 turns of 4 cycles)");
    }

    @Test
    void oneTurnShowsNoNoise() {
        assertThat(new Cost(List.of(1.0), List.of(1.0)).text()).contains("standard error - %");
    }
}
