package org.stillwater.dal;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.VmStore;
import org.stillwater.testkit.contract.WorkStoreContract;

class JdbcWorkStoreIT extends WorkStoreContract {

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
    protected VmStore emptyVms() {
        try {
            server.execute("TRUNCATE vm_static, host_static CASCADE");
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
        return database.vms();
    }
}
