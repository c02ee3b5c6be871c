package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.TagStore;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.contract.TagStoreContract;

class JdbcTagStoreIT extends TagStoreContract {

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
    protected TagStore empty(List<VmId> vms, List<HostId> hosts) throws StoreUnavailable {
        try {
            server.execute("TRUNCATE tag, vm_static, host_static CASCADE");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        StoredVm vm = Samples.storedVm(1);
        assertThat(vms).containsExactly(vm.id());
        database.vms().add(List.of(vm));
        for (HostId host : hosts) {
            assertThat(database.hosts().add(new HostDefinition(host, "h", "h.example", 54321)))
                    .isTrue();
        }
        return database.tags();
    }
}
