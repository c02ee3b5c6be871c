package org.stillwater.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeTextTest {

    @ParameterizedTest
    @CsvSource({
        "-5, 0 ms",
        "0, 0 ms",
        "999, 999 ms",
        "1000, 1 s",
        "1071, 1 s",
        "1100, 1.1 s",
        "6021, 6 s",
        "9999, 9.9 s",
        "10000, 10 s",
        "20999, 20 s",
        "600000, 600 s",
    })
    void timesAreShort(long millis, String text) {
        assertThat(TimeText.of(Duration.ofMillis(millis))).isEqualTo(text);
    }
}
