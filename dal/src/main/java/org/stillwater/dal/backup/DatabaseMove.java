package org.stillwater.dal.backup;

import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.copy.PGCopyInputStream;
import org.postgresql.core.BaseConnection;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.Database;
import org.stillwater.dal.DatabaseSettings;
import org.stillwater.dal.Login;
import org.stillwater.dal.SchemaVersions;
import org.stillwater.dal.backup.BackupManifest.Table;

/**
 * Copies the engine's database into another, empty one, table by table and without a file between
 * them, and compares both. The first one is only read. Stateless.
 */
public final class DatabaseMove {

    private static final String ENCODING = "UTF8";
    private static final int OLDEST_SERVER = 140000;

    private DatabaseMove() {}

    /**
     * Properties of a move that can be read before it.
     *
     * @param schemaVersion newest migration of the data
     * @param fromServer version of the PostgreSQL that has the data
     * @param toServer version of the other one
     * @param tables how many tables are copied, partitions counted
     * @param bytes their size, indices included
     * @param notes facts that do not prevent the move, and that the operator should know
     */
    public record Plan(
            String schemaVersion,
            String fromServer,
            String toServer,
            int tables,
            long bytes,
            List<String> notes) {

        public Plan {
            notes = List.copyOf(notes);
        }
    }

    /**
     * Checks everything that can be checked without a change.
     *
     * @param from the database with the data
     * @param to the other one, with the logins that the engine will use
     * @param history whether samples and their roll-ups are moved
     * @throws BackupRefused if the move would fail, with the remedy
     */
    public static Plan plan(DatabaseSettings from, DatabaseSettings to, boolean history)
            throws BackupRefused {
        List<String> notes = new ArrayList<>();
        String toServer = requireUsable(to, notes);
        try (Connection connection = Server.connect(from)) {
            BackupManifest manifest = DatabaseBackup.begin(connection, history, Instant.EPOCH, "");
            long bytes = 0;
            for (Table each : manifest.tables()) {
                bytes +=
                        Long.parseLong(
                                one(
                                        connection,
                                        "SELECT pg_total_relation_size('%s'::regclass)"
                                                .formatted(
                                                        Server.quoted(each.name())
                                                                .replace("'", "''"))));
            }
            List<String> others = Catalogue.others(connection);
            if (!others.isEmpty()) {
                notes.add(
                        "tables that are not Stillwater's stay behind: "
                                + String.join(", ", others));
            }
            connection.rollback();
            return new Plan(
                    manifest.schemaVersion(),
                    manifest.serverVersion(),
                    toServer,
                    manifest.tables().size(),
                    bytes,
                    notes);
        } catch (SQLException e) {
            throw DatabaseBackup.refused(e);
        }
    }

    /** The version of a server that can take the data. */
    private static String requireUsable(DatabaseSettings to, List<String> notes)
            throws BackupRefused {
        Login migration = to.migration();
        String owner = migration == null ? to.user() : migration.user();
        try (Connection connection = Server.connect(to)) {
            String version = one(connection, "SHOW server_version");
            if (Integer.parseInt(one(connection, "SHOW server_version_num")) < OLDEST_SERVER) {
                throw new BackupRefused(
                        "the target is PostgreSQL "
                                + version
                                + ", and Stillwater needs 14 or newer");
            }
            String encoding = one(connection, "SHOW server_encoding");
            if (!encoding.equals(ENCODING)) {
                throw new BackupRefused(
                        "the target has the encoding %s, and names of VMs need %s: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0"
                                .formatted(encoding, ENCODING));
            }
            List<String> present = DatabaseRestore.foreign(connection);
            if (!present.isEmpty()) {
                String schema = SchemaVersions.applied(connection);
                throw new BackupRefused(
                        schema == null
                                ? "the target is not empty (%s): name an empty database"
                                        .formatted(String.join(", ", present))
                                : "the target holds a Stillwater already (version %s of the schema): name an empty database"
                                        .formatted(schema));
            }
            if (!holds(
                    connection,
                    """
                    SELECT has_database_privilege(current_database(), 'CREATE')
                       AND pg_has_role(nspowner, 'USAGE')
                      FROM pg_namespace WHERE oid = current_schema()::regnamespace
                    """)) {
                throw new BackupRefused(
                        "the role %s must own the target and its schema: run ALTER DATABASE … OWNER TO %s and, in it, ALTER SCHEMA public OWNER TO %s; or name the owner with stillwater.database.migration.username and .password"
                                .formatted(owner, owner, owner));
            }
            boolean roles =
                    holds(
                            connection,
                            "SELECT EXISTS (SELECT FROM pg_roles"
                                    + " WHERE rolname = 'stillwater_monitoring')");
            if (!roles && !owner.equals(to.user())) {
                throw new BackupRefused(
                        "the target's server has no role stillwater_monitoring: run"
                                + " dbscripts/src/main/resources/db/role/roles.sql there as a role"
                                + " with CREATEROLE");
            }
            if (!roles) {
                notes.add(
                        "the target's server has no role stillwater_monitoring: the engine keeps"
                                + " the rights of the owner "
                                + owner);
            }
            requireWorker(to, owner);
            return version;
        } catch (SQLException e) {
            throw new BackupRefused(
                    "the target cannot be used as "
                            + (owner.isEmpty() ? "the role of its address" : owner)
                            + ": "
                            + e.getMessage(),
                    e);
        }
    }

