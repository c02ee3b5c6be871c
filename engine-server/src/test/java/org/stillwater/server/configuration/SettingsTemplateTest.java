package org.stillwater.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The file of settings equals the settings records. With {@code -Dstillwater.docs=write} it is
 * written instead.
 */
class SettingsTemplateTest {

    private static final Path FILE = Path.of("..", "docs", "reference", "stillwater.yaml");
    private static final Pattern SETTING = Pattern.compile("(?m)^#([a-z][a-zA-Z0-9.-]*): (.*)$");

    @Test
    void theFileEqualsTheRecords() throws Exception {
        String text = SettingsTemplate.text(SettingsTable.own());
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            Files.writeString(FILE, text);
        }
        assertThat(Files.readString(FILE))
                .as("docs/reference/stillwater.yaml; -Dstillwater.docs=write renews it")
                .isEqualTo(text);
        for (SettingsTable.Setting each : SettingsTable.own().settings()) {
            assertThat(text).containsOnlyOnce("\n#" + each.name() + ":");
        }
    }

    /** The file without every # equals the defaults. */
    @Test
    void everyDefaultInItIsTakenAndIsTheDefault(@TempDir Path folder) throws Exception {
        String all =
                SETTING.matcher(SettingsTemplate.text(SettingsTable.own())).replaceAll("$1: $2");
        Path file = Files.writeString(folder.resolve("stillwater.yaml"), all);
        assertThat(all.lines().filter(each -> !each.startsWith("#") && !each.isBlank()))
                .hasSizeGreaterThan(200);

        GivenSettings given = read(file);
        assertThat(ConfigurationCheck.of(given, false)).isEmpty();
        GivenSettings without = read(Files.writeString(folder.resolve("empty.yaml"), ""));
        for (Class<?> record : ConfigurationCheck.records()) {
            assertThat(given.bind(record)).isEqualTo(without.bind(record));
        }
    }

    private static GivenSettings read(Path file) {
        return GivenSettings.read(List.of(), file.toString(), GivenEnvironment.of(Map.of()));
    }
}
