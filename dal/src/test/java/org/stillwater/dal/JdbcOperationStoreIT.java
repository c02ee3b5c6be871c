package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.OperationStore.Begun;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.contract.OperationStoreContract;

class JdbcOperationStoreIT extends OperationStoreContract {

    /** A thread for each task: the common pool of a small machine has one, and would take turns. */
    private static final Executor ASIDE = task -> Thread.ofVirtual().start(task);

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
            server.execute("TRUNCATE operation, vm_static, host_static CASCADE");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return database.vms();
    }

    @Override
    protected HostStore hosts() {
        return database.hosts();
    }

    @Override
    protected OperationStore operations() {
        return database.operations();
    }

    @ParameterizedTest(name = "of {0} operations")
    @ValueSource(ints = {1, 100, 1_000})
    void operationsAndTheirWorkTakeAsManyStatementsHoweverManyTheyAre(int count)
            throws StoreUnavailable {
        List<Begun> begun = withWork(count);
        long before = sent();
        assertThat(database.operations().begin(begun)).hasSize(count);
        assertThat(sent() - before).as("work, and operations").isEqualTo(2);

        before = sent();
        assertThat(database.operations().takeOver(begun)).hasSize(count);
        assertThat(sent() - before).as("which are durable, and work").isEqualTo(2);

        before = sent();
        database.operations().discharge(begun.stream().map(Begun::work).toList(), NOW);
        assertThat(sent() - before).isEqualTo(1);

        before = sent();
        WriteOutcome saved =
                database.operations()
                        .save(
                                begun.stream()
                                        .map(next -> next.operation().doing("starts", NOW))
                                        .toList());
        assertThat(saved).isEqualTo(new WriteOutcome.Written(count, List.of()));
        assertThat(sent() - before).as("a lock, and an update").isEqualTo(count == 1 ? 1 : 2);

        before = sent();
        assertThat(database.operations().removeEndedBefore(NOW, 10_000)).isZero();
        assertThat(sent() - before).isEqualTo(1);
    }

    @Test
    void aRequestedOperationBeginsByOneStatement() throws StoreUnavailable {
        long before = sent();
        database.operations().begin(List.of(Begun.of(operation(Samples.vm(1), 1))));
        assertThat(sent() - before).isEqualTo(1);
    }

    @Test
    void anOperationOnAHostThatIsGoneDoesNotBegin() throws StoreUnavailable {
        Operation gone =
                Operation.on(
                        Samples.host(77),
                        new UUID(1, 1),
                        OperationKind.FENCE,
                        OperationParameters.NONE,
                        new Operation.Origin("engine", ""),
                        1,
                        NOW);
        assertThat(database.operations().begin(List.of(Begun.of(gone)))).isEmpty();
    }

    @Test
    void rejectedOperationsAreFoundAndTheOthersAreSaved() throws Exception {
        List<Begun> begun = withWork(20);
        database.operations().begin(begun);
        server.execute("ALTER TABLE operation ADD CONSTRAINT no_bad CHECK (step <> 'bad')");
        try {
            List<Operation> all = new ArrayList<>();
            for (int i = 0; i < begun.size(); i++) {
                all.add(begun.get(i).operation().doing(i == 7 ? "bad" : "good", NOW));
            }
            WriteOutcome.Written written = (WriteOutcome.Written) database.operations().save(all);
            assertThat(written.rows()).isEqualTo(19);
            assertThat(written.rejected())
                    .extracting(WriteOutcome.Rejected::key)
                    .containsExactly(all.get(7).id().toString());
        } finally {
            server.execute("ALTER TABLE operation DROP CONSTRAINT no_bad");
        }
    }

    @Test
    void aRepeatedBeginWaitsForTheLostTransaction() throws Exception {
        Begun begun = withWork(1).getFirst();
        try (Connection lost = server.connect();
                Statement statement = lost.createStatement()) {
            lost.setAutoCommit(false);
            statement.execute(
                    """
                    INSERT INTO operation (operation_id, kind, vm_guid, requested_by, correlation, parameters, generation,
                                           state, step, progress, created_at)
                    VALUES ('%s', 1, '%s', 'ada', '', '{"kind":"none"}', 0, 0, 'first', 0, now())
                    """
                            .formatted(begun.operation().id(), begun.operation().vm()));
            CompletableFuture<Boolean> again =
                    CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    return database.operations()
                                            .begin(List.of(Begun.of(begun.operation())))
                                            .contains(begun.operation().id());
                                } catch (StoreUnavailable e) {
                                    throw new IllegalStateException(e);
                                }
                            },
                            ASIDE);
            awaitWaiting();
            lost.commit();
            assertThat(again.get(30, TimeUnit.SECONDS)).isTrue();
        }
        Operation kept = database.operations().find(begun.operation().id());
        assertThat(kept).isNotNull();
        assertThat(kept.step()).isEqualTo("first");
    }

    @Test
    @DisplayName("T8 two engines that want the same work in other orders do not wait in a circle")
    void twoWantTheSame() throws Exception {
        for (int round = 0; round < 5; round++) {
            emptyVms();
            List<Begun> ours = withWork(200);
            List<Begun> theirs =
                    ours.reversed().stream()
                            .map(next ->
                                    new Begun(
                                            operation(
                                                    next.operation().vm(),
                                                    next.operation().generation() + 1_000_000),
                                            next.work(),
                                            null))
                            .toList();
            CompletableFuture<Integer> first = beginAside(ours);
            CompletableFuture<Integer> second = beginAside(theirs);
            assertThat(first.get(60, TimeUnit.SECONDS) + second.get(60, TimeUnit.SECONDS))
                    .as("each work has one owner")
                    .isEqualTo(200);
        }
    }

    @Test
    void anUnreachableDatabaseIsReportedAndPasses() throws Exception {
        List<Begun> begun = withWork(3);
        try (Database impatient = server.openImpatient()) {
            server.allowConnections(false);
            try {
                server.dropConnections();
                assertThatExceptionOfType(StoreUnavailable.class)
                        .isThrownBy(() -> impatient.operations().begin(begun));
                assertThat(impatient.operations().save(List.of(begun.getFirst().operation())))
                        .isInstanceOf(WriteOutcome.Unavailable.class);
            } finally {
                server.allowConnections(true);
            }
        }
        assertThat(database.operations().begin(begun)).hasSize(3);
    }

    @Test
    void frequentQueriesUseAnIndex() throws SQLException {
        server.execute(
                """
                INSERT INTO operation (operation_id, kind, vm_guid, requested_by, correlation, batch_id, parameters,
                                       generation, state, step, progress, created_at, ended_at)
                SELECT md5('o' || n)::uuid, 1, md5('v' || n % 5000)::uuid, 'ada', '',
                       CASE WHEN n % 100 = 0 THEN md5('b' || n % 700)::uuid END, '{}', 0,
                       CASE WHEN n % 200 = 0 THEN 1 ELSE 2 END, 'done', 100, now() - n * interval '1 second',
                       CASE WHEN n % 200 = 0 THEN NULL ELSE now() - n * interval '1 second' END
                  FROM generate_series(1, 50000) AS n
                """,
                "ANALYZE operation");
        String newest = " ORDER BY created_at DESC, operation_id DESC LIMIT 100";
        for (String[] access :
                new String[][] {
                    {"ended_at IS NULL ORDER BY created_at, operation_id", "idx_operation_open"},
                    {"vm_guid = md5('v7')::uuid" + newest, "idx_operation_vm"},
                    {"batch_id = md5('b0')::uuid" + newest, "idx_operation_batch"},
                    {
                        "(created_at, operation_id) < (now(), md5('o')::uuid)" + newest,
                        "idx_operation_created"
                    },
                    {"state = 1 AND ended_at IS NULL" + newest, "idx_operation_open"},
                    {
                        "ended_at < now() - interval '13 hours' ORDER BY ended_at LIMIT 1000",
                        "idx_operation_ended"
                    }
                }) {
            assertThat(plan("SELECT * FROM operation WHERE " + access[0]))
                    .as(access[0])
                    .contains(access[1])
                    .doesNotContain("Seq Scan");
        }
    }

    private static String plan(String query) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("EXPLAIN " + query)) {
            while (row.next()) {
                lines.add(row.getString(1));
            }
        }
        return String.join("\n", lines);
    }

    private static void awaitWaiting() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            boolean waiting = false;
            while (!waiting) {
                try (ResultSet row =
                        statement.executeQuery(
                                "SELECT count(*) > 0 FROM pg_locks AS l JOIN pg_stat_activity AS a"
                                        + " USING (pid) WHERE NOT l.granted AND a.datname ="
                                        + " current_database()")) {
                    waiting = row.next() && row.getBoolean(1);
                }
                java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
            }
        }
    }

    private static CompletableFuture<Integer> beginAside(List<Begun> begun) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return database.operations().begin(begun).size();
                    } catch (StoreUnavailable e) {
                        throw new IllegalStateException(e);
                    }
                },
                ASIDE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kind = 9999", "parameters = '{\"kind\": \"later\"}'"})
    void anOperationThatMakesNoSenseCostsTheOthersNothing(String nonsense) throws Exception {
        List<Begun> begun = withWork(3);
        assertThat(database.operations().begin(begun)).hasSize(3);
        UUID broken = begun.get(1).operation().id();
        server.execute(
                "UPDATE operation SET %s WHERE operation_id = '%s'".formatted(nonsense, broken));
        List<Operation> found = new ArrayList<>();
        database.operations().loadOpen(found::add);
        assertThat(found)
                .extracting(Operation::id)
                .contains(begun.getFirst().operation().id(), begun.getLast().operation().id())
                .doesNotContain(broken);
        assertThat(database.operations().unreadable()).containsOnlyKeys(broken);
        assertThat(database.operations().find(broken)).isNull();
        assertThat(
                        database.operations()
                                .list(
                                        new OperationStore.Filter(
                                                null, null, null, null, null, null, null, 2)))
                .as("a full page")
                .extracting(Operation::id)
                .containsExactly(
                        begun.getLast().operation().id(), begun.getFirst().operation().id());
        server.execute("DELETE FROM operation WHERE operation_id = '%s'".formatted(broken));
    }

    private static long sent() {
        return database.statements().statements(SqlStage.OPERATIONS);
    }

    /** So many operations on as many VMs, each of which has work that is open. */
    private static List<Begun> withWork(int count) {
        List<StoredVm> vms =
                LongStream.range(100, 100 + count)
                        .mapToObj(Samples::storedVm)
                        .sorted(Comparator.comparing(StoredVm::id))
                        .toList();
        assertThat(database.vms().add(vms)).isInstanceOf(WriteOutcome.Written.class);
        List<Begun> begun = new ArrayList<>();
        List<VmChange> changes = new ArrayList<>();
        for (StoredVm vm : vms) {
            PendingWork work = new PendingWork(vm.id(), WorkKind.HA_RESTART, 1, null, "it failed");
            changes.add(
                    VmChange.placed(vm.id(), PlacementFields.NONE, VmPlacement.NOWHERE)
                            .withWork(List.of(new OpenWork(work, NOW))));
            begun.add(new Begun(operation(vm.id(), begun.size()), work, null));
        }
        assertThat(database.vms().write(changes)).isInstanceOf(WriteOutcome.Written.class);
        return begun;
    }

    private static Operation operation(VmId vm, long number) {
        return Operation.on(
                vm,
                new UUID(77, number),
                OperationKind.RUN,
                OperationParameters.Run.DEFAULT,
                new Operation.Origin("engine", "ha"),
                number,
                NOW);
    }
}
