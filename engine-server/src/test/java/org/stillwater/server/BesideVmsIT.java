package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.SqlStage;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import tools.jackson.databind.JsonNode;

/** Rows beside VMs and hosts, over real sockets, TLS and PostgreSQL. */
@Timeout(180)
class BesideVmsIT {

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(21, 1, 6));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=200ms",
                        "--stillwater.cycle.repoll-pause=0s",
                        "--stillwater.dwh.interval=1s",
                        "--stillwater.dwh.heartbeat-interval=1s",
                        "--stillwater.history.store.interval=10s");
        engine.awaitHostsUp(1);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == 6,
                () -> "" + engine.monitoring().health());
        fleet.world().advance(Duration.ofSeconds(60));
        engine.pollAll();
        engine.awaitWritten();
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    private static SimulatedVm vmWithImage() {
        return fleet.world().vms().stream()
                .filter(vm -> state(vm).findValues("imageId").stream().anyMatch(JsonNode::isString))
                .filter(vm -> "Up".equals(vm.status()))
                .findFirst()
                .orElseThrow();
    }

    private static JsonNode state(SimulatedVm vm) {
        return RunningEngine.JSON.readTree(vm.state());
    }

    private static long number(String sql) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getLong(1) : -1;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("S72 A live merge is followed over the wire from its start to its end")
    void aLiveMergeIsFollowed() throws Exception {
        SimulatedVm vm = vmWithImage();
        String path = "/api/v1/vms/" + vm.id() + "/jobs";
        assertThat(engine.json(path).path("total").asInt()).isZero();

        vm.liveMerge(Duration.ofSeconds(100));
        JsonNode started = state(vm).findPath("jobs").get(0);
        engine.pollAll();
        RunningEngine.await(
                () -> engine.json(path).path("total").asInt() == 1,
                () -> engine.json(path).toString());
        fleet.world().advance(Duration.ofSeconds(50));
        RunningEngine.await(
                () -> engine.json(path).path("items").path(0).path("progressPercent").asInt() == 50,
                () -> engine.json(path).toString());
        JsonNode job = engine.json(path).path("items").get(0);
        assertThat(job.path("id")).isEqualTo(started.path("id"));
        assertThat(job.path("state").asString()).isEqualTo("normal");
        assertThat(job.path("blockType").asString()).isEqualTo("commit");
        assertThat(job.path("imageGroupId")).isEqualTo(started.path("imageId"));
        engine.awaitWritten();
        assertThat(number("SELECT cursor_cur * 100 / cursor_end FROM vm_jobs")).isEqualTo(50);

        fleet.world().advance(Duration.ofSeconds(60));
        RunningEngine.await(
                () -> engine.json(path).path("total").asInt() == 0,
                () -> engine.json(path).toString());
        engine.awaitWritten();
        assertThat(number("SELECT count(*) FROM vm_jobs")).isZero();
    }

    @Test
    @DisplayName("T46 The size of a LUN is saved when its VM powers up")
    void aLunsSizeIsSavedWhenItsVmPowersUp() throws Exception {
        SimulatedVm vm = vmWithImage();
        String devices = "SELECT count(*) FROM vm_device WHERE vm_id = '%s'".formatted(vm.id());
        // Its first definition is read in its own time, and must not be taken for that with the
        // LUN.
        RunningEngine.await(
                () -> {
                    engine.pollAll();
                    return number(devices) > 0;
                },
                () -> "no device of " + vm.id());
        long before = number(devices);
        vm.plugLun(64);
        fleet.world().advance(Duration.ofSeconds(30));
        // The definition is read once: read later, it would unplug the disk that is made below.
        RunningEngine.await(
                () -> {
                    engine.pollAll();
                    return number(devices) > before;
                },
                () -> number(devices) + " devices, " + before + " before");
        JsonNode statistics = engine.json("/api/v1/vms/" + vm.id() + "/statistics");
        String lun =
                statistics.path("disks").values().stream()
                        .map(disk -> disk.path("lunId"))
                        .filter(JsonNode::isString)
                        .findFirst()
                        .orElseThrow()
                        .asString();
        UUID disk = UUID.randomUUID();
        database.execute(
                "INSERT INTO luns VALUES ('%s', 10)".formatted(lun),
                "INSERT INTO disk_lun_map VALUES ('%s', '%s')".formatted(disk, lun),
                "INSERT INTO vm_device (device_id, vm_id, type, device, is_managed, is_plugged)"
                        + " VALUES ('%s', '%s', 'disk', 'disk', true, true)"
                                .formatted(disk, vm.id()));
        engine.pollAll();
        engine.awaitWritten();
        assertThat(number("SELECT device_size_gb FROM luns"))
                .as("nothing powered up")
                .isEqualTo(10);

        vm.resizeLun(65);
        // Known before the reboot: what is saved is the size that the last poll before it reported.
        fleet.world().advance(Duration.ofSeconds(15));
        engine.pollAll();
        vm.reboot();
        // An engine without time for its events would see the VM before and after the reboot only.
        String path = "/api/v1/vms/" + vm.id();
        RunningEngine.await(
                () -> !engine.json(path).path("status").asString("").equals("up"),
                () -> engine.json(path).toString());
        fleet.world().advance(Duration.ofMinutes(2));
        RunningEngine.await(
                () -> {
                    fleet.world().advance(Duration.ofSeconds(15));
                    engine.pollAll();
                    return number("SELECT device_size_gb FROM luns") == 65;
                },
                () ->
                        number("SELECT device_size_gb FROM luns")
                                + " GiB saved, disk plugged: "
                                + number(
                                        "SELECT count(*) FROM vm_device WHERE is_plugged AND"
                                                + " device_id = '%s'".formatted(disk))
                                + ", of "
                                + engine.json("/api/v1/vms/" + vm.id() + "/statistics"));
    }

    @Test
    void aHostHasItsNumaNodesWithTheirNumbers() {
        String id = engine.json("/api/v1/hosts").path("items").get(0).path("id").asString();
        RunningEngine.await(
                () ->
                        engine.json("/api/v1/hosts/" + id + "/numa")
                                .path("items")
                                .path(1)
                                .path("cpuUserPercent")
                                .isNumber(),
                () -> engine.json("/api/v1/hosts/" + id + "/numa").toString());
        JsonNode numa = engine.json("/api/v1/hosts/" + id + "/numa");
        assertThat(numa.path("total").asInt()).isEqualTo(2);
        JsonNode node = numa.path("items").get(1);
        assertThat(node.path("index").asInt()).isEqualTo(1);
        assertThat(node.path("memoryMebibytes").asInt()).isPositive();
        assertThat(node.path("distances").values())
                .extracting(JsonNode::asInt)
                .containsExactly(21, 10);
        assertThat(node.path("cpus").size()).isPositive();
        assertThat(node.path("memoryUsedPercent").isNumber()).isTrue();
        assertThat(node.path("freePages").path("4").isNumber()).isTrue();
        engine.awaitWritten();
        assertThat(number("SELECT count(*) FROM numa_node")).isEqualTo(2);
        String vm = "/api/v1/vms/" + fleet.world().vms().getFirst().id() + "/numa";
        assertThat(engine.json(vm).path("reported").asBoolean()).isFalse();
        assertThat(engine.get("/api/v1/hosts/" + UUID.randomUUID() + "/numa").statusCode())
                .isEqualTo(404);
        assertThat(engine.get("/api/v1/vms/" + UUID.randomUUID() + "/jobs").statusCode())
                .isEqualTo(404);
    }

    @Test
    @DisplayName(
            "S105 A data warehouse reads samples that are dumped outside every cycle, because it"
                    + " reads")
    void aDataWarehouseReadsSamples() {
        RunningEngine.await(
                () ->
                        number(
                                        "SELECT count(*) FROM dwh_vm_history_view WHERE"
                                                + " cpu_usage_percent IS NOT NULL")
                                == 6,
                () -> "dumps: " + engine.database().statements().statements(SqlStage.DWH));
        assertThat(engine.database().statements().statements(SqlStage.DWH)).isPositive();
        assertThat(engine.database().statements().rows(SqlStage.DWH)).isGreaterThanOrEqualTo(6);
    }

    @Test
    void historyIsRecordedByTheRoleThatMakesNoTables() {
        RunningEngine.await(
                () ->
                        number(
                                                "SELECT count(DISTINCT vm_id) FROM vm_samples_dense"
                                                        + " WHERE cpu_usage IS NOT NULL")
                                        == 6
                                && number("SELECT count(*) FROM host_samples_dense") > 0,
                () -> "history: " + engine.monitoring().historyState());
        // The recorder says so a moment after the rows are there.
        RunningEngine.await(
                () -> !history().path("newest").asString("").isEmpty(), () -> history().toString());
        assertThat(history().path("recorded").asBoolean()).isTrue();
    }

    private static JsonNode history() {
        return engine.json("/actuator/health").path("components").path("history").path("details");
    }
}
