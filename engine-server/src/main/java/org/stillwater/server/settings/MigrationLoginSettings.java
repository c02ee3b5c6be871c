package org.stillwater.server.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The login that changes the schema of an external PostgreSQL server when an engine starts, where
 * that is not the role of {@code spring.datasource.username}. Nothing stays logged in as this role.
 *
 * @param username role that owns the database; empty if {@code spring.datasource.username} does, or
 *     if the schema is migrated by another start
 * @param password its password; better given in the environment or a file
 */
@ConfigurationProperties("stillwater.database.migration")
public record MigrationLoginSettings(
        @DefaultValue("") String username, @DefaultValue("") String password) {

    public MigrationLoginSettings {
        if (username.isEmpty() && !password.isEmpty()) {
            throw new IllegalArgumentException(
                    "stillwater.database.migration.username must be given with its password");
        }
    }

    /** Whether migrations have a login of their own. */
    public boolean given() {
        return !username.isEmpty();
    }

    /** Everything but the password. */
    @Override
    public String toString() {
        return "MigrationLoginSettings[username=" + username + "]";
    }
}
