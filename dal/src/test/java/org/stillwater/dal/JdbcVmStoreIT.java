package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.JobStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.PlacementField;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.contract.VmStoreContract;

class JdbcVmStoreIT extends VmStoreContract {

    private static final RuntimeFields FQDN = RuntimeFields.of(RuntimeField.FQDN);

    private static final PlacementFields RUN_ON = PlacementFields.of(PlacementField.RUN_ON);

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

    @Override
    protected HostStore hosts() {
        return database.hosts();
    }

    @Test
    void aBatchOfOneColumnSetLocksItsRowsAndIsOneStatement() {
        addVms(500);
        long statements = database.statements().statements(SqlStage.STATE);
        long commits = database.statements().commits(SqlStage.STATE);
        long rows = database.statements().rows(SqlStage.STATE);
        assertThat(database.vms().write(renamed(500, "a"))).isEqualTo(written(500));
        assertThat(database.statements().statements(SqlStage.STATE) - statements).isEqualTo(2);
        assertThat(database.statements().commits(SqlStage.STATE) - commits).isEqualTo(1);
        assertThat(database.statements().rows(SqlStage.STATE) - rows).isEqualTo(500);
    }

    @Test
    void vmsThatAreAddedAreOneStatementForEachTable() throws StoreUnavailable {
        emptyVms();
        hosts().add(Samples.hostDefinition(1));
        List<StoredVm> vms =
                LongStream.range(0, 1_000)
                        .mapToObj(seed ->
                                new StoredVm(
                                        Samples.vm(seed),
                                        Samples.definition(seed),
                                        Samples.runtime(seed),
                                        VmPlacement.on(Samples.host(1))))
                        .sorted(Comparator.comparing(StoredVm::id))
                        .toList();
        long statements = database.statements().statements(SqlStage.ADD);
        long commits = database.statements().commits(SqlStage.ADD);
        assertThat(database.vms().add(vms)).isEqualTo(written(1_000));
        assertThat(database.statements().statements(SqlStage.ADD) - statements)
                .as("VMs, their interfaces, states, and interfaces of guests")
                .isEqualTo(4);
        assertThat(database.statements().commits(SqlStage.ADD) - commits).isOne();
        List<StoredVm> there = new ArrayList<>();
        database.vms().loadAll(there::add);
        assertThat(there).hasSize(1_000);
        assertThat(there).isEqualTo(vms);
    }

    @Test
    void aStatusOfANewerVersionCostsItsVmOnly() throws Exception {
        addVms(3);
        List<StoredVm> before = load();
        VmId odd = before.get(1).id();
        server.execute("UPDATE vm_dynamic SET status = 77 WHERE vm_guid = '" + odd + "'");
        server.execute(
                """
                INSERT INTO vm_jobs (vm_job_id, vm_id, job_state, job_type, block_job_type)
                VALUES (gen_random_uuid(), '%s', 1, 1, 1)
                """
                        .formatted(odd));
        List<StoredVm> after = load();
        assertThat(after).hasSize(3);
        assertThat(after.get(0)).isEqualTo(before.get(0));
        assertThat(after.get(2)).isEqualTo(before.get(2));
        assertThat(after.get(1).runtime().status()).isEqualTo(VmStatus.UNKNOWN);
        assertThat(after.get(1).definition()).isEqualTo(before.get(1).definition());
        assertThat(database.vms().unreadable())
                .containsOnlyKeys(odd)
                .containsValue("status: no VM status has code 77");
        assertThat(database.stores().jobs().loadAll())
                .extracting(JobStore.StoredJob::vmStatus)
                .containsExactly(VmStatus.UNKNOWN);

        VmRuntime reported = after.get(1).runtime().with(RuntimeField.STATUS, VmStatus.UP);
        RuntimeFields status = RuntimeFields.of(RuntimeField.STATUS);
        assertThat(database.vms().write(List.of(VmChange.reported(odd, status, reported))))
                .isEqualTo(written(1));
        assertThat(database.vms().unreadable()).isEmpty();
        assertThat(load().get(1).runtime().status()).isEqualTo(VmStatus.UP);
    }

    @Test
    void aLargeBatchIsTwoTransactions() {
        int rows = JdbcVmStore.LARGE_BATCH;
        addVms(rows);
        long statements = database.statements().statements(SqlStage.STATE);
        long commits = database.statements().commits(SqlStage.STATE);
        assertThat(database.vms().write(renamed(rows, "a"))).isEqualTo(written(rows));
        assertThat(load())
                .hasSize(rows)
                .allMatch(vm -> "a".equals(vm.runtime().value(RuntimeField.FQDN)));
        assertThat(database.statements().statements(SqlStage.STATE) - statements)
                .as("how long to wait for rows and one update, twice")
                .isEqualTo(4);
        assertThat(database.statements().commits(SqlStage.STATE) - commits).isEqualTo(2);
    }

