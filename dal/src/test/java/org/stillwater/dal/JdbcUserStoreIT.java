package org.stillwater.dal;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.UserStore;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.UserStoreContract;

class JdbcUserStoreIT extends UserStoreContract {

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

    private static void execute(String sql) {
        try {
            server.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected UserStore emptyUsers() throws StoreUnavailable {
        execute("TRUNCATE engine_user, vm_static, host_static CASCADE");
        database.vms().add(List.of(Samples.storedVm(1)));
        return database.users();
    }

    @Override
    protected void forgetVm() {
        execute("DELETE FROM vm_static WHERE vm_guid = '" + VM + "'");
    }
}
