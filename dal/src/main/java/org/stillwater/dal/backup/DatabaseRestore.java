package org.stillwater.dal.backup;

import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.DatabaseSettings;
import org.stillwater.dal.SchemaVersions;
import org.stillwater.dal.backup.DatabaseBackup.Content;

/**
 * Restores a backup. It loads all data into a separate schema, in the version of the backup, and
 * reads it back; only then this schema replaces the present one, in one transaction, and is
 * migrated. Until that moment the present database is untouched. Confined to one thread.
 */
public final class DatabaseRestore {

    private static final String FRESH = "stillwater_restore";
    private static final String REPLACED = "stillwater_replaced";
    private static final String NO_RIGHT = "42501";

    /**
     * Each dropped table takes locks until the transaction ends, and a server has room for some.
     */
    private static final int DROPPED_AT_ONCE = 20;

    private static final int CHECK_SECONDS = 5;

    private final DatabaseSettings settings;
    private final boolean replace;
    private boolean remains;
    private boolean placed;

    /** Reads rows into a fresh schema: those of a file, or those of another database. */
    @FunctionalInterface
    interface Rows {

        /** Reads everything once. */
        void read(BackupFile.Visitor into) throws BackupRefused;
    }

    /**
     * A restore.
     *
     * @param settings the database, and the owner of its schema
     * @param replace whether a Stillwater that is in the database may be replaced
     */
    public DatabaseRestore(DatabaseSettings settings, boolean replace) {
        this.settings = settings;
        this.replace = replace;
    }

    /** Source of a backup; read twice. */
    @FunctionalInterface
    public interface Source {

        /** Its bytes from the beginning. */
        InputStream open() throws IOException;
    }

    /** Receiver of the data folder's files, before the database is changed. */
    @FunctionalInterface
    public interface Files {

        /**
         * Writes all of them, or refuses them without a change.
         *
         * @throws IOException if they cannot be written, or exist with another content
         */
        void take(Map<String, byte[]> files) throws IOException;
    }

    /**
     * Restores a backup: checks the whole file, loads it, reads it back, replaces the present
     * schema, migrates it.
     *
     * @throws BackupRefused if it cannot be restored; the database is unchanged
     * @throws StoreUnavailable if the database cannot be reached, or a schema cannot be migrated
     *     now; if the backup has already replaced the schema, the engine's next start migrates it
     */
    public Content restore(Source source, @Nullable BackupKey key, Files files)
            throws BackupRefused, StoreUnavailable {
        Content content;
        try (InputStream in = source.open()) {
            content = DatabaseBackup.verify(in, key);
        } catch (IOException e) {
            throw new BackupRefused("the backup cannot be read: " + e.getMessage(), e);
        }
        place(
                content.manifest(),
                into -> {
                    try (InputStream in = source.open()) {
                        BackupFile.read(in, key, into);
                    } catch (IOException e) {
                        throw new BackupRefused("the backup cannot be read: " + e.getMessage(), e);
                    }
                },
                files);
        return content;
    }

    /**
     * Loads rows beside the present schema, reads them back, replaces that schema, migrates it.
     *
     * @throws BackupRefused if they cannot be placed; the database is unchanged
     * @throws StoreUnavailable as for a restore
     */
    void place(BackupManifest manifest, Rows rows, Files files)
            throws BackupRefused, StoreUnavailable {
        try (Connection connection = Server.connect(settings)) {
            requireUsable(connection, manifest);
            dropLeftovers(connection);
            String home = Server.list(connection, "SELECT current_schema()").getFirst();
            boolean loaded = false;
            try {
                Server.execute(connection, "CREATE SCHEMA " + FRESH);
                load(connection, manifest, rows, files);
                swap(connection, home);
                loaded = true;
                placed = true;
            } finally {
                if (!loaded) {
                    discard(connection);
                }
            }
            drop(connection, REPLACED);
        } catch (SQLException e) {
            throw refused(e);
        } catch (IOException e) {
            throw new BackupRefused("the data cannot be loaded: " + e.getMessage(), e);
        }
        SchemaVersions.migrate(settings);
    }

    /** Whether the loaded schema is in its place, and only its migration may be open. */
    boolean isPlaced() {
        return placed;
    }

    /** Whether a failure left a schema in the database, which the next attempt drops. */
    boolean leftRemains() {
        return remains;
    }

    private static BackupRefused refused(SQLException e) {
        return new BackupRefused(
                "the data cannot be loaded: "
                        + e.getMessage()
                        + (NO_RIGHT.equals(e.getSQLState())
                                ? "; the role must own the database and its schema: name it with"
                                        + " stillwater.database.migration.username and .password,"
                                        + " and run ALTER SCHEMA public OWNER TO it if another role"
                                        + " owns the schema"
                                : ""),
                e);
    }

