package org.stillwater.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.benchmarks.scale.BulkheadsRun.Phase;

class BulkheadsPlanTest {

    private static final Duration PHASE = Duration.ofSeconds(60);

    @Test
    void aSmallFleetHasOneHostOfEachKind() {
        assertThat(new BulkheadsPlan(fleet(1000, 20_000), 3, PHASE, 50, 1).hostsOfAKind())
                .isEqualTo(10);
        assertThat(new BulkheadsPlan(fleet(50, 1000), 1, PHASE, 5, 1).hostsOfAKind()).isOne();
    }

    @Test
    void immeasurablePlansAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BulkheadsPlan(fleet(50, 1000), 3, PHASE, 50, 1))
                .withMessageContaining("18000 events, 940 VMs on healthy hosts");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BulkheadsPlan(fleet(3, 300), 1, PHASE, 1, 1))
                .withMessageContaining("none would be left healthy");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new BulkheadsPlan(fleet(50, 1000), 1, Duration.ofSeconds(29), 1, 1))
                .withMessageContaining("two intervals");
    }

    @Test
    void theTableComparesTheMediansOfBothKindsOfPhases() {
        String table =
                BulkheadsRun.table(List.of(phase(false, 10), phase(true, 11), phase(false, 10)));
        assertThat(table).containsPattern("event p99, ms +10.00 +11.00 +1.100");
    }

    private static Phase phase(boolean sick, double millis) {
        Distribution one = Distribution.ofMillis(new double[] {millis});
        return new Phase(sick, one, one, 5);
    }

    private static StablePlan fleet(int hosts, int vms) {
        return new StablePlan(
                vms,
                hosts,
                1,
                0,
                Duration.ofSeconds(15),
                true,
                StablePlan.ReportSize.SMALL,
                1,
                PHASE,
                "1g",
                List.of(),
                List.of(),
                1,
                new StablePlan.Programs(Path.of("engine"), Path.of("fake")),
                Path.of("folder"));
    }
}
