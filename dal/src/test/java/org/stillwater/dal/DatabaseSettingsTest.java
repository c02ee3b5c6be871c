package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DatabaseSettingsTest {

    private static final String URL = "jdbc:postgresql://db/stillwater?user=u&password=inTheUrl";

    private static final DatabaseSettings.LockSettings LOCK = DatabaseSettings.LockSettings.DEFAULT;

    @Test
    void noPasswordIsEverShown() {
        assertThat(DatabaseSettings.of(URL, "u", "secret").toString())
                .contains("//db/stillwater")
                .doesNotContain("secret")
                .doesNotContain("inTheUrl");
    }

    @Test
    void valuesThatCannotWorkAreRefused() {
        Duration second = Duration.ofSeconds(1);
        Duration minute = Duration.ofMinutes(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DatabaseSettings.of("jdbc:mysql://db/x", "u", ""))
                .withMessageContaining("jdbc:postgresql:");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new DatabaseSettings(URL, "u", "", 0, second, second, minute, null, LOCK))
                .withMessageContaining("maxConnections");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new DatabaseSettings(
                                URL, "u", "", 1, Duration.ZERO, second, minute, null, LOCK))
                .withMessageContaining("connectTimeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new DatabaseSettings(
                                URL, "u", "", 1, second, Duration.ofMillis(5), minute, null, LOCK))
                .withMessageContaining("statementTimeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new DatabaseSettings(URL, "u", "", 1, second, minute, minute, null, LOCK))
                .withMessageContaining("networkTimeout");
    }

    @Test
    void theServerProbesTheMachinesOfItsSessions() {
        Duration second = Duration.ofSeconds(1);
        assertThat(LOCK.options())
                .isEqualTo(
                        " -c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10"
                                + " -c tcp_keepalives_count=3");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new DatabaseSettings.LockSettings(second, Duration.ZERO, second, 1))
                .withMessageContaining("idle");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DatabaseSettings.LockSettings(second, second, second, 0))
                .withMessageContaining("probes");
    }
}
