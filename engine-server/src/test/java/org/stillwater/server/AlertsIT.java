package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.server.ApiClient.basic;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.monitoring.alert.AlertMonitor;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.server.RunningEngine.Event;
import org.stillwater.server.RunningEngine.Stream;
import org.stillwater.server.alert.MailReceiver;
import tools.jackson.databind.JsonNode;

/**
 * Alerts of rules of a running engine: on the stream, over stored history, and to a webhook and a
 * mail server across a restart.
 */
@Timeout(180)
class AlertsIT {

    private static final String PASSWORD = "long enough";
    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;
    private static MailReceiver mails;
    private static HttpServer hook;
    private static final List<JsonNode> posted = new CopyOnWriteArrayList<>();
    private static SimulatedVm mine;
    private static SimulatedVm hidden;

    @BeforeAll
    static void start() throws Exception {
        mails = MailReceiver.startTls(folder.resolve("pki"));
        hook = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        hook.createContext("/", AlertsIT::receive);
        hook.start();
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(43, 1, 3));
        engine = startEngine();
        mine = fleet.world().vms().get(0);
        hidden = fleet.world().vms().get(1);
        HttpResponse<String> user =
                engine.api()
                        .send(
                                "POST",
                                "/api/v1/users",
                                """
                                {"name": "eve", "password": "%s",
                                 "grants": [{"role": "reader", "vm": "%s"}]}
                                """
                                        .formatted(PASSWORD, mine.id()),
                                "Authorization",
                                basic("admin", RunningEngine.PASSWORD),
                                "Content-Type",
                                "application/json");
        assertThat(user.statusCode()).as(user.body()).isEqualTo(201);
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
        hook.stop(0);
        mails.close();
    }

    private static void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            posted.add(RunningEngine.JSON.readTree(exchange.getRequestBody().readAllBytes()));
            exchange.sendResponseHeaders(200, -1);
        }
    }

    private static RunningEngine startEngine() {
        RunningEngine started =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=200ms",
                        "--stillwater.stream.heart-beat=100ms",
                        "--stillwater.alert-rules.interval=1h", // tests evaluate by themselves
                        "--stillwater.alerts.webhook=http://127.0.0.1:"
                                + hook.getAddress().getPort()
                                + "/",
                        "--stillwater.alerts.mail.host=localhost",
                        "--stillwater.alerts.mail.port=" + mails.port(),
                        "--stillwater.alerts.mail.trust=" + folder.resolve("pki/ca.pem"),
                        "--stillwater.alerts.mail.user=" + MailReceiver.USER,
                        "--stillwater.alerts.mail.password=" + MailReceiver.PASSWORD,
                        "--stillwater.alerts.mail.from=engine@example.com",
                        "--stillwater.alerts.mail.to=ops@example.com",
                        "--stillwater.alerts.mail.gather=0s",
                        "--stillwater.alerts.mail.interval=0s");
        started.awaitHostsUp(1);
        RunningEngine.await(
                () -> started.monitoring().fleet().vmCount() >= fleet.world().vms().size(),
                () -> "" + started.monitoring().health());
        fleet.world().advance(Duration.ofSeconds(30));
        started.pollAll();
        return started;
    }

    /** The name of a VM that the engine found on a host. */
    private static String shown(SimulatedVm vm) {
        return "external-" + vm.name();
    }

    private static void turn() {
        engine.bean(AlertMonitor.class).turn();
    }

    /** Adds a rule that fires at once on some VMs; its path. */
    private static String fired(String name, int flood, SimulatedVm... vms) {
        List<String> ids = new ArrayList<>();
        for (SimulatedVm vm : vms) {
            ids.add('"' + vm.id().toString() + '"');
        }
        HttpResponse<String> added =
                engine.post(
                        "/api/v1/alert-rules",
                        """
                        {"alert": "%s", "expr": "vm.usageCpuPercent >= 0", "severity": "critical",
                         "scope": {"vms": [%s]}, "flood": %d}
                        """
                                .formatted(name, String.join(",", ids), flood));
        assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
        turn();
        return "/api/v1/alert-rules/"
                + RunningEngine.JSON.readTree(added.body()).path("id").asString();
    }

    @Test
    void aRuleListsTheMissingNamesOfItsScope() throws Exception {
        UUID nowhere = UUID.fromString("7c1e0d5a-2b3c-4d5e-8f90-a1b2c3d4e5f6");
        HttpResponse<String> added =
                engine.post(
                        "/api/v1/alert-rules",
                        """
                        {"alert": "Planned", "expr": "vm.usageCpuPercent > 90",
                         "scope": {"clusters": ["%1$s", "%2$s"], "tags": ["planned"],
                                   "vms": ["%1$s", "%3$s"], "hosts": ["%1$s"]}}
                        """
                                .formatted(nowhere, ClusterId.DEFAULT.value(), mine.id()));
        assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
        JsonNode rule = RunningEngine.JSON.readTree(added.body());
        JsonNode expected =
                RunningEngine.JSON.readTree(
                        """
                        {"clusters": ["%1$s"], "tags": ["planned"], "vms": ["%1$s"], "hosts": ["%1$s"],
                         "storageDomains": []}
                        """
                                .formatted(nowhere));
        String path = "/api/v1/alert-rules/" + rule.path("id").asString();
        try {
            assertThat(rule.path("unknown")).isEqualTo(expected);
            assertThat(engine.json(path).path("unknown")).isEqualTo(expected);

            TagRegistry tags = engine.monitoring().fleet().tags();
            var _ = tags.save(new Tag(UUID.randomUUID(), "planned", "", null));

            assertThat(engine.json(path).path("unknown").path("tags")).isEmpty();

            HttpResponse<String> onDisks =
                    engine.put(
                            path,
                            """
                            {"alert": "Planned", "expr": "disk.readLatencyMilliseconds > 90",
                             "scope": {"storageDomains": ["%1$s"]}}
                            """
                                    .formatted(nowhere));
            assertThat(onDisks.statusCode()).as(onDisks.body()).isEqualTo(200);
            JsonNode changed = RunningEngine.JSON.readTree(onDisks.body());
            assertThat(changed.path("scope").path("storageDomains").get(0).asString())
                    .isEqualTo(nowhere.toString());
            assertThat(changed.path("unknown").path("storageDomains")).hasSize(1);
        } finally {
            assertThat(engine.delete(path).statusCode()).isEqualTo(204);
        }
    }

    private static JsonNode nextAlert(Stream stream) throws IOException {
        Event event = stream.next("alert");
        assertThat(event).isNotNull();
        assertThat(event.id()).endsWith("-" + event.json().path("revision").asString());
        return event.json().path("alert");
    }

    @Test
    void theStreamSendsFiringAlertsThenChangesAndContinuesAfterARevision() throws Exception {
        String before = fired("Before", 20, mine, hidden);
        String seen;
        String rule;
        try (Stream stream = engine.stream("?entity=alert")) {
            JsonNode alerts = stream.next("snapshot").json().path("alerts");
            assertThat(alerts.findValuesAsString("objectId"))
                    .contains(mine.id().toString(), hidden.id().toString());
            JsonNode shown = engine.json("/api/v1/alerts/" + alerts.get(0).path("id").asString());
            assertThat(alerts.get(0)).as("the members of REST").isEqualTo(shown);
            assertThat(stream.next().json().path("alerts").asInt()).isEqualTo(alerts.size());

            rule = fired("During", 20, mine);
            JsonNode alert = nextAlert(stream);
            assertThat(alert.path("state").asString()).isEqualTo("firing");
            assertThat(alert.path("alert").asString()).isEqualTo("During");
            String id = alert.path("id").asString();

            assertThat(
                            engine.post(
                                            "/api/v1/alerts/" + id + "/acknowledge",
                                            "{\"comment\": \"known\"}")
                                    .statusCode())
                    .isEqualTo(200);
            Event change = stream.next("alert");
            assertThat(change.json().path("alert").path("acknowledged").path("comment").asString())
                    .isEqualTo("known");
            seen = change.id();
        }
        assertThat(engine.delete(rule).statusCode()).isEqualTo(204);
        try (Stream resumed = engine.stream("?entity=alert", "Last-Event-ID", seen)) {
            Event first = resumed.next();
            assertThat(first.name()).as("no snapshot").isEqualTo("alert");
            assertThat(first.json().path("alert").path("resolution").asString()).isEqualTo("rule");
        }
        try (Stream usual = engine.stream("")) {
            Event event = usual.next();
            while (!event.name().equals("snapshot-end")) {
                assertThat(event.json().has("alerts")).as("only if it is named").isFalse();
                event = usual.next();
            }
            assertThat(event.json().has("alerts")).isFalse();
        }
        assertThat(engine.get("/api/v1/stream?entity=alerts").body())
                .contains("entity must be vm, host, event, alert, finding or engine");
        assertThat(engine.delete(before).statusCode()).isEqualTo(204);
    }

    @Test
    void aReaderOfOneVmSeesItsAlertsOnly() throws Exception {
        String rule = fired("Both", 20, mine, hidden);
        String group = fired("Group", 1, mine, hidden);
        String asEve = basic("eve", PASSWORD);
        try (Stream stream = engine.stream("?entity=alert", "Authorization", asEve)) {
            JsonNode alerts = stream.next("snapshot").json().path("alerts");
            assertThat(alerts.findValuesAsString("objectId"))
                    .isNotEmpty()
                    .containsOnly(mine.id().toString());
            assertThat(engine.delete(rule).statusCode()).isEqualTo(204);
            assertThat(engine.delete(group).statusCode()).isEqualTo(204);
            JsonNode end = nextAlert(stream);
            assertThat(end.path("objectId").asString()).isEqualTo(mine.id().toString());
            assertThat(end.path("alert").asString()).isEqualTo("Both");
            String last = fired("Last", 20, hidden, mine);
            JsonNode begin = nextAlert(stream);
            assertThat(begin.path("objectId").asString()).isEqualTo(mine.id().toString());
            assertThat(begin.path("alert").asString()).isEqualTo("Last");
            assertThat(engine.delete(last).statusCode()).isEqualTo(204);
        }
    }

    /** One VM's hour of a processor's use. */
    private record Usage(UUID id, float percent) implements HistoryStore.RollUps {

        @Override
        public int size() {
            return 1;
        }

        @Override
        public long idUpper(int row) {
            return id.getMostSignificantBits();
        }

        @Override
        public long idLower(int row) {
            return id.getLeastSignificantBits();
        }

        @Override
        public int count(int row, int metric) {
            return metric == 0 ? 60 : 0;
        }

        @Override
        public float min(int row, int metric) {
            return percent;
        }

        @Override
        public float mean(int row, int metric) {
            return percent;
        }

        @Override
        public float max(int row, int metric) {
            return percent;
        }
    }

    @Test
    void aRuleIsTestedOnThirtyDaysOfStoredHistory() throws Exception {
        HistoryStore history = engine.database().history();
        Instant now = Instant.now().truncatedTo(ChronoUnit.HOURS);
        Instant begin = now.minus(Duration.ofDays(31));
        Instant run = begin.minusSeconds(1);
        HistoryStore.Retention all =
                new HistoryStore.Retention(
                        Duration.ofDays(99_999), Duration.ofDays(99_999), Duration.ofDays(99_999));
        for (Instant at = begin; at.isBefore(now); at = at.plus(Duration.ofDays(7))) {
            HistoryStore.Maintenance _ = history.maintain(at, at.plus(Duration.ofDays(8)), all);
        }
        UUID vm = mine.id();
        int hour = 0;
        for (Instant at = begin;
                at.isBefore(now.minus(HOUR.multipliedBy(24)));
                at = at.plus(HOUR)) {
            // Three times of four hours, and one hour, in which it is busy.
            boolean busy = (hour < 600 && hour % 200 >= 100 && hour % 200 < 104) || hour == 350;
            HistoryStore.Recorded _ =
                    history.writeHour(
                            new HistoryStore.Interval(at, at, run),
                            new Usage(vm, busy ? 95 : 10),
                            NONE);
            hour++;
        }
        String rule =
                """
                {"rule": {"alert": "BusyVm", "expr": "vm.usageCpuPercent > 90", "for": "2h",
                          "scope": {"vms": ["%s", "%s"]}}, "over": "30d"}
                """
                        .formatted(mine.id(), hidden.id());

        HttpResponse<String> answer = engine.post("/api/v1/alert-rules/backtest", rule);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        JsonNode past = RunningEngine.JSON.readTree(answer.body());
        assertThat(past.path("text").asString())
                .isEqualTo("would have fired 3 times in 30 days, here: " + shown(mine) + " (3)");
        assertThat(past.path("coarsest").asString()).isEqualTo("PT1H");
        assertThat(past.path("objects").asInt()).isEqualTo(2);
        assertThat(past.path("items")).hasSize(3);
        JsonNode first = past.path("items").get(0);
        Instant busy = begin.plus(HOUR.multipliedBy(100));
        assertThat(Duration.between(busy, Instant.parse(first.path("from").asString())))
                .as("it had to last two hours, which a test by hours sees up to an hour later")
                .isBetween(HOUR.multipliedBy(2), HOUR.multipliedBy(3).plusMinutes(10));
        assertThat(Duration.between(busy, Instant.parse(first.path("until").asString())))
                .isBetween(HOUR.multipliedBy(4), HOUR.multipliedBy(5).plusMinutes(10));
        assertThat(engine.json("/api/v1/alert-rules").path("items").findValuesAsString("alert"))
                .as("a test saves nothing")
                .doesNotContain("BusyVm");
        assertThat(
                        RunningEngine.JSON
                                .readTree(
                                        engine.post(
                                                        "/api/v1/alert-rules/backtest",
                                                        rule.replace("2h", "6h"))
                                                .body())
                                .path("text")
                                .asString())
                .isEqualTo("would have fired 0 times in 30 days");
    }

    private static final HistoryStore.RollUps NONE =
            new HistoryStore.RollUps() {
                @Override
                public int size() {
                    return 0;
                }

                @Override
                public long idUpper(int row) {
                    throw new IndexOutOfBoundsException(row);
                }

                @Override
                public long idLower(int row) {
                    throw new IndexOutOfBoundsException(row);
                }

                @Override
                public int count(int row, int metric) {
                    throw new IndexOutOfBoundsException(row);
                }

                @Override
                public float min(int row, int metric) {
                    throw new IndexOutOfBoundsException(row);
                }

                @Override
                public float mean(int row, int metric) {
                    throw new IndexOutOfBoundsException(row);
                }

                @Override
                public float max(int row, int metric) {
                    throw new IndexOutOfBoundsException(row);
                }
            };

    @Test
    void anEngineThatIsStartedAgainDeliversTheEndOfAnAlertAlthoughItsVmIsGone() throws Exception {
        SimulatedVm leaving = fleet.world().vms().get(2);
        String _ = fired("Leaving", 20, leaving);
        RunningEngine.await(() -> of("Leaving", "firing").size() == 1, () -> "" + posted);
        RunningEngine.await(
                () -> mailed("FIRING   Leaving").size() == 1, () -> "" + mails.received());
        assertThat(engine.get("/actuator/prometheus").body())
                .as("series of Dashboards.CONDITIONAL")
                .contains(
                        "stillwater_alerts_waiting{",
                        "stillwater_alerts_dropped_total{",
                        "stillwater_alerts_failed_total{");
        assertThat(mailed("FIRING   Leaving").getFirst().encrypted()).isTrue();
        // A receiver has an alert before the engine has its answer, without which it tells it
        // again.
        awaitDelivered();
        engine.close();
        leaving.destroy();
        engine = startEngine();

        RunningEngine.await(
                () -> {
                    turn();
                    return of("Leaving", "resolved").size() == 1;
                },
                () -> "" + engine.json("/api/v1/alerts"));
        RunningEngine.await(
                () -> mailed("RESOLVED Leaving").size() == 1, () -> "" + mails.received());
        assertThat(of("Leaving", "firing")).as("it is not told again").hasSize(1);
        JsonNode end = of("Leaving", "resolved").getFirst();
        assertThat(end.path("labels").path("object").asString()).isEqualTo(shown(leaving));
        assertThat(end.path("annotations").path("ending").asString()).isEqualTo("gone");
        assertThat(mailed("RESOLVED Leaving").getFirst().text()).contains("vm " + shown(leaving));
        awaitDelivered();
        assertThat(deliveries().path("webhook").has("reason")).isFalse();
    }

    private static JsonNode deliveries() {
        return engine.json("/actuator/health").path("components").path("alerts").path("details");
    }

    /** Until no alert waits for a receiver's answer. */
    private static void awaitDelivered() {
        RunningEngine.await(
                () ->
                        deliveries().path("mail").path("waiting").asInt(-1) == 0
                                && deliveries().path("webhook").path("waiting").asInt(-1) == 0,
                () -> deliveries().toString());
    }

    private static List<JsonNode> of(String rule, String status) {
        return posted.stream()
                .flatMap(body -> body.path("alerts").valueStream())
                .filter(alert -> alert.path("status").asString().equals(status))
                .filter(alert -> alert.path("labels").path("alertname").asString().equals(rule))
                .toList();
    }

    private static List<MailReceiver.Received> mailed(String text) {
        return mails.received().stream().filter(mail -> mail.text().contains(text)).toList();
    }
}
