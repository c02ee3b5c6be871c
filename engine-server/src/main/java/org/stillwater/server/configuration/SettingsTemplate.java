package org.stillwater.server.configuration;

import java.util.ArrayList;
import java.util.List;
import org.stillwater.server.configuration.SettingsTable.Setting;

/**
 * A file of settings to begin with: every setting with its meaning and its default, each of them
 * commented out. Stateless.
 */
public final class SettingsTemplate {

    private static final int WIDTH = 98;

    private static final String HEAD =
            """
            # Settings of Stillwater. Every line that begins with # shows a default: remove the # and change the value.
            # Durations: 10ms, 5s, 2m, 1h. Sizes: 64KB, 8MB. Lists: [a, b].
            #
            #   stillwater check-config --config THIS-FILE    what is wrong with it
            #
            # Keep passwords out of this file. A file's name is the setting's name, its content the value, in
            # - a folder that this line names:  spring.config.import: "configtree:/etc/stillwater/secrets/"
            # - systemd's credentials:          LoadCredential=spring.datasource.password:/path/to/file
            # The environment works as well: SPRING_DATASOURCE_PASSWORD, STILLWATER_CYCLE_INTERVAL.

            #spring.config.import: "optional:configtree:/etc/stillwater/secrets/"
            """;

    private SettingsTemplate() {}

    /** The text of the file. */
    public static String text(SettingsTable table) {
        StringBuilder text = new StringBuilder(HEAD);
        text.append("\n# ").append("-".repeat(WIDTH - 2)).append("\n# Spring Boot's own\n\n");
        SettingsTable.ofSpring().forEach(each -> append(text, each));
        String group = "";
        for (Setting each : table.settings()) {
            if (!each.group().equals(group)) {
                group = each.group();
                text.append("# ").append("-".repeat(WIDTH - 2)).append("\n# ").append(group);
                text.append("\n\n");
            }
            append(text, each);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, Setting setting) {
        for (String line : wrapped(setting.meaning())) {
            text.append("# ").append(line).append('\n');
        }
        text.append('#').append(setting.name()).append(':');
        String value = value(setting);
        if (!value.isEmpty()) {
            text.append(' ').append(value);
        }
        text.append("\n\n");
    }

    /** As YAML; a text that YAML would read otherwise is quoted. */
    private static String value(Setting setting) {
        String text = setting.defaultText();
        if (setting.list()) {
            List<String> elements = new ArrayList<>();
            for (String each : text.split(",")) {
                elements.add(quoted(each));
            }
            return "[" + String.join(", ", elements) + "]";
        }
        return text.isEmpty() || text.startsWith("[") ? text : quoted(text);
    }

    private static String quoted(String text) {
        boolean plain =
                text.matches("[A-Za-z0-9/][A-Za-z0-9./_-]*")
                        && !text.matches("(?i)on|off|yes|no|y|n|null");
        return plain ? text : "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private static List<String> wrapped(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (!line.isEmpty() && line.length() + word.length() + 3 > WIDTH) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
