package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.SimulatedHost;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.monitoring.alert.AlertMonitor;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.regression.SeriesValues;
import org.stillwater.server.alert.MailReceiver;
import tools.jackson.databind.JsonNode;

/**
 * The whole way of a regression: the simulator makes a storage domain slower while its hosts get
 * another version of VDSM; one finding names the domain and the version, and the alert of a rule
 * arrives at a mail server and at a webhook. A point of the series is a poll, 200 ms long.
 */
@Tag("full") // about 70 points
@Timeout(300)
class RegressionAlertIT {

    private static final int HOSTS = 3;
    private static final int VMS_PER_HOST = 1;
    private static final int POINTS_BEFORE = 40;
    private static final int MOST_POINTS = 12;

    /** Longer than a busy machine takes for a point: points that are left out move a begin. */
    private static final Duration POINT = Duration.ofMillis(500);

    private static final UUID SLOW = UUID.fromString("f1b2c3d4-0a1b-4c2d-8e3f-a1b2c3d4e5f6");

    @TempDir Path folder;
    private final List<JsonNode> posted = new CopyOnWriteArrayList<>();
    private SimulatedFleet fleet;
    private RunningEngine engine;
    private RegressionMonitor regressions;
    private AlertMonitor alerts;
    private long point;

    @Test
    void aSlowStorageDomainIsOneFindingWithTheNewVersionAndItsAlertArrives() throws Exception {
        HttpServer hook =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        hook.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        posted.add(
                                RunningEngine.JSON.readTree(
                                        exchange.getRequestBody().readAllBytes()));
                        exchange.sendResponseHeaders(200, -1);
                    }
                });
        hook.start();
        try (TestDatabase database = TestDatabase.migrated();
                MailReceiver mails = MailReceiver.startTls(folder.resolve("pki"));
                SimulatedFleet simulated =
                        SimulatedFleet.start(folder, WorldSettings.of(47, HOSTS, VMS_PER_HOST))) {
            fleet = simulated;
            try (RunningEngine running = start(database, mails, hook.getAddress().getPort())) {
                engine = running;
                slowDomainIsFound(database, mails);
            }
        } finally {
            hook.stop(0);
        }
    }

    private RunningEngine start(TestDatabase database, MailReceiver mails, int hook) {
        return RunningEngine.start(
                database,
                fleet.engineArguments(),
                "--stillwater.cycle.interval=200ms",
                "--stillwater.cycle.repoll-pause=0s",
                "--stillwater.regressions.enabled=false", // tests search
                "--stillwater.regressions.interval=" + POINT.toMillis() + "ms",
                "--stillwater.regressions.sample=" + POINT.toMillis() + "ms",
                "--stillwater.alert-rules.interval=1h", // tests evaluate
                "--stillwater.alerts.webhook=http://127.0.0.1:" + hook + "/",
                "--stillwater.alerts.external-url=https://engine.example",
                "--stillwater.alerts.mail.host=localhost",
                "--stillwater.alerts.mail.port=" + mails.port(),
                "--stillwater.alerts.mail.trust=" + folder.resolve("pki/ca.pem"),
                "--stillwater.alerts.mail.user=" + MailReceiver.USER,
                "--stillwater.alerts.mail.password=" + MailReceiver.PASSWORD,
                "--stillwater.alerts.mail.from=engine@example.com",
                "--stillwater.alerts.mail.to=ops@example.com",
                "--stillwater.alerts.mail.gather=0s",
                "--stillwater.alerts.mail.interval=0s");
    }

    private void slowDomainIsFound(TestDatabase database, MailReceiver mails) throws Exception {
        regressions = engine.bean(RegressionMonitor.class);
        alerts = engine.bean(AlertMonitor.class);
        engine.awaitHostsUp(HOSTS);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == HOSTS * VMS_PER_HOST,
                () -> "" + engine.monitoring().health());
        engine.awaitWritten();
        int onSlow = define(database);
        String refused =
                engine.post(
                                "/api/v1/alert-rules",
                                "{\"alert\": \"SlowStorage\", \"expr\": \"regression(any)\"}")
                        .body();
        assertThat(refused).contains("stillwater.regressions.enabled is false");
        rule(1, "SlowStorage", "regression(storage-domain) >= 20", AlertScope.ALL);
        for (int i = 0; i < POINTS_BEFORE; i++) {
            nextPoint();
        }
        assertThat(findings()).isEmpty();
        String late = "storage-domain.delayMilliseconds > " + 2 * delay();
        rule(
                2,
                "LateStorage",
                late,
                new AlertScope(Set.of(), Set.of(), Set.of(), Set.of(), Set.of(SLOW)));
        String version = version();

        SimulatedHost first = fleet.world().hosts().getFirst();
        first.slowDown(SLOW, List.of(), "step", 300, Duration.ZERO);
        fleet.world().hosts().forEach(host -> host.upgrade("4.50.9-1", Duration.ZERO));
        engine.awaitHostsUp(HOSTS);
        assertThat(RunningEngine.JSON.readTree(fleet.world().state()).path("slowdowns"))
                .singleElement()
                .satisfies(slowdown -> {
                    assertThat(slowdown.path("level").asString()).isEqualTo("storage-domain");
                    assertThat(slowdown.path("targets").get(0).asString())
                            .isEqualTo(SLOW.toString());
                });
        int points = 0;
        while (findings().isEmpty() && points < MOST_POINTS) {
            nextPoint();
            points++;
        }
        assertThat(findings()).as("after %d points", points).hasSize(1);
        for (int i = 0; i < MOST_POINTS; i++) {
            nextPoint(); // other causes would show by now
        }

        JsonNode finding = findings().getFirst();
        assertThat(findings()).as(() -> "" + findings()).hasSize(1);
        assertThat(finding.path("level").asString()).isEqualTo("storage-domain");
        assertThat(finding.path("object").asString()).isEqualTo(SLOW.toString());
        assertThat(finding.path("coincidences").get(0).path("text").asString())
                .isEqualTo("host agent %s became 4.50.9-1".formatted(version));
        RunningEngine.await(() -> posted("SlowStorage") != null, () -> "" + posted);
        JsonNode alert = posted("SlowStorage");
        assertThat(alert.path("status").asString()).isEqualTo("firing");
        assertThat(alert.path("labels").path("object").asString()).contains(SLOW.toString());
        assertThat(alert.path("labels").path("severity").asString()).isEqualTo("critical");
        RunningEngine.await(() -> posted("LateStorage") != null, () -> "" + posted);
        assertThat(posted("LateStorage").path("labels").path("kind").asString())
                .isEqualTo("storage-domain");
        assertThat(posted("LateStorage").path("labels").path("object").asString())
                .isEqualTo("storage domain " + SLOW);
        assertThat(
                        engine.json("/api/v1/alerts?severity=critical&limit=1&state=firing")
                                .path("total")
                                .asInt())
                .isEqualTo(2);
        JsonNode past =
                RunningEngine.JSON.readTree(
                        engine.post(
                                        "/api/v1/alert-rules/backtest",
                                        """
                                        {"rule": {"alert": "Past", "expr": "%s"}, "over": "2m"}
                                        """
                                                .formatted(late))
                                .body());
        assertThat(past.path("items").findValuesAsString("objectId"))
                .as(() -> "" + past)
                .contains(SLOW.toString());
        RunningEngine.await(
                () -> mails.received().stream().anyMatch(RegressionAlertIT::isAlert),
                () -> "" + mails.received());
        assertThat(mails.received())
                .filteredOn(RegressionAlertIT::isAlert)
                .singleElement()
                .satisfies(mail -> {
                    assertThat(mail.subject()).contains("FIRING", "SlowStorage");
                    assertThat(mail.text()).contains(SLOW.toString());
                });
        assertThat(finding.path("vms").asInt()).isEqualTo(onSlow);
    }

    /** Adds a rule while the engine does not search by itself. */
    private void rule(int number, String name, String expr, AlertScope scope) throws Exception {
        AlertRule rule =
                new AlertRule(
                        new UUID(5, number),
                        1,
                        name,
                        expr,
                        Duration.ZERO,
                        scope,
                        AlertSeverity.CRITICAL,
                        Map.of(),
                        Map.of(),
                        true,
                        20);
        assertThat(alerts.save(rule)).isEqualTo(AlertMonitor.Change.DONE);
    }

    /** The longest check of the domain by a host in the newest interval, in ms. */
    private double delay() {
        SeriesValues series = engine.bean(SeriesValues.class);
        double[] most = new double[1];
        series.visit(
                RegressionMetric.STORAGE_DELAY,
                series.newest(),
                (owner, value) -> {
                    if (owner.name().endsWith(SLOW.toString()) && value > most[0]) {
                        most[0] = value;
                    }
                });
        assertThat(most[0]).isPositive();
        return most[0];
    }

    private static boolean isAlert(MailReceiver.Received mail) {
        return mail.text().contains("FIRING   SlowStorage (critical)");
    }

    private JsonNode posted(String rule) {
        for (JsonNode body : posted) {
            for (JsonNode alert : body.path("alerts")) {
                if (alert.path("labels").path("alertname").asString().equals(rule)) {
                    return alert;
                }
            }
        }
        return null;
    }

    private List<JsonNode> findings() {
        List<JsonNode> found = new ArrayList<>();
        engine.json("/api/v1/findings?limit=100").path("items").forEach(found::add);
        return found;
    }

    private String version() {
        return RunningEngine.JSON
                .readTree(fleet.world().state())
                .path("hosts")
                .get(0)
                .path("softwareVersion")
                .asString();
    }

    /** Another poll of every host in another interval, 15 s later for the hosts. */
    private void nextPoint() {
        RunningEngine.await(() -> interval() > point, () -> "the clock stands");
        point = interval();
        fleet.world().advance(Duration.ofSeconds(15));
        engine.pollAll();
        regressions.turn();
        alerts.turn();
    }

    private static long interval() {
        return Instant.now().toEpochMilli() / POINT.toMillis();
    }

    /**
     * Makes the images of the first host's VMs known, as those of VMs that the engine defined; of
     * the others, only their hosts name the storage domains.
     *
     * @return how many VMs have an image on the domain that will be slow
     */
    private int define(TestDatabase database) throws SQLException {
        int slow = 0;
        try (Connection owner = database.connect();
                PreparedStatement write =
                        owner.prepareStatement(
                                """
                                INSERT INTO vm_specification (vm_guid, specification)
                                VALUES (?, ?::jsonb)
                                """)) {
            JsonNode hosts = RunningEngine.JSON.readTree(fleet.world().state()).path("hosts");
            JsonNode first = hosts.get(0);
            for (JsonNode host : hosts) {
                boolean isDefined = host.equals(first);
                for (JsonNode vm : host.path("vms")) {
                    List<String> disks = new ArrayList<>();
                    boolean isOnSlow = false;
                    for (JsonNode disk : vm.path("disks")) {
                        if (disk.path("imageId").isNull()) {
                            continue;
                        }
                        String domain = disk.path("storageDomainId").asString();
                        isOnSlow |= domain.equals(SLOW.toString());
                        disks.add(
                                """
                                {"place": {"kind": "volume", "image": "%s", "domain": "%s"}}
                                """
                                        .formatted(disk.path("imageId").asString(), domain));
                    }
                    write.setObject(1, UUID.fromString(vm.path("id").asString()));
                    write.setString(2, "{\"disks\": [" + String.join(",", disks) + "]}");
                    if (isDefined) {
                        int _ = write.executeUpdate();
                    }
                    slow += isOnSlow ? 1 : 0;
                }
            }
        }
        return slow;
    }
}
