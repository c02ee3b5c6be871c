package org.stillwater.fake.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.fake.net.FaultSpec.Cut;
import org.stillwater.fake.net.HostTransport.Drop;
import tools.jackson.databind.json.JsonMapper;

/** Checklist 8b.53: each fault is switched on and off while the client is connected. */
@DisplayName("8b.53 Faults, switched on and off while connected")
class FaultsTest extends WireTest {

    private static final String TRUE_1 = answer("1", "true");
    private static final String TRUE_2 = answer("2", "true");

    private HostServer server;
    private InetSocketAddress address;
    private RawClient client;

    @BeforeEach
    void connect() throws Exception {
        server = timedServer(TransportSettings.DEFAULT);
        address = open(server);
        client = client(address).ready();
    }

    private Fault on(FaultSpec spec) {
        return server.faults().add(spec);
    }

    private Fault on(FaultKind kind) {
        return on(FaultSpec.of(kind));
    }

    private RawClient ask(String id) throws IOException {
        return client.call(id, "Test.void", "{}");
    }

    /** The connection works: nothing else comes before the answer. */
    private void works(String id) throws IOException {
        assertThat(ask(id).readBody()).isEqualTo(answer(id, "true"));
    }

    private static Duration seconds(int seconds) {
        return Duration.ofSeconds(seconds);
    }

    // ---- calls

    @Test
    void latencyWithinItsRange() throws Exception {
        on(FaultSpec.of(FaultKind.LATENCY).withDelay(seconds(2), seconds(4)).withCount(1));
        ask("1");
        time.awaitTaskBetween(seconds(2), seconds(4));
        time.advance(Duration.ofMillis(1_999));
        assertThat(client.hasInput()).isFalse();
        time.advance(Duration.ofMillis(2_001));
        assertThat(client.readBody()).isEqualTo(TRUE_1);
        works("2");
    }

    @Test
    void noAnswer() throws Exception {
        Fault fault = on(FaultSpec.of(FaultKind.NO_ANSWER).withVerb("Test.wait"));
        client.call("1", "Test.wait", "{}");
        host.nextWaiting().result(JsonBody.TRUE);
        works("2");
        server.faults().remove(fault.id());
        client.call("3", "Test.wait", "{}");
        host.nextWaiting().result(JsonBody.TRUE);
        assertThat(client.readBody()).isEqualTo(answer("3", "true"));
    }

    @Test
    void errorCodes() throws Exception {
        on(
                FaultSpec.of(FaultKind.ERROR_CODE)
                        .withError(1100, "Not enough \"resources\"")
                        .withCount(1));
        assertThat(ask("1").readBody()).isEqualTo(error("1", 1100, "Not enough \\\"resources\\\""));
        assertThat(host.called).hasSize(1);
        works("2");
    }

    @Test
    void duplicateAnswers() throws Exception {
        on(FaultSpec.of(FaultKind.DUPLICATE_ANSWER).withCount(1));
        assertThat(ask("1").readBody()).isEqualTo(TRUE_1);
        assertThat(client.readBody()).isEqualTo(TRUE_1);
        works("2");
    }

    @Test
    void foreignAnswers() throws Exception {
        on(FaultSpec.of(FaultKind.FOREIGN_ANSWER).withCount(1));
        assertThat(ask("1").readBody())
                .matches("\\{\"jsonrpc\": \"2.0\", \"id\": \"[-0-9a-f]{36}\", \"result\": true}");
        assertThat(client.readBody()).isEqualTo(TRUE_1);
        works("2");
    }

    @Test
    void lateAnswers() throws Exception {
        on(FaultSpec.of(FaultKind.LATE_ANSWER).withDelay(seconds(5), seconds(5)).withCount(1));
        ask("1");
        time.awaitTaskIn(seconds(5));
        works("2");
        time.advance(seconds(5));
        assertThat(client.readBody()).isEqualTo(TRUE_1);
    }

    @Test
    void batchAnswers() throws Exception {
        on(FaultSpec.of(FaultKind.BATCH_ANSWER).withCount(1));
        assertThat(ask("1").readBody()).isEqualTo("[" + TRUE_1 + "]");
        works("2");
    }

    // ---- scope

