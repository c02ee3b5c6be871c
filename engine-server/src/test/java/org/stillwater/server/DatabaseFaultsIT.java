package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.PauseCause;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.monitoring.write.WriterState;
import tools.jackson.databind.JsonNode;

/**
 * The ways in which a database cannot write, on a running engine: the engine goes on, reports the
 * unsaved data, holds at most one change for each VM and host, and makes up for it.
 */
@Timeout(600) // an engine that does not start must not stop the build
@ExtendWith(OutputCaptureExtension.class)
class DatabaseFaultsIT {

    private static final int VMS = 4;

    private static final String[] SHORT_TIMES = {
        "--stillwater.database.connect-timeout=1s",
        "--stillwater.database.statement-timeout=1s",
        "--stillwater.database.network-timeout=3s",
        "--stillwater.database.probe-interval=20ms",
        "--stillwater.writer.first-retry=20ms",
        "--stillwater.writer.longest-retry=100ms"
    };

    @TempDir private Path folder;

    /** The fault of the database. */
    @SuppressWarnings("ImmutableEnumChecker") // a lock is held by its connection
    enum Fault {
        GONE {
            @Override
            void begin(TestDatabase database) {
                database.allowConnections(false);
                database.dropConnections();
            }

            @Override
            void end(TestDatabase database) {
                database.allowConnections(true);
            }
        },
        READ_ONLY {
            @Override
            void begin(TestDatabase database) throws SQLException {
                database.execute(altered("SET default_transaction_read_only = on"));
                database.dropConnections();
            }

            @Override
            void end(TestDatabase database) throws SQLException {
                database.execute(
                        "SET default_transaction_read_only = off",
                        altered("RESET default_transaction_read_only"));
                database.dropConnections();
            }
        },
        DISK_FULL {
            @Override
            void begin(TestDatabase database) throws SQLException {
                database.execute(
                        """
                        CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN
                            RAISE EXCEPTION 'could not extend file: no space left on device' USING ERRCODE = '53100';
                        END
                        $$
                        """,
                        "CREATE TRIGGER disk_full BEFORE UPDATE ON vm_dynamic FOR EACH STATEMENT"
                                + " EXECUTE FUNCTION disk_full()");
            }

            @Override
            void end(TestDatabase database) throws SQLException {
                database.execute("DROP FUNCTION disk_full() CASCADE");
            }
        },
        LOCKED {
            private Connection holder;

            @Override
            void begin(TestDatabase database) throws SQLException {
                holder = database.connect();
                holder.setAutoCommit(false);
                try (Statement statement = holder.createStatement()) {
                    statement.execute("LOCK TABLE vm_dynamic IN ACCESS EXCLUSIVE MODE");
                }
            }

            @Override
            void end(TestDatabase database) throws SQLException {
                holder.close();
            }
        };

        abstract void begin(TestDatabase database) throws SQLException;

        abstract void end(TestDatabase database) throws SQLException;

