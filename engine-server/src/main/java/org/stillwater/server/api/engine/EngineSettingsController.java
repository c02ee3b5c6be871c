package org.stillwater.server.api.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.server.configuration.SettingsTable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The settings in force: {@code /api/v1/engine/settings}, for administrators. Values are those that
 * the engine was started with; values of secrets are left out.
 */
@RestController
@RequestMapping("/api/v1/engine/settings")
class EngineSettingsController {

    private static final String PREFIX = "stillwater.";
    private static final String HIDDEN = "•••";

    /** A login in an address, and a password among its parameters. */
    private static final Pattern IN_ADDRESS =
            Pattern.compile("(?<=://)[^/@\\s]+(?=@)|(?<=(password|secret|token)=)[^&\\s]+");

    private final List<EngineSetting> settings;

    /**
     * One setting.
     *
     * @param value in force, as text; null if there is none
     * @param source its source: {@code command line}, {@code environment}, {@code system property}
     *     or {@code file}; null for the default
     * @param description its meaning
     */
    record EngineSetting(
            String name, @Nullable String value, @Nullable String source, String description) {}

    /** All of them, by name. */
    record EngineSettings(List<EngineSetting> items, int total) {}

    EngineSettingsController(ConfigurableEnvironment environment) {
        this.settings = read(environment);
    }

    @GetMapping
    EngineSettings all() {
        return new EngineSettings(settings, settings.size());
    }

    private static List<EngineSetting> read(ConfigurableEnvironment environment) {
        List<EngineSetting> all = new ArrayList<>();
        List<ConfigurationPropertySource> sources =
                StreamSupport.stream(
                                ConfigurationPropertySources.get(environment).spliterator(), false)
                        .toList();
        for (JsonNode property : metadata()) {
            String name = property.path("name").asString("");
            if (name.startsWith(PREFIX)) {
                all.add(setting(name, property, sources));
            }
        }
        all.sort(Comparator.comparing(EngineSetting::name));
        return List.copyOf(all);
    }

    private static JsonNode metadata() {
        try (InputStream in =
                EngineSettingsController.class.getResourceAsStream(
                        "/META-INF/spring-configuration-metadata.json")) {
            return in == null
                    ? JsonMapper.shared().createArrayNode()
                    : JsonMapper.shared().readTree(in).path("properties");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static EngineSetting setting(
            String name, JsonNode property, List<ConfigurationPropertySource> sources) {
        String description = SettingsTable.plain(property.path("description").asString(""));
        for (ConfigurationPropertySource source : sources) {
            String value = value(source, ConfigurationPropertyName.of(name));
            if (value != null) {
                return new EngineSetting(name, shown(name, value), source(source), description);
            }
        }
        JsonNode usual = property.path("defaultValue");
        String value =
                usual.isMissingNode() || usual.isNull()
                        ? null
                        : usual.isString() ? usual.asString() : usual.toString();
        return new EngineSetting(
                name, value == null ? null : shown(name, value), null, description);
    }

    /** A value, or the entries of a list or a map by commas; null if this source has none. */
    private static @Nullable String value(
            ConfigurationPropertySource source, ConfigurationPropertyName name) {
        var one = source.getConfigurationProperty(name);
        if (one != null) {
            return String.valueOf(one.getValue());
        }
        if (!(source instanceof IterableConfigurationPropertySource all)) {
            return null;
        }
        List<String> entries = new ArrayList<>();
        for (ConfigurationPropertyName each : all) {
            if (name.isAncestorOf(each)) {
                var entry = source.getConfigurationProperty(each);
                if (entry != null) {
                    String end = each.toString().substring(name.toString().length());
                    String text = shown(each.toString(), String.valueOf(entry.getValue()));
                    entries.add(
                            end.startsWith("[") && end.endsWith("]") && end.indexOf('.') < 0
                                    ? text
                                    : end + "=" + text);
                }
            }
        }
        return entries.isEmpty() ? null : String.join(", ", entries);
    }

    /** The default is null: a value in the program's own file counts as a default, too. */
    private static @Nullable String source(ConfigurationPropertySource source) {
        if (!(source.getUnderlyingSource() instanceof PropertySource<?> from)) {
            return "file";
        }
        return switch (from.getName()) {
            case "commandLineArgs" -> "command line";
            case StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME -> "environment";
            case StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME -> "system property";
            default ->
                    from instanceof EnumerablePropertySource<?>
                                    && from.getName().contains("class path")
                            ? null
                            : "file";
        };
    }

    private static String shown(String name, String value) {
        return SettingsTable.isSecret(name) && !value.isEmpty()
                ? HIDDEN
                : IN_ADDRESS.matcher(value).replaceAll(HIDDEN);
    }
}
