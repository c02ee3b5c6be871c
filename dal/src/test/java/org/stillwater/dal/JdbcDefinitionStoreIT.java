package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.DiskImage;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.DeviceUpdate;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.Specifications;
import org.stillwater.testkit.contract.DefinitionStoreContract;

class JdbcDefinitionStoreIT extends DefinitionStoreContract {

    /** Versions outlive their VM: no other test has this one. */
    private static final VmId VERSIONED = Samples.vm(900);

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
            server.execute("TRUNCATE affinity_group, vm_static, host_static CASCADE");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return database.vms();
    }

    @Override
    protected DefinitionStore definitions() {
        return database.definitions();
    }

    @Override
    protected HostStore hosts() {
        return database.hosts();
    }

    @Test
    void missingRowsCannotBeReferredTo() throws StoreUnavailable {
        ClusterId unknown = new ClusterId(new UUID(0, 99));
        AffinityGroup group = new AffinityGroup(new UUID(6, 6), "g", unknown, true, true, Set.of());
        assertThat(definitions().save(group)).isEqualTo(Saved.UNKNOWN);
        FenceAgent agent = new FenceAgent("apc", "apc.example", null, null, null, Map.of());
        assertThat(definitions().saveFenceAgents(Samples.host(77), List.of(agent))).isFalse();
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> definitions().add(Samples.vm(1), definition(1, unknown)))
                .withMessageContaining("cannot be kept");
        assertThat(definitions().load(List.of(Samples.vm(1)))).isEmpty();
    }

    @Test
    void anUnreadableSpecificationCostsItsVmOnly() throws Exception {
        Definition good =
                new Definition(
                        Samples.definition(2).named("v2", VmOrigin.OVIRT).withNics(List.of()),
                        VmSpecification.BARE,
                        0,
                        null,
                        null);
        definitions().add(Samples.vm(1), definition(1, ClusterId.DEFAULT));
        definitions().add(Samples.vm(2), good);
        server.execute(
                "UPDATE vm_specification SET specification = '{\"cpu\": 7}' WHERE vm_guid = '%s'"
                        .formatted(Samples.vm(1)));
        Map<VmId, Definition> loaded = definitions().load(List.of(Samples.vm(1), Samples.vm(2)));
        assertThat(loaded.get(Samples.vm(2))).isEqualTo(good);
        Definition bad = Objects.requireNonNull(loaded.get(Samples.vm(1)));
        assertThat(bad.definition()).isEqualTo(definition(1, ClusterId.DEFAULT).definition());
        assertThat(bad.lease()).isEqualTo(definition(1, ClusterId.DEFAULT).lease());
        assertThat(bad.unreadable()).contains("not a VmSpecification");
        assertThatExceptionOfType(DefinitionStore.Unreadable.class)
                .as("it is not a VM without devices")
                .isThrownBy(bad::specification)
                .withMessage(bad.problem());
        assertThat(definitions().unreadable()).containsOnlyKeys(Samples.vm(1));
        server.execute(
                "UPDATE vm_dynamic SET status = 1 WHERE vm_guid = '%s'".formatted(Samples.vm(1)));
        assertThat(definitions().update(Samples.vm(1), definition(1, ClusterId.DEFAULT)))
                .as("the remedy")
                .isTrue();
        assertThat(definitions().unreadable()).isEmpty();
        assertThat(definitions().loadRuns(null).get(Samples.vm(1)))
                .as("the run began with the unreadable one")
                .satisfies(run -> assertThat(run.specification()).isNull());
        assertThat(one(Samples.vm(1))).isEqualTo(definition(1, ClusterId.DEFAULT));
    }

    private Definition one(VmId vm) throws StoreUnavailable {
        return Objects.requireNonNull(definitions().load(List.of(vm)).get(vm));
    }

    @Test
    void anInterfaceHasOneVm() throws StoreUnavailable {
        definitions().add(Samples.vm(1), definition(1, ClusterId.DEFAULT));
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(
                        () -> definitions().add(Samples.vm(2), definition(1, ClusterId.DEFAULT)));
        assertThat(definitions().load(List.of(Samples.vm(1), Samples.vm(2))))
                .containsOnlyKeys(Samples.vm(1));
    }

    @Test
    void disksHaveTheStorageDomainsOfReportsElseOfDefinitions() throws StoreUnavailable {
        definitions().add(Samples.vm(1), definition(1, ClusterId.DEFAULT));
        Map<UUID, UUID> expected = new HashMap<>();
        for (VmDisk disk :
                Objects.requireNonNull(definition(1, ClusterId.DEFAULT).specification()).disks()) {
            if (disk.place() instanceof VmDisk.Place.Volume volume) {
                expected.put(volume.image(), volume.domain());
            }
        }
        assertThat(expected).isNotEmpty();

        assertThat(database.diskPlaces().of(List.of(Samples.vm(1), Samples.vm(2))))
                .isEqualTo(Map.of(Samples.vm(1), expected));

        for (long seed = 2; seed <= 3; seed++) {
            definitions()
                    .add(
                            Samples.vm(seed),
                            new Definition(
                                    Samples.definition(seed)
                                            .named("v" + seed, VmOrigin.EXTERNAL)
                                            .withNics(List.of()),
                                    null,
                                    0,
                                    null,
                                    null));
        }
        UUID image = expected.keySet().iterator().next();
        UUID moved = new UUID(4, 4);
        VmDevice known = plugged(1).with(new DiskImage(image, moved));
        VmDevice foreign = plugged(2).with(new DiskImage(new UUID(5, 5), moved));
        VmDevice gone = foreign.unplugged();
        List<DeviceUpdate> updates =
                Stream.of(
                                devices(Samples.vm(1), known),
                                devices(Samples.vm(2), foreign),
                                devices(Samples.vm(3), gone))
                        .sorted(Comparator.comparing(DeviceUpdate::vmId))
                        .toList();
        assertThat(database.stores().devices().save(updates))
                .isEqualTo(new WriteOutcome.Written(3, List.of()));
        expected.put(image, moved);
        assertThat(database.diskPlaces().of(List.of(Samples.vm(1), Samples.vm(2), Samples.vm(3))))
                .as("the host's report comes first")
                .isEqualTo(
                        Map.of(
                                Samples.vm(1),
                                expected,
                                Samples.vm(2),
                                Map.of(new UUID(5, 5), moved)));
    }

    private static VmDevice plugged(long seed) {
        return Samples.device(seed, "ua").pluggedAt("{type=pci}", "ua", null, "");
    }

    private static DeviceUpdate devices(VmId vm, VmDevice device) {
        return new DeviceUpdate(vm, null, List.of(), List.of(), List.of(device), null);
    }

    @Test
    void manyTakeAsManyStatementsAsOne() throws StoreUnavailable {
        Map<VmId, String> memory = new HashMap<>();
        for (long seed = 1; seed <= 200; seed++) {
            Definition sample = definition(seed, ClusterId.DEFAULT);
            definitions()
                    .add(
                            Samples.vm(seed),
                            new Definition(
                                    sample.definition().withNics(List.of()), // theirs are few
                                    sample.specification(),
                                    0,
                                    null,
                                    null));
            memory.put(Samples.vm(seed), "m" + seed);
        }
        long before = database.statements().statements(SqlStage.DEFINITIONS);
        assertThat(definitions().load(memory.keySet())).hasSize(200);
        assertThat(database.statements().statements(SqlStage.DEFINITIONS) - before).isEqualTo(2);
        definitions().saveMemory(memory);
        assertThat(database.statements().statements(SqlStage.DEFINITIONS) - before).isEqualTo(3);
    }

    @Test
    void aChangeIsAVersionAndIsCounted() throws StoreUnavailable, SQLException {
        definitions().add(VERSIONED, definition(900, ClusterId.DEFAULT));
        definitions().update(VERSIONED, definition(900, ClusterId.DEFAULT));
        Definition changed =
                new Definition(
                        Samples.definition(900).named("next", VmOrigin.OVIRT), null, 5, null, null);
        definitions().update(VERSIONED, changed);
        assertThat(database.configurations().ofVm(VERSIONED, Integer.MAX_VALUE, 10))
                .extracting(version -> version.name() + " " + version.priority())
                .containsExactly("next 5", Samples.definition(900).name() + " 0");
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT max(db_generation) FROM vm_static WHERE vm_name ="
                                        + " 'next'")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getLong(1)).isEqualTo(3);
        }
    }

    private static Definition definition(long seed, ClusterId cluster) {
        return new Definition(
                Samples.definition(seed).in(cluster), Specifications.any(seed), 0, null, null);
    }
}
