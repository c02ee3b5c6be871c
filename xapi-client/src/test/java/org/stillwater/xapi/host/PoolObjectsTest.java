package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PoolObjectsTest {

    @ParameterizedTest
    @CsvSource({
        "20260821T02:00:23Z, 2026-08-21T02:00:23Z",
        "20240229T23:59:59Z, 2024-02-29T23:59:59Z",
        "20260821T02:00:23, 2026-08-21T02:00:23Z",
        "20260821T02:00:23+02:00, 2026-08-21T00:00:23Z",
        "20260230T02:00:23Z, 2026-02-28T02:00:23Z",
        "20260821T24:00:00Z, 2026-08-22T00:00:00Z",
        "99991231T23:59:59Z, 9999-12-31T23:59:59Z"
    })
    @DisplayName("X8 times of servers of any age are read")
    void times(String text, Instant time) {
        assertThat(PoolObjects.time(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "19700101T00:00:00Z",
                "00000101T00:00:00Z",
                "20261321T02:00:23Z",
                "2026082aT02:00:23Z",
                "20260821 02:00:23Z",
                "20260821T02-00:23Z",
                "20260821T02:00:23z",
                "20260821T02:00:23Y",
                "20260821T02:61:23Z",
                "-0260821T02:00:23Z"
            })
    @DisplayName("X8 the beginning of 1970, and what is no time, is none")
    void none(String text) {
        assertThat(PoolObjects.time(text)).isNull();
    }
}