    @Test
    void aHugeBatchIsCutIntoStatementsOfTwoTransactions() {
        int rows = 2 * (Transactions.ROWS_PER_STATEMENT + 1);
        addVms(rows);
        long statements = database.statements().statements(SqlStage.STATE);
        long commits = database.statements().commits(SqlStage.STATE);
        assertThat(database.vms().write(renamed(rows, "a"))).isEqualTo(written(rows));
        assertThat(database.statements().statements(SqlStage.STATE) - statements)
                .as("how long to wait for rows and one update, twice for each half")
                .isEqualTo(8);
        assertThat(database.statements().commits(SqlStage.STATE) - commits).isEqualTo(2);
    }

    @Test
    void refusedRowsOfBothHalvesOfALargeBatchAreFound() throws Exception {
        int rows = JdbcVmStore.LARGE_BATCH;
        addVms(rows);
        server.execute(
                "ALTER TABLE vm_dynamic ADD CONSTRAINT no_bad CHECK (vm_fqdn IS DISTINCT FROM"
                        + " 'bad')");
        try {
            List<VmChange> changes = new ArrayList<>(renamed(rows, "good"));
            VmRuntime bad = Samples.runtime(1).with(RuntimeField.FQDN, "bad");
            for (int index : new int[] {3, rows - 1}) {
                changes.set(index, VmChange.reported(changes.get(index).vmId(), FQDN, bad));
            }
            WriteOutcome.Written outcome = (WriteOutcome.Written) database.vms().write(changes);
            assertThat(outcome.rows()).isEqualTo(rows - 2);
            assertThat(outcome.rejected())
                    .extracting(WriteOutcome.Rejected::key)
                    .containsExactly(
                            changes.get(3).vmId().toString(),
                            changes.get(rows - 1).vmId().toString());
        } finally {
            server.execute("ALTER TABLE vm_dynamic DROP CONSTRAINT no_bad");
        }
    }

    @Test
    void refusedRowsAreFoundAndTheOthersAreSaved() throws Exception {
        addVms(200);
        server.execute(
                "ALTER TABLE vm_dynamic ADD CONSTRAINT no_bad CHECK (vm_fqdn IS DISTINCT FROM"
                        + " 'bad')");
        try {
            List<VmChange> changes = new ArrayList<>(renamed(200, "good"));
            VmRuntime bad = Samples.runtime(1).with(RuntimeField.FQDN, "bad");
            for (int index : new int[] {0, 77, 78, 199}) {
                changes.set(index, VmChange.reported(changes.get(index).vmId(), FQDN, bad));
            }
            WriteOutcome outcome = database.vms().write(changes);
            assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
            WriteOutcome.Written written = (WriteOutcome.Written) outcome;
            assertThat(written.rows()).isEqualTo(196);
            assertThat(written.rejected())
                    .extracting(WriteOutcome.Rejected::key)
                    .containsExactly(
                            changes.get(0).vmId().toString(),
                            changes.get(77).vmId().toString(),
                            changes.get(78).vmId().toString(),
                            changes.get(199).vmId().toString());
            assertThat(written.rejected()).allMatch(row -> row.reason().contains("no_bad"));
        } finally {
            server.execute("ALTER TABLE vm_dynamic DROP CONSTRAINT no_bad");
        }
    }

    @Test
    void aPlacementOnARemovedHostIsRefusedAloneUntilItChanges() {
        addVms(2);
        List<StoredVm> vms = load();
        List<VmChange> changes =
                List.of(
                        VmChange.placed(vms.get(0).id(), RUN_ON, VmPlacement.on(Samples.host(77))),
                        VmChange.placed(vms.get(1).id(), RUN_ON, VmPlacement.on(Samples.host(1))));
        WriteOutcome.Written written = (WriteOutcome.Written) database.vms().write(changes);
        assertThat(written.rows()).isEqualTo(1);
        assertThat(written.rejected())
                .singleElement()
                .satisfies(row -> assertThat(row.key()).isEqualTo(vms.get(0).id().toString()));
    }

    @Test
    void textThatPostgresCannotHoldDoesNotKeepTheRowFromBeingSaved() {
        addVms(1);
        VmRuntime runtime =
                Samples.runtime(1)
                        .with(RuntimeField.GUEST_HOST_NAME, "a\0b")
                        .with(RuntimeField.FQDN, "\uD800x");
        RuntimeFields fields = RuntimeFields.of(RuntimeField.GUEST_HOST_NAME, RuntimeField.FQDN);
        List<VmChange> changes = List.of(VmChange.reported(Samples.vm(1), fields, runtime));
        assertThat(database.vms().write(changes)).isEqualTo(written(1));
        assertThat(database.vms().write(changes)).isEqualTo(written(0));
        assertThat(load().getFirst().runtime().text(RuntimeField.GUEST_HOST_NAME))
                .isEqualTo("a\uFFFDb");
    }

