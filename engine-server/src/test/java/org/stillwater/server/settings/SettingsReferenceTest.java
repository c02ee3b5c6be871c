package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.stillwater.server.configuration.SettingsTable;
import org.stillwater.server.configuration.SettingsTable.Setting;

/**
 * The reference page of settings equals the settings records. With {@code -Dstillwater.docs=write}
 * it is written instead.
 */
class SettingsReferenceTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "settings.md");

    private static final String HEAD =
            """
            # Settings

            This page lists every setting of the engine with its default. The settings are Spring Boot properties: on the
            command line (`--stillwater.cycle.interval=30s`), in the environment (`STILLWATER_CYCLE_INTERVAL=30s`), or in an
            `application.yaml` or `application.properties` in a folder named by `--spring.config.additional-location`.
            Durations are written `10ms`, `5s`, `2m`, `1h`; sizes `64KB`, `8MB`; numbers in decimal digits; flags `true` or
            `false`. The engine refuses to start with a value out of its bounds, and names the bounds; it also refuses unknown
            names on the command line and in files. This page is generated from the settings records and checked by a test.

            The engine speaks TLS and requires a login; it listens on 127.0.0.1 unless `server.address` has another value, for
            instance `0.0.0.0`. There are no default passwords: the first start generates the first administrator's password,
            writes it to a file, and requires its change at the first use; the embedded database generates its own. See
            [how to secure the engine](../how-to/secure-the-engine.md).

            [stillwater.yaml](stillwater.yaml) is a file with all of them, each commented out; `./stillwater check-config --config
            FILE` says what is wrong with a file of yours ([check the configuration](check-config.md)).

            A running engine reads its settings again at the signal HUP (`systemctl reload stillwater`). It takes levels of logs
            (`logging.level.*`) and hosts (`stillwater.hosts`, `stillwater.hosts-file` and the content of that file: new ones
            are added, moved ones get their address, none is removed), and the TLS files for hosts, pools and relays ([change an
            authority](../how-to/change-the-ca.md)). Wrong settings change nothing, and the audit log has the result with the
            names of settings that only a restart changes.

            """;

    @Test
    void thePageEqualsTheRecords() throws Exception {
        String page = render();
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE))
                .as("docs/reference/settings.md; -Dstillwater.docs=write renews it")
                .isEqualTo(page);
    }

    private static String render() {
        StringBuilder page = new StringBuilder(HEAD);
        page.append("| Spring Boot's own | default | |\n|---|---|---|\n");
        for (Setting each : SettingsTable.ofSpring()) {
            page.append(
                    "| `%s` | `%s` | %s |\n"
                            .formatted(each.name(), each.defaultText(), each.description()));
        }
        String group = "";
        for (Setting property : SettingsTable.own().settings()) {
            if (!property.group().equals(group)) {
                group = property.group();
                page.append("\n## `").append(group).append("`\n\n");
                page.append("| setting | type | default | |\n|---|---|---|---|\n");
            }
            page.append(
                    "| `%s` | %s | %s | %s |\n"
                            .formatted(
                                    property.name(),
                                    type(property.type()),
                                    defaultOf(property),
                                    text(property.description())));
        }
        return page.toString();
    }

    private static String type(String name) {
        String simple = name.substring(name.lastIndexOf('.') + 1).replaceAll("[$]", ".");
        return switch (simple) {
            case "Duration" -> "duration";
            case "DataSize" -> "size";
            case "Path" -> "file or folder";
            case "Integer", "Double" -> "number";
            case "Boolean" -> "true or false";
            case "String", "String>" -> "text";
            case "UUID" -> "UUID";
            case "Weighting" -> "even-cpu, even-memory, power-saving or none";
            case "RelaySettings.Commands" -> "direct or relay";
            case "WireSettings.Replies" -> "private or shared";
            case "XapiSettings.Sync" -> "events or records";
            default -> name.startsWith("java.util.List") ? "list" : simple;
        };
    }

    private static String defaultOf(Setting setting) {
        return setting.defaultText().isEmpty() && !setting.list()
                ? "–"
                : "`" + setting.defaultText() + "`";
    }

    private static String text(String description) {
        return description
                .replaceAll("\\{@code ([^}]*)}", "`$1`")
                .replace("|", "\\|")
                .replaceAll("\\s+", " ");
    }
}