    @Test
    void faultsAreScopedByHostVerbAndConnection() throws Exception {
        TestHost other = new TestHost("other");
        RawClient elsewhere = client(server.open(other, anyPort())).ready();
        RawClient second = client(address).ready();
        client.readBody();
        long secondId =
                server.connections().stream()
                        .filter(info -> info.host().equals(host.name()))
                        .mapToLong(HostTransport.ConnectionInfo::id)
                        .max()
                        .orElseThrow();
        FaultSpec error = FaultSpec.of(FaultKind.ERROR_CODE).withError(7, "x");

        Fault byHost = on(error.withHost("oth*"));
        works("1");
        second.readBody();
        assertThat(elsewhere.call("1", "Test.void", "{}").readBody()).isEqualTo(error("1", 7, "x"));
        server.faults().remove(byHost.id());

        Fault byVerb = on(error.withVerb("Test.e*"));
        works("2");
        second.readBody();
        assertThat(client.call("3", "Test.echo", "{}").readBody()).isEqualTo(error("3", 7, "x"));
        second.readBody();
        server.faults().remove(byVerb.id());

        on(error.withConnection(secondId));
        works("4");
        second.readBody();
        assertThat(second.call("5", "Test.void", "{}").readBody()).isEqualTo(error("5", 7, "x"));
    }

    @Test
    void faultsHaveAWindowOfTime() throws Exception {
        on(
                FaultSpec.of(FaultKind.ERROR_CODE)
                        .withError(7, "x")
                        .withWindow(seconds(10), seconds(5)));
        works("1");
        time.advance(seconds(10));
        assertThat(ask("2").readBody()).isEqualTo(error("2", 7, "x"));
        time.advance(Duration.ofMillis(4_999));
        assertThat(ask("3").readBody()).isEqualTo(error("3", 7, "x"));
        time.advance(Duration.ofMillis(1));
        works("4");
        assertThat(server.faults().list()).isEmpty();
    }

    @Test
    void faultsHaveAProbability() throws Exception {
        on(FaultSpec.of(FaultKind.ERROR_CODE).withError(7, "x").withProbability(0.5));
        int struck = 0;
        for (int i = 0; i < 200; i++) {
            if (ask("1").readBody().contains("error")) {
                struck++;
            }
        }
        assertThat(struck).isBetween(50, 150);
        assertThat(server.faults().list().getFirst().struck()).isEqualTo(struck);
        assertThat(server.metrics().faultsFired()).containsEntry("error-code", (long) struck);
        server.faults().clear();
        works("2");
    }

    // ---- frames

    @ParameterizedTest
    @EnumSource(Drop.class)
    void dropsBeforeAFrame(Drop how) throws Exception {
        on(FaultSpec.of(FaultKind.DROP).withCut(Cut.BEFORE, how).withCount(1));
        assertThat(ask("1").isEndedSilently()).isTrue();
        client = client(address).ready();
        works("2");
    }

    @Test
    void dropsWithinAFrame() throws Exception {
        on(FaultSpec.of(FaultKind.DROP).withCut(Cut.WITHIN, Drop.FIN).withCount(1));
        assertThat(ask("1").readToEnd()).startsWith("MESSAGE\n").doesNotContain("\0");
    }

    @Test
    void dropsAfterAFrame() throws Exception {
        on(FaultSpec.of(FaultKind.DROP).withCut(Cut.AFTER, Drop.FIN).withCount(1));
        assertThat(ask("1").readToEnd()).endsWith(TRUE_1 + "\0");
    }

    @Test
    void truncatedFrames() throws Exception {
        on(FaultSpec.of(FaultKind.TRUNCATED_FRAME).withCount(1));
        assertThat(ask("1").readToEnd()).startsWith("MESSAGE\n").doesNotContain("\0");
    }

    @Test
    void halfOpenConnectionsOfAFrame() throws Exception {
        on(FaultSpec.of(FaultKind.HALF_OPEN).withDelay(seconds(45), seconds(45)).withCount(1));
        ask("1");
        time.awaitTaskIn(seconds(45));
        ask("2");
        assertThat(client.hasInput()).isFalse();
        assertThat(server.connections()).hasSize(1);
        time.advance(seconds(45));
        assertThat(client.readBody()).isEqualTo(TRUE_1);
        assertThat(client.readBody()).isEqualTo(TRUE_2);
    }

    @Test
    void halfOpenHosts() throws Exception {
        client.send("CONNECT\naccept-version:1.2\nheart-beat:1000,1000\n\n^@").read();
        server.freeze(host.name());
        ask("1");
        server.publish(host.name(), TestHost.event("vm", 1));
        time.advance(seconds(600));
        assertThat(client.hasInput()).isFalse();
        assertThat(server.hosts().getFirst().frozen()).isTrue();
        RawClient late = client(address);
        late.send("CONNECT\naccept-version:1.2\n\n^@");
        assertThat(late.hasInput()).isFalse();

        server.unfreeze(host.name());
        assertThat(List.of(client.readBody(), client.readBody()))
                .anyMatch(body -> body.contains("VM_status"))
                .anyMatch(body -> body.equals(TRUE_1));
        assertThat(late.read()).startsWith("CONNECTED\n");
    }

