package org.stillwater.benchmarks.regressions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FleetTrialsTest {

    @Test
    void findingsNameTheObjectThatBecameSlowerAndNothingElse() {
        FleetTrials trials = new FleetTrials(30, 60, 4711);
        trials.run();

        Map<?, ?> levels = (Map<?, ?>) trials.figures().get("levels");
        assertThat(levels)
                .hasSize(5)
                .allSatisfy((level, figures) -> {
                    Map<?, ?> shares = (Map<?, ?>) figures;
                    assertThat(shares.get("trials")).isEqualTo(6);
                    assertThat((Integer) shares.get("objectRight"))
                            .as("%s", level)
                            .isGreaterThanOrEqualTo(5);
                });
        assertThat((Map<?, ?>) trials.figures().get("falseFindingsPer1000SeriesAndDay"))
                .hasSize(7)
                .allSatisfy((values, perDay) -> {
                    boolean changes = values.toString().matches(".*(levels|curve).*");
                    // One finding of 60 disks in three days is 5.6.
                    assertThat((Double) perDay)
                            .as("%s", values)
                            .isLessThanOrEqualTo(changes ? 40.0 : 6.0);
                });
        assertThat((List<?>) trials.figures().get("loneSteps"))
                .hasSize(12)
                .allSatisfy(cell -> {
                    Map<?, ?> delays = (Map<?, ?>) ((Map<?, ?>) cell).get("delayPoints");
                    assertThat(delays.get("steps")).isEqualTo(60);
                });
        assertThat(trials.describe())
                .contains("storage-domain", "per 1000 disks", "one disk alone");
    }
}
