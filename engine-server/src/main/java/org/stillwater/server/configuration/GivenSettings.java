package org.stillwater.server.configuration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.bootstrap.DefaultBootstrapContext;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;

/**
 * The settings that a start of the engine would see: options, environment, credentials, files and
 * the engine's defaults, in Spring Boot's order. For programs beside the engine. Confined to one
 * thread.
 */
public final class GivenSettings {

    private static final String OPTIONS = "commandLineArgs"; // as Spring Boot names them
    private static final String PROCESS = "applicationInfo"; // likewise

    private final ConfigurableEnvironment environment;

    private GivenSettings(ConfigurableEnvironment environment) {
        this.environment = environment;
        ConfigurationPropertySources.attach(environment);
    }

    /**
     * Reads them as the engine does.
     *
     * @param options the engine's options, each {@code --name=value}
     * @param file a further file of settings, null for none
     * @throws RuntimeException if a file cannot be read or is no YAML
     */
    public static GivenSettings read(List<String> options, @Nullable String file) {
        return read(options, file, new StandardEnvironment());
    }

    /**
     * The settings of one file, without options, environment and files of other names.
     *
     * @throws RuntimeException if it cannot be read or is no YAML
     */
    public static GivenSettings alone(Path file) {
        StandardEnvironment environment = new StandardEnvironment();
        MutablePropertySources sources = environment.getPropertySources();
        sources.remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
        sources.remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
        try {
            new YamlPropertySourceLoader()
                    .load(file.toString(), new FileSystemResource(file))
                    .forEach(sources::addFirst);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new GivenSettings(environment);
    }

    /** The same on top of an environment, for tests. */
    static GivenSettings read(
            List<String> options, @Nullable String file, ConfigurableEnvironment environment) {
        environment
                .getPropertySources()
                .addFirst(
                        new SimpleCommandLinePropertySource(
                                OPTIONS, options.toArray(String[]::new)));
        if (file != null) {
            String earlier = environment.getProperty("spring.config.additional-location");
            environment
                    .getPropertySources()
                    .addFirst(
                            new MapPropertySource(
                                    "configOption",
                                    Map.of(
                                            "spring.config.additional-location",
                                            (earlier == null ? "" : earlier + ",")
                                                    + location(file))));
        }
        CredentialSettings.addTo(environment);
        ConfigDataEnvironmentPostProcessor.applyTo(
                environment, new DefaultResourceLoader(), new DefaultBootstrapContext());
        ListSecrets.addTo(environment);
        return new GivenSettings(environment);
    }

    /** Spring knows the form of a file by the end of its name; every other one is YAML. */
    private static String location(String file) {
        String location = "file:" + Path.of(file).toAbsolutePath();
        return location.matches(".*\\.(yaml|yml|properties)") ? location : location + "[.yaml]";
    }

    ConfigurableEnvironment environment() {
        return environment;
    }

    /** The secrets among them, and in files of the data folder. */
    public SecretScrubber scrubber(Path dataFolder) {
        return SecretScrubber.of(environment, dataFolder);
    }

    /** Text of the given settings, one a line, with its location; secrets are masked. */
    public String text(SecretScrubber scrubber) {
        return text(environment, scrubber);
    }

    /** The value of a setting; null if none is given. */
    public @Nullable String value(String name) {
        return environment.getProperty(name);
    }

    /** Settings written for the engine, by name: in options, files and credentials. */
    public Map<String, String> written() {
        return written(environment);
    }

    /** Settings written for the engine in an environment, by name. */
    public static Map<String, String> written(ConfigurableEnvironment environment) {
        Map<String, String> all = new TreeMap<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> names && isWritten(source)) {
                for (String name : names.getPropertyNames()) {
                    String value = environment.getProperty(name);
                    if (value != null) {
                        all.put(name, value);
                    }
                }
            }
        }
        return all;
    }

    /**
     * The settings of one record.
     *
     * @throws org.springframework.boot.context.properties.bind.BindException if they are refused
     */
    public <T> T bind(Class<T> type) {
        ConfigurationProperties named = type.getAnnotation(ConfigurationProperties.class);
        if (named == null) {
            throw new IllegalArgumentException(type + " holds no settings");
        }
        BindHandler spelling = new SettingSpelling(environment).apply(BindHandler.DEFAULT);
        return Binder.get(environment, spelling).bindOrCreate(named.value(), type);
    }

    /**
     * Whether a source was written for the engine: an option, a file or a credential. The
     * environment and the JVM's properties have names for others, too, Spring Boot adds the number
     * of the process, and completed lists repeat what is written elsewhere.
     */
    public static boolean isWritten(PropertySource<?> source) {
        return !source.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)
                && !source.getName().equals(PROCESS)
                && !source.getName().equals(ListSecrets.NAME)
                && !source.getName()
                        .equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)
                && !ConfigurationPropertySources.isAttachedConfigurationPropertySource(source);
    }

    /** Location of a setting, such as {@code line 12 of /etc/stillwater/stillwater.yaml}. */
    public static @Nullable String place(PropertySource<?> source, String name) {
        Origin origin = OriginLookup.getOrigin(source, name);
        return origin == null ? placeOf(source, name) : place(origin);
    }

    private static @Nullable String placeOf(PropertySource<?> source, String name) {
        return switch (source.getName()) {
            case OPTIONS -> "option --" + name;
            case StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME -> "variable " + name;
            default -> null;
        };
    }

    /** The same of an origin. */
    static String place(Origin origin) {
        if (origin instanceof PropertySourceOrigin wrapped) {
            Origin inner = wrapped.getOrigin();
            String place =
                    inner == null
                            ? placeOf(wrapped.getPropertySource(), wrapped.getPropertyName())
                            : place(inner);
            return place == null ? origin.toString() : place;
        }
        if (origin instanceof TextResourceOrigin text && text.getLocation() != null) {
            return "line " + (text.getLocation().getLine() + 1) + " of " + path(text.getResource());
        }
        return origin.toString();
    }

    /** Location of the value that a setting has; null if it has none. */
    @Nullable String place(String name) {
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        ConfigurationPropertySources.get(environment).forEach(sources::add);
        return place(sources, ConfigurationPropertyName.of(name));
    }

    /** The same of the first of these sources that has it. */
    static @Nullable String place(
            List<ConfigurationPropertySource> sources, @Nullable ConfigurationPropertyName name) {
        if (name == null) {
            return null;
        }
        for (ConfigurationPropertySource source : sources) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                Origin origin = property.getOrigin();
                return origin == null ? null : place(origin);
            }
        }
        return null;
    }

    private static String path(@Nullable Resource resource) {
        if (resource == null) {
            return "a file";
        }
        try {
            return resource.getFile().getPath();
        } catch (java.io.IOException _) {
            return resource.getDescription();
        }
    }

    /**
     * The given settings, one a line, each once and with its location: settings written for the
     * engine, and variables of the environment that are settings. Secrets are masked.
     */
    public static String text(ConfigurableEnvironment environment, SecretScrubber scrubber) {
        SettingsTable table = SettingsTable.own();
        Map<String, String> lines = new TreeMap<>();
        Set<String> seen = new HashSet<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (!(source instanceof EnumerablePropertySource<?> all)
                    || source.getName().equals(ListSecrets.NAME)
                    || ConfigurationPropertySources.isAttachedConfigurationPropertySource(source)) {
                continue;
            }
            for (String name : all.getPropertyNames()) {
                boolean shown =
                        isWritten(source)
                                || name.startsWith("STILLWATER_")
                                || name.startsWith("SPRING_")
                                || name.startsWith("SERVER_")
                                || (name.startsWith(SettingsTable.OWN) && table.contains(name));
                String spelled = SettingsTable.spelled(name.replace('_', '.'));
                if (shown && seen.add(spelled)) {
                    Object value = source.getProperty(name);
                    String place = place(source, name);
                    lines.put(
                            name,
                            name
                                    + " = "
                                    + scrubber.value(name, String.valueOf(value))
                                    + (place == null ? "" : "   # " + scrubber.scrub(place)));
                }
            }
        }
        return String.join("\n", lines.values()) + "\n";
    }
}
