package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.regression.SeriesArchive;
import org.stillwater.monitoring.regression.SeriesArchiveState;
import tools.jackson.databind.JsonNode;

/**
 * A regression across restarts of the engine, on PostgreSQL: the simulator makes a storage domain
 * slower after its hosts got another version of VDSM, before the first restart; the engine finds it
 * after that, with the version, and knows it after the second. A point of the series is a poll,
 * half a second long, so that a start takes few of them.
 */
@Tag("full") // three starts and about 80 points
@Timeout(300)
class RegressionRestartIT {

    private static final int HOSTS = 3;
    private static final int POINTS_BEFORE = 40;
    private static final int SLOW_BEFORE = 4;
    private static final int MOST_POINTS = 12;
    private static final String VERSION = "4.50.9-1";
    private static final Duration POINT = Duration.ofMillis(500);
    private static final UUID SLOW = UUID.fromString("f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6");

    @TempDir Path folder;
    private SimulatedFleet fleet;
    private RunningEngine engine;
    private RegressionMonitor regressions;
    private SeriesArchive archive;
    private long point;

    @Test
    void aStepThatBeganBeforeTheRestartIsOneFindingInAsManyPoints() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatedFleet simulated =
                        SimulatedFleet.start(folder, WorldSettings.of(47, HOSTS, 1))) {
            fleet = simulated;
            String before;
            try (RunningEngine running = start(database)) {
                begin(running);
                assertThat(archive.state().points()).isZero();
                for (int i = 0; i < POINTS_BEFORE; i++) {
                    nextPoint();
                }
                before = version(engine.monitoring().fleet().hosts().getFirst());
                upgrade();
                nextPoint();
                SimulatedHost first = fleet.world().hosts().getFirst();
                first.slowDown(SLOW, List.of(), "step", 300, Duration.ZERO);
                for (int i = 0; i < SLOW_BEFORE; i++) {
                    nextPoint();
                }
                assertThat(findings()).isEmpty();
            }
            String id;
            try (RunningEngine running = start(database)) {
                begin(running);
                assertThat(archive.state().points()).isPositive();
                assertThat(archive.state().series()).isGreaterThanOrEqualTo(HOSTS);
                JsonNode health =
                        engine.json("/actuator/health")
                                .path("components")
                                .path("regressions")
                                .path("details");
                assertThat(health.path("readBack").asString()).isEqualTo("done");
                assertThat(health.path("readBackPoints").asLong())
                        .isEqualTo(archive.state().points());
                int points = SLOW_BEFORE;
                while (findings().isEmpty() && points <= MOST_POINTS) { // the restart cuts one
                    nextPoint();
                    points++;
                }
                assertThat(findings()).as("after %d points", points).hasSize(1);
                for (int i = 0; i < MOST_POINTS; i++) {
                    nextPoint(); // other causes would show by now
                }
                JsonNode finding = single();
                assertThat(finding.path("level").asString()).isEqualTo("storage-domain");
                assertThat(finding.path("object").asString()).isEqualTo(SLOW.toString());
                assertThat(finding.path("coincidences").path(0).path("text").asString())
                        .isEqualTo("host agent %s became %s".formatted(before, VERSION));
                id = finding.path("id").asString();
                JsonNode evidence = engine.json("/api/v1/findings/" + id).path("evidence").get(0);
                assertThat(evidence.path("readBack").asInt()).isGreaterThanOrEqualTo(POINTS_BEFORE);
            }
            try (RunningEngine running = start(database)) {
                begin(running);
                for (int i = 0; i < MOST_POINTS; i++) {
                    nextPoint();
                }
                assertThat(single().path("id").asString()).isEqualTo(id);
                assertThat(single().path("state").asString()).isEqualTo("open");
            }
        }
    }

    private RunningEngine start(TestDatabase database) {
        return RunningEngine.start(
                database,
                fleet.engineArguments(),
                "--stillwater.cycle.interval=200ms",
                "--stillwater.cycle.repoll-pause=0s",
                "--stillwater.regressions.enabled=false", // the test searches
                "--stillwater.regressions.window=1000",
                "--stillwater.regressions.interval=" + POINT.toMillis() + "ms",
                "--stillwater.regressions.sample=" + POINT.toMillis() + "ms");
    }

    private void begin(RunningEngine running) {
        engine = running;
        regressions = engine.bean(RegressionMonitor.class);
        archive = engine.bean(SeriesArchive.class);
        engine.awaitHostsUp(HOSTS);
        RunningEngine.await(
                () -> {
                    boolean _ = archive.turn();
                    return archive.state().phase() == SeriesArchiveState.Phase.DONE;
                },
                () -> "" + archive.state());
    }

    /** Gives all hosts another version, and waits until the engine has it. */
    private void upgrade() {
        fleet.world().hosts().forEach(host -> host.upgrade(VERSION, Duration.ZERO));
        fleet.world().advance(Duration.ofSeconds(1)); // the agents answer again
        RunningEngine.await(
                () -> {
                    List<HostView> hosts = engine.monitoring().fleet().hosts();
                    hosts.forEach(host ->
                            engine.monitoring()
                                    .administration()
                                    .refresh(host.state().definition().id()));
                    return hosts.stream().allMatch(host -> VERSION.equals(version(host)));
                },
                () -> "" + engine.monitoring().health());
        engine.awaitHostsUp(HOSTS);
    }

    private static String version(HostView host) {
        HostCapabilities capabilities = host.state().capabilities();
        return capabilities == null ? null : capabilities.software().version();
    }

    private JsonNode single() {
        List<JsonNode> found = findings();
        assertThat(found).hasSize(1);
        return found.getFirst();
    }

    /** Those about the slow domain: another life of the engine may itself be slower or quicker. */
    private List<JsonNode> findings() {
        List<JsonNode> found = new ArrayList<>();
        engine.json("/api/v1/findings?limit=100").path("items").forEach(found::add);
        found.removeIf(finding -> !finding.path("object").asString().equals(SLOW.toString()));
        return found;
    }

    /** Another poll of every host in another interval, 15 s later for the hosts. */
    private void nextPoint() {
        RunningEngine.await(() -> interval() > point, () -> "the clock stands");
        point = interval();
        fleet.world().advance(Duration.ofSeconds(15));
        engine.pollAll();
        regressions.turn();
        boolean _ = archive.turn();
    }

    private static long interval() {
        return Instant.now().toEpochMilli() / POINT.toMillis();
    }
}
