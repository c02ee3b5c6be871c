package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.store.BeliefStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.contract.BeliefStoreContract;

@DisplayName("Transitions in PostgreSQL")
class JdbcBeliefStoreIT extends BeliefStoreContract {

    private static TestDatabase server;
    private static Database database;

    @BeforeAll
    static void open() throws StoreUnavailable {
        server = TestDatabase.migrated();
        database = server.open();
    }

    @AfterAll
    static void close() {
        database.close();
        server.close();
    }

    @Override
    protected BeliefStore emptyBeliefs() {
        try (Connection owner = server.connect();
                Statement statement = owner.createStatement()) {
            statement.execute("TRUNCATE vm_belief, host_belief");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return database.beliefs();
    }

    @Override
    protected Instant now() {
        return Instant.now();
    }

    @Test
    @DisplayName("days that are too old are dropped as a whole, and made once only")
    void retention() throws Exception {
        BeliefStore store = database.beliefs();
        Instant now = Instant.now();
        store.maintain(
                now.minus(Duration.ofDays(33)),
                now.minus(Duration.ofDays(31)),
                Duration.ofDays(90));
        assertThat(partitionsBefore(now.minus(Duration.ofDays(30)))).isEqualTo(6);

        BeliefStore.Maintenance done =
                store.maintain(now, now.plus(Duration.ofDays(1)), Duration.ofDays(30));

        assertThat(done.dropped()).isGreaterThanOrEqualTo(4);
        assertThat(partitionsBefore(now.minus(Duration.ofDays(31)))).isZero();
        assertThat(store.maintain(now, now.plus(Duration.ofDays(1)), Duration.ofDays(30)))
                .isEqualTo(new BeliefStore.Maintenance(0, 0));
    }

    @Test
    @DisplayName(
            "room for the days before costs the retention nothing, and a row that waited finds it")
    void partitionsForWaitingTransitions() throws Exception {
        BeliefStore store = database.beliefs();
        Instant now = Instant.now();
        Duration ahead = Duration.ofDays(2);
        store.maintain(
                now.minus(Duration.ofDays(33)),
                now.minus(Duration.ofDays(31)),
                Duration.ofDays(90));

        store.maintain(now.minus(ahead), now.plus(ahead), Duration.ofDays(30));
        assertThat(partitionsBefore(now.minus(Duration.ofDays(31)))).isZero();

        Instant old = now.minus(Duration.ofDays(5));
        store.maintain(old, now.plus(ahead), Duration.ofDays(1));
        assertThat(partitionsBefore(now.minus(Duration.ofDays(4))))
                .as("of VMs and of hosts, older than what is kept")
                .isEqualTo(2);
        store.maintain(now.minus(ahead), now.plus(ahead), Duration.ofDays(1));
        assertThat(partitionsBefore(now.minus(Duration.ofDays(4)))).isZero();
    }

    @Test
    @DisplayName("however many days are too old, a transaction drops a few only")
    void manyDays() throws Exception {
        BeliefStore store = database.beliefs();
        Instant now = Instant.now();
        for (int days : new int[] {80, 40}) {
            store.maintain(
                    now.minus(Duration.ofDays(days)),
                    now.minus(Duration.ofDays(days - 38)),
                    Duration.ofDays(90));
        }
        long old = partitionsBefore(now.minus(Duration.ofDays(3)));
        assertThat(old).isGreaterThan(Transactions.PartitionDrops.MOST);
        try (Connection owner = server.connect();
                Statement statement = owner.createStatement()) {
            owner.setAutoCommit(false);
            try (ResultSet row =
                    statement.executeQuery(
                            "SELECT dropped FROM maintain_beliefs(now(), now(), '1 day')")) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(Transactions.PartitionDrops.MOST);
            }
            owner.rollback();
        }
        assertThat(store.maintain(now, now, Duration.ofDays(1)).dropped())
                .isGreaterThanOrEqualTo((int) old);
        assertThat(partitionsBefore(now.minus(Duration.ofDays(2)))).isZero();
    }

    private static long partitionsBefore(Instant at) throws SQLException {
        try (Connection owner = server.connect();
                Statement statement = owner.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT count(*) FROM pg_class WHERE relname ~"
                                        + " '^(vm|host)_belief_[0-9]{8}$' AND right(relname, 8) < '"
                                        + at.toString().substring(0, 10).replace("-", "")
                                        + "'")) {
            row.next();
            return row.getLong(1);
        }
    }
}