    @Test
    void refusedPorts() throws Exception {
        server.refuse(host.name());
        refuses();
        works("1");
        assertThat(server.hosts().getFirst().refusing()).isTrue();
        server.reopen(host.name());
        client(address).connected();
    }

    @Test
    void refusedPortsByFault() throws Exception {
        Fault fault = on(FaultKind.REFUSED_PORT);
        awaitRefusing(true);
        refuses();
        works("1");
        server.faults().remove(fault.id());
        awaitRefusing(false);
        client(address).connected();
    }

    private void refuses() {
        assertThatThrownBy(() -> client(address)).isInstanceOf(ConnectException.class);
    }

    private void awaitRefusing(boolean refusing) {
        while (server.hosts().getFirst().refusing() != refusing) {
            Thread.onSpinWait();
        }
    }

    @Test
    void droppedByControl() throws Exception {
        assertThat(server.dropConnections(host.name(), Drop.RST)).isEqualTo(1);
        assertThat(client.isEndedSilently()).isTrue();
        client(address).ready();
    }

    @Test
    void malformedJson() throws Exception {
        on(FaultSpec.of(FaultKind.MALFORMED_JSON).withCount(1));
        assertThat(ask("1").readBody()).isEqualTo(TRUE_1.substring(0, TRUE_1.length() - 1) + "!");
        works("2");
    }

    @Test
    void shortContentLength() throws Exception {
        on(FaultSpec.of(FaultKind.SHORT_CONTENT_LENGTH).withBytes(3).withCount(1));
        assertThat(endedAfterOne())
                .contains("content-length:" + (TRUE_1.length() - 3) + "\n")
                .endsWith("\n\n" + TRUE_1 + "\0");
    }

    @Test
    void longContentLength() throws Exception {
        on(FaultSpec.of(FaultKind.LONG_CONTENT_LENGTH).withBytes(5).withCount(1));
        assertThat(endedAfterOne()).contains("content-length:" + (TRUE_1.length() + 5) + "\n");
    }

    @Test
    void missingNul() throws Exception {
        on(FaultSpec.of(FaultKind.MISSING_NUL).withCount(1));
        assertThat(endedAfterOne()).endsWith(TRUE_1);
    }

    /** Everything sent for one call; the connection is dropped before the frame after it. */
    private String endedAfterOne() throws IOException {
        on(FaultSpec.of(FaultKind.DROP).withCut(Cut.BEFORE, Drop.FIN).withVerb("RECEIPT"));
        long before = server.metrics().framesOut();
        ask("1");
        while (server.metrics().framesOut() == before) {
            Thread.onSpinWait();
        }
        return client.send("DISCONNECT\nreceipt:x\n\n^@").readToEnd();
    }

    @Test
    void missingContentLength() throws Exception {
        on(FaultSpec.of(FaultKind.MISSING_CONTENT_LENGTH).withCount(1));
        RawClient.Frame frame = ask("1").readFrame();
        assertThat(frame.head()).doesNotContain("content-length");
        assertThat(frame.body()).isEqualTo(TRUE_1);
        works("2");
    }

    @Test
    void junkBytes() throws Exception {
        on(FaultSpec.of(FaultKind.JUNK_BYTES).withBytes(20).withCount(1));
        assertThat(endedAfterOne()).matches("(?s)[!-~]{20}MESSAGE\n.*");
    }

    @Test
    void giantFrames() throws Exception {
        int size = 3_000_000;
        on(FaultSpec.of(FaultKind.GIANT_FRAME).withBytes(size).withCount(1));
        assertThat(ask("1").readBody()).hasSize(size).startsWith("{\"jsonrpc\"").endsWith("x\"}");
        assertThat(client.readBody()).isEqualTo(TRUE_1);
    }

    @Test
    void longHeaders() throws Exception {
        on(FaultSpec.of(FaultKind.LONG_HEADER).withCount(1));
        RawClient.Frame frame = ask("1").readFrame();
        assertThat(frame.head().length()).isGreaterThan(2048);
        assertThat(frame.body()).isEqualTo(TRUE_1);
        works("2");
    }

    @Test
    void rawColons() throws Exception {
        on(FaultSpec.of(FaultKind.RAW_COLON).withCount(1));
        RawClient.Frame frame = ask("1").readFrame();
        assertThat(frame.head()).contains("\nx-raw:a:b\n");
        assertThat(frame.body()).isEqualTo(TRUE_1);
    }

