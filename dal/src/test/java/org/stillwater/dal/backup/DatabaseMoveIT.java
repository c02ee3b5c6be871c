package org.stillwater.dal.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.stillwater.dal.Database;
import org.stillwater.dal.DatabaseSettings;
import org.stillwater.dal.SchemaVersions;
import org.stillwater.dal.TestDatabase;

/** Moves of real databases. */
class DatabaseMoveIT {

    private static final Instant NOW = Instant.parse("2026-11-20T03:00:00Z");

    private static DatabaseBackup.Content move(TestDatabase from, TestDatabase to, boolean history)
            throws Exception {
        return DatabaseMove.move(from.settings(), to.settings(), history, NOW, "1.0");
    }

    private static List<String> schemas(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect()) {
            return Server.list(
                    connection,
                    "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'stillwater%' ORDER BY 1");
        }
    }

    private static List<String> present(TestDatabase database) throws Exception {
        try (Connection connection = database.connect()) {
            return DatabaseRestore.foreign(connection);
        }
    }

    /** Fails the making of a certain partition in the target: other tables are there by then. */
    private static void failInTheMiddle(TestDatabase to, String statement) throws SQLException {
        to.execute(
                "CREATE SCHEMA aside",
                """
                CREATE FUNCTION aside.fail() RETURNS event_trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands()
                                WHERE object_identity LIKE '%%vm_samples_20261120h01') THEN
                        %s
                    END IF;
                END
                $$
                """
                        .formatted(statement),
                "CREATE EVENT TRIGGER fail ON ddl_command_end WHEN TAG IN ('CREATE TABLE')"
                        + " EXECUTE FUNCTION aside.fail()");
    }

    @Test
    void everyRowIsCopiedAndTheFirstDatabaseIsUnchanged() throws Exception {
        try (TestDatabase from = TestDatabase.migrated();
                TestDatabase to = TestDatabase.empty()) {
            BackupIT.fill(from);
            Map<String, List<String>> before = BackupIT.rows(from);
            DatabaseMove.Plan plan = DatabaseMove.plan(from.settings(), to.settings(), true);
            assertThat(plan.bytes()).isPositive();
            assertThat(present(to)).isEmpty();

            DatabaseBackup.Content moved = move(from, to, true);

            assertThat(BackupIT.rows(to)).isEqualTo(before);
            assertThat(BackupIT.rows(from)).isEqualTo(before);
            assertThat(moved.tables()).isEqualTo(plan.tables());
            assertThat(moved.rows())
                    .isEqualTo(before.values().stream().mapToLong(List::size).sum());
            assertThat(schemas(to)).isEmpty();
            SchemaVersions.Status status = SchemaVersions.of(to.settings());
            assertThat(status.applied()).isEqualTo(status.newest());
            try (Database engine = to.open()) {
                assertThat(engine.problem()).isNull();
            }
        }
    }

    @Test
    void historyMayBeLeftOut() throws Exception {
        try (TestDatabase from = TestDatabase.migrated();
                TestDatabase to = TestDatabase.empty()) {
            BackupIT.fill(from);
            move(from, to, false);
            assertThat(BackupIT.rows(to))
                    .containsKey("vm_static")
                    .doesNotContainKey("vm_samples_20261120h00");
        }
    }

    @Test
    void aTargetWithTablesIsRefusedAndUnchanged() throws Exception {
        try (TestDatabase from = TestDatabase.migrated();
                TestDatabase foreign = TestDatabase.empty();
                TestDatabase own = TestDatabase.migrated()) {
            foreign.execute("CREATE TABLE orders (id integer)", "INSERT INTO orders VALUES (7)");
            assertThatThrownBy(() -> move(from, foreign, true))
                    .isInstanceOf(BackupRefused.class)
                    .hasMessageContaining("table orders")
                    .hasMessageContaining("name an empty database");
            assertThatThrownBy(() -> DatabaseMove.plan(from.settings(), foreign.settings(), true))
                    .hasMessageContaining("the target is not empty (table orders)");
            try (Connection connection = foreign.connect()) {
                assertThat(Server.list(connection, "SELECT id FROM orders")).containsExactly("7");
            }
            assertThatThrownBy(() -> DatabaseMove.plan(from.settings(), own.settings(), true))
                    .hasMessageContaining("holds a Stillwater already");
            assertThatThrownBy(() -> DatabaseMove.plan(from.settings(), from.settings(), true))
                    .hasMessageContaining("holds a Stillwater already");
        }
    }

    @Test
    void aFailureInTheMiddleLeavesTheTargetEmpty() throws Exception {
        try (TestDatabase from = TestDatabase.migrated();
                TestDatabase to = TestDatabase.empty()) {
            BackupIT.fill(from);
            Map<String, List<String>> before = BackupIT.rows(from);
            failInTheMiddle(to, "RAISE EXCEPTION 'the disk is full';");

            assertThatThrownBy(() -> move(from, to, true))
                    .isInstanceOf(BackupRefused.class)
                    .hasMessageContaining("the disk is full")
                    .hasMessageContaining("The target is as it was");

            assertThat(present(to)).isEmpty();
            assertThat(schemas(to)).isEmpty();
            assertThat(BackupIT.rows(from)).isEqualTo(before);
            to.execute("DROP EVENT TRIGGER fail");
            move(from, to, true);
            assertThat(BackupIT.rows(to)).isEqualTo(before);
        }
    }

    @Test
    void aConnectionThatBreaksInTheMiddleLeavesTheTargetEmpty() throws Exception {
        try (TestDatabase from = TestDatabase.migrated();
                TestDatabase to = TestDatabase.empty()) {
            BackupIT.fill(from);
            failInTheMiddle(to, "PERFORM pg_terminate_backend(pg_backend_pid());");

            assertThatThrownBy(() -> move(from, to, true))
                    .isInstanceOf(BackupRefused.class)
                    .hasMessageContaining("The target is as it was");

            assertThat(present(to)).isEmpty();
            assertThat(schemas(to)).isEmpty();
        }
    }

    @Test
    void aTargetThatCannotBeUsedIsRefusedWithTheRemedy() throws Exception {
        try (TestDatabase from = TestDatabase.migrated();
                TestDatabase to = TestDatabase.empty()) {
            DatabaseSettings wrong = DatabaseSettings.of(to.jdbcUrl(), "no_such_role", "x");
            assertThatThrownBy(() -> DatabaseMove.plan(from.settings(), wrong, true))
                    .isInstanceOf(BackupRefused.class)
                    .hasMessageContaining("the target cannot be used as no_such_role");
            if (!to.worker().equals(to.owner())) {
                DatabaseSettings worker =
                        DatabaseSettings.of(
                                to.jdbcUrl(), to.worker().user(), to.worker().password());
                assertThatThrownBy(() -> DatabaseMove.plan(from.settings(), worker, true))
                        .hasMessageContaining("must own the target")
                        .hasMessageContaining("stillwater.database.migration.username");
            }
            assertThatThrownBy(() -> DatabaseMove.plan(to.settings(), to.settings(), true))
                    .hasMessageContaining("holds no Stillwater");
        }
    }

    /** The schema is replaced, and its objects would be dropped with it. */
    @Test
    void aRestoreRefusesADatabaseWithTablesOfOthers() throws Exception {
        try (TestDatabase to = TestDatabase.empty()) {
            to.execute("CREATE TABLE orders (id integer)");
            BackupManifest manifest = new BackupManifest(NOW, "1.0", "16", "18", false, List.of());
            for (boolean replace : new boolean[] {false, true}) {
                assertThatThrownBy(() ->
                                new DatabaseRestore(to.settings(), replace)
                                        .place(manifest, _ -> {}, _ -> {}))
                        .isInstanceOf(BackupRefused.class)
                        .hasMessageContaining("not Stillwater's")
                        .hasMessageContaining("table orders");
            }
            assertThat(present(to)).containsExactly("table orders");
        }
    }
}
