package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.stillwater.core.store.StoreUnavailable;

/** The logins for migrations and for work may differ, as the operator decides. */
class LoginsIT {

    private static DatabaseSettings workerAlone(TestDatabase database) {
        return DatabaseSettings.of(
                database.jdbcUrl(), database.worker().user(), database.worker().password());
    }

    /** A session ends a moment after its client has closed the connection. */
    private static void assertSessions(TestDatabase database, String... users) throws SQLException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            List<String> found = sessions(statement);
            while (!found.equals(List.of(users)) && System.nanoTime() - deadline < 0) {
                java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                found = sessions(statement);
            }
            assertThat(found).containsExactly(users);
        }
    }

    /** Logged-in roles, without the session of the asking administrator. */
    private static List<String> sessions(Statement statement) throws SQLException {
        List<String> users = new ArrayList<>();
        try (ResultSet row =
                statement.executeQuery(
                        """
                        SELECT DISTINCT usename FROM pg_stat_activity
                         WHERE datname = current_database() AND pid <> pg_backend_pid()
                           AND backend_type = 'client backend'
                        """)) {
            while (row.next()) {
                users.add(row.getString(1));
            }
        }
        return users;
    }

    @Test
    void nothingStaysLoggedInAsTheOwner() throws Exception {
        try (TestDatabase server = TestDatabase.empty();
                Database engine = server.open()) {
            assertThat(engine.problem()).isNull();
            assertThat(engine.history().rollUp(Instant.EPOCH).hours()).isZero();
            assertSessions(server, server.worker().user());
        }
    }

    @Test
    void aCurrentSchemaNeedsNoRightToMigrate() throws Exception {
        try (TestDatabase server = TestDatabase.migrated();
                Database engine = Database.open(workerAlone(server))) {
            assertThat(engine.hosts().loadAll()).isEmpty();
        }
    }

    @Test
    void anOwnerAloneMigratesAndWorks() throws Exception {
        try (TestDatabase server = TestDatabase.empty();
                Database engine =
                        Database.open(
                                DatabaseSettings.of(
                                        server.jdbcUrl(), server.user(), server.password()))) {
            assertThat(engine.hosts().loadAll()).isEmpty();
        }
    }

    @Test
    void anOlderSchemaIsReportedAndOneStartAsTheOwnerIsEnough() throws Exception {
        try (TestDatabase server = TestDatabase.migrated()) {
            server.execute(
                    "DELETE FROM schema_history WHERE script = 'R__vms_monitoring_view.sql'");
            refused(server, "lacks 1 scripts", "R__vms_monitoring_view.sql");
            assertSessions(server);
            server.open().close();
            Database.open(workerAlone(server)).close();
        }
    }

    @Test
    void anEmptyDatabaseIsReported() {
        try (TestDatabase server = TestDatabase.empty()) {
            refused(server, "is older than this engine");
        }
    }

    /** The state before the working login could read the versions. */
    @Test
    void aSchemaWithoutAReadableVersionIsOlder() throws Exception {
        try (TestDatabase server = TestDatabase.migrated()) {
            server.execute("REVOKE SELECT ON schema_history FROM stillwater_monitoring");
            refused(server, "cannot be read");
        }
    }

    private static void refused(TestDatabase server, String... words) {
        assertThatExceptionOfType(SchemaOutdated.class)
                .isThrownBy(() -> Database.open(workerAlone(server)).close())
                .satisfies(e -> assertThat(e.getMessage()).contains(words))
                .satisfies(e -> assertThat(e.getMessage()).contains(server.worker().user()));
    }

    @Test
    void anOwnerWithoutLoginIsNamed() {
        try (TestDatabase server = TestDatabase.migrated()) {
            DatabaseSettings settings =
                    workerAlone(server).migratedBy(new Login("nobody_of_this_name", "secret"));
            assertThatExceptionOfType(StoreUnavailable.class)
                    .isThrownBy(() -> Database.open(settings).close())
                    .satisfies(e ->
                            assertThat(e.getMessage())
                                    .contains("as nobody_of_this_name")
                                    .doesNotContain("secret"));
        }
    }
}
