package org.stillwater.dal;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.stillwater.core.store.AlertStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.contract.AlertStoreContract;

@DisplayName("Alerts in PostgreSQL")
class JdbcAlertStoreIT extends AlertStoreContract {

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
    protected AlertStore emptyAlerts() {
        try (Connection owner = server.connect();
                Statement statement = owner.createStatement()) {
            statement.execute("TRUNCATE alert, alert_rule, alert_silence");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return database.alerts();
    }
}
