package org.stillwater.server.configuration;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Every setting of the engine, from the metadata that the compiler writes of the settings records.
 * Immutable.
 */
public final class SettingsTable {

    /** Path of the table that the compiler generates for each library. */
    private static final String METADATA = "META-INF/spring-configuration-metadata.json";

    /** Beginning of the engine's own names. */
    public static final String OWN = "stillwater.";

    private static final List<String> SECRET =
            List.of(
                    "password",
                    "passwd",
                    "secret",
                    "token",
                    "credential",
                    "credentials",
                    "headers",
                    // Its path is the receiver's password with many services.
                    "webhook");

    /**
     * One setting.
     *
     * @param name canonical name, such as {@code stillwater.cycle.interval}
     * @param type name of its Java type
     * @param defaultText default as it is written in a file, elements of a list with commas between
     *     them; empty for none
     * @param list whether the default is a list
     * @param description its meaning, with {@code {@code …}} around code
     */
    public record Setting(
            String name, String type, String defaultText, boolean list, String description) {

        /** Its meaning without marks of code. */
        public String meaning() {
            return plain(description);
        }

        /** The name without its last part. */
        public String group() {
            return name.substring(0, Math.max(0, name.lastIndexOf('.')));
        }

        /** Whether more names may follow this one: lists and maps. */
        boolean open() {
            return type.startsWith("java.util.")
                    && (type.contains("Map<") || type.contains("List<") || type.contains("Set<"));
        }
    }

    /** Settings of Spring Boot that an operator of the engine needs, with the engine's defaults. */
    private static final List<Setting> OF_SPRING =
            List.of(
                    spring("server.address", "127.0.0.1", "address to listen on"),
                    spring(
                            "server.port",
                            "8443",
                            "port of REST, stream, page and health; 8080 without TLS; 0 takes a"
                                    + " free one"),
                    spring(
                            "server.max-http-request-header-size",
                            "16KB",
                            "longest request line with all headers"),
                    spring(
                            "server.tomcat.max-connections",
                            "8192",
                            "connections at a time; more wait to be accepted"),
                    spring(
                            "server.tomcat.connection-timeout",
                            "20s",
                            "how long a connection may take to send its next bytes"),
                    spring(
                            "spring.lifecycle.timeout-per-shutdown-phase",
                            "30s",
                            "longest wait for requests under way at the end"),
                    spring("logging.level.org.stillwater", "info", "level of the engine's log"));

    private final Map<String, Setting> settings = new LinkedHashMap<>();

    private SettingsTable(List<JsonNode> documents) {
        List<Setting> all = new ArrayList<>();
        for (JsonNode document : documents) {
            document.path("properties").forEach(property -> all.add(setting(property)));
        }
        all.sort(Comparator.comparing(Setting::group).thenComparing(Setting::name));
        all.forEach(each -> settings.put(spelled(each.name()), each));
    }

    /** The engine's own settings and those of its data source. */
    public static SettingsTable own() {
        try (InputStream own = SettingsTable.class.getResourceAsStream("/" + METADATA)) {
            return new SettingsTable(own == null ? List.of() : List.of(read(own)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The settings of all libraries on the class path. */
    static SettingsTable ofAllLibraries() {
        List<JsonNode> documents = new ArrayList<>();
        try {
            for (String name :
                    List.of(METADATA, "META-INF/additional-spring-configuration-metadata.json")) {
                Enumeration<URL> found = SettingsTable.class.getClassLoader().getResources(name);
                for (URL each : Collections.list(found)) {
                    try (InputStream in = each.openStream()) {
                        documents.add(read(in));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new SettingsTable(documents);
    }

    private static JsonNode read(InputStream in) {
        return JsonMapper.builder().build().readTree(in);
    }

    /**
     * A description as people read it.
     *
     * @param description a text of metadata, with {@code {@code …}} around code
     */
    public static String plain(String description) {
        return description.replaceAll("\\{@code ([^}]*)}", "$1");
    }

    private static Setting spring(String name, String defaultText, String description) {
        return new Setting(name, "java.lang.String", defaultText, false, description);
    }

    private static Setting setting(JsonNode property) {
        JsonNode value = property.path("defaultValue");
        String text;
        if (value.isArray()) {
            List<String> elements = new ArrayList<>();
            value.forEach(each -> elements.add(each.asString("")));
            text = String.join(",", elements);
        } else {
            text = value.isMissingNode() ? "" : value.asString("");
        }
        return new Setting(
                property.path("name").asString(),
                property.path("type").asString(""),
                text,
                value.isArray(),
                property.path("description").asString("").replaceAll("\\s+", " "));
    }

    /** The settings, by group and name. */
    public Collection<Setting> settings() {
        return Collections.unmodifiableCollection(settings.values());
    }

    /** Settings of Spring Boot that belong into the same file. */
    public static List<Setting> ofSpring() {
        return OF_SPRING;
    }

    /** Whether there is such a setting, in any of Spring's spellings. */
    public boolean contains(String name) {
        String spelled = spelled(name);
        if (settings.containsKey(spelled)) {
            return true;
        }
        for (int end = spelled.length() - 1; end > 0; end--) {
            char at = spelled.charAt(end);
            if (at == '.' || at == '[') {
                Setting beginning = settings.get(spelled.substring(0, end));
                if (beginning != null && beginning.open()) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Whether it is a setting of the engine. A misspelling of {@code stillwater} as the first
     * segment of a name counts as one, and so does a text without names.
     */
    public boolean known(String name) {
        return settings.isEmpty()
                || contains(name)
                || !(spelled(name).startsWith(OWN)
                        || NearestName.isNearly(subject(name), OWN.substring(0, OWN.length() - 1))
                        || isText(name));
    }

    /** The first part of a name. */
    static String subject(String name) {
        return spelled(name).split("[.\\[]", 2)[0];
    }

    /** Whether Spring made this name of a file that holds a text or a list, and no settings. */
    static boolean isText(String name) {
        return name.equals("document") || name.startsWith("document[");
    }

    /** The name that was probably meant; null if none is near. */
    public @Nullable String nearest(String name) {
        return NearestName.of(
                name, new TreeSet<>(settings.values().stream().map(Setting::name).toList()));
    }

    /**
     * Whether the value of a setting must not be shown, by its name or by that of its variable in
     * the environment, such as {@code STILLWATER_OTLP_HEADERS_AUTHORIZATION}.
     */
    public static boolean isSecret(String name) {
        String spelled = spelled(name);
        String parts = spelled(name.replace('_', '.'));
        return SECRET.stream().anyMatch(spelled::endsWith)
                || parts.contains("headers.")
                || parts.contains("headers[");
    }

    /** Spring takes data-folder, dataFolder and data_folder for the same. */
    static String spelled(String name) {
        return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }
}
