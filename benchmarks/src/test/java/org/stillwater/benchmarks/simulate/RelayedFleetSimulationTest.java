package org.stillwater.benchmarks.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.testkit.Tier;
import org.stillwater.testkit.simulation.FleetSimulation;
import org.stillwater.testkit.simulation.SimulationPlan;
import org.stillwater.testkit.simulation.Violation;

/**
 * The real engine on simulated fleets of which most polls come by way of a relay, and some
 * directly: every rule about VMs holds as it does without relays.
 */
class RelayedFleetSimulationTest {

    private static final int SEEDS = Tier.count(30, 1_000);

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void noOrderOfTheTwoWaysMakesTheEngineBreakARule() {
        List<String> violations = new ArrayList<>();
        RelayedConnections.Counts counts = new RelayedConnections.Counts();
        for (long seed = 1; seed <= SEEDS; seed++) {
            long choices = seed;
            try {
                FleetSimulation.run(
                        SimulationPlan.DEFAULT,
                        seed,
                        surroundings ->
                                new SimulatedMonitoring(
                                        surroundings,
                                        new RelayedConnections(
                                                surroundings.connector(), choices, counts)),
                        null);
            } catch (Violation violation) {
                violations.add(violation.getMessage());
            }
        }
        assertThat(violations).isEmpty();
        assertThat(counts.relayed).as("polls by way of a relay").isGreaterThan(10L * SEEDS);
        assertThat(counts.direct).as("polls that went directly").isGreaterThan(2L * SEEDS);
        assertThat(counts.lost).as("deltas that were lost").isGreaterThan(SEEDS);
        assertThat(counts.restarts).as("relays that started anew").isGreaterThan(SEEDS / 2L);
    }
}
