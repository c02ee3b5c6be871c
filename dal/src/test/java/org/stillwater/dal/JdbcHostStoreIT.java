package org.stillwater.dal;

import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.stillwater.core.port.ClusterStore;
import org.stillwater.core.port.HostStore;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.VmStore;
import org.stillwater.testkit.HostStoreContract;

class JdbcHostStoreIT extends HostStoreContract {

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
            server.execute(
                    "TRUNCATE host_static, vm_static CASCADE",
                    "DELETE FROM cluster WHERE name <> 'Default'");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return database.hosts();
    }

    @Override
    protected ClusterStore clusters() {
        return database.stores().clusters();
    }

    @Override
    protected VmStore vms() {
        return database.vms();
    }
}
