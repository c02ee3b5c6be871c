package org.stillwater.dal;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.stillwater.core.store.FindingStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.contract.FindingStoreContract;

@DisplayName("Findings in PostgreSQL")
class JdbcFindingStoreIT extends FindingStoreContract {

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
    protected FindingStore emptyFindings() {
        try (Connection owner = server.connect();
                Statement statement = owner.createStatement()) {
            statement.execute("TRUNCATE finding");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return database.findings();
    }
}