    /** The login of the engine's work, where it is not the owner. */
    private static void requireWorker(DatabaseSettings to, String owner) throws BackupRefused {
        if (owner.equals(to.user())) {
            return;
        }
        DatabaseSettings working = DatabaseSettings.of(to.jdbcUrl(), to.user(), to.password());
        try (Connection connection = Server.connect(working)) {
            if (!holds(connection, "SELECT pg_has_role('stillwater_monitoring', 'MEMBER')")) {
                throw new BackupRefused(
                        "the engine's role %s is no member of stillwater_monitoring: run GRANT stillwater_monitoring TO %s"
                                .formatted(to.user(), to.user()));
            }
        } catch (SQLException e) {
            throw new BackupRefused(
                    "the target cannot be used as " + to.user() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Copies, compares every table with its original, and opens the result as an engine does.
     *
     * @param from the database with the data, which no engine uses
     * @param to the other one
     * @param history whether samples and their roll-ups are moved
     * @param now the present time
     * @param version of this program
     * @throws BackupRefused if it cannot be moved; the message states whether the target is empty
     * @throws StoreUnavailable if the target has the data and cannot be migrated or used now
     */
    public static DatabaseBackup.Content move(
            DatabaseSettings from,
            DatabaseSettings to,
            boolean history,
            Instant now,
            String version)
            throws BackupRefused, StoreUnavailable {
        DatabaseBackup.Content moved;
        DatabaseRestore target = new DatabaseRestore(to, false);
        try (Connection connection = Server.connect(from)) {
            BackupManifest manifest = DatabaseBackup.begin(connection, history, now, version);
            Copy copy = new Copy(connection, manifest);
            target.place(manifest, copy, _ -> {});
            connection.rollback();
            moved =
                    new DatabaseBackup.Content(
                            manifest, manifest.tables().size(), copy.rows, List.of());
        } catch (SQLException e) {
            throw DatabaseBackup.refused(e);
        } catch (BackupRefused e) {
            throw failed(e, target);
        } catch (StoreUnavailable e) {
            if (target.isPlaced()) {
                throw e;
            }
            throw failed(e, target);
        }
        Database.open(to).close();
        return moved;
    }

    private static BackupRefused failed(Exception e, DatabaseRestore target) {
        String state = ". The target is as it was";
        if (target.isPlaced()) {
            state = ". The target has the data, and a schema stillwater_replaced to drop";
        } else if (target.leftRemains()) {
            state =
                    ". The target has a schema stillwater_restore left: the next attempt drops it,"
                            + " as does DROP SCHEMA stillwater_restore CASCADE";
        }
        return new BackupRefused(e.getMessage() + state, e);
    }

    /** The rows of all tables, from one transaction. */
    private static final class Copy implements DatabaseRestore.Rows {

        private final Connection connection;
        private final BackupManifest manifest;
        private long rows;

        Copy(Connection connection, BackupManifest manifest) {
            this.connection = connection;
            this.manifest = manifest;
        }

        @Override
        public void read(BackupFile.Visitor into) throws BackupRefused {
            try {
                into.manifest(manifest);
                for (Table each : manifest.tables()) {
                    RowSum sum = new RowSum();
                    try (InputStream copied =
                            new Counted(
                                    new PGCopyInputStream(
                                            connection.unwrap(BaseConnection.class),
                                            Server.copyOut(each)),
                                    sum)) {
                        into.table(each, copied);
                    }
                    into.tableEnded(each, sum.rows(), sum.sum());
                    rows += sum.rows();
                }
            } catch (BackupRefused e) {
                throw e;
            } catch (Exception e) {
                throw new BackupRefused("the data cannot be copied: " + e.getMessage(), e);
            }
        }
    }

    /** Computes the sum of the bytes that are read. */
    private static final class Counted extends InputStream {

        private final InputStream in;
        private final RowSum sum;

        Counted(InputStream in, RowSum sum) {
            this.in = in;
            this.sum = sum;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            int got = in.read(bytes, from, length);
            if (got > 0) {
                sum.add(bytes, from, got);
            }
            return got;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    private static boolean holds(Connection connection, String query) throws SQLException {
        return one(connection, query).equals("t");
    }

    private static String one(Connection connection, String query) throws SQLException {
        return Server.list(connection, query).getFirst();
    }
}
