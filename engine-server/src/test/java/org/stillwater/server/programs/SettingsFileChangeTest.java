package org.stillwater.server.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsFileChangeTest {

    private static final String URL = "spring.datasource.url";

    @TempDir Path folder;

    private Path file(String text) throws Exception {
        return Files.writeString(folder.resolve("stillwater.yaml"), text);
    }

    @Test
    void aLineOfTheTemplateIsReplacedWhereItIs() {
        assertThat(
                        SettingsFileChange.changed(
                                "# a\n#spring.datasource.url:\n#b: 1\n", Map.of(URL, "x")))
                .isEqualTo("# a\nspring.datasource.url: \"x\"\n#b: 1\n");
    }

    @Test
    void aSettingThatIsGivenWinsOverTheTemplatesLine() {
        assertThat(
                        SettingsFileChange.changed(
                                "#spring.datasource.url:\nspring.datasource.url: old\n",
                                Map.of(URL, "x")))
                .isEqualTo("#spring.datasource.url:\nspring.datasource.url: \"x\"\n");
    }

    @Test
    void aMissingSettingIsAddedAtTheEnd() {
        assertThat(SettingsFileChange.changed("a: 1", Map.of(URL, "a\"\\")))
                .isEqualTo("a: 1\nspring.datasource.url: \"a\\\"\\\\\"\n");
    }

    @Test
    void onlyTheCommitChangesTheFile() throws Exception {
        Path file = file("a: 1\n");
        try (SettingsFileChange change = SettingsFileChange.prepare(file, Map.of(URL, "x"))) {
            assertThat(file).hasContent("a: 1\n");
            change.commit();
        }
        assertThat(file).hasContent("a: 1\nspring.datasource.url: \"x\"\n");
        assertThat(folder).isDirectoryContaining(each -> each.equals(file));
        try (var all = Files.list(folder)) {
            assertThat(all).hasSize(1);
        }
    }

    @Test
    void aChangeThatIsNotCommittedLeavesNoFile() throws Exception {
        Path file = file("a: 1\n");
        SettingsFileChange.prepare(file, Map.of(URL, "x")).close();
        try (var all = Files.list(folder)) {
            assertThat(all).containsExactly(file);
        }
    }

    @Test
    void aFileThatIsNoYamlIsRefusedAndLeftAlone() throws Exception {
        Path file = file("a: [1\n");
        assertThatThrownBy(() -> SettingsFileChange.prepare(file, Map.of(URL, "x")))
                .isInstanceOf(Failed.class)
                .hasMessageContaining("cannot be read as YAML");
        assertThat(file).hasContent("a: [1\n");
        assertThatThrownBy(
                        () -> SettingsFileChange.prepare(folder.resolve("none"), Map.of(URL, "x")))
                .isInstanceOf(Failed.class)
                .hasMessageContaining("cannot read the file of settings");
    }
}
