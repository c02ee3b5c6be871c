package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.SqlStage;
import org.stillwater.dal.StatementCounts;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;

/** The promise: when nothing changes, the engine does nothing. Real sockets, TLS, PostgreSQL. */
class StableFleetIT {

    private static final int HOSTS = 5;
    private static final int VMS_PER_HOST = 100;
    private static final int CYCLES = 20;
    private static final int QUIET_ROUNDS = 5;
    private static final int MOST_ROUNDS = 200;

    @TempDir Path folder;

    @Test
    void twentyCyclesOfAStableFleetSendNoStatement() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet fleet =
                        SimulatedFleet.start(folder, WorldSettings.of(11, HOSTS, VMS_PER_HOST));
                RunningEngine engine = settled(database, fleet)) {
            Map<SqlStage, Long> statements = engine.cycleStages();
            long revision = engine.monitoring().fleet().revision();
            for (int cycle = 0; cycle < CYCLES; cycle++) {
                fleet.world().advance(Duration.ofSeconds(15));
                engine.pollAll();
            }
            engine.awaitWritten();
            assertThat(engine.cycleStages())
                    .as("statements by stage, as they were before")
                    .isEqualTo(statements);
            assertThat(engine.monitoring().fleet().revision()).as("revision").isEqualTo(revision);
            assertThat(engine.monitoring().fleet().vms())
                    .hasSize(HOSTS * VMS_PER_HOST)
                    .allSatisfy(vm ->
                            assertThat(engine.monitoring().fleet().statistics(vm.id()))
                                    .as("numbers of %s", vm.definition().name())
                                    .isNotNull());
        }
    }

    @Test
    void aRestartRewritesNothingThatDidNotChange() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet fleet =
                        SimulatedFleet.start(folder, WorldSettings.of(12, 2, VMS_PER_HOST))) {
            settled(database, fleet).close();
            Map<String, String> before = rowVersions(database);
            try (RunningEngine engine = settled(database, fleet)) {
                engine.awaitWritten();
                StatementCounts counts = engine.database().statements();
                assertThat(
                                counts.rows()
                                        - counts.rows(SqlStage.HISTORY)
                                        - counts.rows(SqlStage.REGRESSIONS)
                                        - counts.rows(SqlStage.BELIEFS))
                        .as("rows changed by the restarted engine, hosts' own state aside")
                        .isEqualTo(counts.rows(SqlStage.HOSTS));
            }
            assertThat(rowVersions(database)).hasSize(2 * VMS_PER_HOST).isEqualTo(before);
        }
    }

    /** An engine that knows every VM and has written all of it. */
    private static RunningEngine settled(TestDatabase database, SimulatedFleet fleet) {
        RunningEngine engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=1h",
                        "--stillwater.cycle.repoll-pause=0s");
        int hosts = fleet.world().hosts().size();
        engine.awaitHostsUp(hosts);
        RunningEngine.await(
                () -> {
                    engine.pollAll();
                    return engine.monitoring().fleet().vmCount() == fleet.world().vms().size();
                },
                () ->
                        engine.monitoring().fleet().vmCount()
                                + " VMs, "
                                + engine.monitoring().health());
        fleet.world().advance(Duration.ofSeconds(15));
        engine.pollAll();
        engine.pollAll();
        RunningEngine.await(
                () -> engine.gauge("stillwater.external.data.open") == 0,
                () -> "TPM data of some VMs is not saved: " + engine.monitoring().health());
        awaitSettled(engine);
        return engine;
    }

    /**
     * What a first report starts (lists of devices, say) is answered by hosts and written in its
     * own time; a few rounds that write nothing say that it is over.
     */
    private static void awaitSettled(RunningEngine engine) {
        Map<SqlStage, Long> before = Map.of();
        int quietRounds = 0;
        for (int round = 0; quietRounds < QUIET_ROUNDS; round++) {
            assertThat(round).as("rounds, still writing: %s", before).isLessThan(MOST_ROUNDS);
            engine.pollAll();
            engine.awaitWritten();
            Map<SqlStage, Long> now = engine.cycleStages();
            quietRounds = now.equals(before) ? quietRounds + 1 : 0;
            before = now;
        }
    }

    /** The transaction that wrote each VM's row last: rewriting a row changes it. */
    private static Map<String, String> rowVersions(TestDatabase database) throws Exception {
        Map<String, String> versions = new TreeMap<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT vm_guid::text, xmin::text || '/' || ctid::text FROM"
                                        + " vm_dynamic")) {
            while (row.next()) {
                versions.put(row.getString(1), row.getString(2));
            }
        }
        return versions;
    }
}