    @Test
    void errorFrames() throws Exception {
        on(FaultSpec.of(FaultKind.ERROR_FRAME).withError(0, "Out of order").withCount(1));
        assertThat(ask("1").read()).isEqualTo("ERROR\ncontent-length:12\n\nOut of order");
        assertThat(client.readBody()).isEqualTo(TRUE_1);
    }

    @Test
    void wrongSubscriptions() throws Exception {
        on(FaultSpec.of(FaultKind.WRONG_SUBSCRIPTION).withCount(1));
        RawClient.Frame frame = ask("1").readFrame();
        assertThat(frame.head()).containsPattern("subscription:[-0-9a-f]{36}\n");
        assertThat(frame.body()).isEqualTo(TRUE_1);
    }

    @Test
    void coalescedFrames() throws Exception {
        on(FaultSpec.of(FaultKind.COALESCE).withCount(1));
        ask("1");
        time.awaitTaskIn(Duration.ofMillis(200));
        assertThat(client.hasInput()).isFalse();
        ask("2");
        assertThat(client.readBody()).isEqualTo(TRUE_1);
        assertThat(client.readBody()).isEqualTo(TRUE_2);
        time.advance(Duration.ofMillis(200));

        on(FaultSpec.of(FaultKind.COALESCE).withCount(1));
        ask("3");
        time.awaitTaskIn(Duration.ofMillis(200));
        time.advance(Duration.ofMillis(200));
        assertThat(client.readBody()).isEqualTo(answer("3", "true"));
    }

    @Test
    void slowProducers() throws Exception {
        on(FaultSpec.of(FaultKind.SLOW_PRODUCER).withPerSecond(40).withCount(1));
        ask("1");
        for (int part = 0; part < 3; part++) {
            time.awaitTaskIn(Duration.ofMillis(50));
            time.advance(Duration.ofMillis(50));
        }
        assertThat(client.readOctet()).isEqualTo('M');
        assertThat(client.readOctet()).isEqualTo('E');
        assertThat(server.metrics().bytesOut()).isGreaterThan(0);
    }

    @Test
    void slowConsumers() throws Exception {
        on(FaultSpec.of(FaultKind.SLOW_CONSUMER).withPerSecond(1000).withCount(1));
        String request = "DISCONNECT\nreceipt:" + "x".repeat(978) + "\n\n^@";
        client.send(request);
        time.awaitTaskIn(seconds(1));
        assertThat(client.hasInput()).isFalse();
        time.advance(seconds(1));
        assertThat(client.read()).startsWith("RECEIPT\n");
    }

    // ---- heart-beats

    @Test
    void noHeartBeats() throws Exception {
        Fault fault = on(FaultKind.NO_HEART_BEATS);
        client.send("CONNECT\naccept-version:1.2\nheart-beat:0,1000\n\n^@").read();
        time.awaitTaskIn(seconds(1));
        time.advance(seconds(20));
        assertThat(client.hasInput()).isFalse();
        server.faults().remove(fault.id());
        time.advance(seconds(1));
        assertThat(client.readOctet()).isEqualTo('\n');
    }

    @Test
    void lateHeartBeats() throws Exception {
        on(FaultSpec.of(FaultKind.LATE_HEART_BEATS).withDelay(seconds(3), seconds(3)));
        client.send("CONNECT\naccept-version:1.2\nheart-beat:0,1000\n\n^@").read();
        time.awaitTaskIn(seconds(1));
        time.advance(Duration.ofMillis(3_999));
        assertThat(client.hasInput()).isFalse();
        time.advance(Duration.ofMillis(1));
        assertThat(client.readOctet()).isEqualTo('\n');
    }

    // ---- events

    private void tell(String vm) {
        server.publish(host.name(), TestHost.event(vm, 5000));
    }

    private String told() throws IOException {
        String body = client.readBody();
        return body.substring(body.indexOf("|virt|VM_status|") + 16, body.indexOf("\", \"params"));
    }

    @Test
    void lostEvents() throws Exception {
        Fault fault = on(FaultSpec.of(FaultKind.LOST_EVENT).withVerb("|virt|VM_status|vm-1"));
        tell("vm-1");
        tell("vm-2");
        assertThat(told()).isEqualTo("vm-2");
        server.faults().remove(fault.id());
        tell("vm-1");
        assertThat(told()).isEqualTo("vm-1");
    }

    @Test
    void lateEvents() throws Exception {
        on(FaultSpec.of(FaultKind.LATE_EVENT).withDelay(seconds(7), seconds(7)).withCount(1));
        tell("vm-1");
        tell("vm-2");
        assertThat(told()).isEqualTo("vm-2");
        time.advance(seconds(7));
        assertThat(told()).isEqualTo("vm-1");
    }

