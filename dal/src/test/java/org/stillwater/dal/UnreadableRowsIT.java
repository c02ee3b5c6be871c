package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.host.NonOperationalReason;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.ExternalDataUpdate;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.HostStore.HostChange;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.testkit.Samples;

/** A code that this program does not know costs its row: all others are read. */
class UnreadableRowsIT {

    private static final Instant NOW = Instant.parse("2026-03-04T05:06:07Z");
    private static final VmId VM = Samples.vm(1);
    private static final HostId HOST = Samples.hostDefinition(1).id();

    private static TestDatabase server;
    private static Database database;

    @BeforeAll
    static void open() throws Exception {
        server = TestDatabase.migrated();
        database = server.open();
    }

    @AfterAll
    static void close() {
        database.close();
        server.close();
    }

    @BeforeEach
    void empty() throws Exception {
        server.execute(
                "TRUNCATE vm_static, host_static CASCADE",
                "DELETE FROM cluster WHERE name <> 'Default'");
        database.hosts().add(Samples.hostDefinition(1));
        database.hosts().add(Samples.hostDefinition(2));
        database.vms().add(List.of(Samples.storedVm(1)));
        loadAll();
        assertThat(database.unreadableRows()).isEmpty();
    }

    private static void loadAll() throws Exception {
        database.stores().clusters().loadClusters();
        database.hosts().loadAll();
        database.vms().loadWork(_ -> {});
        database.hosts().loadHostWork(_ -> {});
        database.stores().externalData().loadHashes((_, _, _) -> {});
    }

    /** Rows of a table with the unknown kind. */
    private static int rows(String table) throws Exception {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT count(*) FROM " + table + " WHERE kind = 99")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static VmChange restart(long generation) {
        PendingWork work = new PendingWork(VM, WorkKind.HA_RESTART, generation, null, "");
        return new VmChange(
                VM,
                RuntimeFields.NONE,
                VmRuntime.INITIAL,
                PlacementFields.NONE,
                VmPlacement.NOWHERE,
                List.of(new OpenWork(work, NOW)));
    }

    @Test
    void workOfAnUnknownKindCostsItselfAndStaysInTheDatabase() throws Exception {
        VmChange known = restart(7);
        database.vms().write(List.of(known));
        server.execute(
                "INSERT INTO pending_work (vm_guid, kind, run_generation, why, created_at) VALUES"
                        + " ('"
                        + VM
                        + "', 99, 7, 'newer', now() - interval '1 year')");
        List<OpenWork> open = new ArrayList<>();
        database.vms().loadWork(open::add);
        assertThat(open).isEqualTo(known.work());
        assertThat(database.unreadableRows())
                .containsExactly(
                        Map.entry(
                                "pending_work vm_guid=" + VM + " kind=99 run_generation=7",
                                "no kind of work has code 99; no command gets this work"));
        assertThat(database.vms().write(List.of(restart(8))))
                .as("a change with other work returns the VM's open work")
                .isInstanceOfSatisfying(
                        WriteOutcome.Written.class,
                        written ->
                                assertThat(written.open())
                                        .extracting(each -> each.work().generation())
                                        .containsExactly(7L, 8L));
        assertThat(rows("pending_work")).isOne();
        server.execute("DELETE FROM pending_work WHERE kind = 99");
        loadAll();
        assertThat(database.unreadableRows()).isEmpty();
    }

    @Test
    void workAboutAHostOfAnUnknownKindCostsItselfAndStaysInTheDatabase() throws Exception {
        HostStore hosts = database.hosts();
        HostStore.StoredHost stored = hosts.loadAll().getFirst();
        HostId host = stored.definition().id();
        OpenHostWork fence =
                new OpenHostWork(new HostWork(host, HostWorkKind.FENCE, 0, 0, ""), NOW);
        hosts.write(List.of(new HostChange(host, stored.condition(), List.of(fence), null, null)));
        server.execute(
                "INSERT INTO host_work (host_id, kind, episode, attempt, why, created_at) VALUES ('"
                        + host
                        + "', 99, 0, 0, 'newer', now() - interval '1 year')");
        List<OpenHostWork> open = new ArrayList<>();
        hosts.loadHostWork(open::add);
        assertThat(open).containsExactly(fence);
        assertThat(database.unreadableRows())
                .containsExactly(
                        Map.entry(
                                "host_work host_id=" + host + " kind=99 episode=0 attempt=0",
                                "no kind of host work has code 99; no command gets this work"));
        assertThat(rows("host_work")).isOne();
    }

