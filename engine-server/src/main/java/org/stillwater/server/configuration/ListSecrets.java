package org.stillwater.server.configuration;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;

/**
 * Gives the elements of a list their secrets from other sources, such as the password of a pool in
 * a file from the environment or from a credential. Spring Boot takes a list from one source as a
 * whole: a variable with the password would replace the list of the file.
 *
 * <p>Only a source that has nothing but secrets of a list adds to it. A source with other members
 * replaces the list, as usual.
 */
final class ListSecrets implements EnvironmentPostProcessor {

    /** Name of the source with the completed lists, which are written in others. */
    static final String NAME = "listsWithSecrets";

    @Override
    public void postProcessEnvironment(
            ConfigurableEnvironment environment, SpringApplication application) {
        addTo(environment);
    }

    /** Adds the completed lists, if there are any; after all other sources. */
    static void addTo(ConfigurableEnvironment environment) {
        environment.getPropertySources().remove(NAME);
        Map<ConfigurationPropertyName, List<Part>> lists = new LinkedHashMap<>();
        for (ConfigurationPropertySource source :
                ConfigurationPropertySources.from(environment.getPropertySources())) {
            if (source instanceof IterableConfigurationPropertySource all) {
                parts(all)
                        .forEach((list, part) ->
                                lists.computeIfAbsent(list, _ -> new ArrayList<>()).add(part));
            }
        }
        Map<String, ConfigurationProperty> completed = new LinkedHashMap<>();
        lists.values().forEach(parts -> complete(parts, completed));
        if (!completed.isEmpty()) {
            environment.getPropertySources().addFirst(new Completed(completed));
        }
    }

    /** The members of a list's elements that one source has. */
    private record Part(
            IterableConfigurationPropertySource source, Set<ConfigurationPropertyName> names) {

        boolean isSecretOnly() {
            return names.stream().allMatch(name -> SettingsTable.isSecret(name.toString()));
        }
    }

    private static Map<ConfigurationPropertyName, Part> parts(
            IterableConfigurationPropertySource source) {
        Map<ConfigurationPropertyName, Part> parts = new LinkedHashMap<>();
        for (ConfigurationPropertyName name : source) {
            ConfigurationPropertyName list = list(name);
            if (list != null) {
                parts.computeIfAbsent(list, _ -> new Part(source, new LinkedHashSet<>()))
                        .names()
                        .add(name);
            }
        }
        return parts;
    }

    /** The list of the engine in which a setting is a member of an element; null for none. */
    private static @Nullable ConfigurationPropertyName list(ConfigurationPropertyName name) {
        if (!name.toString().startsWith(SettingsTable.OWN)) {
            return null;
        }
        for (int i = 1; i < name.getNumberOfElements() - 1; i++) {
            if (name.isNumericIndex(i)) {
                return name.chop(i);
            }
        }
        return null;
    }

    /**
     * Completes one list.
     *
     * @param parts its parts, that of the strongest source first
     */
    private static void complete(List<Part> parts, Map<String, ConfigurationProperty> completed) {
        Part base = null;
        List<Part> used = new ArrayList<>();
        for (Part part : parts) {
            boolean secretOnly = part.isSecretOnly();
            if (!secretOnly && base == null) {
                base = part;
            }
            if (secretOnly || part.equals(base)) {
                used.add(part);
            }
        }
        if (base == null || used.size() == 1) {
            return;
        }
        for (Part part : used) {
            for (ConfigurationPropertyName name : part.names()) {
                ConfigurationProperty property = part.source().getConfigurationProperty(name);
                if (property != null) {
                    completed.putIfAbsent(name.toString(), property);
                }
            }
        }
    }

    /** The members of completed lists, each with its place. */
    private static final class Completed
            extends EnumerablePropertySource<Map<String, ConfigurationProperty>>
            implements OriginLookup<String> {

        Completed(Map<String, ConfigurationProperty> members) {
            super(NAME, members);
        }

        @Override
        public String[] getPropertyNames() {
            return getSource().keySet().toArray(String[]::new);
        }

        @Override
        public @Nullable Object getProperty(String name) {
            ConfigurationProperty property = getSource().get(name);
            return property == null ? null : property.getValue();
        }

        @Override
        public @Nullable Origin getOrigin(String name) {
            ConfigurationProperty property = getSource().get(name);
            return property == null ? null : property.getOrigin();
        }
    }
}
