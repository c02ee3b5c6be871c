package org.stillwater.benchmarks.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.testkit.Tier;
import org.stillwater.testkit.simulation.SimulationPlan;
import org.stillwater.testkit.simulation.Violation;

/** The real adapter and engine on simulated pools; {@code simulate --xapi} replays any seed. */
class PoolHistoryTest {

    private static final int SEEDS = Tier.count(12, 200);

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void noHistoryMakesTheEngineBreakARule() {
        List<String> violations = new ArrayList<>();
        long faults = 0;
        long orders = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                PoolHistory.Result result = PoolHistory.run(SimulationPlan.DEFAULT, seed, null);
                faults += result.faults();
                orders += result.orders();
            } catch (Violation violation) {
                violations.add(
                        violation.getMessage()
                                + "\n"
                                + "  replay: ./stillwater simulate --trace --xapi --seeds 1 --from "
                                + seed);
            }
        }
        assertThat(violations).isEmpty();
        assertThat(faults).as("faults").isGreaterThan(8L * SEEDS);
        assertThat(orders).as("orders that the pool accepted").isGreaterThan(2L * SEEDS);
    }

    /**
     * A suspended VM was halted before the engine had taken note that it left its host, and stayed
     * suspended here.
     */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {118, 178, 214})
    void aHistoryThatBrokeARuleOnce(long seed) {
        PoolHistory.Result result = PoolHistory.run(SimulationPlan.DEFAULT, seed, null);

        assertThat(result.healed()).isLessThan(PoolHistory.BOUND);
    }

    @Test
    void theSameSeedGivesTheSameHistory() {
        for (long seed = 1; seed <= 2; seed++) {
            List<String> history = history(seed);
            assertThat(history).hasSizeGreaterThan(100).isEqualTo(history(seed));
        }
    }

    private static List<String> history(long seed) {
        List<String> lines = new ArrayList<>();
        PoolHistory.run(SimulationPlan.DEFAULT, seed, lines::add);
        return lines;
    }
}
