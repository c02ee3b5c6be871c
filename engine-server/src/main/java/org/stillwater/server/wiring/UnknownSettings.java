package org.stillwater.server.wiring;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Refuses the start with a setting {@code stillwater.…} that there is not, on the command line or
 * in a file: misspelt, it would leave the default in force. The environment and the JVM's
 * properties have names for others too, such as {@code STILLWATER_HOME}, and are not looked at.
 */
final class UnknownSettings implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

    private static final String PREFIX = "stillwater.";

    private final Set<String> names = new HashSet<>();

    /** Beginnings of lists and maps, whose ends are free. */
    private final Set<String> open = new HashSet<>();

    UnknownSettings() {
        try (InputStream metadata =
                UnknownSettings.class.getResourceAsStream(
                        "/META-INF/spring-configuration-metadata.json")) {
            if (metadata != null) {
                JsonMapper.builder()
                        .build()
                        .readTree(metadata)
                        .path("properties")
                        .forEach(this::know);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void know(JsonNode property) {
        String name = spelled(property.path("name").asString());
        names.add(name);
        String type = property.path("type").asString();
        if (type.startsWith("java.util.")
                && (type.contains("Map<") || type.contains("List<") || type.contains("Set<"))) {
            open.add(name);
        }
    }

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        if (!names.isEmpty()) {
            check(event.getEnvironment());
        }
    }

    private void check(ConfigurableEnvironment environment) {
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> all && isWritten(source.getName())) {
                for (String name : all.getPropertyNames()) {
                    if (!known(name)) {
                        throw new StartRefused(
                                "There is no setting " + name + ".",
                                "Correct its name, or leave it out. docs/reference/settings.md"
                                        + " lists all settings.",
                                null);
                    }
                }
            }
        }
    }

    private static boolean isWritten(String source) {
        return !source.equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)
                && !source.equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    }

    /** Whether it is a setting of the engine, or none of its affair. */
    boolean known(String name) {
        String spelled = spelled(name);
        return !spelled.startsWith(PREFIX)
                || names.contains(spelled)
                || open.stream()
                        .anyMatch(list ->
                                spelled.startsWith(list + ".") || spelled.startsWith(list + "["));
    }

    /** Spring takes data-folder, dataFolder and data_folder for the same. */
    private static String spelled(String name) {
        return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }
}
