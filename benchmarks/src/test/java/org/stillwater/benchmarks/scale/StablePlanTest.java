package org.stillwater.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class StablePlanTest {

    @Test
    void aLargeFleetHasMoreTimeToBecomeKnown() {
        assertThat(plan(6_000, 1).intakePatience())
                .isEqualTo(Duration.ofMinutes(15).plusSeconds(12));
        assertThat(plan(1_000_000, 10_000).intakePatience())
                .isGreaterThan(Duration.ofMinutes(45))
                .isLessThan(Duration.ofHours(1));
    }

    @Test
    void aFleetOfManyHostsIsLookedAtLessOften() {
        assertThat(plan(100_000, 1_000).lookPause()).isEqualTo(Duration.ofMillis(500));
        assertThat(plan(1_000_000, 10_000).lookPause()).isEqualTo(Duration.ofSeconds(5));
    }

    private static StablePlan plan(int vms, int hosts) {
        return new StablePlan(
                vms,
                hosts,
                1,
                1,
                Duration.ofSeconds(15),
                true,
                StablePlan.ReportSize.FULL,
                0,
                Duration.ofSeconds(1),
                "1g",
                List.of(),
                List.of(),
                1,
                new StablePlan.Programs(Path.of("engine"), Path.of("simulator")),
                Path.of("folder"));
    }
}
