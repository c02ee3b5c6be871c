package org.stillwater.server.api.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.math.BigDecimal;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

class DecimalsTest {

    private static final JsonMapper JSON = new JsonMapper();

    private final Decimals decimals = new Decimals();

    private String written(double value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            decimals.write(json, value);
        }
        return text.toString();
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
