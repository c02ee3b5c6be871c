package org.stillwater.dal.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.stillwater.dal.Database;
import org.stillwater.dal.HistoryPoolSettings;
import org.stillwater.dal.SchemaNewer;
import org.stillwater.dal.SchemaVersions;
import org.stillwater.dal.TestDatabase;
import org.stillwater.dal.backup.BackupManifest.Table;
import org.stillwater.testkit.LabelledSecretBox;

/** Backups and restores of real databases. */
class BackupIT {

    private static final Instant NOW = Instant.parse("2026-11-20T03:00:00Z");
    private static final String HOST = "00000000-0000-0000-0000-0000000000a1";
    private static final String VM = "00000000-0000-0000-0000-0000000000b1";

    /** Rows in many tables: texts that COPY must escape, numbers, arrays, JSON, partitions. */
    static void fill(TestDatabase database) throws SQLException {
        database.execute(
                "INSERT INTO host_static (host_id, host_name, address, port) VALUES ('%s', E'a\\tb\\nc \\\\ \u00e4', 'h', 54321)"
                        .formatted(HOST),
                "INSERT INTO host_dynamic (host_id, status, cpu_model) VALUES ('%s', 3, 'model')"
                        .formatted(HOST),
                """
                INSERT INTO vm_static (vm_guid, vm_name, origin, mem_size_mb, min_allocated_mem)
                VALUES ('%s', 'VM', 3, 1024, 512)
                """
                        .formatted(VM),
                "INSERT INTO vm_dynamic (vm_guid, status, run_on_vds) VALUES ('%s', 1, '%s')"
                        .formatted(VM, HOST),
                "INSERT INTO vm_statistics (vm_guid, cpu_user) VALUES ('%s', 12.1)".formatted(VM),
                "INSERT INTO tag (tag_id, name, description, parent_id) VALUES ('%s', 'parent', '', NULL), ('%s', 'child', '', '%s')"
                        .formatted(HOST, VM, HOST),
                """
                INSERT INTO xapi_pool (pool_id, name, addresses, port, user_name, secret, encodings)
                SELECT cluster_id, 'lab', '{192.0.2.1}', 443, 'root', 'sealed', '{json-rpc}' FROM cluster LIMIT 1
                """,
                "SELECT maintain_history('2026-11-20T00:30Z', '2026-11-20T02:00Z',"
                        + " '100 years', '100 years', '100 years')",
                """
                INSERT INTO vm_samples (vm_id, at)
                SELECT '%s', '2026-11-20T00:00Z'::timestamptz + n * interval '1 minute' FROM generate_series(0, 119) AS n
                """
                        .formatted(VM),
                """
                INSERT INTO audit_log (audit_log_id, log_time, log_type, log_type_name, severity, message)
                SELECT n, now(), 1, 'X', 0, 'entry ' || n FROM generate_series(1, 50) AS n
                """);
    }

