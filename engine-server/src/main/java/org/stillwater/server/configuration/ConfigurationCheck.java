package org.stillwater.server.configuration;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.origin.Origin;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.stillwater.server.settings.HostCommandSettings;
import org.stillwater.server.settings.HostPolicySettings;
import org.stillwater.server.settings.KdumpSettings;
import org.stillwater.server.settings.PowerFenceSettings;
import org.stillwater.server.settings.RelaySettings;

/**
 * Checks the given settings, as far as possible without a start: unknown names, refused values,
 * missing files, taken ports, and files with secrets that others can read. Confined to one thread.
 */
public final class ConfigurationCheck {

    private static final String RECORDS = "org.stillwater.server.settings";

    private static final String LEVELS = "logging.level";

    /** A record that refuses more values than this is not bound again. */
    private static final int MOST_REFUSALS = 50;

    private static final Pattern NAMED =
            Pattern.compile("^((?:stillwater|spring|server)\\.[a-z0-9.\\[\\]-]+) must ");

    /** The environment's names that are the launcher's and the command line's. */
    private static final Set<String> OTHERS_VARIABLES =
            Set.of(
                    "HOME",
                    "JAVA_OPTS",
                    "FAST_START",
                    "INTERRUPT",
                    "CONFIG",
                    "URL",
                    "TOKEN",
                    "TOKEN_FILE",
                    "CA",
                    "USER",
                    "PASSWORD",
                    "PASSWORD_FILE");

    private final GivenSettings given;
    private final SettingsTable own = SettingsTable.own();
    private final List<Finding> findings = new ArrayList<>();

    private ConfigurationCheck(GivenSettings given) {
        this.given = given;
    }

    /**
     * Checks them.
     *
     * @param ports whether ports must be free; not while the engine runs with these settings
     */
    public static List<Finding> of(GivenSettings given, boolean ports) {
        ConfigurationCheck check = new ConfigurationCheck(given);
        check.unreadable();
        if (!check.findings.isEmpty()) {
            return List.copyOf(check.findings); // the other checks read these values, too
        }
        check.names();
        check.variables();
        check.values();
        check.relations();
        new FileCheck(given, check.findings::add).check();
        if (ports) {
            new PortCheck(given, check.findings::add).check();
        }
        return List.copyOf(new LinkedHashSet<>(check.findings));
    }

    /** Files of single settings, such as secrets, are read when their value is. */
    private void unreadable() {
        for (PropertySource<?> source : given.environment().getPropertySources()) {
            if (!(source instanceof EnumerablePropertySource<?> all)
                    || !GivenSettings.isWritten(source)) {
                continue;
            }
            for (String name : all.getPropertyNames()) {
                try {
                    String _ = String.valueOf(all.getProperty(name));
                } catch (IllegalStateException e) {
                    findings.add(
                            Finding.error(
                                    GivenSettings.place(source, name),
                                    name
                                            + " is in a file that this user cannot read: "
                                            + NestedExceptionUtils.getMostSpecificCause(e)));
                }
            }
        }
    }

    private void names() {
        SettingsTable all = SettingsTable.ofAllLibraries();
        Set<String> subjects = new HashSet<>(Set.of("debug", "trace"));
        all.settings().forEach(each -> subjects.add(SettingsTable.subject(each.name())));
        for (PropertySource<?> source : given.environment().getPropertySources()) {
            if (!(source instanceof EnumerablePropertySource<?> known)
                    || !GivenSettings.isWritten(source)) {
                continue;
            }
            for (String name : known.getPropertyNames()) {
                String place = GivenSettings.place(source, name);
                if (SettingsTable.isText(name)) {
                    findings.add(
                            Finding.error(
                                    place,
                                    "this is no setting: each needs its name, a colon and its"
                                            + " value"));
                } else if (!own.known(name)) {
                    findings.add(
                            Finding.error(place, "there is no setting " + name + meant(own, name)));
                } else if (isOfSpring(name) && !all.contains(name)) {
                    findings.add(
                            Finding.warning(
                                    place,
                                    "Spring Boot has no setting " + name + meant(all, name)));
                } else if (!subjects.contains(SettingsTable.subject(name))) {
                    findings.add(
                            Finding.warning(
                                    place,
                                    "nothing reads "
                                            + name
                                            + ", unless another setting refers to it"));
                }
            }
        }
    }

    private static boolean isOfSpring(String name) {
        return name.startsWith("server.")
                || name.startsWith("spring.")
                || name.startsWith("management.")
                || name.startsWith("logging.");
    }

    private static String meant(SettingsTable table, String name) {
        String nearest = table.nearest(name);
        return nearest == null ? "" : "; did you mean " + nearest + "?";
    }

    /** The engine ignores unknown variables, since they may be for others. */
    private void variables() {
        PropertySource<?> source =
                given.environment()
                        .getPropertySources()
                        .get(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
        if (!(source instanceof EnumerablePropertySource<?> all)) {
            return;
        }
        Map<String, String> known = new TreeMap<>();
        own.settings().forEach(each -> known.put(variable(each.name()), each.name()));
        for (String name : all.getPropertyNames()) {
            if (name.startsWith("STILLWATER_")
                    && !OTHERS_VARIABLES.contains(name.substring("STILLWATER_".length()))
                    && !known.containsKey(name)
                    && known.keySet().stream().noneMatch(each -> name.startsWith(each + "_"))) {
                String nearest = NearestName.of(name, known.keySet());
                findings.add(
                        Finding.warning(
                                "environment",
                                "no setting is written "
                                        + name
                                        + (nearest == null
                                                ? ""
                                                : "; did you mean " + nearest + "?")));
            }
        }
    }

    private static String variable(String name) {
        return name.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT);
    }

