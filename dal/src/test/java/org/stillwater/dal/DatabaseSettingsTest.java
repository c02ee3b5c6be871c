package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DatabaseSettingsTest {

    private static final String URL = "jdbc:postgresql://db/stillwater?user=u&password=inTheUrl";

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
                .isThrownBy(
                        () -> new DatabaseSettings(URL, "u", "", 0, second, second, minute, null))
                .withMessageContaining("maxConnections");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new DatabaseSettings(URL, "u", "", 1, Duration.ZERO, second, minute, null))
                .withMessageContaining("connectTimeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new DatabaseSettings(
                                URL, "u", "", 1, second, Duration.ofMillis(5), minute, null))
                .withMessageContaining("statementTimeout");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new DatabaseSettings(URL, "u", "", 1, second, minute, minute, null))
                .withMessageContaining("networkTimeout");
    }
}
