package org.stillwater.dal;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.stillwater.core.store.SeriesPointStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.contract.SeriesPointStoreContract;

@DisplayName("Points of series in PostgreSQL")
class JdbcSeriesPointStoreIT extends SeriesPointStoreContract {

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
    protected SeriesPointStore emptyPoints() {
        try (Connection owner = server.connect();
                Statement statement = owner.createStatement()) {
            statement.execute("TRUNCATE regression_points");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return database.seriesPoints();
    }
}
