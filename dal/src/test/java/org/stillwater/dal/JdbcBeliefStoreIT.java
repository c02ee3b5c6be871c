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
import org.stillwater.core.port.BeliefStore;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.testkit.BeliefStoreContract;

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