    @Test
    void aClusterOfAnUnknownHypervisorCostsItself() throws Exception {
        ClusterStore clusters = database.stores().clusters();
        Cluster odd = Samples.cluster(5);
        clusters.add(odd);
        server.execute("UPDATE cluster SET hypervisor = 9 WHERE cluster_id = '" + odd.id() + "'");
        assertThat(clusters.loadClusters()).containsExactly(Cluster.DEFAULT);
        assertThat(database.unreadableRows())
                .containsExactly(
                        Map.entry(
                                "cluster cluster_id=" + odd.id(),
                                "no hypervisor has code 9; its hosts are not watched"));
    }

    @Test
    void aRuleOfAClusterWithAnUnknownCodeIsNamedUntilTheClusterIsSaved() throws Exception {
        ClusterStore clusters = database.stores().clusters();
        Cluster odd = Samples.cluster(5);
        clusters.add(odd);
        server.execute(
                "UPDATE cluster SET migrate_on_error = 9 WHERE cluster_id = '" + odd.id() + "'");
        assertThat(clusters.loadClusters())
                .filteredOn(each -> each.id().equals(odd.id()))
                .extracting(Cluster::migrateOnError)
                .containsExactly(MigrateOnError.ALL);
        assertThat(database.unreadableRows())
                .containsEntry(
                        "cluster cluster_id=" + odd.id(),
                        "migrate_on_error has code 9; read as ALL");
        server.execute("UPDATE cluster SET architecture = 9 WHERE cluster_id = '" + odd.id() + "'");
        assertThat(clusters.loadClusters()).hasSize(2);
        assertThat(database.unreadableRows())
                .containsEntry(
                        "cluster cluster_id=" + odd.id(),
                        "architecture has code 9; read as none; migrate_on_error has code 9; read"
                                + " as ALL");
        assertThat(clusters.update(odd)).isEqualTo(ClusterStore.Saved.SAVED);
        assertThat(database.unreadableRows()).isEmpty();
        loadAll();
        assertThat(database.unreadableRows()).isEmpty();
    }

    @Test
    void anUnknownStatusOfAHostIsNamedUntilItsStatusIsSaved() throws Exception {
        HostStore hosts = database.hosts();
        server.execute(
                "UPDATE host_dynamic SET status = 88, non_operational_reason = 99 WHERE host_id = '"
                        + HOST
                        + "'");
        assertThat(hosts.loadAll())
                .filteredOn(each -> each.definition().id().equals(HOST))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.condition().status()).isEqualTo(HostStatus.UNASSIGNED);
                    assertThat(each.condition().nonOperational())
                            .isEqualTo(NonOperationalReason.GENERAL);
                });
        assertThat(database.unreadableRows())
                .containsExactly(
                        Map.entry(
                                "host_dynamic host_id=" + HOST,
                                "status has code 88; read as UNASSIGNED; non_operational_reason has"
                                        + " code 99; read as GENERAL"));
        HostChange up =
                new HostChange(HOST, HostCondition.of(HostStatus.UP), List.of(), null, null);
        assertThat(hosts.write(List.of(up))).isInstanceOf(WriteOutcome.Written.class);
        assertThat(database.unreadableRows()).isEmpty();
    }

    @Test
    void aHostThatCannotBeAHostCostsItself() throws Exception {
        HostStore hosts = database.hosts();
        server.execute("UPDATE host_static SET address = ' ' WHERE host_id = '" + HOST + "'");
        assertThat(hosts.loadAll())
                .extracting(each -> each.definition().id())
                .containsExactly(Samples.hostDefinition(2).id());
        assertThat(database.unreadableRows())
                .containsExactly(
                        Map.entry(
                                "host_static host_id=" + HOST,
                                "a host's address has 1 to 255 characters; the host is not"
                                        + " watched"));
    }

    @Test
    void externalDataOfAnUnknownKindCostThemselves() throws Exception {
        database.stores()
                .externalData()
                .save(List.of(new ExternalDataUpdate(VM, ExternalDataKind.NVRAM, "aa", "x")));
        server.execute(
                "INSERT INTO vm_external_data (vm_guid, kind, hash, data) VALUES ('"
                        + VM
                        + "', 99, 'bb', 'y')");
        List<String> hashes = new ArrayList<>();
        database.stores().externalData().loadHashes((_, kind, hash) -> hashes.add(kind + hash));
        assertThat(hashes).containsExactly("NVRAMaa");
        assertThat(database.unreadableRows())
                .containsOnlyKeys("vm_external_data vm_guid=" + VM + " kind=99");
    }
}