    private void requireUsable(Connection connection, BackupManifest manifest)
            throws SQLException, BackupRefused, StoreUnavailable {
        String newest = SchemaVersions.of(settings).newest();
        if (SchemaVersions.isNewer(manifest.schemaVersion(), newest)) {
            throw new BackupRefused(
                    "the backup has version %s of the schema, and this Stillwater supports versions up to %s: restore it with Stillwater %s or a newer one"
                            .formatted(manifest.schemaVersion(), newest, manifest.engineVersion()));
        }
        Server.takeAlone(connection, "stillwater-restore");
        String present = SchemaVersions.applied(connection);
        if (present != null && !replace) {
            throw new BackupRefused(
                    "the database holds a Stillwater already (version %s of the schema): replace it with --replace, or name an empty database"
                            .formatted(present));
        }
        List<String> lost = present == null ? foreign(connection) : extensions(connection);
        if (present != null && !SchemaVersions.isNewer(present, newest)) {
            Catalogue.others(connection).forEach(each -> lost.add("table " + each));
        }
        if (!lost.isEmpty()) {
            throw new BackupRefused(
                    "the schema of the database holds objects that are not Stillwater's, and they would be lost (%s): move them into another schema, or name an empty database"
                            .formatted(String.join(", ", lost)));
        }
        List<String> dependants = present == null ? List.of() : Catalogue.dependants(connection);
        if (!dependants.isEmpty()) {
            throw new BackupRefused(
                    "objects of other schemas refer to Stillwater's tables and views, and they would be lost (%s): drop them now and make them again after the restore, or name an empty database"
                            .formatted(String.join(", ", dependants)));
        }
    }

    /**
     * Objects in the schema that would be replaced, some of them at most: nothing of Stillwater is
     * there.
     *
     * @throws BackupRefused if there is no schema
     */
    static List<String> foreign(Connection connection) throws SQLException, BackupRefused {
        if (Server.list(connection, "SELECT current_schema()").getFirst() == null) {
            throw new BackupRefused(
                    "the database has no schema public that this role may use: create it, or grant"
                            + " its use");
        }
        return Server.list(
                connection,
                """
                SELECT described FROM (
                    SELECT 'table ' || relname AS described FROM pg_class
                     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'f')
                    UNION ALL
                    SELECT 'view ' || relname FROM pg_class
                     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('v', 'm')
                    UNION ALL
                    SELECT 'sequence ' || relname FROM pg_class
                     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'S'
                    UNION ALL
                    SELECT 'function ' || proname FROM pg_proc
                     WHERE pronamespace = current_schema()::regnamespace
                    UNION ALL
                    SELECT 'type ' || typname FROM pg_type
                     WHERE typnamespace = current_schema()::regnamespace AND typtype IN ('d', 'e', 'r')
                    UNION ALL
                    SELECT 'extension ' || extname FROM pg_extension
                     WHERE extnamespace = current_schema()::regnamespace
                ) AS objects
                ORDER BY described LIKE 'extension %' DESC, described
                LIMIT 5
                """);
    }

    private static List<String> extensions(Connection connection) throws SQLException {
        return Server.list(
                connection,
                """
                SELECT 'extension ' || extname FROM pg_extension
                 WHERE extnamespace = current_schema()::regnamespace ORDER BY 1
                """);
    }

    /** Drops the remains of an interrupted earlier restore. */
    private static void dropLeftovers(Connection connection) throws SQLException {
        drop(connection, FRESH);
        drop(connection, REPLACED);
    }

    private static void drop(Connection connection, String schema) throws SQLException {
        List<String> tables =
                Server.list(
                        connection,
                        """
                        SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                         WHERE n.nspname = '%s' AND c.relkind = 'r' AND c.relispartition
                        """
                                .formatted(schema));
        for (int from = 0; from < tables.size(); from += DROPPED_AT_ONCE) {
            List<String> some =
                    tables.subList(from, Math.min(from + DROPPED_AT_ONCE, tables.size()));
            Server.execute(
                    connection,
                    "DROP TABLE "
                            + String.join(
                                    ", ",
                                    some.stream()
                                            .map(each -> schema + "." + Server.quoted(each))
                                            .toList())
                            + " CASCADE");
        }
        Server.execute(connection, "DROP SCHEMA IF EXISTS " + schema + " CASCADE");
    }

    /** After a failure; the next restore drops remains that cannot be dropped now. */
    private void discard(Connection connection) {
        try {
            if (connection.isValid(CHECK_SECONDS)) {
                connection.setAutoCommit(true);
                drop(connection, FRESH);
            } else {
                try (Connection another = Server.connect(settings)) {
                    drop(another, FRESH);
                }
            }
        } catch (SQLException _) {
            remains = true; // the failure that led here is the one to show
        }
    }

    private void load(Connection connection, BackupManifest manifest, Rows rows, Files files)
            throws SQLException, IOException, BackupRefused, StoreUnavailable {
        SchemaVersions.make(settings, FRESH, manifest.schemaVersion());
        Server.execute(connection, "SET search_path = " + FRESH);
        RestoreLoader loader = new RestoreLoader(connection);
        rows.read(loader);
        loader.readBack();
        loader.triggers("ENABLE");
        files.take(loader.files());
    }

    private static void swap(Connection connection, String home) throws SQLException {
        connection.setAutoCommit(false);
        Server.execute(
                connection, "ALTER SCHEMA " + Server.quoted(home) + " RENAME TO " + REPLACED);
        Server.execute(connection, "ALTER SCHEMA " + FRESH + " RENAME TO " + Server.quoted(home));
        Server.execute(connection, "GRANT USAGE ON SCHEMA " + Server.quoted(home) + " TO PUBLIC");
        connection.commit();
        connection.setAutoCommit(true);
        Server.execute(connection, "RESET search_path");
    }
}
