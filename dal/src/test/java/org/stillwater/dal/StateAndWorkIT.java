package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementField;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.testkit.Samples;

/** Invariants of a VM's state and its work under all failures of the database. */
class StateAndWorkIT {

    private static final RuntimeFields STATUS = RuntimeFields.of(RuntimeField.STATUS);
    private static final RuntimeFields FQDN = RuntimeFields.of(RuntimeField.FQDN);
    private static final VmId VM = Samples.vm(1);
    private static final Instant NOW = Instant.parse("2026-03-04T05:06:07Z");

    private static TestDatabase server;
    private static Database database;

    @BeforeAll
    static void open() throws Exception {
        server = TestDatabase.migrated();
        database = server.open();
        server.execute(
                """
                CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    PERFORM pg_terminate_backend(pg_backend_pid());
                    PERFORM pg_sleep(60);
                    RETURN NULL;
                END
                $$
                """);
    }

    @AfterAll
    static void close() {
        database.close();
        server.close();
    }

    @BeforeEach
    void empty() throws Exception {
        server.execute("TRUNCATE vm_static, host_static CASCADE");
        database.hosts().add(Samples.hostDefinition(1));
        database.hosts().add(Samples.hostDefinition(2));
    }

    @Test
    void aCrashBeforeTheCommitLeavesNeitherStateNorWork() throws Exception {
        StoredVm running = running(VM);
        server.execute(
                "CREATE CONSTRAINT TRIGGER crash AFTER INSERT ON pending_work DEFERRABLE INITIALLY"
                        + " DEFERRED FOR EACH ROW EXECUTE FUNCTION die()");
        VmChange failed = failed(VM);
        try {
            assertThat(database.vms().write(List.of(failed)))
                    .isInstanceOf(WriteOutcome.Unavailable.class);
            assertThat(load()).containsExactly(running);
            assertThat(openWork()).isEmpty();
        } finally {
            server.execute("DROP TRIGGER crash ON pending_work");
        }

        assertThat(database.vms().write(List.of(failed)))
                .isEqualTo(new WriteOutcome.Written(3, List.of(), failed.work()));
        assertStateAndWork(failed);
    }

    @Test
    void aCrashAfterTheCommitLeavesBothAndTheSecondAttemptGetsTheWork() throws Exception {
        running(VM);
        VmChange failed = failed(VM);
        VmStore losing =
                new JdbcVmStore(new Transactions(new CountingDataSource(losesAnswers()), 1));

        assertThat(losing.write(List.of(failed))).isInstanceOf(WriteOutcome.Unavailable.class);
        assertStateAndWork(failed);

        assertThat(database.vms().write(List.of(failed)))
                .as("nothing is written twice, and nothing is forgotten")
                .isEqualTo(new WriteOutcome.Written(0, List.of(), failed.work()));
        assertStateAndWork(failed);
    }

    private static void assertStateAndWork(VmChange failed) throws Exception {
        StoredVm stored = load().getFirst();
        assertThat(stored.runtime()).isEqualTo(failed.runtime());
        assertThat(stored.placement()).isEqualTo(failed.placement());
        assertThat(openWork()).isEqualTo(failed.work());
    }

    @Test
    @DisplayName("T11 a row that is refused costs its VM only, and its work does not go without it")
    void aRefusedRowKeepsItsWorkBack() throws Exception {
        addVms(50);
        server.execute(
                "ALTER TABLE vm_dynamic ADD CONSTRAINT no_bad CHECK (exit_message IS DISTINCT FROM"
                        + " 'bad')");
        try {
            List<VmChange> changes = new ArrayList<>();
            for (VmId id : ids(50)) {
                changes.add(failed(id));
            }
            VmChange bad = changes.get(17);
            changes.set(
                    17,
                    new VmChange(
                            bad.vmId(),
                            bad.fields().union(RuntimeFields.of(RuntimeField.EXIT_MESSAGE)),
                            bad.runtime().with(RuntimeField.EXIT_MESSAGE, "bad"),
                            bad.placed(),
                            bad.placement(),
                            bad.work()));

            WriteOutcome.Written written = (WriteOutcome.Written) database.vms().write(changes);

            assertThat(written.rejected())
                    .singleElement()
                    .satisfies(row -> {
                        assertThat(row.key()).isEqualTo(bad.vmId().toString());
                        assertThat(row.reason()).contains("no_bad");
                    });
            assertThat(written.open())
                    .hasSize(49)
                    .noneMatch(open -> open.work().vmId().equals(bad.vmId()));
            assertThat(openWork()).containsExactlyInAnyOrderElementsOf(written.open());
            assertThat(load())
                    .filteredOn(vm -> vm.placement().lastStop() == null)
                    .extracting(StoredVm::id)
                    .containsExactly(bad.vmId());
        } finally {
            server.execute("ALTER TABLE vm_dynamic DROP CONSTRAINT no_bad");
        }
    }

