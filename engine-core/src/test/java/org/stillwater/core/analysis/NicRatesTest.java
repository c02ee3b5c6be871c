package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NicRatesTest {

    @ParameterizedTest(name = "{0} B in {1} s at {2} Mbit/s: {3} %")
    @CsvSource({
        "187500000, 15, 1000, 10",
        "187500000, 15, 100, 100",
        "187500000, 15, 10000, 1",
        "1875000000, 15, 1000, 100",
        "3750000000, 15, 1000, 100",
        "0, 15, 1000, 0",
        "125, 0.5, 1, 0.2",
        "0, 0, 1000, NaN",
        "1, 0, 1000, NaN",
        "1, -1, 1000, NaN",
        "1, NaN, 1000, NaN",
        "-1, 1, 1000, NaN",
        "1, 1, 0, NaN",
        "1, 1, -1, NaN",
    })
    @DisplayName("S61 the rate of an interface")
    void rate(long bytes, double seconds, int speed, double percent) {
        double actual = NicRates.percent(bytes, seconds, speed);

        if (Double.isNaN(percent)) {
            assertThat(actual).isNaN();
        } else {
            assertThat(actual).isCloseTo(percent, within(1e-9));
        }
    }

    @Test
    @DisplayName("S62 the offset after a reset is the total so far")
    void offsetAfterAReset() {
        assertThat(NicRates.nextOffset(200, 0, 1_000)).isEqualTo(1_000);
        assertThat(NicRates.nextOffset(999, 0, 1_000)).isEqualTo(1_000);
        assertThat(NicRates.nextOffset(1_000, 0, 1_000)).as("nothing transferred").isZero();
        assertThat(NicRates.nextOffset(300, 1_000, 1_200)).isEqualTo(1_000);
        assertThat(NicRates.nextOffset(100, 1_000, 1_200)).isEqualTo(1_200);
    }

    @Test
    @DisplayName("S63 the offset of a first report makes it zero")
    void offsetOfAFirstReport() {
        assertThat(NicRates.firstOffset(500)).isEqualTo(-500);
        assertThat(NicRates.total(500, NicRates.firstOffset(500))).isZero();
        assertThat(NicRates.total(730, -500)).isEqualTo(230);
    }

    @Test
    void aTotalBeyondALongStaysAtItsMaximum() {
        assertThat(NicRates.total(Long.MAX_VALUE, 1)).isEqualTo(Long.MAX_VALUE);
        assertThat(NicRates.total(Long.MAX_VALUE - 1, 1)).isEqualTo(Long.MAX_VALUE);
        assertThat(NicRates.total(0, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        assertThat(NicRates.nextOffset(Long.MAX_VALUE, 1_000, 5_000)).isEqualTo(1_000);
    }
}
