package org.stillwater.dal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.flywaydb.core.api.MigrationVersion;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.store.StoreUnavailable;

/** Which migrations a database has, and which it lacks. Changes only on request. Stateless. */
public final class SchemaVersions {

    private SchemaVersions() {}

    /**
     * Schema of a database.
     *
     * @param applied its newest migration, such as 32; null if it holds no Stillwater
     * @param newest the newest migration that this program knows
     * @param pending scripts that a start would run, in their order; views count as scripts
     */
    public record Status(@Nullable String applied, String newest, List<String> pending) {

        public Status {
            pending = List.copyOf(pending);
        }

        /** Whether a newer version of Stillwater made it. */
        public boolean isNewer() {
            return applied != null && SchemaVersions.isNewer(applied, newest);
        }
    }

    /**
     * Reads without changes.
     *
     * @throws StoreUnavailable if the database cannot be reached or read
     */
    public static Status of(DatabaseSettings settings) throws StoreUnavailable {
        Login migration = settings.migration();
        Login login = migration == null ? settings.login() : migration;
        try (Connection connection = Schema.source(settings, login).getConnection()) {
            MigrationInfoService info = Schema.flyway(settings, login).info();
            return new Status(
                    applied(connection),
                    Schema.newestKnown(info.all()),
                    Arrays.stream(info.pending()).map(MigrationInfo::getScript).toList());
        } catch (SQLException e) {
            throw SqlFailures.unavailable(e);
        } catch (FlywayException e) {
            throw new StoreUnavailable("the schema's version cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Brings the schema up to date, as a start does.
     *
     * @throws StoreUnavailable if the database cannot be reached or migrated now
     * @throws SchemaOutdated if no login may change it
     * @throws SchemaNewer if a newer version of Stillwater made it
     */
    public static void migrate(DatabaseSettings settings) throws StoreUnavailable {
        Schema.prepare(settings);
    }

    /**
     * Makes the tables of an older version, without views, in an empty schema of their own.
     *
     * @param schema an existing schema, empty
     * @param version the newest migration to run
     * @throws StoreUnavailable if they cannot be made
     */
    public static void make(DatabaseSettings settings, String schema, String version)
            throws StoreUnavailable {
        Login migration = settings.migration();
        Login login = migration == null ? settings.login() : migration;
        try {
            int _ =
                    Schema.scripts()
                            .dataSource(Schema.source(settings, login))
                            .locations("classpath:db/migration")
                            .defaultSchema(schema)
                            .createSchemas(false)
                            .target(version)
                            .load()
                            .migrate()
                            .migrationsExecuted;
        } catch (FlywayException e) {
            throw new StoreUnavailable("the tables cannot be made: " + e.getMessage(), e);
        }
    }

    /**
     * The newest migration of the connection's current schema, null if there is none.
     *
     * @throws SQLException if it cannot be read
     */
    public static @Nullable String applied(Connection connection) throws SQLException {
        try (PreparedStatement exists =
                        connection.prepareStatement(
                                "SELECT to_regclass(format('%I.%I', current_schema(), ?::text))");
                PreparedStatement versions =
                        connection.prepareStatement(
                                "SELECT version FROM schema_history"
                                        + " WHERE success AND version IS NOT NULL")) {
            exists.setString(1, Schema.VERSIONS);
            try (ResultSet row = exists.executeQuery()) {
                if (!row.next() || row.getString(1) == null) {
                    return null;
                }
            }
            MigrationVersion newest = null;
            try (ResultSet row = versions.executeQuery()) {
                while (row.next()) {
                    MigrationVersion each = MigrationVersion.fromVersion(row.getString(1));
                    newest = newest == null || each.isNewerThan(newest) ? each : newest;
                }
            }
            return newest == null ? null : newest.getVersion();
        }
    }

    /** Whether a migration follows another one. */
    public static boolean isNewer(String version, String than) {
        return MigrationVersion.fromVersion(version)
                .isNewerThan(MigrationVersion.fromVersion(than));
    }
}
