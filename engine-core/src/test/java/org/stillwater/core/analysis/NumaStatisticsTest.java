package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.stillwater.core.report.NumaNodeStatistics;

class NumaStatisticsTest {

    private final NumaStatistics numa = new NumaStatistics();

    @Test
    void aNodesProcessorTimesAreTheMeanOfItsProcessors() {
        numa.processor(1, 10.004, 1, 89);
        numa.processor(0, 30, 10, 60);
        numa.processor(0, 51, 20.5, 28.5);
        numa.memory(0, 1024L, 75, Map.of(4, 5L));
        assertThat(numa.build())
                .containsExactly(
                        new NumaNodeStatistics(0, 1024L, 75, 40.5, 15.25, 44.25, 55, Map.of(4, 5L)),
                        new NumaNodeStatistics(1, null, null, 10.0, 1.0, 89.0, 11, Map.of()));
    }

    @Test
    void aProcessorThatLacksANumberDoesNotBendTheMean() {
        numa.processor(0, 30, 10, 60);
        numa.processor(0, Double.NaN, 10, 90);
        numa.processor(0, Double.POSITIVE_INFINITY, 10, 90);
        assertThat(numa.build())
                .containsExactly(
                        new NumaNodeStatistics(0, null, null, 30.0, 10.0, 60.0, 40, Map.of()));
    }

    @Test
    void aNodeWithoutProcessorsHasNoTimes() {
        numa.memory(2, null, 10, Map.of());
        assertThat(numa.build())
                .containsExactly(
                        new NumaNodeStatistics(2, null, 10, null, null, null, null, Map.of()));
        assertThat(new NumaStatistics().build()).isEmpty();
    }

    @Test
    void usageStaysWithinItsBounds() {
        numa.processor(0, 90, 30, 0);
        numa.processor(1, -5, 0, 105);
        assertThat(numa.build())
                .extracting(NumaNodeStatistics::cpuUsagePercent)
                .containsExactly(100, 0);
    }
}
