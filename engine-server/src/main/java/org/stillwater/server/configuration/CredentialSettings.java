package org.stillwater.server.configuration;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.env.ConfigTreePropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Settings from systemd's credentials: a credential that is named as a setting is that setting.
 * They override files and give way to the environment and the command line. Other credentials, such
 * as the key of the secrets, are left alone.
 */
final class CredentialSettings implements EnvironmentPostProcessor {

    /**
     * Variable with the folder in which systemd puts credentials; set by systemd for the service
     * alone.
     */
    static final String VARIABLE = "CREDENTIALS_DIRECTORY";

    private static final String NAME = "credentials";

    @Override
    public void postProcessEnvironment(
            ConfigurableEnvironment environment, SpringApplication application) {
        addTo(environment);
    }

    /** Adds the credentials, if there are any. */
    static void addTo(ConfigurableEnvironment environment) {
        @Nullable String folder = environment.getProperty(VARIABLE);
        if (folder == null || folder.isBlank() || !Files.isDirectory(Path.of(folder))) {
            return;
        }
        Credentials credentials = new Credentials(Path.of(folder));
        String after = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
        if (environment.getPropertySources().contains(after)) {
            environment.getPropertySources().addAfter(after, credentials);
        } else {
            environment.getPropertySources().addFirst(credentials);
        }
    }

    /** The files of the folder that are named like settings. */
    private static final class Credentials extends EnumerablePropertySource<Path>
            implements OriginLookup<String> {

        private final ConfigTreePropertySource files;
        private final String[] names;

        Credentials(Path folder) {
            super(NAME, folder);
            files =
                    new ConfigTreePropertySource(
                            NAME,
                            folder,
                            ConfigTreePropertySource.Option.AUTO_TRIM_TRAILING_NEW_LINE);
            List<String> settings = new ArrayList<>();
            for (String name : files.getPropertyNames()) {
                if (name.startsWith(SettingsTable.OWN)
                        || name.startsWith("spring.")
                        || name.startsWith("server.")) {
                    settings.add(name);
                }
            }
            names = settings.toArray(String[]::new);
        }

        @Override
        public String[] getPropertyNames() {
            return names.clone();
        }

        @Override
        public @Nullable Object getProperty(String name) {
            return List.of(names).contains(name) ? files.getProperty(name) : null;
        }

        @Override
        public @Nullable Origin getOrigin(String name) {
            return List.of(names).contains(name) ? files.getOrigin(name) : null;
        }
    }
}
