package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.testkit.FreePorts;
import tools.jackson.databind.JsonNode;

/**
 * The distribution's Prometheus scrapes a running engine, as in
 * docs/how-to/scrape-with-prometheus.md; skipped where it is not installed.
 */
@Tag("full") // a server of another project, and several of its scrapes
@Timeout(600)
@DisplayName("Prometheus")
class PrometheusScrapeIT {

    private static final int HOSTS = 2;
    private static final int VMS = 40;

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static Process prometheus;
    private static ApiClient api;

    @BeforeAll
    static void start() throws Exception {
        Path program = Prometheus.present("prometheus");
        Assumptions.assumeTrue(
                program != null, "no prometheus on the path (apt-get install prometheus)");
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(13, HOSTS, VMS / HOSTS));
        engine =
                RunningEngine.start(
                        database, fleet.engineArguments(), "--stillwater.cycle.repoll-pause=0s");
        engine.awaitHostsUp(HOSTS);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == VMS,
                () -> "" + engine.monitoring().health());
        int port = FreePorts.next();
        Path configuration = folder.resolve("prometheus.yml");
        Files.writeString(configuration, configuration());
        prometheus =
                new ProcessBuilder(
                                program.toString(),
                                "--config.file=" + configuration,
                                "--storage.tsdb.path=" + folder.resolve("series"),
                                "--web.listen-address=127.0.0.1:" + port)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("prometheus.log").toFile())
                        .start();
        api = new ApiClient("http://127.0.0.1:" + port);
        RunningEngine.await(PrometheusScrapeIT::isReady, PrometheusScrapeIT::log);
    }

    @AfterAll
    static void stop() throws Exception {
        if (prometheus != null) {
            prometheus.destroy();
            if (!prometheus.waitFor(30, TimeUnit.SECONDS)) {
                prometheus.destroyForcibly().waitFor();
            }
        }
        if (engine != null) {
            engine.close();
        }
        if (fleet != null) {
            fleet.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private static String configuration() {
        String target = engine.address().replace("http://", "");
        return """
        global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
        rule_files: ["%s/*.yaml"]
        scrape_configs:
          - job_name: stillwater
            metrics_path: /actuator/prometheus
            static_configs: [{targets: ["%s"]}]
          - job_name: stillwater-hosts
            metrics_path: /metrics/hosts
            static_configs: [{targets: ["%s"]}]
          - job_name: stillwater-vms
            metrics_path: /metrics/vms
            params: {families: ["state,usage,traffic,network"]}
            static_configs: [{targets: ["%s"]}]
        """
                .formatted(Dashboards.ALERTS.toAbsolutePath().normalize(), target, target, target);
    }

    private static boolean isReady() {
        if (!prometheus.isAlive()) {
            throw new AssertionError("Prometheus ended: " + log());
        }
        try {
            return api.get("/-/ready").statusCode() == 200;
        } catch (RuntimeException _) {
            return false; // it does not listen yet
        }
    }

    private static String log() {
        try {
            return Files.readString(folder.resolve("prometheus.log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** The present result of a query. */
    private static JsonNode result(String query) {
        HttpResponse<String> answer =
                api.get("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
        assertThat(answer.statusCode()).as("%s: %s", query, answer.body()).isEqualTo(200);
        return RunningEngine.JSON.readTree(answer.body()).path("data").path("result");
    }

    @Test
    @DisplayName("scrapes all three paths, and the query of every panel returns data")
    void everyPanelHasData() throws Exception {
        RunningEngine.await(
                () -> result("up == 1").size() == 3, () -> api.get("/api/v1/targets").body());
        System.gc(); // pauses have a series from the first one on
        Map<String, String> empty = new TreeMap<>(Dashboards.panels());
        assertThat(empty).hasSizeGreaterThan(40);
        empty.values().removeIf(Dashboards::isConditional);
        RunningEngine.await(
                () -> {
                    fleet.world().advance(Duration.ofSeconds(15)); // rates of hosts take two polls
                    engine.pollAll();
                    empty.values().removeIf(query -> !result(shown(query)).isEmpty());
                    return empty.isEmpty();
                },
                () -> "panels without data: " + empty);
    }

    /** With variables of a dashboard that choose all. */
    private static String shown(String query) {
        String all = query.replace("$host", ".+").replace("$vm", ".+");
        assertThat(all).as("no other variable").doesNotContain("$");
        return all;
    }

    @Test
    @DisplayName("records the sums of the rules, and no rule fails")
    void rulesAreEvaluated() throws Exception {
        for (Dashboards.Rule rule : Dashboards.rules()) {
            if (rule.record() != null) {
                RunningEngine.await(
                        () -> !result(rule.record()).isEmpty(),
                        () -> rule.record() + ": " + api.get("/api/v1/rules").body());
            }
        }
        for (JsonNode group :
                RunningEngine.JSON
                        .readTree(api.get("/api/v1/rules").body())
                        .path("data")
                        .path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                assertThat(rule.path("lastError").asString("")).as(rule.toString()).isEmpty();
            }
        }
    }
}
