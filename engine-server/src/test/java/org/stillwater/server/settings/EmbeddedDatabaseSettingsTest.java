package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

class EmbeddedDatabaseSettingsTest {

    private static final String PREFIX = "stillwater.database.embedded.";

    @Test
    void defaults() {
        assertThat(Bound.bind(EmbeddedDatabaseSettings.class, Map.of()))
                .isEqualTo(
                        new EmbeddedDatabaseSettings(
                                null,
                                null,
                                0,
                                Duration.ofSeconds(60),
                                Duration.ofSeconds(20),
                                DataSize.ofMegabytes(8),
                                DataSize.ofMegabytes(128),
                                50,
                                "stillwater-postgres"));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                EmbeddedDatabaseSettings.class,
                                Map.of(
                                        PREFIX + "data-folder", "/db",
                                        PREFIX + "binaries-folder", "/opt/pg",
                                        PREFIX + "port", "5433",
                                        PREFIX + "start-timeout", "2m",
                                        PREFIX + "stop-timeout", "5s",
                                        PREFIX + "log-limit", "1MB",
                                        PREFIX + "shared-buffers", "1GB",
                                        PREFIX + "max-connections", "20",
                                        PREFIX + "user", "pg")))
                .isEqualTo(
                        new EmbeddedDatabaseSettings(
                                Path.of("/db"),
                                Path.of("/opt/pg"),
                                5433,
                                Duration.ofMinutes(2),
                                Duration.ofSeconds(5),
                                DataSize.ofMegabytes(1),
                                DataSize.ofGigabytes(1),
                                20,
                                "pg"));
    }

    @Test
    void wrongValuesAreRefused() {
        assertThat(refusal("port", "-1")).contains("port must be 0 to 65535, not -1");
        assertThat(refusal("start-timeout", "0s")).contains("start-timeout must be 1s to 1h");
        assertThat(refusal("stop-timeout", "1h")).contains("stop-timeout must be 1s to 10m");
        assertThat(refusal("log-limit", "1KB")).contains("log-limit must be 64KB to 1024MB");
        assertThat(refusal("shared-buffers", "1KB")).contains("shared-buffers must be 1MB");
        assertThat(refusal("user", "a b")).contains("database.embedded.user");
        assertThat(refusal("max-connections", "1")).contains("max-connections must be 5 to 1000");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(EmbeddedDatabaseSettings.class, PREFIX + name, value);
    }
}
