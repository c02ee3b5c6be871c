package org.stillwater.fake.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.stillwater.fake.world.SimulationClock;
import org.stillwater.fake.world.World;
import org.stillwater.fake.world.WorldSettings;

class SpontaneousEventsTest {

    @Test
    void aSmallDataCentreDoesNotDie() {
        World world = World.create(WorldSettings.of(7, 3, 5), SimulationClock.manual());
        SpontaneousEvents.begin(SpontaneousEvents.Pace.GENTLE, world);
        world.advance(Duration.ofMinutes(20));
        assertThat(world.vms()).hasSize(15);
        // No record of one that ended is taken away, so that none starts again. One more ends while
        // another shuts down.
        assertThat(world.vms().stream().filter(vm -> "Down".equals(vm.status())).count())
                .isBetween(1L, 4L);
    }

    @Test
    void aLonelyVmNeverEnds() {
        World world = World.create(WorldSettings.of(7, 1, 1), SimulationClock.manual());
        SpontaneousEvents.begin(SpontaneousEvents.Pace.GENTLE, world);
        world.advance(Duration.ofMinutes(20));
        assertThat(world.vms().getFirst().status()).isNotNull().isNotEqualTo("Down");
    }
}
