package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.DeviceStore;
import org.stillwater.core.store.DeviceUpdate;
import org.stillwater.core.store.ExternalDataStore;
import org.stillwater.core.store.ExternalDataUpdate;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.VmWithDevices;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.contract.DeviceStoreContract;

class JdbcDeviceStoreIT extends DeviceStoreContract {

    private static final VmSpecification FOUND =
            VmSpecification.BARE.withFound(
                    new FoundDefinition(true, List.of("disk \0"), List.of("\uD800 ☃")));

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
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return database.stores().vms();
    }

    @Override
    protected DeviceStore devices() {
        return database.stores().devices();
    }

    @Override
    protected @Nullable VmSpecification specification(VmId vm) throws StoreUnavailable {
        DefinitionStore.Definition stored = database.definitions().load(List.of(vm)).get(vm);
        return stored == null ? null : stored.specification();
    }

    @Override
    protected void define(VmId vm, VmSpecification specification) throws StoreUnavailable {
        DefinitionStore store = database.definitions();
        DefinitionStore.Definition stored = store.load(List.of(vm)).get(vm);
        boolean _ =
                store.update(
                        vm,
                        new DefinitionStore.Definition(
                                Objects.requireNonNull(stored).definition(),
                                specification,
                                0,
                                null,
                                null));
    }

    @Override
    protected long generationsSinceAdded(VmId vm) {
        try (Connection connection =
                        DriverManager.getConnection(
                                server.jdbcUrl(), server.user(), server.password());
                PreparedStatement statement =
                        connection.prepareStatement(
                                "SELECT db_generation - 1 FROM vm_static WHERE vm_guid = ?")) {
            statement.setObject(1, vm.toUuid());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("S67 the devices of fifty VMs are read by one statement and saved by three")
    void theDevicesOfFiftyVmsAreReadByOneStatementAndSavedByThree() throws StoreUnavailable {
        List<VmId> vms = addVms(50);
        long statements = database.statements().statements(SqlStage.DEVICES);
        long commits = database.statements().commits(SqlStage.DEVICES);

        List<DeviceUpdate> updates = new ArrayList<>();
        for (VmId vm : vms) {
            updates.add(
                    new DeviceUpdate(
                            vm,
                            "h",
                            List.of(),
                            List.of(),
                            List.of(Samples.device(1, "a"), Samples.device(2, "b")),
                            null));
        }
        assertThat(devices().save(updates)).isEqualTo(new WriteOutcome.Written(150, List.of()));

        assertThat(database.statements().statements(SqlStage.DEVICES) - statements).isEqualTo(3);
        assertThat(database.statements().commits(SqlStage.DEVICES) - commits).isEqualTo(1);
        assertThat(devices().load(vms)).hasSize(50);
        assertThat(database.statements().statements(SqlStage.DEVICES) - statements).isEqualTo(4);
    }

    @Test
    @DisplayName("T23 a refused device leaves its VM's hash as it was, and saves the other VMs'")
    void aRefusedDeviceLeavesTheHashOfItsVm() throws Exception {
        List<VmId> vms = addVms(3);
        server.execute("ALTER TABLE vm_device ADD CONSTRAINT no_bad CHECK (alias <> 'bad')");
        try {
            List<DeviceUpdate> updates = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                updates.add(
                        new DeviceUpdate(
                                vms.get(i),
                                "h",
                                List.of(),
                                List.of(),
                                List.of(Samples.device(1, i == 1 ? "bad" : "good")),
                                null,
                                FOUND));
            }
            WriteOutcome.Written written = (WriteOutcome.Written) devices().save(updates);
            assertThat(written.rejected())
                    .extracting(WriteOutcome.Rejected::key)
                    .containsExactly(vms.get(1).toString());
            List<VmId> hashed = new ArrayList<>();
            devices().loadHashes((vm, _) -> hashed.add(vm));
            assertThat(hashed).containsExactlyInAnyOrder(vms.get(0), vms.get(2));
            assertThat(generationsSinceAdded(vms.get(1))).isZero();
        } finally {
            server.execute("ALTER TABLE vm_device DROP CONSTRAINT no_bad");
        }
    }

    @Test
    void newVmsAndTheirDevicesAreFiveStatementsAndOneCommit() throws StoreUnavailable {
        database.stores().hosts().add(Samples.hostDefinition(1));
        database.stores().hosts().add(Samples.hostDefinition(2));
        List<VmDevice> tenEach =
                LongStream.rangeClosed(1, 10)
                        .mapToObj(seed -> Samples.device(seed, "ua-" + seed))
                        .toList();
        List<VmWithDevices> added =
                LongStream.rangeClosed(1_001, 3_000)
                        .mapToObj(seed ->
                                new VmWithDevices(
                                        new StoredVm(
                                                Samples.vm(seed),
                                                Samples.definition(seed),
                                                Samples.runtime(seed),
                                                Samples.placement(
                                                        Samples.host(1), Samples.host(2))),
                                        tenEach,
                                        "h" + seed))
                        .sorted(Comparator.comparing(one -> one.vm().id()))
                        .toList();
        StatementCounts counts = database.statements();
        long statements = counts.statements();
        long additions = counts.statements(SqlStage.ADD);
        long commits = counts.commits(SqlStage.ADD);
        long rows = counts.rows(SqlStage.ADD);

        assertThat(devices().add(added)).isEqualTo(new WriteOutcome.Written(2_000, List.of()));

        assertThat(counts.statements(SqlStage.ADD) - additions)
                .as("definitions, interfaces, states, interfaces of guests, devices")
                .isEqualTo(5);
        assertThat(counts.statements() - statements).isEqualTo(5);
        assertThat(counts.commits(SqlStage.ADD) - commits).isEqualTo(1);
        assertThat(counts.rows(SqlStage.ADD) - rows)
                .as("two interfaces, a state, two interfaces of guests and ten devices each")
                .isEqualTo(2_000 * 15);
        Map<VmId, StoredVm> there = new HashMap<>();
        database.stores().vms().loadAll(vm -> there.put(vm.id(), vm));
        for (VmWithDevices one : added) {
            assertThat(there.get(one.vm().id())).isEqualTo(one.vm());
        }
        assertThat(devices().load(added.stream().map(one -> one.vm().id()).toList()))
                .hasSize(2_000)
                .allSatisfy((_, saved) ->
                        assertThat(saved).containsExactlyInAnyOrderElementsOf(tenEach));
    }

    /** A row more for each VM, and a statement more for all. */
    @Test
    void definitionsOfNewVmsAreOneStatement() throws StoreUnavailable {
        List<VmWithDevices> added =
                newVms(500, seed -> Samples.device(seed, "a")).stream()
                        .map(one ->
                                new VmWithDevices(one.vm(), one.devices(), one.deviceHash(), FOUND))
                        .toList();
        StatementCounts counts = database.statements();
        long statements = counts.statements(SqlStage.ADD);
        long rows = counts.rows(SqlStage.ADD);
        assertThat(devices().add(added)).isEqualTo(new WriteOutcome.Written(500, List.of()));
        assertThat(counts.statements(SqlStage.ADD) - statements).isEqualTo(6);
        assertThat(counts.rows(SqlStage.ADD) - rows)
                .as("two interfaces, a state, two interfaces of guests, a device, a definition")
                .isEqualTo(500 * 7);
        assertThat(specification(Samples.vm(101))).isEqualTo(FOUND);
        assertThat(specification(Samples.vm(600))).isEqualTo(FOUND);
    }

    @Test
    void aRefusedDeviceRefusesItsNewVmAndNoOther() throws Exception {
        server.execute("ALTER TABLE vm_device ADD CONSTRAINT no_bad CHECK (alias <> 'bad')");
        try {
            List<VmWithDevices> added =
                    newVms(3, seed -> Samples.device(1, seed == 102 ? "bad" : "good"));
            WriteOutcome.Written written = (WriteOutcome.Written) devices().add(added);
            assertThat(written.rows()).isEqualTo(2);
            assertThat(written.rejected())
                    .singleElement()
                    .satisfies(row -> {
                        assertThat(row.key()).isEqualTo(Samples.vm(102).toString());
                        assertThat(row.reason()).contains("no_bad");
                    });
            assertThat(devices().load(added.stream().map(one -> one.vm().id()).toList()))
                    .containsOnlyKeys(Samples.vm(101), Samples.vm(103));
            List<VmId> there = new ArrayList<>();
            database.stores().vms().loadAll(vm -> there.add(vm.id()));
            assertThat(there)
                    .contains(Samples.vm(101), Samples.vm(103))
                    .doesNotContain(Samples.vm(102));
        } finally {
            server.execute("ALTER TABLE vm_device DROP CONSTRAINT no_bad");
        }
    }

    @Test
    void copiedTextsAreOfAnyLengthAndStorable() throws StoreUnavailable {
        String large = "ä".repeat(100_000);
        VmRuntime runtime =
                Samples.runtime(101)
                        .with(RuntimeField.GUEST_HOST_NAME, "a\0b")
                        .with(RuntimeField.GUEST_OS, large);
        StoredVm vm =
                new StoredVm(
                        Samples.vm(101), Samples.definition(101), runtime, VmPlacement.NOWHERE);

        assertThat(
                        devices()
                                .add(
                                        List.of(
                                                new VmWithDevices(
                                                        vm,
                                                        List.of(Samples.device(1, "\uD800x")),
                                                        null))))
                .isEqualTo(new WriteOutcome.Written(1, List.of()));

        List<StoredVm> there = new ArrayList<>();
        database.stores()
                .vms()
                .loadAll(one -> {
                    if (one.id().equals(vm.id())) {
                        there.add(one);
                    }
                });
        VmRuntime saved = there.getFirst().runtime();
        assertThat(saved.text(RuntimeField.GUEST_HOST_NAME)).isEqualTo("a\uFFFDb");
        assertThat(saved.text(RuntimeField.GUEST_OS)).isEqualTo(large);
        assertThat(devices().load(List.of(vm.id())).get(vm.id()))
                .singleElement()
                .satisfies(device -> assertThat(device.alias()).isEqualTo("?x"));
    }

    @Test
    void aTimeThatTheDatabaseCannotHoldRefusesItsVmAndNoOther() {
        List<VmWithDevices> added =
                new ArrayList<>(newVms(3, seed -> Samples.device(seed, "good")));
        StoredVm bad = added.get(1).vm();
        added.set(
                1,
                new VmWithDevices(
                        new StoredVm(
                                bad.id(),
                                bad.definition(),
                                bad.runtime(),
                                new VmPlacement(null, null, Instant.MAX, null, VmRun.NEVER)),
                        List.of(),
                        null));

        WriteOutcome.Written written = (WriteOutcome.Written) devices().add(added);

        assertThat(written.rows()).isEqualTo(2);
        assertThat(written.rejected())
                .extracting(WriteOutcome.Rejected::key)
                .containsExactly(bad.id().toString());
    }

    /** VMs from seed 101, with one device each. */
    private static List<VmWithDevices> newVms(int count, LongFunction<VmDevice> device) {
        return LongStream.rangeClosed(101, 100 + count)
                .mapToObj(seed ->
                        new VmWithDevices(
                                Samples.storedVm(seed), List.of(device.apply(seed)), "h" + seed))
                .sorted(Comparator.comparing(one -> one.vm().id()))
                .toList();
    }

    @Test
    void externalDataIsSavedOncePerHash() throws Exception {
        VmId vm = addVms(1).getFirst();
        ExternalDataStore store = database.stores().externalData();
        ExternalDataUpdate tpm = new ExternalDataUpdate(vm, ExternalDataKind.TPM, "h1", "c2VjcmV0");
        ExternalDataUpdate nvram = new ExternalDataUpdate(vm, ExternalDataKind.NVRAM, "n1", "eA==");
        assertThat(store.save(List.of(tpm, nvram)))
                .isEqualTo(new WriteOutcome.Written(2, List.of()));
        assertThat(store.save(List.of(tpm))).isEqualTo(new WriteOutcome.Written(0, List.of()));
        ExternalDataUpdate next = new ExternalDataUpdate(vm, ExternalDataKind.TPM, "h2", "eQ==");
        assertThat(store.save(List.of(next))).isEqualTo(new WriteOutcome.Written(1, List.of()));
        List<String> hashes = new ArrayList<>();
        store.loadHashes((id, kind, hash) -> hashes.add(id + " " + kind + " " + hash));
        assertThat(hashes).containsExactlyInAnyOrder(vm + " TPM h2", vm + " NVRAM n1");
        assertThat(tpm.toString()).doesNotContain("c2VjcmV0");
    }

    private static List<VmId> addVms(int count) {
        List<StoredVm> vms =
                LongStream.rangeClosed(101, 100 + count)
                        .mapToObj(Samples::storedVm)
                        .sorted(Comparator.comparing(StoredVm::id))
                        .toList();
        database.stores().vms().add(vms);
        return vms.stream().map(StoredVm::id).toList();
    }
}
