package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import tools.jackson.databind.JsonNode;

/** Work left to commands, seen from outside, across lives of the engine. */
@Timeout(90) // an engine that does not start must not stop the build
class WorkIT {

    private static final int FAILED = 5;

    @Test
    @DisplayName("S95 failed VMs are open work after every start, until an operation takes it over")
    void openWorkSurvivesTheEngine(@TempDir Path folder) throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet fleet = SimulatedFleet.start(folder, WorldSettings.of(5, 1, 1))) {
            database.execute(
                    """
                    INSERT INTO vm_static (vm_guid, vm_name, origin, auto_startup, mem_size_mb, min_allocated_mem)
                    SELECT md5('v' || n)::uuid, 'v' || n, 3, true, 1, 1 FROM generate_series(1, %d) AS n
                    """
                            .formatted(FAILED),
                    """
                    INSERT INTO vm_dynamic (vm_guid, status, exit_status, run_generation)
                    SELECT md5('v' || n)::uuid, 0, 1, n FROM generate_series(1, %d) AS n
                    """
                            .formatted(FAILED));
            try (RunningEngine engine = watching(database, fleet)) {
                awaitOpen(engine, FAILED);
                assertPagesAndFilters(engine);
                OpenWork first = engine.monitoring().pendingWork().open().getFirst();
                assertThat(engine.monitoring().pendingWork().takeOver(first.work(), new UUID(1, 1)))
                        .isTrue();
                awaitOpen(engine, FAILED - 1);
            }
            try (RunningEngine engine = watching(database, fleet)) {
                awaitOpen(engine, FAILED - 1);
            }
        }
    }

    /** No other owner takes work over. */
    private static RunningEngine watching(TestDatabase database, SimulatedFleet fleet) {
        return RunningEngine.start(
                database, fleet.engineArguments(), "--stillwater.commands.enabled=false");
    }

    private static void assertPagesAndFilters(RunningEngine engine) {
        JsonNode page = engine.json("/api/v1/work?limit=2");
        assertThat(page.path("items").size()).isEqualTo(2);
        JsonNode second =
                engine.json("/api/v1/work?limit=3&cursor=" + page.path("next").asString());
        assertThat(second.path("items").size()).isEqualTo(3);
        assertThat(second.path("next").isNull()).isTrue();
        JsonNode item = page.path("items").get(0);
        assertThat(item.path("kind").asString()).isEqualTo("ha_restart");
        assertThat(item.path("vmName").asString()).startsWith("v");
        assertThat(item.path("hostId").isNull()).isTrue();
        assertThat(item.path("since").asString()).endsWith("Z");
        String vm = item.path("vmId").asString();
        assertThat(engine.json("/api/v1/work?vm=" + vm + "&kind=ha_restart").path("total").asInt())
                .isOne();
        assertThat(engine.json("/api/v1/work?kind=rerun").path("total").asInt()).isZero();
        assertThat(engine.get("/api/v1/work?kind=nonsense").statusCode()).isEqualTo(400);
        assertThat(engine.get("/api/v1/work?cursor=bm9uc2Vuc2U").statusCode()).isEqualTo(400);
        assertThat(engine.get("/api/v1/work?limit=0").statusCode()).isEqualTo(400);
        assertThat(engine.get("/actuator/prometheus").body())
                .contains("stillwater_work_open " + FAILED + ".0");
    }

    @Test
    void workAboutHostsIsInTheSameListUntilAnOperationTakesItOver(@TempDir Path folder)
            throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet fleet = SimulatedFleet.start(folder, WorldSettings.of(5, 1, 1))) {
            database.execute(
                    """
                    INSERT INTO host_static (host_id, host_name, address, port)
                    VALUES (md5('h')::uuid, 'left alone', 'host.invalid', 1)
                    """,
                    // In maintenance, so that the engine does not watch it and ends no episode.
                    """
                    INSERT INTO host_dynamic (host_id, status, episode)
                    VALUES (md5('h')::uuid, 2, 7)
                    """,
                    """
                    INSERT INTO host_work (host_id, kind, episode, attempt, why, created_at)
                    VALUES (md5('h')::uuid, 3, 7, 0, 'it was taken out of service', '2026-03-04T05:06:07Z')
                    """);
            try (RunningEngine engine = watching(database, fleet)) {
                awaitOpen(engine, 1);
                JsonNode page = engine.json("/api/v1/work?kind=drain&host=left%20alone");
                JsonNode item = page.path("items").get(0);
                assertThat(item.path("kind").asString()).isEqualTo("drain");
                assertThat(item.path("hostName").asString()).isEqualTo("left alone");
                assertThat(item.path("vmId").isNull()).isTrue();
                assertThat(item.path("runGeneration").isNull()).isTrue();
                assertThat(item.path("episode").asInt()).isEqualTo(7);
                assertThat(item.path("attempt").asInt()).isZero();
                assertThat(item.path("why").asString()).isEqualTo("it was taken out of service");
                assertThat(engine.json("/api/v1/work?kind=fence").path("total").asInt()).isZero();
                assertThat(engine.get("/actuator/prometheus").body())
                        .contains("stillwater_host_work_open 1.0");

                OpenHostWork drain = engine.monitoring().pendingWork().openAboutHosts().getFirst();
                assertThat(engine.monitoring().pendingWork().takeOver(drain.work(), new UUID(1, 1)))
                        .isTrue();
                assertThat(engine.monitoring().pendingWork().takeOver(drain.work(), new UUID(2, 2)))
                        .isFalse();
                awaitOpen(engine, 0);
            }
        }
    }

    private static void awaitOpen(RunningEngine engine, int count) {
        RunningEngine.await(
                () -> engine.json("/api/v1/work").path("total").asInt() == count,
                () -> engine.get("/api/v1/work").body());
    }
}
