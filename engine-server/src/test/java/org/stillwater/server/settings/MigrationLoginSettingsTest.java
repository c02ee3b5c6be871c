package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MigrationLoginSettingsTest {

    @Test
    void withoutSettingsTheWorkingRoleMigrates() {
        MigrationLoginSettings none = Bound.bind(MigrationLoginSettings.class, Map.of());
        assertThat(none).isEqualTo(new MigrationLoginSettings("", ""));
        assertThat(none.given()).isFalse();
    }

    @Test
    void everySettingIsReadAndThePasswordIsNotInTheText() {
        MigrationLoginSettings settings =
                Bound.bind(
                        MigrationLoginSettings.class,
                        Map.of(
                                "stillwater.database.migration.username", "owner",
                                "stillwater.database.migration.password", "hush"));
        assertThat(settings).isEqualTo(new MigrationLoginSettings("owner", "hush"));
        assertThat(settings.given()).isTrue();
        assertThat(settings.toString()).doesNotContain("hush");
    }

    @Test
    void aPasswordWithoutAUserIsRefused() {
        assertThat(
                        Bound.refusal(
                                MigrationLoginSettings.class,
                                "stillwater.database.migration.password",
                                "hush"))
                .contains("stillwater.database.migration.username must be given");
    }
}
