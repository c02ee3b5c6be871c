package org.stillwater.dal.backup;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;
import org.stillwater.dal.backup.BackupManifest.Table;

/**
 * Fills the tables of a fresh schema with the rows of a backup, and compares them with their
 * originals. Confined to one thread.
 */
final class RestoreLoader implements BackupFile.Visitor {

    private final Connection connection;
    private final CopyManager copies;
    private final Map<String, byte[]> files = new TreeMap<>();
    private final List<Loaded> loaded = new ArrayList<>();

    private record Loaded(Table table, long rows, long sum) {}

    /** A loader into the schema that is first in the connection's search path. */
    RestoreLoader(Connection connection) throws SQLException {
        this.connection = connection;
        this.copies = new CopyManager(connection.unwrap(BaseConnection.class));
    }

    @Override
    public void manifest(BackupManifest manifest) throws SQLException {
        List<String> seeded = new ArrayList<>();
        for (Table each : Catalogue.tables(connection)) {
            seeded.add(each.name());
        }
        // Migrations put rows into some tables; those of the backup replace them.
        Server.execute(connection, "TRUNCATE " + Server.quoted(seeded));
        for (Table each : manifest.tables()) {
            if (each.parent() != null && !seeded.contains(each.name())) {
                partition(each, each.parent());
            }
        }
        triggers("DISABLE");
    }

    private void partition(Table table, String parent) throws SQLException {
        Server.execute(
                connection,
                "CREATE TABLE "
                        + Server.quoted(table.name())
                        + " (LIKE "
                        + Server.quoted(parent)
                        + " INCLUDING ALL)"
                        + (table.options().isEmpty() ? "" : " WITH (" + table.options() + ")"));
        Server.execute(
                connection,
                "ALTER TABLE "
                        + Server.quoted(parent)
                        + " ATTACH PARTITION "
                        + Server.quoted(table.name())
                        + " "
                        + table.bound());
    }

    /** The engine's own triggers, which would add to the loaded rows. */
    void triggers(String way) throws SQLException {
        for (Table each : Catalogue.tables(connection)) {
            Server.execute(
                    connection,
                    "ALTER TABLE " + Server.quoted(each.name()) + " " + way + " TRIGGER USER");
        }
    }

    @Override
    public void table(Table table, InputStream rows) throws Exception {
        long _ = copies.copyIn(Server.copyIn(table), rows);
    }

    @Override
    public void tableEnded(Table table, long rows, long sum) {
        loaded.add(new Loaded(table, rows, sum));
    }

    @Override
    public void file(String name, byte[] content) {
        files.put(name, content);
    }

    /** The data folder's files that the backup has, by name. */
    Map<String, byte[]> files() {
        return files;
    }

    /** Every row again, from the database. */
    void readBack() throws SQLException, IOException, BackupRefused {
        for (Loaded each : loaded) {
            RowSum sum = new RowSum();
            long _ =
                    copies.copyOut(
                            Server.copyOut(each.table()),
                            new DatabaseBackup.Summed(OutputStream.nullOutputStream(), sum));
            if (sum.rows() != each.rows() || sum.sum() != each.sum()) {
                throw new BackupRefused(
                        "the loaded table %s differs from its original: %d rows instead of %d, or others"
                                .formatted(each.table().name(), sum.rows(), each.rows()));
            }
        }
    }
}
