package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.PoolStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.VmStore;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.contract.PoolStoreContract;

class JdbcPoolStoreIT extends PoolStoreContract {

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
            server.execute("TRUNCATE vm_pool, vm_static, host_static CASCADE");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return database.vms();
    }

    @Override
    protected PoolStore pools() {
        return database.pools();
    }

    @Test
    void aPoolNeedsACluster() throws StoreUnavailable {
        VmPool lost =
                new VmPool(
                        new UUID(1, 1),
                        "lost",
                        "",
                        new ClusterId(new UUID(0, 99)),
                        false,
                        1,
                        0,
                        1,
                        null,
                        new TreeMap<>());
        assertThat(database.pools().save(lost)).isEqualTo(Saved.UNKNOWN);
        assertThat(database.pools().load()).isEmpty();
    }

    @Test
    void everyCallIsOneStatement() throws StoreUnavailable {
        VmPool pool =
                new VmPool(
                        new UUID(1, 1),
                        "a",
                        "",
                        ClusterId.DEFAULT,
                        false,
                        3,
                        0,
                        1,
                        null,
                        new TreeMap<>());
        List<VmId> vms = List.of(Samples.vm(1), Samples.vm(2), Samples.vm(3));
        long before = database.statements().statements(SqlStage.POOLS);
        database.pools().save(pool);
        assertThat(database.pools().addMembers(pool.id(), vms)).isEqualTo(3);
        database.pools().assign(Samples.vm(1), "ada");
        assertThat(database.pools().load()).hasSize(1);
        database.pools().removeMembers(pool.id(), vms);
        database.pools().remove(pool.id());
        assertThat(database.statements().statements(SqlStage.POOLS) - before).isEqualTo(6);
    }
}
