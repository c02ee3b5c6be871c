package org.stillwater.server.alert;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.alert.AlertResolution;
import org.stillwater.core.alert.AlertRule;
import org.stillwater.core.alert.AlertScope;
import org.stillwater.core.alert.AlertSeverity;
import org.stillwater.core.alert.AlertSubject;
import org.stillwater.core.regression.Coincidence;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.RecordedChange;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.server.settings.AlertSettings;
import org.stillwater.server.settings.MailSettings;
import org.stillwater.testkit.VirtualClock;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Against a real receiver on the loopback address. */
class AlertDeliveryTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final MailSettings NO_MAIL =
            new MailSettings(
                    "",
                    587,
                    MailSettings.Encryption.STARTTLS,
                    null,
                    "",
                    "",
                    "",
                    List.of(),
                    Duration.ofSeconds(30),
                    Duration.ZERO,
                    Duration.ZERO,
                    50);
    private static final Instant BEGIN = Instant.parse("2026-11-20T03:10:00Z");

    private final List<JsonNode> received = new CopyOnWriteArrayList<>();
    private final Map<UUID, Boolean> taken = new HashMap<>();
    private final VirtualClock clock = new VirtualClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final List<String> upgrades = new CopyOnWriteArrayList<>();
    private final List<String> logins = new CopyOnWriteArrayList<>();
    private String login = "";
    private volatile int status = 200;
    private volatile String poison = "no alert has this text";
    private HttpServer receiver;
    private AlertDelivery delivery;
    private DeliveryQueue queue;

    @BeforeEach
    void start() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/hook", this::receive);
        receiver.start();
        delivery = delivery("/hook", 3, 2, meters);
        queue = delivery.queue("webhook");
    }

    private AlertDelivery delivery(String path, int waiting, int batch, SimpleMeterRegistry to) {
        return new AlertDelivery(
                new AlertSettings(
                        "http://" + login + "127.0.0.1:" + receiver.getAddress().getPort() + path,
                        "https://engine.example",
                        waiting,
                        batch,
                        Duration.ofMinutes(1),
                        Duration.ofSeconds(1),
                        Duration.ofMinutes(1)),
                NO_MAIL,
                object -> object.level() + " " + object.name(),
                (_, begins) -> taken.putAll(begins),
                clock,
                JSON,
                to);
    }

    @AfterEach
    void stop() {
        delivery.stop(Duration.ZERO);
        receiver.stop(0);
    }

    private void receive(HttpExchange exchange) throws IOException {
        upgrades.addAll(exchange.getRequestHeaders().getOrDefault("Upgrade", List.of()));
        logins.addAll(exchange.getRequestHeaders().getOrDefault("Authorization", List.of()));
        try (exchange) {
            JsonNode body = JSON.readTree(exchange.getRequestBody().readAllBytes());
            boolean poisoned = body.toString().contains(poison);
            if (status == 200 && !poisoned) {
                received.add(body);
            }
            exchange.sendResponseHeaders(poisoned ? 422 : status, -1);
        }
    }

    private static Finding finding(int number) {
        return new Finding(
                new UUID(7, number),
                new SeriesOwner.Shared(SeriesOwner.HOST, "host-" + number),
                BEGIN,
                BEGIN,
                BEGIN,
                BEGIN.plusSeconds(3_000),
                Duration.ofMinutes(5),
                List.of(
                        new Finding.Change(
                                RegressionMetric.DISK_READ_LATENCY, 0.5, 0.4, 0.6, 0.999, 2, 3, 4)),
                List.of("a"),
                1,
                1,
                List.of(
                        new Coincidence(
                                RecordedChange.Kind.SOFTWARE, "kernel 1 became 2", BEGIN, 1)),
                List.of(),
                null,
                null,
                null,
                null);
    }

    @Test
    void beginAndEndArriveOnceEachInTheFormatOfAlertmanager() throws Exception {
        delivery.take(finding(1));
        delivery.take(finding(1)); // more members: no second alert
        assertThat(queue.send()).isTrue();
        delivery.take(finding(1).ended(BEGIN.plusSeconds(9_000), Finding.Ending.RECOVERED));
        assertThat(queue.send()).isTrue();

        assertThat(received).hasSize(2);
        JsonNode firing = received.getFirst();
        assertThat(firing.path("version").asString()).isEqualTo("4");
        assertThat(firing.path("status").asString()).isEqualTo("firing");
        JsonNode alert = firing.path("alerts").get(0);
        assertThat(alert.path("labels").path("object").asString()).isEqualTo("host host-1");
        assertThat(alert.path("labels").path("metric").asString()).isEqualTo("disk-read-latency");
        assertThat(alert.path("annotations").path("summary").asString())
                .contains("+50 %", "coincides with: kernel 1 became 2");
        assertThat(alert.path("startsAt").asString()).isEqualTo(BEGIN.toString());
        assertThat(alert.path("endsAt").asString()).isEqualTo("0001-01-01T00:00:00Z");
        assertThat(alert.path("generatorURL").asString())
                .isEqualTo("https://engine.example/api/v1/findings/" + new UUID(7, 1));
        JsonNode resolved = received.getLast();
        assertThat(resolved.path("status").asString()).isEqualTo("resolved");
        assertThat(resolved.path("alerts").get(0).path("fingerprint"))
                .isEqualTo(alert.path("fingerprint"));
        assertThat(queue.waiting()).isZero();
        assertThat(meters.get("stillwater.alerts.sent").counter().count()).isEqualTo(2);
    }

    @Test
    void commonLabelsAndAnnotationsAreThoseOfAllAlertsOfARequest() throws Exception {
        delivery.take(alert(1), false);
        delivery.take(alert(2), false);
        assertThat(queue.send()).isTrue();
        delivery.take(alert(3), false);
        assertThat(queue.send()).isTrue();

        JsonNode two = received.getFirst();
        assertThat(two.path("alerts")).hasSize(2);
        assertThat(two.path("groupKey").asString()).isEqualTo("{}:{alertname=\"Busy\"}");
        assertThat(two.path("commonLabels").propertyNames())
                .containsExactlyInAnyOrder("alertname", "kind", "severity");
        assertThat(two.path("commonLabels").path("severity").asString()).isEqualTo("warning");
        assertThat(two.path("commonAnnotations").path("expr").asString())
                .isEqualTo("vm.usageCpuPercent > 90");
        assertThat(two.path("commonAnnotations").has("summary")).isFalse();
        JsonNode one = received.getLast();
        assertThat(one.path("commonLabels")).isEqualTo(one.path("alerts").get(0).path("labels"));
        assertThat(one.path("commonAnnotations"))
                .isEqualTo(one.path("alerts").get(0).path("annotations"));
        assertThat(upgrades).as("receivers stumble over an offer of HTTP 2").isEmpty();
    }

    @Test
    void whileTheReceiverFailsAlertsWaitUpToALimit() throws Exception {
        status = 503;
        for (int i = 1; i <= 4; i++) {
            delivery.take(finding(i));
        }
        assertThat(queue.send()).isFalse();
        assertThat(queue.waiting()).isEqualTo(3);
        assertThat(meters.get("stillwater.alerts.dropped").counter().count()).isEqualTo(1);

        status = 200;
        assertThat(queue.send()).isTrue();
        assertThat(queue.send()).isTrue();

        assertThat(received.stream().flatMap(body -> body.path("alerts").valueStream()))
                .extracting(alert -> alert.path("labels").path("object").asString())
                .containsExactly("host host-2", "host host-3", "host host-4");
    }

    @Test
    void droppedBeginsAndEndsAreSentWhenThereIsRoomAgain() throws Exception {
        List<Alert> known = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            known.add(alert(i));
        }
        delivery.offeredBy(() -> known.forEach(each -> delivery.take(each, false)));
        delivery.take(known.getFirst(), false);
        assertThat(queue.send()).isTrue();

        status = 503;
        known.set(0, ended(known.getFirst())); // its end is the oldest notice
        known.forEach(each -> delivery.take(each, false));
        known.set(2, ended(known.get(2)));
        delivery.take(known.get(2), false);
        assertThat(queue.waiting()).isEqualTo(3);
        assertThat(meters.get("stillwater.alerts.dropped").counter().count()).isEqualTo(5);

        status = 200;
        received.clear();
        for (int i = 0; i < 20 && queue.waiting() > 0; i++) {
            assertThat(queue.send()).isTrue();
        }
        assertThat(
                        received.stream()
                                .flatMap(body -> body.path("alerts").valueStream())
                                .map(AlertDeliveryTest::described))
                .as("each state that lasts once; web-3 fired and ended unseen")
                .containsExactlyInAnyOrder(
                        "resolved web-1",
                        "firing web-2",
                        "firing web-4",
                        "firing web-5",
                        "firing web-6",
                        "firing web-7",
                        "firing web-8");
    }

    private static String described(JsonNode alert) {
        return alert.path("status").asString()
                + " "
                + alert.path("labels").path("object").asString();
    }

    @Test
    void aSilencedFindingAndAnEndWithoutABeginSendNothing() throws Exception {
        delivery.take(finding(1).silenced(clock.now().plusSeconds(60)));
        delivery.take(finding(2).ended(BEGIN.plusSeconds(9_000), Finding.Ending.ADOPTED));

        assertThat(queue.waiting()).isZero();
        assertThat(queue.send()).isTrue();
        assertThat(received).isEmpty();
    }

    @Test
    void theEndOfAFindingThatWasSilencedAfterItsBeginIsSent() throws Exception {
        delivery.take(finding(1));
        assertThat(queue.send()).isTrue();
        Finding silenced = finding(1).silenced(clock.now().plusSeconds(60));
        delivery.take(silenced);
        delivery.take(silenced.ended(BEGIN.plusSeconds(9_000), Finding.Ending.RECOVERED));
        assertThat(queue.send()).isTrue();

        assertThat(received)
                .extracting(body -> body.path("status").asString())
                .containsExactly("firing", "resolved");
    }

    @Test
    void theEndOfAFindingThatBeganInAFormerLifeIsSentAndItsBeginIsNotSentAgain() throws Exception {
        delivery.restored(finding(1));
        delivery.take(finding(1));
        assertThat(queue.waiting()).isZero();

        delivery.take(finding(1).ended(BEGIN.plusSeconds(9_000), Finding.Ending.RECOVERED));
        assertThat(queue.send()).isTrue();
        assertThat(received.getFirst().path("status").asString()).isEqualTo("resolved");
    }

    @Test
    void troubleIsNamedUntilTheReceiverTakesAlertsAgain() throws Exception {
        status = 503;
        delivery.take(finding(1));
        assertThat(queue.send()).isFalse();
        assertThat(delivery.conditions())
                .containsExactly(
                        new AlertDelivery.Condition("webhook", 1, 0, clock.now(), "status 503"));
        status = 200;
        assertThat(queue.send()).isTrue();
        assertThat(delivery.conditions())
                .containsExactly(new AlertDelivery.Condition("webhook", 0, 0, null, null));
    }

    @Test
    void aLoginInTheUrlIsSent() throws Exception {
        delivery.take(finding(1));
        assertThat(queue.send()).isTrue();
        assertThat(logins).isEmpty();

        login = "ops:p%40ss@";
        AlertDelivery other = delivery("/hook", 3, 2, new SimpleMeterRegistry());
        other.take(finding(2));
        assertThat(other.queue("webhook").send()).isTrue();
        other.stop(Duration.ZERO);

        String sent = logins.getFirst().substring("Basic ".length());
        assertThat(new String(Base64.getDecoder().decode(sent), StandardCharsets.UTF_8))
                .isEqualTo("ops:p@ss");
    }

    @Test
    @Timeout(30)
    void anAnswerWithoutAnEndDoesNotHoldTheAlertsBehindIt() throws Exception {
        CompletableFuture<Void> end = new CompletableFuture<>();
        receiver.createContext(
                "/endless",
                exchange -> {
                    exchange.getRequestBody().readAllBytes();
                    exchange.sendResponseHeaders(200, 1_000);
                    exchange.getResponseBody().write('a');
                    exchange.getResponseBody().flush();
                    end.join();
                    exchange.close();
                });
        AlertDelivery endless = delivery("/endless", 3, 2, new SimpleMeterRegistry());
        try {
            endless.take(finding(1));
            assertThat(endless.queue("webhook").send()).as("its status was read").isTrue();
        } finally {
            end.complete(null);
            endless.stop(Duration.ZERO);
        }
    }

    @Test
    void anAlertThatTheReceiverRefusesForGoodIsDroppedWithoutTheOthers() throws Exception {
        SimpleMeterRegistry counted = new SimpleMeterRegistry();
        AlertDelivery large = delivery("/hook", 10, 8, counted);
        DeliveryQueue eight = large.queue("webhook");
        poison = "host-5";
        for (int i = 1; i <= 8; i++) {
            large.take(finding(i));
        }
        for (int i = 0; i < 20 && eight.waiting() > 0; i++) {
            boolean _ = eight.send();
        }
        large.stop(Duration.ZERO);

        assertThat(eight.waiting()).isZero();
        assertThat(received.stream().flatMap(body -> body.path("alerts").valueStream()))
                .extracting(alert -> alert.path("labels").path("object").asString())
                .containsExactly(
                        "host host-1",
                        "host host-2",
                        "host host-3",
                        "host host-4",
                        "host host-6",
                        "host host-7",
                        "host host-8");
        assertThat(counted.get("stillwater.alerts.dropped").counter().count()).isEqualTo(1);
    }

    private static Alert alert(int number) {
        return Alert.fired(
                new AlertRule(
                        new UUID(5, 5),
                        1,
                        "Busy",
                        "vm.usageCpuPercent > 90",
                        Duration.ZERO,
                        AlertScope.ALL,
                        AlertSeverity.WARNING,
                        Map.of(),
                        Map.of(),
                        true,
                        20),
                new AlertSubject(AlertSubject.Kind.VM, new UUID(8, number), "web-" + number),
                95,
                BEGIN,
                BEGIN,
                1);
    }

    private static Alert ended(Alert alert) {
        return alert.resolved(BEGIN.plusSeconds(90), AlertResolution.CONDITION);
    }

    @Test
    void aSilenceHoldsTheBeginOfAnAlertBackAndNotTheEndOfOneThatWasSent() throws Exception {
        delivery.take(alert(1), false);
        assertThat(sent()).containsExactly("firing web-1");
        delivery.take(alert(2), true);
        Alert told = alert(3).delivered("webhook", true);
        delivery.restored(told, true);
        delivery.restored(alert(4), true);
        assertThat(queue.waiting()).as("begins under a silence").isZero();

        delivery.take(ended(alert(1)), true);
        delivery.take(ended(alert(2)), true);
        assertThat(sent()).containsExactly("resolved web-1");
        delivery.take(ended(told), true);
        delivery.take(ended(alert(4)), true);
        assertThat(sent()).containsExactly("resolved web-3");
    }

    private List<String> sent() throws Exception {
        received.clear();
        assertThat(queue.send()).isTrue();
        return received.stream()
                .flatMap(body -> body.path("alerts").valueStream())
                .map(AlertDeliveryTest::described)
                .toList();
    }

    @Test
    void alertsOfAFormerLifeContinueWhereTheReceiverWas() throws Exception {
        Alert told = alert(1).delivered("webhook", true);
        Alert waited = alert(2).delivered("mail", true);
        delivery.restored(told, false);
        delivery.restored(waited, false);
        assertThat(sent()).containsExactly("firing web-2");
        assertThat(taken).containsExactly(Map.entry(waited.id(), true));

        delivery.restored(
                alert(3).delivered("webhook", true)
                        .resolved(BEGIN.plusSeconds(60), AlertResolution.CONDITION),
                false);
        delivery.restored(ended(alert(4)), false);
        delivery.take(ended(told), false);
        assertThat(sent()).containsExactly("resolved web-3", "resolved web-1");
        assertThat(taken).containsEntry(told.id(), false);
    }
}
