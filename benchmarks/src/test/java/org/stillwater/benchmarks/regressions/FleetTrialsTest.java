package org.stillwater.benchmarks.regressions;

import static org.assertj.core.api.Assertions.assertThat;

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
                .hasSize(4)
                .allSatisfy((_, perDay) ->
                        assertThat((Double) perDay).isLessThanOrEqualTo(6.0)); // one at most
        assertThat(trials.describe()).contains("storage-domain", "per 1000 series");
    }
}
