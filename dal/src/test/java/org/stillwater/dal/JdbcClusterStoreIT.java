package org.stillwater.dal;

import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.contract.ClusterStoreContract;

class JdbcClusterStoreIT extends ClusterStoreContract {

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
    protected ClusterStore newClusters() {
        try {
            server.execute(
                    "DELETE FROM cluster WHERE name <> 'Default'",
                    "DELETE FROM data_centre WHERE name <> 'Default'",
                    "UPDATE cluster SET emulated_machine = NULL");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return database.stores().clusters();
    }
}
