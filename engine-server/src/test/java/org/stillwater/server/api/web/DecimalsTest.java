package org.stillwater.server.api.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecimalsTest {

    private static String written(double value) {
        byte[] into = new byte[30];
        int end = Decimals.put(into, 3, value);
        assertThat(end).isLessThanOrEqualTo(3 + 25);
        return new String(into, 3, end - 3, StandardCharsets.US_ASCII);
    }

    private static String written(long value) {
        byte[] into = new byte[20];
        return new String(into, 0, Decimals.putWhole(into, 0, value), StandardCharsets.US_ASCII);
    }

    @Test
    void wholeNumbersAreThoseOfTheJdk() {
        SplittableRandom random = new SplittableRandom(20261127);
        for (long power = 1; power > 0 && power <= 1_000_000_000_000_000_000L; power *= 10) {
            for (long value : new long[] {power - 1, power, power + 1, -power, 1 - power}) {
                assertThat(written(value)).isEqualTo(Long.toString(value));
            }
        }
        for (int i = 0; i < 100_000; i++) {
            long value = random.nextLong() >> random.nextInt(64);
            assertThat(written(value)).isEqualTo(Long.toString(value));
        }
        assertThat(written(Long.MIN_VALUE)).isEqualTo(Long.toString(Long.MIN_VALUE));
        assertThat(written(Long.MAX_VALUE)).isEqualTo(Long.toString(Long.MAX_VALUE));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0.0",
        "-0.0, -0.0",
        "1, 1.0",
        "-12.5, -12.5",
        "0.1, 0.1",
        "0.000000001, 0.000000001",
        "0.001234567, 0.001234567",
        "100, 100.0",
        "999999.999999999, 999999.999999999",
        "1000000.5, 1000000.5",
        "1.0E-10, 1.0E-10",
        "1.0E15, 1.0E15",
        "1.7976931348623157E308, 1.7976931348623157E308",
        "4.9E-324, 4.9E-324",
        "0.3333333333333333, 0.3333333333333333"
    })
    void theShortestNumberIsWritten(double value, String text) {
        assertThat(written(value)).isEqualTo(text);
    }

    @Test
    void numbersThatTheJdkWritesWithoutAnExponentHaveItsDigits() {
        SplittableRandom random = new SplittableRandom(20261128);
        for (int i = 0; i < 200_000; i++) {
            double value =
                    i % 2 == 0
                            ? random.nextLong(1_000_000, 10_000_000_000_000_000L) / 1e9
                            : random.nextDouble(1e-3, 1e7);
            assertThat(written(value)).isEqualTo(Double.toString(value));
            assertThat(written(-value)).isEqualTo(Double.toString(-value));
        }
    }

    @Test
    void anyNumberIsTheOneThatTheJdkWrites() {
        SplittableRandom random = new SplittableRandom(20261123);
        for (int i = 0; i < 200_000; i++) {
            double value =
                    switch (i % 4) {
                        case 0 ->
                                random.nextLong(-2_000_000_000_000_000L, 2_000_000_000_000_000L)
                                        / 1e9;
                        case 1 -> random.nextInt(100_000) / 100.0;
                        case 2 -> random.nextDouble(-1e6, 1e6);
                        default -> Double.longBitsToDouble(random.nextLong());
                    };
            if (Double.isFinite(value)) {
                assertThat(new BigDecimal(written(value)))
                        .isEqualByComparingTo(new BigDecimal(Double.toString(value)));
            }
        }
    }
}