    // ------------------------------------------------------------------------------------ values

    private void values() {
        BindHandler spelling = new SettingSpelling(given.environment()).apply(BindHandler.DEFAULT);
        records()
                .forEach(record -> {
                    String prefix = record.getAnnotation(ConfigurationProperties.class).value();
                    bind(binder -> binder.bindOrCreate(prefix, Bindable.of(record), spelling));
                });
        // As Spring Boot reads them; a level that is none ends the start.
        bind(binder -> binder.bind(LEVELS, Bindable.mapOf(String.class, LogLevel.class)));
    }

    /** Every record of settings, by name. */
    static List<Class<?>> records() {
        ClassPathScanningCandidateComponentProvider records =
                new ClassPathScanningCandidateComponentProvider(false);
        records.addIncludeFilter(new AnnotationTypeFilter(ConfigurationProperties.class));
        List<Class<?>> found = new ArrayList<>();
        records.findCandidateComponents(RECORDS).stream()
                .map(each -> String.valueOf(each.getBeanClassName()))
                .sorted()
                .forEach(each -> found.add(record(each)));
        return found;
    }

    private static Class<?> record(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Binds something; a refused value is left out, so that the next refusal is found, too. */
    private void bind(Consumer<Binder> binding) {
        Set<ConfigurationPropertyName> refused = new HashSet<>();
        for (int round = 0; round < MOST_REFUSALS; round++) {
            List<ConfigurationPropertySource> sources = new ArrayList<>();
            for (ConfigurationPropertySource source :
                    ConfigurationPropertySources.get(given.environment())) {
                sources.add(source.filter(name -> !refused.contains(name)));
            }
            try {
                binding.accept(
                        new Binder(
                                sources,
                                new PropertySourcesPlaceholdersResolver(given.environment())));
                return;
            } catch (BindException e) {
                ConfigurationPropertyName culprit = refusal(sources, e);
                if (culprit == null || !refused.add(culprit)) {
                    return;
                }
            }
        }
    }

    /** Notes a refusal; the setting that was refused, null if that cannot be known. */
    private @Nullable ConfigurationPropertyName refusal(
            List<ConfigurationPropertySource> sources, BindException e) {
        Throwable cause = NestedExceptionUtils.getMostSpecificCause(e);
        String said = String.valueOf(cause.getMessage());
        Matcher named = NAMED.matcher(said);
        if (named.find()) { // a record's own refusal, which names the setting
            ConfigurationPropertyName name =
                    ConfigurationPropertyName.isValid(named.group(1))
                            ? ConfigurationPropertyName.of(named.group(1))
                            : null;
            String place = GivenSettings.place(sources, name);
            findings.add(Finding.error(place == null ? placeOfAny(named.group(1)) : place, said));
            return name;
        }
        ConfigurationProperty property = e.getProperty();
        ConfigurationPropertyName name = property == null ? e.getName() : property.getName();
        if (property == null) {
            findings.add(Finding.error(GivenSettings.place(sources, name), name + ": " + said));
        } else {
            Origin origin = property.getOrigin();
            String value =
                    SettingsTable.isSecret(name.toString())
                            ? "its value"
                            : "\"" + property.getValue() + "\"";
            findings.add(
                    Finding.error(
                            origin == null ? null : GivenSettings.place(origin),
                            name + " cannot be " + value + ": " + expected(name.toString(), said)));
        }
        return name;
    }

    /** Expected form of a value; the converter's own words, if the type has no text. */
    private String expected(String name, String said) {
        if (name.startsWith(LEVELS + ".")) {
            return "it needs off, error, warn, info, debug or trace";
        }
        return own.settings().stream()
                .filter(each -> each.name().equals(name))
                .map(each ->
                        switch (each.type()) {
                            case "java.time.Duration" ->
                                    "it needs a duration, such as 500ms, 15s, 2m, 1h or 30d";
                            case "org.springframework.util.unit.DataSize" ->
                                    "it needs a size, such as 64KB or 8MB";
                            case "java.lang.Integer", "java.lang.Long" -> "it needs a whole number";
                            case "java.lang.Double" -> "it needs a number";
                            case "java.lang.Boolean" -> "it needs true or false";
                            case "java.util.UUID" -> "it needs a UUID";
                            default -> said;
                        })
                .findFirst()
                .orElse(said);
    }

    // --------------------------------------------------------------------------------- relations

    /** Values that are good each, and that a start refuses together. */
    private void relations() {
        String commands = given.value("stillwater.commands.enabled");
        if (commands == null || commands.equalsIgnoreCase("true")) {
            relation(() ->
                    given.bind(HostCommandSettings.class)
                            .checkFencing(
                                    given.bind(HostPolicySettings.class),
                                    given.bind(PowerFenceSettings.class)));
            relation(() ->
                    given.bind(KdumpSettings.class).check(given.bind(HostPolicySettings.class)));
        }
        relation(() -> {
            RelaySettings relays = given.bind(RelaySettings.class);
            if (relays.enabled()) {
                relays.checkHosts();
            }
        });
    }

    private void relation(Runnable check) {
        try {
            check.run();
        } catch (BindException _) {
            // a value of its own is refused, which is found already
        } catch (IllegalArgumentException e) {
            String said = String.valueOf(e.getMessage());
            Matcher named = NAMED.matcher(said);
            findings.add(Finding.error(named.find() ? placeOfAny(named.group(1)) : null, said));
        }
    }

    /** The place of a value, or of the first one of a list. */
    private @Nullable String placeOfAny(String name) {
        String place = given.place(name);
        return place == null ? given.place(name + "[0]") : place;
    }
}