    @Test
    @DisplayName(
            "T20 a crash between guest interfaces and their digest is repaired by writing again")
    void aCrashBetweenInterfacesAndDigestIsRepaired() throws Exception {
        addVms(1);
        StoredVm before = load().getFirst();
        server.execute(
                "CREATE TRIGGER crash BEFORE UPDATE OF guest_agent_nics_hash ON vm_dynamic FOR EACH"
                        + " ROW EXECUTE FUNCTION die()");
        VmRuntime reported = VmRuntime.INITIAL.with(RuntimeField.GUEST_NICS, Samples.guestNics(7));
        List<VmChange> changes =
                List.of(VmChange.reported(VM, RuntimeFields.of(RuntimeField.GUEST_NICS), reported));
        try {
            assertThat(database.vms().write(changes)).isInstanceOf(WriteOutcome.Unavailable.class);
            assertThat(load()).containsExactly(before);
        } finally {
            server.execute("DROP TRIGGER crash ON vm_dynamic");
        }

        assertThat(database.vms().write(changes)).isEqualTo(new WriteOutcome.Written(1, List.of()));
        assertThat(load().getFirst().runtime().guestNics()).isEqualTo(Samples.guestNics(7));
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    @DisplayName("T8 writers and commands that overlap in many VMs never wait in a circle")
    void overlappingWritersDoNotDeadlock() throws Exception {
        int vms = 40;
        int rounds = 10;
        addVms(vms);
        List<VmId> ids = ids(vms);
        server.execute(
                """
                CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    PERFORM pg_sleep(0.001);
                    RETURN NEW;
                END
                $$
                """,
                "CREATE TRIGGER slow BEFORE UPDATE ON vm_dynamic FOR EACH ROW EXECUTE FUNCTION"
                        + " take_time()");
        CyclicBarrier together = new CyclicBarrier(3);
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Future<List<WriteOutcome>>> writers = new ArrayList<>();
            for (int writer = 0; writer < 2; writer++) {
                int own = writer;
                writers.add(
                        threads.submit(() -> {
                            List<WriteOutcome> outcomes = new ArrayList<>();
                            for (int round = 0; round < rounds; round++) {
                                together.await(1, TimeUnit.MINUTES);
                                outcomes.add(database.vms().write(mixed(ids, own, round)));
                            }
                            return outcomes;
                        }));
            }
            Callable<Void> command =
                    () -> {
                        try (Connection connection = server.connect()) {
                            connection.setAutoCommit(false);
                            for (int round = 0; round < rounds; round++) {
                                together.await(1, TimeUnit.MINUTES);
                                touchAllInOrder(connection);
                            }
                            return null;
                        }
                    };
            Future<Void> commands = threads.submit(command);
            for (Future<List<WriteOutcome>> writer : writers) {
                assertThat(writer.get(2, TimeUnit.MINUTES))
                        .allMatch(WriteOutcome.Written.class::isInstance);
            }
            commands.get(2, TimeUnit.MINUTES);
        } finally {
            server.execute("DROP TRIGGER slow ON vm_dynamic", "DROP FUNCTION take_time()");
        }
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    @DisplayName("T8 a writer that meets a held row gives up what it has and comes back in order")
    void aWriterThatWaitsLongHoldsNothing() throws Exception {
        addVms(3);
        List<VmId> ids = ids(3);
        List<VmChange> changes =
                ids.stream().map(id -> VmChange.reported(id, FQDN, Samples.runtime(9))).toList();
        try (ExecutorService thread = Executors.newSingleThreadExecutor();
                Connection command = server.connect()) {
            command.setAutoCommit(false);
            lock(command, ids.get(1));
            Future<WriteOutcome> written = thread.submit(() -> database.vms().write(changes));
            awaitOrderlyWait();
            lock(command, ids.get(2));
            command.commit();

            assertThat(written.get(1, TimeUnit.MINUTES))
                    .isEqualTo(new WriteOutcome.Written(3, List.of()));
        }
    }

    private static void lock(Connection connection, VmId id) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement
                    .executeQuery(
                            "SELECT FROM vm_dynamic WHERE vm_guid = '%s' FOR UPDATE".formatted(id))
                    .close();
        }
    }

    /** Until the writer locks in the order of keys and waits. */
    private static void awaitOrderlyWait() throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            boolean waits = false;
            while (!waits) {
                try (ResultSet row =
                        statement.executeQuery(
                                """
                                SELECT FROM pg_stat_activity
                                 WHERE wait_event_type = 'Lock' AND query LIKE '%FOR NO KEY UPDATE%'
                                """)) {
                    waits = row.next();
                }
            }
        }
    }

    /**
     * Statements go by column sets: the first writer's first one takes the VMs at even places, the
     * second writer's first one those at odd places.
     */
    private static List<VmChange> mixed(List<VmId> ids, int writer, int round) {
        VmRuntime runtime =
                VmRuntime.INITIAL
                        .with(RuntimeField.FQDN, "guest-" + writer + "-" + round)
                        .with(
                                RuntimeField.STATUS,
                                (round + writer) % 2 == 0 ? VmStatus.UP : VmStatus.PAUSED);
        VmPlacement placement = VmPlacement.on(Samples.host(1 + (round + writer) % 2));
        return IntStream.range(writer, ids.size())
                .mapToObj(i ->
                        new VmChange(
                                ids.get(i),
                                i % 2 == 0 ? STATUS : FQDN,
                                runtime,
                                i % 3 == writer
                                        ? PlacementFields.of(PlacementField.RUN_ON)
                                        : PlacementFields.NONE,
                                placement,
                                List.of()))
                .toList();
    }

    private static void touchAllInOrder(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeQuery("SELECT FROM vm_dynamic ORDER BY vm_guid FOR UPDATE").close();
            statement.executeUpdate("UPDATE vm_dynamic SET reason = 'command'");
        }
        connection.commit();
    }

    @Test
    void aBatchWithoutWorkDoesNotTouchTheTableOfWork() {
        addVms(3);
        long before = database.statements().statements(SqlStage.STATE);
        database.vms()
                .write(
                        ids(3).stream()
                                .map(id -> VmChange.reported(id, FQDN, Samples.runtime(9)))
                                .toList());
        assertThat(database.statements().statements(SqlStage.STATE) - before)
                .as("how long to wait for rows, one update")
                .isEqualTo(2);
    }

    @Test
    void workOfManyVmsIsOneStatementMore() {
        addVms(20);
        long before = database.statements().statements(SqlStage.STATE);
        long commits = database.statements().commits(SqlStage.STATE);
        database.vms().write(ids(20).stream().map(StateAndWorkIT::failed).toList());
        assertThat(database.statements().statements(SqlStage.STATE) - before)
                .as("how long to wait for rows, runtime, placement, work")
                .isEqualTo(4);
        assertThat(database.statements().commits(SqlStage.STATE) - commits).isEqualTo(1);
    }

    @Test
    void aRemovedVmTakesItsWorkWithIt() throws Exception {
        running(VM);
        database.vms().write(List.of(failed(VM)));
        server.execute("DELETE FROM vm_static");
        assertThat(openWork()).isEmpty();
    }

    private static VmChange failed(VmId id) {
        VmRuntime down = VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.DOWN);
        return new VmChange(
                id,
                STATUS,
                down,
                PlacementFields.of(PlacementField.RUN_ON, PlacementField.LAST_STOP),
                VmPlacement.NOWHERE.withLastStop(NOW),
                List.of(
                        new OpenWork(
                                new PendingWork(
                                        id,
                                        WorkKind.HA_RESTART,
                                        0,
                                        Samples.host(1),
                                        "it went down with an error"),
                                NOW)));
    }

    private static StoredVm running(VmId id) {
        StoredVm vm =
                new StoredVm(
                        id,
                        Samples.definition(1),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                        VmPlacement.on(Samples.host(1)));
        database.vms().add(List.of(vm));
        return vm;
    }

    private static void addVms(int count) {
        List<StoredVm> vms =
                LongStream.rangeClosed(1, count)
                        .mapToObj(Samples::storedVm)
                        .sorted(Comparator.comparing(StoredVm::id))
                        .toList();
        assertThat(database.vms().add(vms)).isEqualTo(new WriteOutcome.Written(count, List.of()));
    }

    private static List<VmId> ids(int count) {
        return LongStream.rangeClosed(1, count).mapToObj(Samples::vm).sorted().toList();
    }

    private static List<StoredVm> load() throws Exception {
        List<StoredVm> loaded = new ArrayList<>();
        database.vms().loadAll(loaded::add);
        return Collections.unmodifiableList(loaded);
    }

    private static List<OpenWork> openWork() throws Exception {
        List<OpenWork> open = new ArrayList<>();
        database.vms().loadWork(open::add);
        return open;
    }

    /** Every commit succeeds, and the connection breaks before its answer arrives. */
    private static DataSource losesAnswers() {
        PGSimpleDataSource plain = new PGSimpleDataSource();
        plain.setUrl(server.jdbcUrl());
        plain.setUser(server.user());
        plain.setPassword(server.password());
        return proxy(
                DataSource.class,
                plain,
                (method, result) ->
                        result instanceof Connection connection
                                ? proxy(Connection.class, connection, StateAndWorkIT::afterCommit)
                                : result);
    }

    private static Object afterCommit(String method, Object result) throws SQLException {
        if (method.equals("commit")) {
            throw new SQLException("the connection broke", "08006");
        }
        return result;
    }

    @FunctionalInterface
    private interface After {
        Object result(String method, Object result) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, T target, After after) {
        return type.cast(
                Proxy.newProxyInstance(
                        StateAndWorkIT.class.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> {
                            try {
                                return after.result(
                                        method.getName(), method.invoke(target, arguments));
                            } catch (InvocationTargetException e) {
                                throw e.getTargetException();
                            }
                        }));
    }
}
