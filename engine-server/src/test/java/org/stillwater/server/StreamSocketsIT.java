package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.dal.TestDatabase;
import org.stillwater.fake.world.MigrationOrder;
import org.stillwater.fake.world.SimulatedVm;
import org.stillwater.fake.world.WorldSettings;
import org.stillwater.server.RunningEngine.Event;
import org.stillwater.server.RunningEngine.Stream;
import tools.jackson.databind.JsonNode;

/** The stream over WebSocket and its filters; readers that are slow are in SlowReadersIT. */
@Timeout(120)
class StreamSocketsIT {

    private static final int VMS = 60;

    @TempDir static Path folder;
    private static TestDatabase database;
    private static SimulatedFleet fleet;
    private static RunningEngine engine;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.migrated();
        fleet = SimulatedFleet.start(folder, WorldSettings.of(11, 3, 20));
        engine =
                RunningEngine.start(
                        database,
                        fleet.engineArguments(),
                        "--stillwater.cycle.interval=200ms",
                        "--stillwater.stream.heart-beat=100ms",
                        "--stillwater.stream.snapshot-chunk=7",
                        "--stillwater.stream.max-subscribers=20",
                        "--stillwater.stream.first-message=300ms",
                        "--stillwater.stream.allowed-origins=https://console.example.org");
        engine.awaitHostsUp(3);
        RunningEngine.await(
                () -> engine.monitoring().fleet().vmCount() == VMS,
                () -> "" + engine.monitoring().health());
        fleet.world().advance(Duration.ofSeconds(30));
        engine.pollAll();
    }

    @AfterAll
    static void stop() {
        engine.close();
        fleet.close();
        database.close();
    }

    /** One socket; messages wait here until they are asked for. */
    private static final class Reader implements WebSocket.Listener, AutoCloseable {

        private final BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
        private final BlockingQueue<Integer> closed = new LinkedBlockingQueue<>();
        private final StringBuilder part = new StringBuilder();
        private final WebSocket socket;

        Reader(String query) {
            this.socket =
                    HttpClient.newHttpClient()
                            .newWebSocketBuilder()
                            .buildAsync(
                                    URI.create(
                                            engine.address().replace("http:", "ws:")
                                                    + "/api/v1/stream/ws"
                                                    + query),
                                    this)
                            .join();
        }

        @Override
        public void onOpen(WebSocket opened) {
            opened.request(1);
        }

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            part.append(data);
            if (last) {
                messages.add(RunningEngine.JSON.readTree(part.toString()));
                part.setLength(0);
            }
            from.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            closed.add(code);
            return null;
        }

        JsonNode next() throws InterruptedException {
            JsonNode message = messages.poll(30, TimeUnit.SECONDS);
            assertThat(message).as("a message").isNotNull();
            return message;
        }

        JsonNode next(String type) throws InterruptedException {
            JsonNode message = next();
            while (!message.path("type").asString().equals(type)) {
                message = next();
            }
            return message;
        }

        /** Everything that is told before the first heart-beat that has this revision. */
        List<JsonNode> upTo(long revision) throws InterruptedException {
            List<JsonNode> told = new ArrayList<>();
            JsonNode message = next();
            while (!message.path("type").asString().equals("heartbeat")
                    || message.path("revision").asLong() < revision) {
                if (!message.path("type").asString().equals("heartbeat")) {
                    told.add(message);
                }
                message = next();
            }
            return told;
        }

        @Override
        public void close() {
            socket.abort();
        }
    }

    @Test
    void aSocketIsToldEverythingThenEveryChangeInOrder() throws Exception {
        try (Reader reader = new Reader("?entity=vm,host")) {
            Set<String> vms = new HashSet<>();
            JsonNode message = reader.next();
            while (message.path("type").asString().equals("snapshot")) {
                assertThat(message.path("vms").size()).isLessThanOrEqualTo(7);
                vms.addAll(message.path("vms").findValuesAsString("id"));
                message = reader.next();
            }
            assertThat(message.path("type").asString()).isEqualTo("snapshot-end");
            assertThat(vms).hasSize(VMS);
            long revision = message.path("revision").asLong();
            SimulatedVm vm = withAgent(0);
            vm.logIn("over-a-socket");
            fleet.world().advance(Duration.ofSeconds(1));
            JsonNode delta = reader.next("delta");
            while (!delta.path("vm").path("guestUser").asString("").equals("over-a-socket")) {
                assertThat(delta.path("revision").asLong()).isGreaterThan(revision);
                revision = delta.path("revision").asLong();
                delta = reader.next("delta");
            }
            assertThat(reader.next("heartbeat").path("revision").isNumber()).isTrue();
        }
    }

    @Test
    void aSocketResumesAfterTheLastRevisionSeen() throws Exception {
        long seen;
        try (Reader reader = new Reader("?entity=vm")) {
            seen = reader.next("snapshot-end").path("revision").asLong();
        }
        SimulatedVm vm = withAgent(1);
        vm.logIn("while-away");
        fleet.world().advance(Duration.ofSeconds(1));
        engine.pollAll();
        try (Reader reader = new Reader("?entity=vm&since=" + seen)) {
            JsonNode first = reader.next();
            assertThat(first.path("type").asString()).isEqualTo("delta");
            while (!first.path("vm").path("guestUser").asString("").equals("while-away")) {
                first = reader.next("delta");
            }
        }
        try (Reader reader = new Reader("?entity=vm&since=17")) {
            assertThat(reader.next().path("type").asString()).isEqualTo("snapshot");
        }
    }

    @Test
    void whatIsWantedMayBeSaidByAMessageAndChangedByAnother() throws Exception {
        SimulatedVm vm = withAgent(2);
        try (Reader reader = new Reader("")) {
            reader.socket
                    .sendText(
                            "{\"type\":\"subscribe\",\"vm\":[\"%s\"],\"entity\":\"vm\",\"fields\":\"name,guestUser\"}"
                                    .formatted(vm.id()),
                            true)
                    .join();
            JsonNode snapshot = reader.next("snapshot");
            assertThat(snapshot.path("vms")).hasSize(1);
            assertThat(snapshot.path("vms").get(0).propertyNames())
                    .containsExactly("id", "name", "guestUser");
            vm.logIn("filtered");
            fleet.world().advance(Duration.ofSeconds(1));
            JsonNode delta = reader.next("delta");
            assertThat(delta.path("id").asString()).isEqualTo(vm.id().toString());
            assertThat(delta.path("vm").path("guestUser").asString()).isEqualTo("filtered");
            assertThat(delta.path("vm").has("status")).isFalse();
            reader.socket.sendText("{\"type\":\"subscribe\",\"entity\":\"host\"}", true).join();
            assertThat(reader.next("snapshot-end").path("hosts").asInt()).isEqualTo(3);
        }
        try (Reader silent = new Reader("")) {
            assertThat(silent.next("snapshot-end").path("vms").asInt())
                    .as("who says nothing is told everything")
                    .isEqualTo(VMS);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no json",
                "[]",
                "{\"type\":\"hello\"}",
                "{\"type\":\"subscribe\",\"entity\":\"disk\"}",
                "{\"type\":\"subscribe\",\"vm\":\"no-uuid\"}",
                "{\"type\":\"subscribe\",\"fields\":\"size\"}",
                "{\"type\":\"subscribe\",\"fields\":{}}",
                "{\"type\":\"subscribe\",\"sql\":\"1\"}"
            })
    void whatCannotBeUnderstoodClosesTheSocketWithACodeOfItsOwn(String message) throws Exception {
        try (Reader reader = new Reader("")) {
            reader.socket.sendText(message, true).join();
            assertThat(reader.closed.poll(30, TimeUnit.SECONDS)).isEqualTo(4000);
        }
    }

    @Test
    void aWrongQueryIsRefusedBeforeThereIsASocket() {
        assertThatThrownBy(() -> new Reader("?entity=disk"))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        WebSocketHandshakeException.class,
                        refused -> assertThat(refused.getResponse().statusCode()).isEqualTo(400));
    }

    @Test
    void onlyPagesOfAllowedOriginsOpenASocket() throws Exception {
        assertThat(handshake("http://evil.example.org")).contains(" 403");
        assertThat(handshake("https://console.example.org")).contains(" 101");
        assertThat(handshake(engine.address())).contains(" 101");
    }

    private static String handshake(String origin) throws Exception {
        URI address = URI.create(engine.address());
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(30_000);
            write(
                    socket,
                    "GET /api/v1/stream/ws?entity=host HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nOrigin: %s\r\n\r\n"
                            .formatted(address.getHost(), address.getPort(), origin));
            return line(socket.getInputStream());
        }
    }

    private static void write(Socket socket, String text) throws Exception {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private static String line(InputStream in) throws Exception {
        StringBuilder line = new StringBuilder();
        int c = in.read();
        while (c >= 0 && c != '\n') {
            line.append((char) c);
            c = in.read();
        }
        return line.toString();
    }

    @Test
    void newNumbersAreToldToThoseWhoAsk() throws Exception {
        try (Reader reader = new Reader("?entity=vm&statistics=true&fields=name,statistics.cpu")) {
            reader.next("snapshot-end");
            engine.pollAll();
            JsonNode numbers = reader.next("statistics");
            assertThat(numbers.path("hostId").isString()).isTrue();
            assertThat(numbers.path("vms").get(0).propertyNames()).containsExactly("id", "cpu");
        }
        try (Stream stream = engine.stream("?entity=host&statistics=true")) {
            stream.next("snapshot-end");
            engine.pollAll();
            Event event = stream.next("statistics");
            assertThat(event.json().path("vms").get(0).has("cpuUserPercent")).isTrue();
            assertThat(event.id()).isNull();
        }
    }

    @Test
    void whoAsksForSomeIsToldWhatComesAndGoesAndOfNothingElse() throws Exception {
        SimulatedVm vm = withAgent(3);
        String id = vm.id().toString();
        String from = String.valueOf(vm.host());
        List<String> others =
                engine.json("/api/v1/hosts").path("items").findValuesAsString("name").stream()
                        .filter(name -> !name.equals(from))
                        .toList();
        String to = others.getFirst();
        try (Reader left = new Reader("?entity=vm&host=" + from);
                Reader entered = new Reader("?entity=vm&host=" + to);
                Reader third = new Reader("?entity=vm&host=" + others.get(1));
                Reader both = new Reader("?entity=vm&host=" + from + "," + to);
                Reader fields = new Reader("?entity=vm&fields=name,status&vm=" + id);
                Reader light = new Reader("?entity=vm&view=light&vm=" + id)) {
            for (Reader each : List.of(left, entered, third, both, fields, light)) {
                each.next("snapshot-end");
            }
            vm.migrate(MigrationOrder.to(to));
            String target = idOf(to);
            RunningEngine.await(
                    () -> {
                        fleet.world().advance(Duration.ofMillis(500));
                        JsonNode now = engine.json("/api/v1/vms/" + id);
                        return now.path("hostId").asString().equals(target)
                                && now.path("status").asString().equals("up");
                    },
                    () -> engine.get("/api/v1/vms/" + id).body());
            long now = engine.json("/api/v1/vms?limit=1").path("revision").asLong();
            assertThat(changes(left.upTo(now), id))
                    .endsWith("removed")
                    .containsOnlyOnce("removed")
                    .doesNotContain("added");
            assertThat(changes(entered.upTo(now), id))
                    .startsWith("added")
                    .containsOnlyOnce("added")
                    .doesNotContain("removed");
            assertThat(changes(third.upTo(now), id)).isEmpty();
            assertThat(changes(both.upTo(now), id)).isNotEmpty().containsOnly("changed");
            List<JsonNode> few = fields.upTo(now);
            assertThat(few).isNotEmpty();
            for (JsonNode delta : few) {
                assertThat(texts(delta.path("changed"))).containsExactly("status");
                assertThat(delta.path("vm").propertyNames()).containsExactly("id", "status");
            }
            for (JsonNode delta : light.upTo(now)) {
                assertThat(texts(delta.path("changed")))
                        .isSubsetOf("status", "guestIps", "placement");
            }
        }
    }

    private static String idOf(String host) {
        for (JsonNode each : engine.json("/api/v1/hosts").path("items")) {
            if (each.path("name").asString().equals(host)) {
                return each.path("id").asString();
            }
        }
        throw new AssertionError("no host " + host);
    }

    /** What is said of one VM. */
    private static List<String> changes(List<JsonNode> messages, String id) {
        return messages.stream()
                .filter(message -> message.path("id").asString("").equals(id))
                .map(message -> message.path("change").asString())
                .toList();
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asString()));
        return texts;
    }

    @Test
    void whoNamesVmsIsToldOfHostsOnlyIfItNamesThemToo() throws Exception {
        String nobody = "vm=" + new UUID(0, 7);
        assertThat(hosts("?" + nobody)).isZero();
        assertThat(hosts("?entity=vm,host&" + nobody)).isEqualTo(3);
        String one = engine.json("/api/v1/hosts").path("items").path(0).path("name").asString();
        assertThat(hosts("?" + nobody + "&host=" + one)).isEqualTo(1);
    }

    /** Number of hosts in a snapshot. */
    private static int hosts(String query) throws Exception {
        try (Reader reader = new Reader(query)) {
            return reader.next("snapshot-end").path("hosts").asInt();
        }
    }

    private static SimulatedVm withAgent(int number) {
        return Truth.running(RunningEngine.JSON.readTree(fleet.world().state())).values().stream()
                .filter(vm -> vm.path("guest").path("agent").asString().equals("active"))
                .skip(number)
                .map(vm -> fleet.world().vm(vm.path("id").asString()))
                .findFirst()
                .orElseThrow();
    }
}