        private static String altered(String how) {
            return "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I "
                    + how
                    + "', current_database()); END $$";
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("T14 while the database cannot write, all goes on, and is made up for in order")
    void theEngineContinues(Fault fault) throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet fleet = fleet();
                RunningEngine engine = started(database, fleet)) {
            List<SimulatedVm> vms = fleet.world().vms();
            SimulatedVm first = vms.getFirst();
            fault.begin(database);
            try {
                for (SimulatedVm vm : vms) {
                    vm.pause(PauseCause.USER);
                }
                awaitStatus(engine, vms, VmStatus.PAUSED);
                RunningEngine.await(
                        () -> engine.monitoring().health().writer().notDurableSince() != null,
                        () -> engine.monitoring().health().toString());
                JsonNode details = databaseHealth(engine);
                assertThat(details.path("durable").asBoolean(true)).isFalse();
                assertThat(details.path("reason").asString()).startsWith("not durable: ");
                assertThat(details.path("waitingRows").asInt()).isBetween(1, VMS + 2);
                assertThat(Duration.parse(details.path("oldestWaiting").asString())).isPositive();
                assertThat(details.path("since").isString()).isTrue();
                assertThat(engine.get("/actuator/health/readiness").statusCode()).isEqualTo(503);
                assertThat(engine.get("/actuator/health/liveness").statusCode()).isEqualTo(200);
                assertThat(engine.gauge("stillwater.writer.queue")).isBetween(1.0, VMS + 2.0);
                assertThat(engine.gauge("stillwater.writer.oldest.age")).isPositive();

                vms.forEach(SimulatedVm::resume);
                awaitStatus(engine, vms, VmStatus.UP);
                for (int i = 0; i < 5; i++) {
                    first.pause(PauseCause.USER);
                    awaitStatus(engine, List.of(first), VmStatus.PAUSED);
                    first.resume();
                    awaitStatus(engine, List.of(first), VmStatus.UP);
                }
                first.pause(PauseCause.USER);
                awaitStatus(engine, List.of(first), VmStatus.PAUSED);
                WriterState writer = engine.monitoring().health().writer();
                assertThat(writer.waiting()).as("one for each VM and host").isBetween(1, VMS + 2);
                assertThat(writer.rejected()).as("rows that are at fault").isEmpty();
            } finally {
                fault.end(database);
            }
            RunningEngine.await(
                    () -> engine.get("/actuator/health/readiness").statusCode() == 200,
                    () -> engine.get("/actuator/health/readiness").body());
            engine.awaitWritten();
            assertThat(engine.gauge("stillwater.writer.queue")).isZero();
            assertThat(storedStatus(database, first)).isEqualTo(VmStatus.PAUSED);
            assertThat(storedStatus(database, vms.getLast())).isEqualTo(VmStatus.UP);
            assertThat(engine.monitoring().health().writer().rejected()).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "T14 an engine that ends without its database reports the number of unwritten changes")
    @SuppressWarnings("try") // the way of closing is tested
    void endsWithinItsDeadline(CapturedOutput output) throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet fleet = fleet()) {
            List<SimulatedVm> vms = fleet.world().vms();
            try (RunningEngine engine = started(database, fleet)) {
                Fault.GONE.begin(database);
                vms.getFirst().pause(PauseCause.USER);
                awaitStatus(engine, vms.subList(0, 1), VmStatus.PAUSED);
                long began = System.nanoTime();
                engine.close();
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                        .isLessThan(Duration.ofSeconds(30));
                assertThat(output)
                        .contains("writer stopped with unwritten changes")
                        .containsPattern("Monitoring stopped; \\d+ changes are not written");
            } finally {
                Fault.GONE.end(database);
            }
            assertThat(storedStatus(database, vms.getFirst())).isEqualTo(VmStatus.UP);
            try (RunningEngine next = started(database, fleet)) {
                awaitStatus(next, vms.subList(0, 1), VmStatus.PAUSED);
                next.awaitWritten();
                assertThat(storedStatus(database, vms.getFirst())).isEqualTo(VmStatus.PAUSED);
            }
        }
    }

    private SimulatedFleet fleet() throws Exception {
        return SimulatedFleet.start(folder, WorldSettings.of(7, 1, VMS));
    }

    /** An engine that knows every VM and has written all of it; time between cycles is long. */
    private static RunningEngine started(TestDatabase database, SimulatedFleet fleet) {
        List<String> more = new ArrayList<>(List.of(SHORT_TIMES));
        more.add("--stillwater.cycle.interval=1h");
        more.add("--stillwater.dwh.interval=0");
        more.add("--stillwater.cycle.repoll-pause=0s");
        RunningEngine engine =
                RunningEngine.start(database, fleet.engineArguments(), more.toArray(String[]::new));
        engine.awaitHostsUp(1);
        RunningEngine.await(
                () -> {
                    engine.pollAll();
                    return engine.monitoring().fleet().vmCount() == VMS;
                },
                () -> engine.monitoring().fleet().vmCount() + " VMs");
        RunningEngine.await(
                () -> engine.gauge("stillwater.external.data.open") == 0,
                () -> "external data is not saved");
        engine.awaitWritten();
        return engine;
    }

    private static void awaitStatus(RunningEngine engine, List<SimulatedVm> vms, VmStatus status) {
        RunningEngine.await(
                () -> vms.stream().allMatch(vm -> status(engine, vm) == status),
                () -> engine.get("/api/v1/vms").body());
    }

    private static VmStatus status(RunningEngine engine, SimulatedVm vm) {
        var known = engine.monitoring().fleet().vm(VmId.of(vm.id()));
        return known == null ? null : known.state().runtime().status();
    }

    private static JsonNode databaseHealth(RunningEngine engine) {
        return RunningEngine.JSON
                .readTree(engine.get("/actuator/health/readiness").body())
                .path("components")
                .path("database")
                .path("details");
    }

    private static VmStatus storedStatus(TestDatabase database, SimulatedVm vm)
            throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT status FROM vm_dynamic WHERE vm_guid = '"
                                        + vm.id()
                                        + "'")) {
            assertThat(row.next()).isTrue();
            return VmStatus.ofCode(row.getInt(1));
        }
    }
}