    @Test
    void anUnreachableDatabaseIsAnOutcomeAndPasses() throws Exception {
        addVms(10);
        try (Database impatient = server.openImpatient()) {
            server.allowConnections(false);
            try {
                server.dropConnections();
                assertThat(impatient.vms().write(renamed(10, "b")))
                        .isInstanceOf(WriteOutcome.Unavailable.class);
                assertThat(impatient.problem()).isNotNull();
                assertThatExceptionOfType(StoreUnavailable.class)
                        .isThrownBy(() -> impatient.vms().loadAll(_ -> {}));
                assertThatExceptionOfType(StoreUnavailable.class)
                        .isThrownBy(() -> impatient.hosts().loadAll());
            } finally {
                server.allowConnections(true);
            }
            WriteOutcome outcome = impatient.vms().write(renamed(10, "b"));
            for (int again = 0;
                    again < 10 && outcome instanceof WriteOutcome.Unavailable;
                    again++) {
                outcome = impatient.vms().write(renamed(10, "b")); // its pool still pauses
            }
            assertThat(outcome).isEqualTo(written(10));
            assertThat(impatient.problem()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "53100", "53200", "53300", "57014", "57P03", "58030", "25006", "40P01", "XX000"
            })
    @DisplayName("T14 a database that cannot write now refuses no row, and takes it later")
    void notNow(String state) throws Exception {
        addVms(3);
        server.execute(
                """
                CREATE FUNCTION not_now() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    RAISE EXCEPTION 'not now' USING ERRCODE = '%s';
                END
                $$
                """
                        .formatted(state),
                "CREATE TRIGGER not_now BEFORE UPDATE ON vm_dynamic FOR EACH STATEMENT EXECUTE"
                        + " FUNCTION not_now()");
        try {
            assertThat(database.vms().write(renamed(3, "c")))
                    .isInstanceOfSatisfying(
                            WriteOutcome.Unavailable.class,
                            outcome -> assertThat(outcome.reason()).contains("not now", state));
        } finally {
            server.execute("DROP FUNCTION not_now() CASCADE");
        }
        assertThat(database.vms().write(renamed(3, "c"))).isEqualTo(written(3));
    }

    @Test
    void loadingAnyNumberOfVmsTakesFourStatements() {
        addVms(50);
        long before = database.statements().statements(SqlStage.LOAD);
        assertThat(load()).hasSize(50);
        assertThat(database.statements().statements(SqlStage.LOAD) - before)
                .as("room for sorts, interfaces, interfaces of guests, VMs")
                .isEqualTo(4);
    }

    @Test
    void loadedVmsShareEqualTexts() {
        addVms(2);
        assertThat(database.vms().write(renamed(2, "one.example.org"))).isEqualTo(written(2));
        List<StoredVm> vms = load();
        assertThat(vms.getFirst().runtime().text(RuntimeField.FQDN))
                .isEqualTo("one.example.org")
                .isSameAs(vms.getLast().runtime().text(RuntimeField.FQDN));
    }

    @Test
    void aReaderThatFailsLeavesTheConnectionUsable() {
        addVms(50);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() ->
                        database.vms()
                                .loadAll(_ -> {
                                    throw new IllegalStateException("no more");
                                }));
        assertThat(load()).hasSize(50);
    }

    private static List<StoredVm> load() {
        List<StoredVm> loaded = new ArrayList<>();
        try {
            database.vms().loadAll(loaded::add);
        } catch (StoreUnavailable e) {
            throw new IllegalStateException(e);
        }
        return loaded;
    }

    private static void addVms(int count) {
        List<StoredVm> vms =
                LongStream.rangeClosed(1, count)
                        .mapToObj(Samples::storedVm)
                        .sorted(Comparator.comparing(StoredVm::id))
                        .toList();
        assertThat(database.vms().add(vms)).isEqualTo(written(count));
    }

    private static List<VmChange> renamed(int count, String name) {
        VmRuntime runtime = VmRuntime.INITIAL.with(RuntimeField.FQDN, name);
        return LongStream.rangeClosed(1, count)
                .mapToObj(seed -> VmChange.reported(Samples.vm(seed), FQDN, runtime))
                .sorted(Comparator.comparing(VmChange::vmId))
                .toList();
    }

    private static WriteOutcome written(int rows) {
        return new WriteOutcome.Written(rows, List.of());
    }
}
