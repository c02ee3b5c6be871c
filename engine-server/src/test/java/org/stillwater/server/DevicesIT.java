package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.SqlStage;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldException;
import org.stillwater.fake.world.WorldSettings;

/** Devices and TPM data from simulated hosts to PostgreSQL, over real sockets. */
class DevicesIT {

    private static final int VMS = 50;

    @TempDir Path folder;

    @Test
    @DisplayName("S65 S67 hot-plugged disks of fifty VMs reach the database together")
    void hotPluggedDisksOfFiftyVmsAreSavedTogether() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet fleet = SimulatedFleet.start(folder, WorldSettings.of(17, 1, VMS));
                RunningEngine engine = settled(database, fleet)) {
            long devices = number(database, "SELECT count(*) FROM vm_device");
            long generations = number(database, "SELECT sum(db_generation) FROM vm_static");
            long commits = engine.database().statements().commits(SqlStage.DEVICES);
            List<SimulatedVm> vms = fleet.world().vms();
            assertThat(vms).hasSize(VMS);

            vms.forEach(SimulatedVm::plugDisk);
            engine.pollAll();
            RunningEngine.await(
                    () -> count(database, "vm_device") == devices + VMS,
                    () -> count(database, "vm_device") + " devices, before " + devices);
            engine.awaitWritten();

            assertThat(number(database, "SELECT sum(db_generation) FROM vm_static"))
                    .isEqualTo(generations + VMS);
            assertThat(engine.database().statements().commits(SqlStage.DEVICES) - commits)
                    .as("one read and one save, unless a poll fell among the plugging")
                    .isBetween(2L, 6L);
            assertThat(
                            number(
                                    database,
                                    "SELECT count(*) FROM vm_device WHERE is_managed OR NOT"
                                            + " is_plugged OR address = ''"))
                    .as("unmanaged, plugged, with an address")
                    .isZero();

            vms.forEach(SimulatedVm::unplugDisk);
            engine.pollAll();
            RunningEngine.await(
                    () -> count(database, "vm_device") == devices,
                    () -> count(database, "vm_device") + " devices, before " + devices);
            OvirtContract.settle(engine); // hosts answer, and the rest is written, after that
            long statements = engine.statements();
            engine.pollAll();
            engine.awaitWritten();
            assertThat(engine.statements() - statements).as("nothing changed").isZero();
        }
    }

    @Test
    void aChangedTpmIsSaved() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet fleet = SimulatedFleet.start(folder, WorldSettings.of(18, 1, VMS));
                RunningEngine engine = settled(database, fleet)) {
            String hashes = "SELECT string_agg(hash, ',' ORDER BY vm_guid) FROM vm_external_data";
            long saved = count(database, "vm_external_data");
            assertThat(saved).isPositive();
            String before = text(database, hashes);

            assertThat(fleet.world().vms().stream().filter(DevicesIT::changeTpm))
                    .hasSize((int) saved);
            engine.pollAll();
            RunningEngine.await(
                    () ->
                            !text(database, hashes).equals(before)
                                    && engine.gauge("stillwater.external.data.open") == 0,
                    () -> "the new TPM data is not saved");

            assertThat(count(database, "vm_external_data")).isEqualTo(saved);
        }
    }

    private static boolean changeTpm(SimulatedVm vm) {
        try {
            vm.changeTpm();
            return true;
        } catch (WorldException withoutTpm) {
            return false;
        }
    }

    private static RunningEngine settled(TestDatabase database, SimulatedFleet fleet) {
        RunningEngine engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=1h",
                        "--stillwater.cycle.repoll-pause=0s");
        engine.awaitHostsUp(fleet.world().hosts().size());
        RunningEngine.await(
                () -> {
                    engine.pollAll();
                    return engine.monitoring().fleet().vmCount() == fleet.world().vms().size();
                },
                () -> engine.monitoring().fleet().vmCount() + " VMs");
        fleet.world().advance(Duration.ofSeconds(15));
        engine.pollAll();
        engine.pollAll();
        RunningEngine.await(
                () -> engine.gauge("stillwater.external.data.open") == 0,
                () -> "TPM data of some VMs is not saved");
        engine.awaitWritten();
        return engine;
    }

    private static long count(TestDatabase database, String table) {
        return number(database, "SELECT count(*) FROM " + table);
    }

    private static long number(TestDatabase database, String sql) {
        return Long.parseLong(text(database, sql));
    }

    private static String text(TestDatabase database, String sql) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return String.valueOf(row.getString(1));
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
