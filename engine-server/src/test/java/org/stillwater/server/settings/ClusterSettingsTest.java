package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ClusterSettingsTest {

    @Test
    void defaults() {
        ClusterSettings defaults = Bound.bind(ClusterSettings.class, Map.of());
        assertThat(defaults).isEqualTo(new ClusterSettings(1_000, "4.5", 10_000));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                ClusterSettings.class,
                                Map.of(
                                        "stillwater.clusters.most", "3",
                                        "stillwater.clusters.engine-version", "4.6",
                                        "stillwater.clusters.most-group-members", "7")))
                .isEqualTo(new ClusterSettings(3, "4.6", 7));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(Bound.refusal(ClusterSettings.class, "stillwater.clusters.most", "0"))
                .contains("clusters.most must be 1 to 100000, not 0");
        assertThat(
                        Bound.refusal(
                                ClusterSettings.class,
                                "stillwater.clusters.most-group-members",
                                "0"))
                .contains("clusters.most-group-members must be 1 to 1000000, not 0");
        assertThat(Bound.refusal(ClusterSettings.class, "stillwater.clusters.engine-version", "4"))
                .contains("clusters.engine-version must be two numbers, such as 4.5, not \"4\"");
    }
}
