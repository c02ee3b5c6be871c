package org.stillwater.core.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ResolutionTest {

    @ParameterizedTest
    @EnumSource
    void everyValueComesBackWithinTheError(HistoryMetric metric) {
        Resolution resolution = Resolution.of(metric);
        Random random = new Random(metric.index());
        for (int i = 0; i < 100_000; i++) {
            double value = resolution.step() * (Math.exp(random.nextDouble() * 27) - 1);
            int code = resolution.code(value);
            assertThat(code).isBetween(1, 0xffff);
            assertThat(resolution.value(code)).isCloseTo(value, within(resolution.error(value)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void largerValuesNeverHaveSmallerNumbers(HistoryMetric metric) {
        Resolution resolution = Resolution.of(metric);
        int last = resolution.code(0);
        for (int steps = 1; steps < 100_000; steps++) {
            int code = resolution.code(steps * resolution.step());
            assertThat(code - last).isBetween(0, 1);
            last = code;
        }
    }

    @Test
    void smallNumbersAreExact() {
        Resolution percent = Resolution.of(HistoryMetric.VM_CPU_USAGE);
        for (int value = 0; value <= 100; value++) {
            assertThat(percent.value(percent.code(value))).isEqualTo(value);
        }
        assertThat(percent.error(100)).isEqualTo(0.5);
    }

    @Test
    void unknownIsNotZero() {
        Resolution resolution = Resolution.of(HistoryMetric.VM_DISK_READ);
        assertThat(resolution.code(Double.NaN)).isEqualTo(Resolution.UNKNOWN);
        assertThat(resolution.value(Resolution.UNKNOWN)).isNaN();
        assertThat(resolution.value(resolution.code(0))).isZero();
    }

    @Test
    void nonsenseIsBounded() {
        Resolution resolution = Resolution.of(HistoryMetric.VM_MEMORY_CACHED);
        assertThat(resolution.value(resolution.code(-5))).isZero();
        assertThat(resolution.code(Double.POSITIVE_INFINITY))
                .isEqualTo(resolution.code(Double.MAX_VALUE))
                .isLessThan(0xffff);
    }

    @Test
    void aStepIsPositive() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Resolution(0, 7));
        assertThatIllegalArgumentException().isThrownBy(() -> new Resolution(Double.NaN, 7));
        assertThatIllegalArgumentException().isThrownBy(() -> new Resolution(1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Resolution(1, 10));
    }
}
