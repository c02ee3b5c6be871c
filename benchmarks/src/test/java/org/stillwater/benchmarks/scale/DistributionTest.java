package org.stillwater.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DistributionTest {

    @Test
    void percentilesAreValuesThatWereMeasured() {
        double[] measured = IntStream.rangeClosed(1, 1000).mapToDouble(i -> 1001 - i).toArray();

        assertThat(Distribution.ofMillis(measured))
                .isEqualTo(new Distribution(1000, 500, 990, 1000));
    }

    @Test
    void oneMeasurementIsAllThreeOfThem() {
        assertThat(Distribution.ofMillis(new double[] {7})).isEqualTo(new Distribution(1, 7, 7, 7));
    }

    @Test
    void noMeasurementIsNoNumber() {
        assertThat(Distribution.ofMillis(new double[0])).isEqualTo(Distribution.NONE);
        assertThat(Distribution.NONE.p99()).isNaN();
    }
}