    private static byte[] backup(TestDatabase database, boolean history) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DatabaseBackup.Content written =
                DatabaseBackup.write(
                        database.settings(), () -> out, history, null, Map.of(), NOW, "1.0");
        DatabaseBackup.Content read =
                DatabaseBackup.verify(new ByteArrayInputStream(out.toByteArray()), null);
        assertThat(read).isEqualTo(written);
        return out.toByteArray();
    }

    private static DatabaseBackup.Content restore(
            TestDatabase database, byte[] backup, boolean replace) throws Exception {
        return new DatabaseRestore(database.settings(), replace)
                .restore(() -> new ByteArrayInputStream(backup), null, _ -> {});
    }

    /** Every table with its rows, in any order. */
    static Map<String, List<String>> rows(TestDatabase database) throws SQLException {
        Map<String, List<String>> all = new TreeMap<>();
        try (Connection connection = database.connect()) {
            for (Table each : Catalogue.tables(connection)) {
                List<String> rows =
                        Server.list(
                                connection,
                                "SELECT t::text FROM %s AS t ORDER BY 1"
                                        .formatted(Server.quoted(each.name())));
                if (!rows.isEmpty()) {
                    all.put(each.name(), rows);
                }
            }
        }
        return all;
    }

    private static List<String> list(TestDatabase database, String query) throws SQLException {
        try (Connection connection = database.connect()) {
            return Server.list(connection, query);
        }
    }

    private static List<String> schemas(TestDatabase database) throws SQLException {
        return list(
                database,
                "SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' ORDER BY 1");
    }

    @Test
    void everyRowComesBackIntoAnEmptyDatabase() throws Exception {
        try (TestDatabase from = TestDatabase.migrated();
                TestDatabase to = TestDatabase.empty()) {
            fill(from);
            DatabaseBackup.Content content = restore(to, backup(from, true), false);
            Map<String, List<String>> expected = rows(from);
            assertThat(expected.keySet())
                    .contains(
                            "vm_samples_20261120h00", "vm_samples_20261120h01", "tag", "xapi_pool");
            assertThat(rows(to)).isEqualTo(expected);
            assertThat(content.rows())
                    .isEqualTo(expected.values().stream().mapToLong(List::size).sum());
            assertThat(schemas(to)).containsExactly("information_schema", "public");

            String parts =
                    "SELECT c.relname || pg_get_expr(c.relpartbound, c.oid) ||"
                            + " coalesce(c.reloptions::text, '') FROM pg_class AS c"
                            + " WHERE c.relispartition ORDER BY 1";
            assertThat(list(to, parts)).isNotEmpty().isEqualTo(list(from, parts));
            try (Database engine = to.open()) {
                List<String> vms = new ArrayList<>();
                engine.vms().loadAll(vm -> vms.add(vm.definition().name()));
                assertThat(vms).containsExactly("VM");
            }
            to.execute(
                    "SET ROLE stillwater_monitoring",
                    "SELECT maintain_history('2026-11-20T02:30Z', '2026-11-20T03:00Z',"
                            + " '100 years', '100 years', '100 years')");
        }
    }

    @Test
    void withoutHistoryEverythingElseComesBack() throws Exception {
        try (TestDatabase from = TestDatabase.migrated();
                TestDatabase to = TestDatabase.empty()) {
            fill(from);
            DatabaseBackup.Content content = restore(to, backup(from, false), false);
            assertThat(content.manifest().history()).isFalse();
            Map<String, List<String>> expected = rows(from);
            expected.keySet().removeIf(each -> each.matches("(vm|host)_(samples|hourly|daily).*"));
            expected.remove("history_interval");
            assertThat(expected).containsKey("vm_static");
            assertThat(rows(to)).isEqualTo(expected);
        }
    }

    @Test
    void aBackupIsOfOneInstantWhileTheEngineWorks() throws Exception {
        try (TestDatabase from = TestDatabase.migrated()) {
            fill(from);
            Map<String, List<String>> before = rows(from);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            DatabaseBackup.Content content =
                    DatabaseBackup.write(
                            from.settings(),
                            () -> {
                                try {
                                    from.execute(
                                            "DELETE FROM vm_statistics",
                                            "INSERT INTO luns (lun_id, device_size_gb) VALUES"
                                                    + " ('later', 7)",
                                            "UPDATE host_static SET address = 'elsewhere'");
                                } catch (SQLException e) {
                                    throw new java.io.IOException(e);
                                }
                                return out;
                            },
                            true,
                            null,
                            Map.of(),
                            NOW,
                            "1.0");
            assertThat(content.rows())
                    .isEqualTo(before.values().stream().mapToLong(List::size).sum());
            assertThat(rows(from)).isNotEqualTo(before);
            restore(from, out.toByteArray(), true);
            assertThat(rows(from)).isEqualTo(before);
        }
    }

    @Test
    void aDatabaseWithDataIsReplacedOnRequestOnlyAndNotBeneathAnEngine() throws Exception {
        try (TestDatabase from = TestDatabase.migrated();
                TestDatabase to = TestDatabase.migrated()) {
            fill(from);
            byte[] backup = backup(from, true);
            to.execute("INSERT INTO luns (lun_id, device_size_gb) VALUES ('mine', 7)");
            Map<String, List<String>> mine = rows(to);
            assertThatThrownBy(() -> restore(to, backup, false))
                    .isInstanceOf(BackupRefused.class)
                    .hasMessageContaining("--replace");
            try (Database engine =
                    Database.openAlone(
                            to.settings(),
                            HistoryPoolSettings.DEFAULT,
                            new LabelledSecretBox("k1"),
                            "stillwater-engine")) {
                assertThat(engine.problem()).isNull();
                assertThatThrownBy(() -> restore(to, backup, true))
                        .hasMessageContaining("uses this database (stillwater-engine");
            }
            assertThat(rows(to)).isEqualTo(mine);
            restore(to, backup, true);
            assertThat(rows(to)).isEqualTo(rows(from));
            assertThat(schemas(to)).containsExactly("information_schema", "public");
        }
    }

    @Test
    void tablesOfOthersAreNeitherBackedUpNorReplaced() throws Exception {
        try (TestDatabase from = TestDatabase.migrated();
                TestDatabase to = TestDatabase.empty()) {
            fill(from);
            from.execute("CREATE TABLE orders (id integer)", "INSERT INTO orders VALUES (7)");
            assertThat(DatabaseBackup.others(from.settings())).containsExactly("orders");
            byte[] backup = backup(from, true);
            restore(to, backup, false);
            assertThat(rows(to)).isEqualTo(rows(from)).doesNotContainKey("orders");
            assertThat(DatabaseBackup.others(to.settings())).isEmpty();

            assertThatThrownBy(() -> restore(from, backup, true))
                    .isInstanceOf(BackupRefused.class)
                    .hasMessageContaining("(table orders)");
            assertThat(list(from, "SELECT id FROM orders")).containsExactly("7");
        }
    }

    /** The replaced schema is dropped with all that refers to it. */
    @Test
    void objectsOfOtherSchemasThatReferToTheReplacedOneAreNotLost() throws Exception {
        try (TestDatabase database = TestDatabase.migrated()) {
            fill(database);
            byte[] backup = backup(database, true);
            database.execute(
                    "CREATE SCHEMA reports",
                    "CREATE VIEW reports.names AS SELECT vm_name FROM vm_static",
                    "CREATE TABLE reports.orders (vm uuid REFERENCES vm_static)",
                    "CREATE TABLE reports.notes (text text)");
            assertThatThrownBy(() -> restore(database, backup, true))
                    .isInstanceOf(BackupRefused.class)
                    .hasMessageContaining("view reports.names")
                    .hasMessageContaining("on table reports.orders")
                    .hasMessageNotContaining("notes");
            assertThat(list(database, "SELECT vm_name FROM reports.names")).containsExactly("VM");

            database.execute("DROP VIEW reports.names", "DROP TABLE reports.orders");
            Map<String, List<String>> expected = rows(database);
            restore(database, backup, true);
            assertThat(rows(database)).isEqualTo(expected);
            assertThat(list(database, "SELECT count(*) FROM reports.notes")).containsExactly("0");
        }
    }

    @Test
    void everyTableOfTheSchemaIsKnownAsItsOwn() throws Exception {
        try (TestDatabase database = TestDatabase.migrated()) {
            assertThat(
                            list(
                                    database,
                                    """
                                    SELECT relname FROM pg_class
                                     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
                                       AND NOT relispartition
                                    """))
                    .containsExactlyInAnyOrderElementsOf(Catalogue.OWN);
        }
    }

    /** A backup whose rows contradict each other, as no engine writes them. */
    @Test
    void aFailedRestoreLeavesTheDatabaseUnchanged() throws Exception {
        try (TestDatabase to = TestDatabase.migrated()) {
            fill(to);
            Map<String, List<String>> mine = rows(to);
            String schema = SchemaVersions.of(to.settings()).newest();
            byte[] orphan =
                    made(
                            schema,
                            new Table("vm_statistics", List.of("vm_guid"), null, null, ""),
                            "00000000-0000-0000-0000-0000000000ff\n");
            assertThatThrownBy(() -> restore(to, orphan, true))
                    .isInstanceOf(BackupRefused.class)
                    .hasMessageContaining("vm_statistics");
            byte[] unknown =
                    made(schema, new Table("no_such_table", List.of("a"), null, null, ""), "1\n");
            assertThatThrownBy(() -> restore(to, unknown, true)).isInstanceOf(BackupRefused.class);
            assertThat(rows(to)).isEqualTo(mine);
            assertThat(schemas(to)).containsExactly("information_schema", "public");
        }
    }

    @Test
    void unwritableFilesLeaveTheDatabaseUnchanged() throws Exception {
        try (TestDatabase to = TestDatabase.migrated()) {
            fill(to);
            Map<String, List<String>> mine = rows(to);
            byte[] backup = backup(to, false);
            to.execute("INSERT INTO luns (lun_id, device_size_gb) VALUES ('mine', 7)");
            assertThatThrownBy(() ->
                            new DatabaseRestore(to.settings(), true)
                                    .restore(
                                            () -> new ByteArrayInputStream(backup),
                                            null,
                                            _ -> {
                                                throw new java.io.IOException("no room");
                                            }))
                    .isInstanceOf(BackupRefused.class)
                    .hasMessageContaining("no room");
            assertThat(rows(to)).hasSize(mine.size() + 1);
        }
    }

    private static byte[] made(String schema, Table table, String rows) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (BackupFile.Writer writer = new BackupFile.Writer(out, null)) {
            writer.manifest(new BackupManifest(NOW, "9.9", schema, "18", false, List.of(table)));
            RowSum sum = new RowSum();
            byte[] bytes = rows.getBytes(StandardCharsets.UTF_8);
            sum.add(bytes, 0, bytes.length);
            writer.table(table).write(bytes);
            writer.tableEnded(sum.rows(), sum.sum());
            writer.end();
        }
        return out.toByteArray();
    }

    @Test
    void aBackupOfANewerVersionIsRefusedWithTheVersionToUse() throws Exception {
        try (TestDatabase to = TestDatabase.empty()) {
            byte[] newer =
                    made("9999", new Table("luns", List.of("lun_id"), null, null, ""), "x\n");
            assertThatThrownBy(() -> restore(to, newer, false))
                    .isInstanceOf(BackupRefused.class)
                    .hasMessageContaining("version 9999")
                    .hasMessageContaining("Stillwater 9.9 or a newer one");
            assertThat(schemas(to)).containsExactly("information_schema", "public");
        }
    }

    @Test
    void aBackupOfANewerVersionReplacesNothing() throws Exception {
        try (TestDatabase to = TestDatabase.migrated()) {
            fill(to);
            Map<String, List<String>> before = rows(to);
            byte[] newer =
                    made("9999", new Table("luns", List.of("lun_id"), null, null, ""), "x\n");
            assertThatThrownBy(() ->
                            new DatabaseRestore(to.settings(), true)
                                    .restore(
                                            () -> new ByteArrayInputStream(newer),
                                            null,
                                            _ -> {
                                                throw new IllegalStateException(
                                                        "keys of the data folder were written");
                                            }))
                    .isInstanceOf(BackupRefused.class)
                    .hasMessageContaining("restore it with Stillwater 9.9 or a newer one");
            assertThat(rows(to)).isEqualTo(before);
            assertThat(schemas(to)).containsExactly("information_schema", "public");
        }
    }

    @Test
    void aBackupOfAnOlderVersionIsMigrated() throws Exception {
        try (TestDatabase old = TestDatabase.empty();
                TestDatabase to = TestDatabase.empty()) {
            SchemaVersions.make(old.settings(), "public", "16");
            old.execute(
                    "INSERT INTO host_static (host_id, host_name, address, port) VALUES ('%s', 'old', 'h', 54321)"
                            .formatted(HOST));
            restore(to, backup(old, true), false);
            assertThat(list(to, "SELECT host_name FROM host_static")).containsExactly("old");
            SchemaVersions.Status status = SchemaVersions.of(to.settings());
            assertThat(status.applied()).isEqualTo(status.newest());
            assertThat(status.pending()).isEmpty();
        }
    }

    @Test
    void anInterruptedRestoreIsClearedAwayByTheNext() throws Exception {
        try (TestDatabase from = TestDatabase.migrated();
                TestDatabase to = TestDatabase.empty()) {
            fill(from);
            try (Connection owner =
                            java.sql.DriverManager.getConnection(
                                    to.jdbcUrl(), to.user(), to.password());
                    Statement statement = owner.createStatement()) {
                statement.execute("CREATE SCHEMA stillwater_restore");
                statement.execute("CREATE TABLE stillwater_restore.luns (a integer)");
                statement.execute("CREATE SCHEMA stillwater_replaced");
            }
            restore(to, backup(from, true), false);
            assertThat(rows(to)).isEqualTo(rows(from));
            assertThat(schemas(to)).containsExactly("information_schema", "public");
        }
    }

    @Test
    void anEmptyDatabaseHasNothingToBackUp() throws Exception {
        try (TestDatabase empty = TestDatabase.empty()) {
            assertThatThrownBy(() -> backup(empty, true))
                    .isInstanceOf(BackupRefused.class)
                    .hasMessageContaining("no data to back up");
        }
    }

    @Test
    void aRoleThatCannotReadEverythingIsRefusedWithARemedy() throws Exception {
        try (TestDatabase database = TestDatabase.migrated()) {
            org.stillwater.dal.DatabaseSettings worker =
                    org.stillwater.dal.DatabaseSettings.of(
                            database.jdbcUrl(),
                            database.worker().user(),
                            database.worker().password());
            org.junit.jupiter.api.Assumptions.assumeFalse(
                    database.worker().equals(database.owner()));
            assertThatThrownBy(() ->
                            DatabaseBackup.write(
                                    worker,
                                    ByteArrayOutputStream::new,
                                    true,
                                    null,
                                    Map.of(),
                                    NOW,
                                    "1.0"))
                    .isInstanceOf(BackupRefused.class)
                    .hasMessageContaining("stillwater.database.migration.username");
        }
    }

    /** Objects that a backup does not hold must not exist. */
    @Test
    void theSchemaHasNoSequencesAndNoIdentities() throws Exception {
        try (TestDatabase database = TestDatabase.migrated()) {
            assertThat(
                            list(
                                    database,
                                    """
                                    SELECT relname FROM pg_class
                                     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('S', 'm', 'f')
                                    """))
                    .isEmpty();
        }
    }

    @Test
    void anOlderEngineRefusesANewerSchema() throws Exception {
        try (TestDatabase database = TestDatabase.migrated()) {
            String newest = SchemaVersions.of(database.settings()).newest();
            database.execute(
                    """
                    INSERT INTO schema_history (installed_rank, version, description, type, script, checksum, installed_by,
                                                execution_time, success)
                    VALUES (10000, '9999', 'of tomorrow', 'SQL', 'V9999__of_tomorrow.sql', 1, 'x', 1, true)
                    """);
            assertThatThrownBy(database::open)
                    .isInstanceOf(SchemaNewer.class)
                    .hasMessageContaining("version 9999")
                    .hasMessageContaining("up to " + newest);
            SchemaVersions.Status status = SchemaVersions.of(database.settings());
            assertThat(status.isNewer()).isTrue();
            assertThat(status.applied()).isEqualTo("9999");
            org.stillwater.dal.DatabaseSettings worker =
                    org.stillwater.dal.DatabaseSettings.of(
                            database.jdbcUrl(),
                            database.worker().user(),
                            database.worker().password());
            assertThatThrownBy(() -> Database.open(worker)).isInstanceOf(SchemaNewer.class);
        }
    }
}
