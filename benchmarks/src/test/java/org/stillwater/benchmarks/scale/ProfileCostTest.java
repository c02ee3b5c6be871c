package org.stillwater.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.benchmarks.scale.ProfileCostRun.Cost;
import org.stillwater.benchmarks.scale.ProfileCostRun.Pair;
import org.stillwater.benchmarks.scale.ProfileCostRun.Turn;

class ProfileCostTest {

    @Test
    void theCostIsTheMeanDifferenceOfThePairsWithItsStandardError() {
        Cost cost =
                new Cost(
                        List.of(
                                new Pair(turn(0.051, 0.010), turn(0.050, 0.010)),
                                new Pair(turn(0.153, 0.110), turn(0.150, 0.110))));
        assertThat(cost.percent()).isCloseTo(2.0, within(1e-9));
        assertThat(cost.error()).isCloseTo(1.0, within(1e-9));
        assertThat(cost.text())
                .contains("all                       0.10200    0.10000     2.00 (± 1.00)")
                .contains("garbage collector         0.06000    0.06000        0 (± 0)")
                .contains(
                        "It costs 2.00 % of the CPU, standard error 1.00 % (2 pairs of turns of 4"
                                + " cycles)");
    }

    @Test
    void onePairShowsNoNoise() {
        assertThat(new Cost(List.of(new Pair(turn(1, 0), turn(1, 0)))).text())
                .contains("standard error - %");
    }

    private static Turn turn(double total, double collector) {
        return new Turn(total, collector, 0.001, 0.002);
    }
}
