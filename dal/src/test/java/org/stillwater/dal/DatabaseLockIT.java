package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.lock.DatabaseInUse;
import org.stillwater.dal.lock.DatabaseLock;
import org.stillwater.testkit.LabelledSecretBox;

/** One engine for each database: who gets it, who keeps it, and who has lost it. */
class DatabaseLockIT {

    private static final String FIRST = "stillwater-engine of process 1";
    private static final String SECOND = "stillwater-engine of process 2";

    private TestDatabase database;

    @BeforeEach
    void create() {
        database = TestDatabase.migrated();
    }

    @AfterEach
    void drop() {
        database.close();
    }

    private Database engine(String name) throws StoreUnavailable {
        return Database.openAlone(
                database.settings(),
                HistoryPoolSettings.DEFAULT,
                new LabelledSecretBox("k1"),
                name);
    }

    /** Ends sessions as a failing server or network does; returns when they are gone. */
    private void cut(String application) throws SQLException {
        database.execute(
                """
                SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name LIKE '%s'
                """
                        .formatted(application));
    }

    private String owner() throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                """
                                SELECT coalesce(string_agg(application_name, ', '), 'none')
                                  FROM pg_stat_activity JOIN pg_locks USING (pid)
                                 WHERE datname = current_database() AND locktype = 'advisory'
                                   AND classid = %d
                                """
                                        .formatted(0x5377_0001))) {
            assertThat(row.next()).isTrue();
            return row.getString(1);
        }
    }

    @Test
    void aSecondEngineIsRefusedAndNamesTheFirst() throws Exception {
        try (Database first = engine(FIRST)) {
            assertThatExceptionOfType(DatabaseInUse.class)
                    .isThrownBy(() -> engine(SECOND).close())
                    .withMessageContaining(FIRST)
                    .withMessageContaining(" since 20")
                    .withMessageContaining("stop it first");
            assertThat(first.problem()).isNull();
        }
        try (Database second = engine(SECOND)) {
            assertThat(second.problem()).isNull();
            assertThat(owner()).isEqualTo(SECOND);
        }
        assertThat(owner()).as("nothing stays locked").isEqualTo("none");
    }

    @Test
    void aFailedStartLeavesNoLock() throws Exception {
        database.execute("ALTER TABLE schema_history RENAME TO gone");
        assertThatExceptionOfType(StoreUnavailable.class).isThrownBy(() -> engine(FIRST).close());
        assertThat(owner()).isEqualTo("none");
    }

    @Test
    void anEngineWithoutTheLocksConnectionKeepsTheDatabaseAndTakesTheLockAgain() throws Exception {
        String login = "ALTER ROLE " + database.worker().user();
        try (Database first = engine(FIRST);
                Connection second = database.connect();
                Statement statement = second.createStatement()) {
            assertThat(first.problem()).isNull();
            statement.execute(login + " NOLOGIN"); // nothing connects now
            try {
                cut(FIRST);
                assertThat(owner()).isEqualTo("none");
                assertThatExceptionOfType(DatabaseInUse.class)
                        .as("connections of the first engine can still write")
                        .isThrownBy(() -> DatabaseLock.takeOn(second))
                        .withMessageContaining("(stillwater");
            } finally {
                statement.execute(login + " LOGIN");
            }
            cut("stillwater%");
            first.hosts().loadAll(); // by new connections
            assertThat(first.problem()).isNull();
            assertThat(owner()).isEqualTo(FIRST);
        }
    }

    @Test
    void anEngineThatLostItsDatabaseNeverWritesAgain() throws Exception {
        String login = "ALTER ROLE " + database.worker().user();
        try (Database first = engine(FIRST)) {
            assertThat(first.problem()).isNull();
            try (Connection second = database.connect();
                    Statement statement = second.createStatement()) {
                statement.execute(login + " NOLOGIN"); // the network is cut
                try {
                    cut("stillwater%");
                    statement.execute("SET application_name = '" + SECOND + "'");
                    DatabaseLock.takeOn(second);
                } finally {
                    statement.execute(login + " LOGIN");
                }
                assertThat(first.problem())
                        .contains(SECOND)
                        .contains("writes nothing any more")
                        .contains("restart the other");
                assertThat(owner()).isEqualTo(SECOND);
            }
            assertThatExceptionOfType(StoreUnavailable.class)
                    .as("what the first one knows is old")
                    .isThrownBy(() -> first.hosts().loadAll())
                    .withMessageContaining(SECOND);
        }
    }

    @Test
    void anEngineNoticesThatAnotherOneWorkedWhileItWasCutOff() throws Exception {
        String login = "ALTER ROLE " + database.worker().user();
        try (Database first = engine(FIRST)) {
            assertThat(first.problem()).isNull();
            database.execute(login + " NOLOGIN"); // the network of the first one is cut
            cut("stillwater%");
            Login other = database.owner();
            DatabaseSettings second =
                    DatabaseSettings.of(database.jdbcUrl(), other.user(), other.password());
            Database.lock(second, SECOND).close();
            database.execute(login + " LOGIN");
            assertThat(first.problem())
                    .contains(SECOND + " since 20")
                    .contains("what it knows is old: restart it");
            assertThat(owner()).isEqualTo("none");
            assertThatExceptionOfType(StoreUnavailable.class)
                    .isThrownBy(() -> first.hosts().loadAll())
                    .withMessageContaining(SECOND);
        }
        engine(FIRST).close();
    }

    @Test
    void anEngineNoticesARestoreWhileItWasCutOff() throws Exception {
        String login = "ALTER ROLE " + database.worker().user();
        try (Database first = engine(FIRST)) {
            assertThat(first.problem()).isNull();
            database.execute(
                    login + " NOLOGIN",
                    "DELETE FROM database_holder"); // the restored schema is new
            cut("stillwater%");
            database.execute(login + " LOGIN");
            assertThat(first.problem()).contains("(a restore)").contains("restart it");
        }
    }

    @Test
    void aProgramKeepsEnginesOut() throws Exception {
        try (DatabaseLock program = Database.lock(database.settings(), "stillwater-upgrade")) {
            assertThat(program.lost()).isNull();
            assertThatExceptionOfType(DatabaseInUse.class)
                    .isThrownBy(() -> engine(FIRST).close())
                    .withMessageContaining("stillwater-upgrade");
        }
        try (Connection program = database.connect()) {
            DatabaseLock.takeOn(program);
            assertThatExceptionOfType(DatabaseInUse.class).isThrownBy(() -> engine(FIRST).close());
        }
        engine(FIRST).close();
    }
}