    @Test
    void doubledEvents() throws Exception {
        on(FaultSpec.of(FaultKind.DOUBLED_EVENT).withCount(1));
        tell("vm-1");
        tell("vm-2");
        assertThat(List.of(told(), told(), told())).containsExactly("vm-1", "vm-1", "vm-2");
    }

    @Test
    void reorderedEvents() throws Exception {
        on(FaultSpec.of(FaultKind.REORDERED_EVENT).withCount(1));
        tell("vm-1");
        tell("vm-2");
        tell("vm-3");
        assertThat(List.of(told(), told(), told())).containsExactly("vm-2", "vm-1", "vm-3");

        on(FaultSpec.of(FaultKind.REORDERED_EVENT).withCount(1));
        tell("vm-4");
        time.advance(seconds(1));
        assertThat(told()).isEqualTo("vm-4");
    }

    @Test
    void eventStorms() throws Exception {
        Fault fault =
                on(
                        FaultSpec.of(FaultKind.EVENT_STORM)
                                .withVm("vm-7")
                                .withPerSecond(1000)
                                .withWindow(Duration.ZERO, Duration.ofDays(1))
                                .withCount(250));
        for (int told = 0; told < 250; told++) {
            while (!client.hasInput()) {
                time.advance(Duration.ofMillis(10));
                Thread.onSpinWait();
            }
            assertThat(told()).isEqualTo("vm-7");
        }
        assertThat(server.faults().list()).extracting(Fault::id).doesNotContain(fault.id());
        time.advance(seconds(10));
        works("1");
    }

    @Test
    void eventStormsEndByThemselves() throws Exception {
        on(FaultSpec.of(FaultKind.EVENT_STORM).withPerSecond(1));
        assertThat(server.faults().list()).hasSize(1);
        time.advance(seconds(10));
        assertThat(server.faults().list()).isEmpty();
    }

    // ---- content

    private String stats() throws IOException {
        String body = client.call("1", "Test.stats", "{}").readBody();
        return body.substring(body.indexOf("\"result\": ") + 10, body.length() - 1)
                .replace(" ", "");
    }

    private static final String STATS =
            "{\"status\":\"Up\",\"count\":7,\"load\":1.5,\"text\":\"42\"}";

    @Test
    void integersForFloats() throws Exception {
        on(FaultSpec.of(FaultKind.INTEGER_FOR_FLOAT).withCount(1));
        assertThat(stats()).isEqualTo(STATS.replace("1.5", "1"));
        assertThat(stats()).isEqualTo(STATS);
    }

    @Test
    void floatsForIntegers() throws Exception {
        on(FaultKind.FLOAT_FOR_INTEGER);
        assertThat(stats()).isEqualTo(STATS.replace("7", "7.0"));
    }

    @Test
    void missingFields() throws Exception {
        on(FaultSpec.of(FaultKind.MISSING_FIELDS).withField("count"));
        assertThat(stats()).isEqualTo(STATS.replace("\"count\":7,", ""));
    }

    @Test
    void unknownFields() throws Exception {
        on(FaultKind.UNKNOWN_FIELDS);
        String stats = stats();
        assertThat(stats)
                .startsWith(STATS.substring(0, STATS.length() - 1))
                .contains("xNobodyKnows");
        assertThat(JsonMapper.shared().readTree(stats).get("xNorThis").get("deep")).hasSize(2);
    }

    @Test
    void unknownStatus() throws Exception {
        on(FaultKind.UNKNOWN_STATUS);
        assertThat(stats()).isEqualTo(STATS.replace("Up", "Levitating"));
    }

    @Test
    void hugeNumbers() throws Exception {
        on(FaultSpec.of(FaultKind.HUGE_NUMBERS).withField("count"));
        on(FaultSpec.of(FaultKind.HUGE_NUMBERS).withField("text"));
        assertThat(stats()).isEqualTo(STATS.replace("7", "99999999999999999999999"));
        server.faults().remove(server.faults().list().getFirst().id());
        assertThat(stats()).isEqualTo(STATS.replace("42", "99999999999999999999999"));
    }

    @Test
    void notifyTimeGoesBackward() throws Exception {
        on(
                FaultSpec.of(FaultKind.NOTIFY_TIME_BACKWARD)
                        .withDelay(seconds(2), seconds(2))
                        .withCount(1));
        tell("vm-1");
        assertThat(client.readBody().replace(" ", "")).contains("\"notify_time\":3000");
        tell("vm-1");
        assertThat(client.readBody()).contains("\"notify_time\": 5000");
    }
}
