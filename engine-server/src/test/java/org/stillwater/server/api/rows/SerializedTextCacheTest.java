package org.stillwater.server.api.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class SerializedTextCacheTest {

    private final SerializedTextCache texts = new SerializedTextCache();

    @Test
    void everyValueHasItsOwnText() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 10_000; i++) {
                Instant value = Instant.ofEpochMilli(1_000_003L * i);
                assertThat(texts.of(value).getValue()).isEqualTo(value.toString());
            }
        }
    }

    @Test
    void equalTextsAreMadeOnce() {
        Instant value = Instant.parse("2026-11-23T03:00:00.125Z");
        assertThat(texts.of(value)).isSameAs(texts.of(Instant.parse("2026-11-23T03:00:00.125Z")));
    }
}
