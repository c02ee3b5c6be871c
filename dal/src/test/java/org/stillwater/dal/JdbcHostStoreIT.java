package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.VmStore;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.contract.HostStoreContract;

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

    @Test
    void hostsThatAreAddedTogetherAreOneStatement() throws StoreUnavailable {
        HostStore store = emptyHosts();
        List<HostDefinition> hosts =
                LongStream.range(0, 64)
                        .mapToObj(Samples::hostDefinition)
                        .sorted(Comparator.comparing(HostDefinition::id))
                        .toList();
        long statements = database.statements().statements(SqlStage.HOSTS);
        long commits = database.statements().commits(SqlStage.HOSTS);
        assertThat(store.addAll(hosts).added()).hasSize(64);
        assertThat(database.statements().statements(SqlStage.HOSTS) - statements).isOne();
        assertThat(database.statements().commits(SqlStage.HOSTS) - commits).isOne();
        assertThat(store.loadAll()).hasSize(64);
    }

    @Test
    void aHostThatTheDatabaseRefusesCostsNoOther() throws StoreUnavailable {
        HostStore store = emptyHosts();
        HostDefinition good = Samples.hostDefinition(1);
        HostDefinition stray =
                new HostDefinition(
                        Samples.host(2), "stray", "stray.example", 1, Samples.cluster(9).id());
        HostStore.Additions outcome =
                store.addAll(
                        Stream.of(good, stray)
                                .sorted(Comparator.comparing(HostDefinition::id))
                                .toList());
        assertThat(outcome.added()).containsExactly(good.id());
        assertThat(outcome.refused()).containsOnlyKeys(stray.id());
        assertThat(store.loadAll())
                .extracting(HostStore.StoredHost::definition)
                .containsExactly(good);
    }
}
