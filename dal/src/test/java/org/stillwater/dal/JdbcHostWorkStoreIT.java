package org.stillwater.dal;

import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.contract.HostWorkStoreContract;

class JdbcHostWorkStoreIT extends HostWorkStoreContract {

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
    protected HostStore emptyHosts() {
        try {
            server.execute("TRUNCATE host_static CASCADE");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return database.hosts();
    }
}
