package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

class CountingDataSourceIT {

    private static TestDatabase database;
    private CountingDataSource source;
    private StatementCounts counts;

    @BeforeAll
    static void create() throws SQLException {
        database = TestDatabase.empty();
        database.execute("CREATE TABLE t (v int CHECK (v >= 0))", "GRANT ALL ON t TO PUBLIC");
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @BeforeEach
    void wrap() {
        PGSimpleDataSource plain = new PGSimpleDataSource();
        plain.setUrl(database.jdbcUrl());
        plain.setUser(database.user());
        plain.setPassword(database.password());
        source = new CountingDataSource(plain);
        counts = source.counts();
    }

    @Test
    void everyWayOfSendingAStatementCountsForItsStage() throws SQLException {
        try (Connection connection = source.getConnection(SqlStage.STATE);
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
            statement.executeQuery("SELECT 2").close();
            assertThat(statement.executeUpdate("INSERT INTO t VALUES (1), (2)")).isEqualTo(2);
            assertThat(statement.executeLargeUpdate("INSERT INTO t VALUES (3)")).isEqualTo(1);
            try (PreparedStatement prepared =
                    connection.prepareStatement("INSERT INTO t VALUES (?)")) {
                for (int i = 0; i < 5; i++) {
                    prepared.setInt(1, i);
                    prepared.addBatch();
                }
                assertThat(prepared.executeBatch()).hasSize(5);
                prepared.setInt(1, 9);
                prepared.execute();
            }
        }
        assertThat(counts.statements(SqlStage.STATE)).isEqualTo(4 + 5 + 1);
        assertThat(counts.rows(SqlStage.STATE)).isEqualTo(2 + 1 + 5);
        assertThat(counts.statements(SqlStage.OTHER)).isZero();
        assertThat(counts.statements()).isEqualTo(10);
        assertThat(counts.rows()).isEqualTo(8);
    }

    @Test
    void commitsCountAndUnstagedStatementsAreOthers() throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("SELECT 1");
            connection.commit();
            connection.rollback();
        }
        assertThat(counts.commits(SqlStage.OTHER)).isEqualTo(1);
        assertThat(counts.statements(SqlStage.OTHER)).isEqualTo(1);
    }

    @Test
    void aFailedStatementCountsAsSent() throws SQLException {
        try (Connection connection = source.getConnection(SqlStage.ADD);
                Statement statement = connection.createStatement()) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> statement.executeUpdate("INSERT INTO t VALUES (-1)"))
                    .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("23514"));
        }
        assertThat(counts.statements(SqlStage.ADD)).isEqualTo(1);
        assertThat(counts.rows(SqlStage.ADD)).isZero();
    }

    @Test
    void nothingLeadsAroundTheCountsButUnwrap() throws SQLException {
        try (Connection connection = source.getConnection(SqlStage.LOAD);
                Statement statement = connection.createStatement()) {
            assertThat(statement.getConnection()).isSameAs(connection);
            assertThat(connection.unwrap(PGConnection.class)).isNotNull();
        }
    }

    @Test
    void manyThreadsLoseNoCount() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            threads.add(
                    Thread.ofVirtual()
                            .start(() -> {
                                try (Connection connection = source.getConnection(SqlStage.HOSTS);
                                        Statement statement = connection.createStatement()) {
                                    for (int n = 0; n < 50; n++) {
                                        statement.execute("SELECT 1");
                                    }
                                } catch (SQLException e) {
                                    throw new IllegalStateException(e);
                                }
                            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(counts.statements(SqlStage.HOSTS)).isEqualTo(400);
    }

    @Test
    void everyStatementIsAnEventWithItsNameAndWithoutItsText(@TempDir Path folder)
            throws Exception {
        Path file = folder.resolve("statements.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(SqlStatementEvent.class);
            recording.enable(SqlStatementEvent.Commit.class);
            recording.start();
            try (Connection connection = source.getConnection(SqlStage.USERS)) {
                connection.setAutoCommit(false);
                Sql.update(connection, "INSERT INTO t VALUES (77007700), (78)");
                try (Statement statement = connection.createStatement()) {
                    assertThatExceptionOfType(SQLException.class)
                            .isThrownBy(() -> statement.execute("SELECT 47114711 FROM missing"));
                }
                connection.rollback();
                connection.commit();
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(events)
                .filteredOn(each -> each.getEventType().getName().equals("stillwater.SqlStatement"))
                .extracting(
                        each -> each.getString("stage"),
                        each -> each.getString("name"),
                        each -> each.getString("statement"),
                        each -> each.getLong("rows"),
                        each -> each.getBoolean("failed"))
                .containsExactly(
                        tuple("users", NAME, "INSERT t", 2L, false),
                        tuple("users", NAME, "SELECT missing", 0L, true));
        assertThat(events)
                .filteredOn(each -> each.getEventType().getName().equals("stillwater.SqlCommit"))
                .extracting(each -> each.getString("stage"), each -> each.getBoolean("failed"))
                .containsExactly(tuple("users", false));
        assertThat(events.toString()).doesNotContain("47114711", "77007700");
    }

    @Test
    void aTransactionThatWaitsForAConnectionIsAnEvent(@TempDir Path folder) throws Exception {
        Transactions one = new Transactions(source, 1);
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        Path file = folder.resolve("waits.jfr");
        try (Recording recording = new Recording();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            recording.enable(ConnectionWaitEvent.class).withThreshold(Duration.ofMillis(1));
            recording.start();
            Future<Integer> holder =
                    threads.submit(() ->
                            one.run(
                                    SqlStage.HOSTS,
                                    _ -> {
                                        held.countDown();
                                        return awaited(free);
                                    }));
            held.await();
            AtomicReference<Thread> waiter = new AtomicReference<>();
            Future<Integer> waiting =
                    threads.submit(() -> {
                        waiter.set(Thread.currentThread());
                        return one.run(SqlStage.USERS, _ -> 2);
                    });
            long since = System.nanoTime();
            while (waiter.get() == null
                    || waiter.get().getState() != Thread.State.WAITING
                    || System.nanoTime() - since < 20_000_000) {
                Thread.onSpinWait();
            }
            free.countDown();
            assertThat(holder.get() + waiting.get()).isEqualTo(3);
            recording.stop();
            recording.dump(file);
        }
        assertThat(RecordingFile.readAllEvents(file))
                .filteredOn(each ->
                        each.getEventType().getName().equals("stillwater.ConnectionWait")
                                && each.getString("stage").equals("users"))
                .singleElement()
                .satisfies(each -> {
                    RecordedFrame first = each.getStackTrace().getFrames().getFirst();
                    assertThat(first.getMethod().getType().getName())
                            .isEqualTo(Transactions.class.getName());
                });
    }

    private static int awaited(CountDownLatch latch) {
        try {
            latch.await();
            return 1;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final String NAME =
            "CountingDataSourceIT.everyStatementIsAnEventWithItsNameAndWithoutItsText";
}
