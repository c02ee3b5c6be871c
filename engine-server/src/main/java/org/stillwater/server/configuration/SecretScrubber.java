package org.stillwater.server.configuration;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Removes secrets from texts by their values, wherever they stand: the values of settings with
 * secret names, and the content of files with secrets. Immutable.
 */
public final class SecretScrubber {

    /** Replacement of a secret. */
    public static final String MASK = "******";

    /** A shorter value stands in every other word; it is masked where its name is known. */
    private static final int SHORTEST = 4;

    private static final long LARGEST_FILE = 64 * 1024;

    private static final Pattern IN_ADDRESS =
            Pattern.compile("(?i)([?&;]|^)(password|sslpassword|user_?password)=([^&;\\s\"']*)");
    private static final Pattern USER_INFO =
            Pattern.compile("(?i)([a-z][a-z0-9+.-]*://[^/\\s:@]*:)([^@/\\s]+)@");

    private final List<String> secrets;

    private SecretScrubber(Collection<String> found) {
        Set<String> all = new LinkedHashSet<>();
        for (String each : found) {
            if (each.strip().length() >= SHORTEST) {
                all.add(each.strip());
            }
        }
        // A secret that contains another one goes first, so that no rest of it stays.
        secrets = all.stream().sorted(Comparator.comparingInt(String::length).reversed()).toList();
    }

    /** The secrets among the given settings. */
    public static SecretScrubber of(ConfigurableEnvironment environment) {
        return of(environment, null);
    }

    /**
     * The secrets among the given settings, and those in files below a data folder.
     *
     * @param dataFolder null for none
     */
    public static SecretScrubber of(
            ConfigurableEnvironment environment, @Nullable Path dataFolder) {
        List<String> found = new ArrayList<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> all) {
                for (String name : all.getPropertyNames()) {
                    Object value = source.getProperty(name);
                    if (value != null) {
                        String text = resolved(environment, value.toString());
                        if (SettingsTable.isSecret(name)) {
                            found.add(text);
                        }
                        found.addAll(inAddress(text));
                    }
                }
            }
        }
        if (dataFolder != null) {
            found.addAll(inFiles(dataFolder));
        }
        return new SecretScrubber(found);
    }

    private static String resolved(ConfigurableEnvironment environment, String text) {
        try {
            return environment.resolvePlaceholders(text);
        } catch (IllegalArgumentException _) {
            return text; // placeholders in a circle
        }
    }

    private static List<String> inAddress(String text) {
        List<String> found = new ArrayList<>();
        Matcher parameter = IN_ADDRESS.matcher(text);
        while (parameter.find()) {
            found.add(parameter.group(3));
            found.add(decoded(parameter.group(3)));
        }
        Matcher user = USER_INFO.matcher(text);
        while (user.find()) {
            found.add(user.group(2));
            found.add(decoded(user.group(2)));
        }
        return found;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return text;
        }
    }

    /** Passwords of the embedded server and the first one, and keys: each line of each file. */
    private static List<String> inFiles(Path dataFolder) {
        List<String> found = new ArrayList<>();
        for (String name :
                List.of(
                        "first-password",
                        "postgresql/password",
                        "postgresql/owner-password",
                        "postgresql/engine-password",
                        "secrets",
                        "pki",
                        "tls",
                        "proxy-tickets")) {
            try (Stream<Path> files = Files.walk(dataFolder.resolve(name), 3)) {
                for (Path each : files.filter(Files::isRegularFile).toList()) {
                    if (Files.size(each) <= LARGEST_FILE && !isPublic(each)) {
                        for (String line :
                                Files.readString(each, StandardCharsets.ISO_8859_1).split("\n")) {
                            if (!line.startsWith("#") && !line.startsWith("-----")) {
                                found.add(line);
                            }
                        }
                    }
                }
            } catch (IOException | java.io.UncheckedIOException _) {
                // a file that this user cannot read cannot come into the user's texts either
            }
        }
        return found;
    }

    private static boolean isPublic(Path file) {
        String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
        return name.endsWith(".pem") && !name.contains("key");
    }

    /** The text without secrets. */
    public String scrub(String text) {
        String clean = text;
        for (String each : secrets) {
            clean = clean.replace(each, MASK);
        }
        return USER_INFO
                .matcher(IN_ADDRESS.matcher(clean).replaceAll("$1$2=" + MASK))
                .replaceAll("$1" + MASK + "@");
    }

    /** Whether a secret is in a text or in bytes that were read as ISO 8859-1. */
    public boolean finds(String text) {
        return secrets.stream().anyMatch(text::contains);
    }

    /** The value of a setting as it may be shown. */
    public String value(String name, String value) {
        return SettingsTable.isSecret(name) ? (value.isEmpty() ? "" : MASK) : scrub(value);
    }
}
