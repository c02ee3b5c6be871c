package org.stillwater.dal;

import com.zaxxer.hikari.util.DriverDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.flywaydb.core.api.MigrationState;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.store.StoreUnavailable;

/**
 * Brings the schema up to date, or finds that it is, and tells what logins may do. No connection
 * outlives a call. Stateless.
 */
final class Schema {

    private static final Logger log = LoggerFactory.getLogger(Schema.class);
    static final String VERSIONS = "schema_history";
    static final String MONITORING_ROLE = "stillwater_monitoring";
    private static final String REFUSED = "42501";

    /** An object cannot be dropped, or its type cannot be changed, because another one uses it. */
    private static final Set<String> DEPENDED_ON = Set.of("2BP01", "0A000");

    private Schema() {}

    /**
     * Migrates as the login for migration if there is one. Otherwise the working login migrates if
     * it owns the schema; if it does not, the schema must be current.
     *
     * @throws StoreUnavailable if the database cannot be reached or migrated now
     * @throws SchemaOutdated if the schema is older and no login may change it
     * @throws SchemaNewer if a newer version of Stillwater made it
     */
    static void prepare(DatabaseSettings settings) throws StoreUnavailable {
        if (settings.migration() != null || mayMigrate(settings)) {
            migrate(settings);
        } else {
            requireCurrent(settings);
        }
    }

    /** Brings the schema up to date, as the login for migration or else the working one. */
    static void migrate(DatabaseSettings settings) throws StoreUnavailable {
        Login migration = settings.migration();
        Login login = migration == null ? settings.login() : migration;
        try {
            Flyway flyway = flyway(settings, login);
            // Flyway itself allows an older program to work on a newer schema.
            requireKnown(flyway.info().all());
            int executed = flyway.migrate().migrationsExecuted;
            if (executed > 0) {
                log.info("Schema migrated: {} scripts", executed);
            }
        } catch (FlywayException e) {
            String dependants = dependants(e);
            if (dependants != null) {
                throw new StoreUnavailable(dependants, e);
            }
            throw new StoreUnavailable(
                    "the schema cannot be migrated%s: %s".formatted(as(login), e.getMessage()), e);
        }
    }

