package org.stillwater.server.alert;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.regression.Coincidence;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.RecordedChange;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.server.settings.AlertSettings;
import org.stillwater.testkit.VirtualClock;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Against a real receiver on the loopback address. */
class AlertDeliveryTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Instant BEGIN = Instant.parse("2026-11-20T03:10:00Z");

    private final List<JsonNode> received = new CopyOnWriteArrayList<>();
    private final VirtualClock clock = new VirtualClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private volatile int status = 200;
    private HttpServer receiver;
    private AlertDelivery delivery;

    @BeforeEach
    void start() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/hook", this::receive);
        receiver.start();
        delivery =
                new AlertDelivery(
                        new AlertSettings(
                                "http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook",
                                "https://engine.example",
                                3,
                                2,
                                Duration.ofMinutes(1),
                                Duration.ofSeconds(1),
                                Duration.ofMinutes(1)),
                        object -> object.level() + " " + object.name(),
                        clock,
                        JSON,
                        meters);
    }

    @AfterEach
    void stop() {
        delivery.stop();
        receiver.stop(0);
    }

    private void receive(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode body = JSON.readTree(exchange.getRequestBody().readAllBytes());
            if (status == 200) {
                received.add(body);
            }
            exchange.sendResponseHeaders(status, -1);
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
        assertThat(delivery.send()).isTrue();
        delivery.take(finding(1).ended(BEGIN.plusSeconds(9_000), Finding.Ending.RECOVERED));
        assertThat(delivery.send()).isTrue();

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
        assertThat(delivery.waiting()).isZero();
        assertThat(meters.get("stillwater.alerts.sent").counter().count()).isEqualTo(2);
    }

    @Test
    void whileTheReceiverFailsAlertsWaitUpToALimit() throws Exception {
        status = 503;
        for (int i = 1; i <= 4; i++) {
            delivery.take(finding(i));
        }
        assertThat(delivery.send()).isFalse();
        assertThat(delivery.waiting()).isEqualTo(3);
        assertThat(meters.get("stillwater.alerts.dropped").counter().count()).isEqualTo(1);

        status = 200;
        assertThat(delivery.send()).isTrue();
        assertThat(delivery.send()).isTrue();

        assertThat(received.stream().flatMap(body -> body.path("alerts").valueStream()))
                .extracting(alert -> alert.path("labels").path("object").asString())
                .containsExactly("host host-2", "host host-3", "host host-4");
    }

    @Test
    void aSilencedFindingAndAnEndWithoutABeginSendNothing() throws Exception {
        delivery.take(finding(1).silenced(clock.now().plusSeconds(60)));
        delivery.take(finding(2).ended(BEGIN.plusSeconds(9_000), Finding.Ending.ADOPTED));

        assertThat(delivery.waiting()).isZero();
        assertThat(delivery.send()).isTrue();
        assertThat(received).isEmpty();
    }
}
