package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The reference page of settings says what the records say. With {@code -Dstillwater.docs=write} it
 * is written instead.
 */
class SettingsReferenceTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "settings.md");

    private static final String HEAD =
            """
            # Settings

            This page lists every setting of the engine with its default. The settings are Spring Boot properties: on the
            command line (`--stillwater.cycle.interval=30s`), in the environment (`STILLWATER_CYCLE_INTERVAL=30s`), or in an
            `application.yaml` or `application.properties` in a folder named by `--spring.config.additional-location`.
            Durations are written `10ms`, `5s`, `2m`, `1h`; sizes `64KB`, `8MB`. The engine refuses to start with a value out
            of its bounds, and names the bounds; it also refuses unknown names on the command line and in files. This page is
            generated from the settings records and checked by a test.

            The engine speaks TLS and requires a login; it listens on 127.0.0.1 unless `server.address` has another value, for
            instance `0.0.0.0`. There are no default passwords: the first start generates the first administrator's password,
            writes it to a file, and requires its change at the first use; the embedded database generates its own. See
            [how to secure the engine](../how-to/secure-the-engine.md).

            | Spring Boot's own | default | |
            |---|---|---|
            | `server.address` | `127.0.0.1` | address to listen on |
            | `server.port` | `8443` | port of REST, stream, page and health; 8080 without TLS; 0 takes a free one |
            | `server.max-http-request-header-size` | `16KB` | longest request line with all headers |
            | `server.tomcat.max-connections` | `8192` | connections at a time; more wait to be accepted |
            | `server.tomcat.connection-timeout` | `20s` | how long a connection may take to send its next bytes |
            | `spring.lifecycle.timeout-per-shutdown-phase` | `30s` | longest wait for requests under way at the end |
            | `logging.level.org.stillwater` | `info` | level of the engine's log |
            """;

    @Test
    void thePageSaysWhatTheRecordsSay() throws Exception {
        String page = render();
        if ("write".equals(System.getProperty("stillwater.docs"))) {
            Files.writeString(PAGE, page);
        }
        assertThat(Files.readString(PAGE))
                .as("docs/reference/settings.md; -Dstillwater.docs=write renews it")
                .isEqualTo(page);
    }

    private static String render() throws Exception {
        StringBuilder page = new StringBuilder(HEAD);
        String group = "";
        for (JsonNode property : properties()) {
            String name = property.path("name").asString();
            String next = groupOf(name);
            if (!next.equals(group)) {
                group = next;
                page.append("\n## `").append(group).append("`\n\n");
                page.append("| setting | type | default | |\n|---|---|---|---|\n");
            }
            page.append(
                    "| `%s` | %s | %s | %s |\n"
                            .formatted(
                                    name,
                                    type(property.path("type").asString()),
                                    defaultOf(property.path("defaultValue")),
                                    text(property.path("description").asString(""))));
        }
        return page.toString();
    }

    private static List<JsonNode> properties() throws Exception {
        try (InputStream metadata =
                SettingsReferenceTest.class.getResourceAsStream(
                        "/META-INF/spring-configuration-metadata.json")) {
            List<JsonNode> properties = new ArrayList<>();
            JsonMapper.builder()
                    .build()
                    .readTree(metadata)
                    .path("properties")
                    .forEach(properties::add);
            properties.sort(
                    Comparator.comparing((JsonNode it) -> groupOf(it.path("name").asString()))
                            .thenComparing(it -> it.path("name").asString()));
            return properties;
        }
    }

    private static String groupOf(String name) {
        return name.substring(0, name.lastIndexOf('.'));
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
            case "WireSettings.Replies" -> "private or shared";
            default -> name.startsWith("java.util.List") ? "list" : simple;
        };
    }

    private static String defaultOf(JsonNode value) {
        if (value.isMissingNode() || (!value.isArray() && value.asString("").isEmpty())) {
            return "–";
        }
        if (value.isArray()) {
            List<String> all = new ArrayList<>();
            value.forEach(it -> all.add(it.asString()));
            return "`" + String.join(",", all) + "`";
        }
        return "`" + value.asString() + "`";
    }

    private static String text(String description) {
        return description
                .replaceAll("\\{@code ([^}]*)}", "`$1`")
                .replace("|", "\\|")
                .replaceAll("\\s+", " ");
    }
}
