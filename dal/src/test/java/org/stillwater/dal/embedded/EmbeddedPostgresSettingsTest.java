package org.stillwater.dal.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedPostgresSettingsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long MIB = 1024 * 1024;

    @Test
    void theDefaultsAreDurableAndInOneFolder() {
        EmbeddedPostgresSettings settings = EmbeddedPostgresSettings.in(Path.of("data"));
        assertThat(settings.durable()).isTrue();
        assertThat(settings.port()).isZero();
        assertThat(settings.dataFolder()).isAbsolute();
        assertThat(settings.binariesFolder()).isEqualTo(settings.dataFolder().resolve("binaries"));
        assertThat(settings.notDurable().durable()).isFalse();
        assertThat(settings.withPort(5432).port()).isEqualTo(5432);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\"b", "a$(b)", "a`b`", "a\\b", "a\nb"})
    void aFolderThatAShellWouldMisreadIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EmbeddedPostgresSettings.in(Path.of("/tmp", name)))
                .withMessageContaining("folder");
    }

    @Test
    void valuesThatCannotWorkAreRefused() {
        refused("database", "Robert'); DROP", 0, SECOND, SECOND, MIB, MIB, 10);
        refused("port", "d", 65_536, SECOND, SECOND, MIB, MIB, 10);
        refused("startTimeout", "d", 0, Duration.ZERO, SECOND, MIB, MIB, 10);
        refused("stopTimeout", "d", 0, SECOND, SECOND.negated(), MIB, MIB, 10);
        refused("logLimitBytes", "d", 0, SECOND, SECOND, 1, MIB, 10);
        refused("sharedBuffersBytes", "d", 0, SECOND, SECOND, MIB, 1, 10);
        refused("maxConnections", "d", 0, SECOND, SECOND, MIB, MIB, 4);
    }

    private static void refused(
            String what,
            String database,
            int port,
            Duration start,
            Duration stop,
            long log,
            long buffers,
            int max) {
        Path folder = Path.of("data");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new EmbeddedPostgresSettings(
                                folder, folder, database, port, true, start, stop, log, buffers,
                                max))
                .withMessageContaining(what);
    }
}
