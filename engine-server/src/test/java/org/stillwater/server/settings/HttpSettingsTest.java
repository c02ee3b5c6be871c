package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class HttpSettingsTest {

    @Test
    void theBufferIsLeftToTheSystemUnlessItIsSet() {
        assertThat(Bound.bind(HttpSettings.class, Map.of()).sendBuffer())
                .isEqualTo(DataSize.ofBytes(0));
        assertThat(
                        Bound.bind(
                                        HttpSettings.class,
                                        Map.of("stillwater.http.send-buffer", "64KB"))
                                .sendBuffer())
                .isEqualTo(DataSize.ofKilobytes(64));
    }

    @Test
    void whatIsOutOfReasonIsRefusedByName() {
        assertThat(Bound.refusal(HttpSettings.class, "stillwater.http.send-buffer", "1GB"))
                .contains("stillwater.http.send-buffer must be");
    }
}