    /**
     * Objects of others that keep a script from changing one of Stillwater's, with the remedy; null
     * if that is not the failure. The server's hint, {@code CASCADE}, would drop them unseen.
     */
    private static @Nullable String dependants(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof PSQLException sql
                    && DEPENDED_ON.contains(String.valueOf(sql.getSQLState()))) {
                ServerErrorMessage server = sql.getServerErrorMessage();
                String detail = server == null ? null : server.getDetail();
                return detail == null
                        ? null
                        : "objects that are not Stillwater's depend on some that this version changes: %s. Keep their definitions (pg_get_viewdef), drop them, start this version, and make them again"
                                .formatted(String.join("; ", detail.lines().toList()));
            }
        }
        return null;
    }

    /**
     * Whether the working login owns the present schema, or may create one in an empty database.
     */
    private static boolean mayMigrate(DatabaseSettings settings) throws StoreUnavailable {
        try (Connection connection = source(settings, settings.login()).getConnection();
                PreparedStatement statement =
                        connection.prepareStatement(
                                """
                                SELECT coalesce((SELECT pg_has_role(c.relowner, 'USAGE')
                                                   FROM pg_class AS c
                                                  WHERE c.oid = to_regclass(?)),
                                                has_schema_privilege(current_schema(), 'CREATE'),
                                                false)
                                """)) {
            statement.setString(1, VERSIONS);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        } catch (SQLException e) {
            throw SqlFailures.unavailable(e);
        }
    }

    private static void requireCurrent(DatabaseSettings settings) throws StoreUnavailable {
        Login login = settings.login();
        MigrationInfo[] pending;
        try {
            MigrationInfoService info = flyway(settings, login).info();
            requireKnown(info.all());
            pending = info.pending();
        } catch (FlywayException e) {
            if (refused(e)) {
                throw new SchemaOutdated(
                        "The schema's version cannot be read%s: it is older than this engine, or not"
                                        .formatted(as(login))
                                + " Stillwater's.",
                        e);
            }
            throw new StoreUnavailable("the schema's version cannot be read: " + e.getMessage(), e);
        }
        if (pending.length > 0) {
            throw new SchemaOutdated(
                    "The schema is older than this engine: it lacks %d scripts, the first of them %s;%s it cannot be changed."
                            .formatted(pending.length, pending[0].getScript(), as(login)),
                    null);
        }
        log.info("Schema is current; migrations need another login than {}", login.user());
    }

    /** Refuses a schema with migrations that came after this program. */
    private static void requireKnown(MigrationInfo[] all) {
        for (MigrationInfo each : all) {
            MigrationState state = each.getState();
            if (state == MigrationState.FUTURE_SUCCESS || state == MigrationState.FUTURE_FAILED) {
                throw new SchemaNewer(version(newest(all, false)), version(newest(all, true)));
            }
        }
    }

    private static String version(@Nullable MigrationVersion version) {
        return version == null ? "0" : version.getVersion();
    }

    /** The newest of all migrations, or of those that this program knows. */
    private static @Nullable MigrationVersion newest(MigrationInfo[] all, boolean known) {
        MigrationVersion newest = null;
        for (MigrationInfo each : all) {
            MigrationVersion version = each.getVersion();
            if (version != null
                    && (!known || each.getState().isResolved())
                    && (newest == null || version.isNewerThan(newest))) {
                newest = version;
            }
        }
        return newest;
    }

    /** The newest migration of this program. */
    static String newestKnown(MigrationInfo[] all) {
        return version(newest(all, true));
    }

    private static boolean refused(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof SQLException sql && REFUSED.equals(sql.getSQLState())) {
                return true;
            }
        }
        return false;
    }

    private static String as(Login login) {
        return login.user().isEmpty() ? "" : " as " + login.user();
    }

    static Flyway flyway(DatabaseSettings settings, Login login) {
        return scripts()
                .dataSource(source(settings, login))
                .locations("classpath:db/migration", "classpath:db/view")
                .validateMigrationNaming(true)
                .cleanDisabled(true)
                .load();
    }

    /**
     * Flyway for the scripts, without database and locations.
     *
     * <p>{@code UNIQUE NULLS NOT DISTINCT (} of version 16, which PostgreSQL 14 does not know, is a
     * placeholder for {@code UNIQUE (}; version 42 makes the constraint strict again. The checksum
     * of a version is that of its text before placeholders are replaced, so that databases with
     * version 16 stay valid (ADR 72).
     */
    static FluentConfiguration scripts() {
        return Flyway.configure(Schema.class.getClassLoader())
                .table(VERSIONS)
                .placeholderPrefix("UNIQUE NULLS ")
                .placeholders(Map.of("NOT DISTINCT", "UNIQUE ("))
                .placeholderSuffix(" (");
    }

    /**
     * Connections outside of the pools. Their URL is the one that was given: a {@code
     * PGSimpleDataSource} appends every property, and Flyway's search for secrets in a URL of 2 KB
     * takes 2 s of each start.
     */
    static DataSource source(DatabaseSettings settings, Login login) {
        Properties properties = new Properties();
        String timeout = Long.toString(settings.connectTimeout().toSeconds());
        properties.setProperty("connectTimeout", timeout);
        properties.setProperty("loginTimeout", timeout);
        properties.setProperty("ApplicationName", "stillwater-migration");
        return new DriverDataSource(
                settings.jdbcUrl(),
                null,
                properties,
                login.user().isEmpty() ? null : login.user(),
                login.password().isEmpty() ? null : login.password());
    }

    /** Whether connections can take the monitoring role. */
    static boolean mayTakeMonitoringRole(DatabaseSettings settings) throws StoreUnavailable {
        try (Connection connection = source(settings, settings.login()).getConnection();
                PreparedStatement statement =
                        connection.prepareStatement(
                                """
                                SELECT pg_has_role(oid, CASE WHEN current_setting('server_version_num')::integer >= 160000
                                                             THEN 'SET' ELSE 'MEMBER' END),
                                       has_schema_privilege(oid, current_schema(), 'CREATE'),
                                       current_schema()
                                  FROM pg_roles
                                 WHERE rolname = ?
                                """)) {
            statement.setString(1, MONITORING_ROLE);
            try (ResultSet row = statement.executeQuery()) {
                boolean may = row.next() && row.getBoolean(1);
                if (!may) {
                    log.warn(
                            "The role {} cannot be taken; the engine works with all rights of {}",
                            MONITORING_ROLE,
                            settings.user());
                } else if (row.getBoolean(2)) {
                    // So a new database of PostgreSQL 14 is.
                    log.warn(
                            "The role {} may create objects in the schema {}; as its owner run"
                                    + " REVOKE CREATE ON SCHEMA {} FROM PUBLIC",
                            MONITORING_ROLE,
                            row.getString(3),
                            row.getString(3));
                }
                return may;
            }
        } catch (SQLException e) {
            throw SqlFailures.unavailable(e);
        }
    }

    /**
     * Connections of the pools and of the lock, as the working login. The server ends the session
     * of a machine that is gone, and releases its locks, after a minute; the system's default is
     * two hours.
     */
    static Properties properties(
            DatabaseSettings settings,
            String name,
            Duration connectTimeout,
            Duration statementTimeout,
            Duration networkTimeout) {
        Properties properties = new Properties();
        if (!settings.user().isEmpty()) {
            properties.setProperty("user", settings.user());
        }
        if (!settings.password().isEmpty()) {
            properties.setProperty("password", settings.password());
        }
        properties.setProperty("ApplicationName", name);
        properties.setProperty("connectTimeout", Long.toString(connectTimeout.toSeconds()));
        properties.setProperty("loginTimeout", Long.toString(connectTimeout.toSeconds()));
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("socketTimeout", Long.toString(networkTimeout.toSeconds()));
        properties.setProperty(
                "options",
                "-c statement_timeout=" + statementTimeout.toMillis() + settings.lock().options());
        return properties;
    }
}
