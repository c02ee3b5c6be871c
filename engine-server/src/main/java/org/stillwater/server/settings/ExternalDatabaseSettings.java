package org.stillwater.server.settings;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * An external PostgreSQL server, under Spring Boot's customary names.
 *
 * @param url {@code jdbc:postgresql://host:port/database}; without it the engine runs a server of
 *     its own
 * @param username role that the engine works as: a member of {@code stillwater_monitoring}, or the
 *     owner of the database
 * @param password its password; better given in the environment or a file
 */
@ConfigurationProperties("spring.datasource")
public record ExternalDatabaseSettings(
        @Nullable String url,
        @DefaultValue("stillwater") String username,
        @DefaultValue("") String password) {

    public ExternalDatabaseSettings {
        if (url != null && !url.startsWith("jdbc:postgresql:")) {
            throw new IllegalArgumentException(
                    "spring.datasource.url must start with jdbc:postgresql:");
        }
    }

    /** Everything but the password; the address may hold one, so it is left out too. */
    @Override
    public String toString() {
        return "ExternalDatabaseSettings[username=" + username + "]";
    }
}
