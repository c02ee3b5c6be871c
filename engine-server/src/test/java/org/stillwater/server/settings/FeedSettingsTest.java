package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class FeedSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(FeedSettings.class, Map.of()))
                .isEqualTo(new FeedSettings(16_384, 512));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                FeedSettings.class,
                                Map.of(
                                        "stillwater.feed.kept", "10",
                                        "stillwater.feed.batch", "2")))
                .isEqualTo(new FeedSettings(10, 2));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(Bound.refusal(FeedSettings.class, "stillwater.feed.kept", "0"))
                .contains("feed.kept must be 1 to 10000000, not 0");
        assertThat(Bound.refusal(FeedSettings.class, "stillwater.feed.batch", "0"))
                .contains("feed.batch must be 1 to 100000, not 0");
    }
}
