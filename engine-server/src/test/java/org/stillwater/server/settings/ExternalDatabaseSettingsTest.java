package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ExternalDatabaseSettingsTest {

    @Test
    void withoutSettingsNoOtherServerIsNamed() {
        assertThat(Bound.bind(ExternalDatabaseSettings.class, Map.of()))
                .isEqualTo(new ExternalDatabaseSettings(null, "stillwater", ""));
    }

    @Test
    void everySettingIsReadAndThePasswordIsNotInTheText() {
        ExternalDatabaseSettings settings =
                Bound.bind(
                        ExternalDatabaseSettings.class,
                        Map.of(
                                "spring.datasource.url", "jdbc:postgresql://db/x",
                                "spring.datasource.username", "me",
                                "spring.datasource.password", "hush"));
        assertThat(settings)
                .isEqualTo(new ExternalDatabaseSettings("jdbc:postgresql://db/x", "me", "hush"));
        assertThat(settings.toString()).doesNotContain("hush");
    }

    @Test
    void anotherKindOfDatabaseIsRefused() {
        assertThat(
                        Bound.refusal(
                                ExternalDatabaseSettings.class,
                                "spring.datasource.url",
                                "jdbc:mysql://db/x"))
                .contains("spring.datasource.url must start with jdbc:postgresql:");
    }
}
