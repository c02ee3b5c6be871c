package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AuditSettingsTest {

    @Test
    void defaults() {
        assertThat(Bound.bind(AuditSettings.class, Map.of()))
                .isEqualTo(
                        new AuditSettings(
                                1_000,
                                100_000,
                                1_000,
                                Duration.ofMillis(20),
                                100_000,
                                Duration.ofDays(90),
                                Duration.ofDays(28)));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                AuditSettings.class,
                                Map.of(
                                        "stillwater.audit.recent", "10",
                                        "stillwater.audit.queue", "20",
                                        "stillwater.audit.batch", "5",
                                        "stillwater.audit.linger", "1s",
                                        "stillwater.audit.flood-subjects", "7",
                                        "stillwater.audit.retention", "30d",
                                        "stillwater.audit.ahead", "14d")))
                .isEqualTo(
                        new AuditSettings(
                                10,
                                20,
                                5,
                                Duration.ofSeconds(1),
                                7,
                                Duration.ofDays(30),
                                Duration.ofDays(14)));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(Bound.refusal(AuditSettings.class, "stillwater.audit.recent", "0"))
                .contains("audit.recent must be 1 to 100000, not 0");
        assertThat(Bound.refusal(AuditSettings.class, "stillwater.audit.queue", "0"))
                .contains("audit.queue must be 1 to 10000000, not 0");
        assertThat(Bound.refusal(AuditSettings.class, "stillwater.audit.batch", "0"))
                .contains("audit.batch must be 1 to 100000, not 0");
        assertThat(Bound.refusal(AuditSettings.class, "stillwater.audit.linger", "61s"))
                .contains("audit.linger must be 0ms to 1m, not 61s");
        assertThat(Bound.refusal(AuditSettings.class, "stillwater.audit.flood-subjects", "0"))
                .contains("audit.flood-subjects must be 1 to 10000000, not 0");
        assertThat(Bound.refusal(AuditSettings.class, "stillwater.audit.retention", "1d"))
                .contains("audit.retention must be 48h to 87600h, not 24h");
        assertThat(Bound.refusal(AuditSettings.class, "stillwater.audit.ahead", "6d"))
                .contains("audit.ahead must be 168h to 8760h, not 144h");
    }
}
