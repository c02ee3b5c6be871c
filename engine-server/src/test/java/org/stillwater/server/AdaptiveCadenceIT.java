package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.cadence.Pace;
import org.stillwater.core.id.HostId;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.server.RunningEngine.Stream;
import tools.jackson.databind.JsonNode;

/** An engine that adapts the interval of its host, with short intervals. */
@Timeout(180)
class AdaptiveCadenceIT {

    private static final Duration LONGEST = Duration.ofSeconds(3);
    private static final Duration VIEWED = Duration.ofMillis(320);

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static HostId host;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(75, 1, 3));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=400ms",
                        "--stillwater.cycle.adaptive=true",
                        "--stillwater.cycle.shortest=200ms",
                        "--stillwater.cycle.longest=3s",
                        "--stillwater.cycle.cpu-budget=0",
                        "--stillwater.cycle.repoll-pause=0s");
        engine.awaitHostsUp(1);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == 3,
                () -> "" + engine.monitoring().health());
        host = engine.monitoring().fleet().hosts().getFirst().state().definition().id();
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    private static Pace pace() {
        return Objects.requireNonNull(engine.monitoring().fleet().pace(host));
    }

    private static Instant polled() {
        HostView view = Objects.requireNonNull(engine.monitoring().fleet().host(host));
        return Objects.requireNonNull(view.lastPollAt());
    }

    @Test
    void aQuietHostIsPolledSeldomUntilItIsRead() throws Exception {
        RunningEngine.await(
                () ->
                        pace().interval().equals(LONGEST)
                                && pace().reason().code().equals("quiet")
                                && engine.monitoring().fleet().slackMillis(host) == 5_200,
                () -> "" + pace());

        Instant before = polled();
        String vm = fleet.world().vms().getFirst().id().toString();
        try (Stream stream = engine.stream("?vm=" + vm)) {
            assertThat(stream.next("snapshot")).isNotNull();
            RunningEngine.await(() -> pace().interval().compareTo(VIEWED) <= 0, () -> "" + pace());
            RunningEngine.await(() -> polled().isAfter(before), () -> "" + polled());
        }

        JsonNode cadence = engine.json("/api/v1/hosts/" + host).path("cadence");
        assertThat(cadence.path("intervalMillis").asInt()).isBetween(200, 320);
        assertThat(cadence.path("code").asString()).isIn("viewed", "moving"); // if a VM moved
        assertThat(cadence.path("reason").asString()).endsWith(".");
        assertThat(cadence.path("movedPercent").isInt()).isTrue();

        assertThat(engine.get("/actuator/prometheus").body())
                .contains("stillwater_cadence_hosts{reason=\"viewed\"}")
                .contains("stillwater_cadence_stretch 1.0")
                .contains("stillwater_cadence_budget_cores 0.0");
        JsonNode health =
                engine.json("/actuator/health").path("components").path("engine").path("details");
        assertThat(health.path("cadence").path("overBudget").isBoolean()).isTrue();
    }
}
