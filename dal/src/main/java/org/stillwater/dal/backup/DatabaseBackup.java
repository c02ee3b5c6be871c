package org.stillwater.dal.backup;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;
import org.stillwater.dal.DatabaseSettings;
import org.stillwater.dal.SchemaVersions;
import org.stillwater.dal.backup.BackupManifest.Table;

/**
 * Writes and checks backups. The embedded server's archive has no pg_dump, and one of another
 * version would have to fit the server, so tables are copied by COPY: all in one REPEATABLE READ
 * transaction, which sees the database at one instant, while the engine continues. Stateless.
 */
public final class DatabaseBackup {

    private static final String TABLE_GONE = "42P01";
    private static final String NO_RIGHT = "42501";
    private static final int ATTEMPTS = 3;

    private DatabaseBackup() {}

    /**
     * How much a backup holds.
     *
     * @param tables how many tables, partitions counted
     * @param rows how many rows
     * @param files names of files of the data folder
     */
    public record Content(BackupManifest manifest, int tables, long rows, List<String> files) {

        public Content {
            files = List.copyOf(files);
        }
    }

    /** Target file of a backup; opened again after an attempt that was given up. */
    @FunctionalInterface
    public interface Target {

        /** An empty file. */
        OutputStream open() throws IOException;
    }

    /**
     * Writes a backup.
     *
     * @param settings the database, and the owner of its schema
     * @param history whether samples and their roll-ups are written, too
     * @param key encrypts the file; null for none
     * @param files files of the data folder, which are kept with a key only
     * @param now when it is made
     * @param version of this program
     * @throws BackupRefused if the database cannot be read in whole
     */
    public static Content write(
            DatabaseSettings settings,
            Target target,
            boolean history,
            @Nullable BackupKey key,
            Map<String, byte[]> files,
            Instant now,
            String version)
            throws BackupRefused {
        if (key == null && !files.isEmpty()) {
            throw new BackupRefused("keys are only written into an encrypted backup");
        }
        for (int attempt = 1; ; attempt++) {
            try (Connection connection = Server.connect(settings)) {
                return write(connection, target, history, key, files, now, version);
            } catch (SQLException e) {
                // A partition that grew too old was dropped before it could be locked.
                if (!TABLE_GONE.equals(e.getSQLState()) || attempt == ATTEMPTS) {
                    throw refused(e);
                }
            } catch (IOException e) {
                throw new BackupRefused("the backup cannot be written: " + e.getMessage(), e);
            }
        }
    }

    /**
     * Tables in the schema that are not Stillwater's: no backup holds them.
     *
     * @throws BackupRefused if the database cannot be read
     */
    public static List<String> others(DatabaseSettings settings) throws BackupRefused {
        try (Connection connection = Server.connect(settings)) {
            return Catalogue.others(connection);
        } catch (SQLException e) {
            throw refused(e);
        }
    }

    static BackupRefused refused(SQLException e) {
        return new BackupRefused(
                "the database cannot be read: "
                        + e.getMessage()
                        + (NO_RIGHT.equals(e.getSQLState())
                                ? "; name the owner of the schema with"
                                        + " stillwater.database.migration.username and .password"
                                : ""),
                e);
    }

    private static Content write(
            Connection connection,
            Target target,
            boolean history,
            @Nullable BackupKey key,
            Map<String, byte[]> files,
            Instant now,
            String version)
            throws SQLException, IOException, BackupRefused {
        BackupManifest manifest = begin(connection, history, now, version);
        List<Table> tables = manifest.tables();
        CopyManager copies = new CopyManager(connection.unwrap(BaseConnection.class));
        long rows = 0;
        try (BackupFile.Writer writer = new BackupFile.Writer(target.open(), key)) {
            writer.manifest(manifest);
            for (Table each : tables) {
                RowSum sum = new RowSum();
                OutputStream into = new Summed(writer.table(each), sum);
                long copied = copies.copyOut(Server.copyOut(each), into);
                if (copied != sum.rows()) {
                    throw new IOException(
                            "%s has %d rows, and %d lines came"
                                    .formatted(each.name(), copied, sum.rows()));
                }
                writer.tableEnded(sum.rows(), sum.sum());
                rows += sum.rows();
            }
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                writer.file(file.getKey(), file.getValue());
            }
            writer.end();
        }
        connection.rollback();
        return new Content(manifest, tables.size(), rows, List.copyOf(files.keySet()));
    }

    /**
     * Begins a transaction that sees the database at one instant, and keeps its tables from being
     * dropped.
     */
    static BackupManifest begin(Connection connection, boolean history, Instant now, String version)
            throws SQLException, BackupRefused {
        connection.setAutoCommit(false);
        Server.execute(connection, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
        String schema = SchemaVersions.applied(connection);
        if (schema == null) {
            throw new BackupRefused(
                    "the database holds no Stillwater: there is no data to back up");
        }
        List<Table> tables = new ArrayList<>();
        for (Table each : Catalogue.tables(connection)) {
            if (history || !Catalogue.isHistory(each)) {
                tables.add(each);
            }
        }
        for (Table each : tables) {
            Server.execute(
                    connection,
                    "LOCK TABLE ONLY " + Server.quoted(each.name()) + " IN ACCESS SHARE MODE");
        }
        return new BackupManifest(
                now,
                version,
                schema,
                Server.list(connection, "SHOW server_version").getFirst(),
                history,
                tables);
    }

    /** Computes the sum of the written bytes. */
    static final class Summed extends OutputStream {

        private final OutputStream out;
        private final RowSum sum;

        Summed(OutputStream out, RowSum sum) {
            this.out = out;
            this.sum = sum;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            sum.add(bytes, from, length);
            out.write(bytes, from, length);
        }
    }

    /**
     * Reads a backup from beginning to end: every row, its sums, and its end.
     *
     * @throws BackupRefused if it is damaged, encrypted with another key, or of a newer format
     */
    public static Content verify(InputStream in, @Nullable BackupKey key) throws BackupRefused {
        Counting counting = new Counting();
        BackupFile.read(in, key, counting);
        if (counting.manifest == null) {
            throw new BackupRefused("the backup is damaged: it has no manifest");
        }
        return new Content(counting.manifest, counting.tables, counting.rows, counting.files);
    }

    private static final class Counting implements BackupFile.Visitor {

        private @Nullable BackupManifest manifest;
        private int tables;
        private long rows;
        private final List<String> files = new ArrayList<>();

        @Override
        public void manifest(BackupManifest found) {
            manifest = found;
        }

        @Override
        public void table(Table table, InputStream in) {
            tables++;
        }

        @Override
        public void tableEnded(Table table, long itsRows, long sum) {
            rows += itsRows;
        }

        @Override
        public void file(String name, byte[] content) {
            files.add(name);
        }
    }
}
