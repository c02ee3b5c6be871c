package org.stillwater.vdsm.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.connection.ExternalDataAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReports;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.stomp.StompLimits;

/** The session with a host that is scripted byte by byte; time is virtual, sockets are real. */
@Timeout(60)
class SessionTest {
    private static final VmId VM = VmId.parse("0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01");
    private static final String HARDWARE = "{\"systemManufacturer\": \"m\"}";
    private static final String EVENT =
            "{\"jsonrpc\": \"2.0\", \"method\": \"|virt|VM_status|"
                    + VM
                    + "\", \"params\": {\""
                    + VM
                    + "\": {\"status\": \"Up\"}, \"notify_time\": 5}}";

    @Test
    @DisplayName("8a.1/2/3 CONNECT comes first, with accept-version 1.2 and no raw colon")
    void theFirstBytesAreConnect() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.connection();
            byte[] first = peer.socket.getInputStream().readNBytes(11);
            assertThat(new String(first, UTF_8)).isEqualTo("CONNECT\nacc");
            StringBuilder rest = new StringBuilder(new String(first, UTF_8));
            for (int octet = peer.read(); octet != 0; octet = peer.read()) {
                rest.append((char) octet);
            }
            assertThat(rest.toString())
                    .isEqualTo("CONNECT\naccept-version:1.2\nheart-beat:10000,10000\n\n");
            assertThat(engine.told).isEmpty();
        }
    }

    @Test
    @DisplayName("8a.10 After CONNECTED two subscriptions with distinct ids, then requests")
    void subscriptionsComeBeforeRequests() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.connection();
            engine.connection.hardware(engine.receiver());
            assertThat(engine.failure()).isInstanceOf(HostFailure.Unreachable.class);
            peer.handshake("version:1.2\nheart-beat:0,0\n");
            engine.expect("connected");
            assertThat(new HashSet<>(peer.subscriptionIds())).hasSize(2);
            assertThat(peer.subscriptionIds()).allMatch(id -> UUID.fromString(id) != null);
            engine.connection.hardware(engine.receiver());
            peer.request().answer(HARDWARE);
            assertThat(engine.success())
                    .isEqualTo(new HostHardware("m", null, null, null, null, null));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CONNECTED;version:1.1;; | the host speaks STOMP version 1.1",
                "CONNECTED;;  | the host speaks STOMP version none",
                "ERROR;content-length:19;;Version unsupported | the host refused CONNECT: Version"
                        + " unsupported",
                "ERROR;message:go away;; | the host refused CONNECT: go away",
                "MESSAGE;;x | the host answered CONNECT with MESSAGE",
                "HTTP/1.1 400 Bad Request;; | the command line is not a command",
            })
    @DisplayName("8a.11 CONNECTED version other than 1.2, or ERROR: clear reason and back-off")
    void aWrongAnswerToConnectFailsTheAttempt(String answer, String reason) throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.connection();
            peer.frame("CONNECT");
            peer.send(answer.strip().replace(';', '\n') + "\0");
            assertThat(engine.expect("disconnected: ")).contains(reason);
            assertThat(peer.isClosedByEngine()).isTrue();
            assertThat(engine.count("attemptsFailed")).isEqualTo(1);
            assertThat(host.hasConnection()).isFalse();
            assertThat(engine.skipBackOff())
                    .isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
            host.session();
            engine.expect("connected");
        }
    }

    @Test
    @DisplayName("8a.12 Accepts CONNECTED without session, server and heart-beat")
    void connectedMayBeBare() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            host.connection().handshake("version:1.2\n");
            engine.expect("connected");
        }
    }

    @Test
    @DisplayName("8a.8 Connect timeout ends a connection to an address that does not answer")
    void aBlackHoleEndsByTimeout() throws Exception {
        List<Socket> fillers = new ArrayList<>();
        // A listener that never accepts, with its backlog full: further SYNs are dropped.
        try (ServerSocket hole =
                new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 8; i++) {
                Socket filler = new Socket();
                fillers.add(filler);
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                filler.connect(hole.getLocalSocketAddress());
                            } catch (IOException expected) {
                                // closed at the end of the test
                            }
                        });
            }
            Engine.await(
                    "a full backlog",
                    () -> fillers.stream().filter(Socket::isConnected).count() >= 2);
            VdsmClientSettings settings = withTimeouts(Duration.ofMillis(300));
            HostDefinition host =
                    new HostDefinition(
                            new HostId(new UUID(0, 1)), "hole", "127.0.0.1", hole.getLocalPort());
            try (Engine engine = new Engine(settings).open(host)) {
                assertThat(engine.expect("disconnected: ")).contains("did not answer in time");
            }
            assertThat(VdsmClientSettings.Timeouts.DEFAULT.connect())
                    .isEqualTo(Duration.ofSeconds(20));
        } finally {
            for (Socket filler : fillers) {
                filler.close();
            }
        }
    }

    private static VdsmClientSettings withTimeouts(Duration connect) {
        VdsmClientSettings d = Engine.plain();
        return new VdsmClientSettings(
                d.tls(),
                new VdsmClientSettings.Timeouts(
                        connect,
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(180),
                        Duration.ofSeconds(20),
                        Duration.ofMillis(500)),
                d.heartBeats(),
                d.reconnect(),
                d.bounds(),
                d.replies());
    }

    @Test
    @DisplayName("8a.9 A handshake that stalls is ended by a timer")
    void aStalledHandshakeIsEnded() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.connection();
            peer.frame("CONNECT");
            Engine.await("the limit", () -> engine.time.pending() == 1);
            engine.time.advance(Duration.ofMillis(19_999));
            assertThat(engine.told).isEmpty();
            engine.time.advance(Duration.ofMillis(1));
            assertThat(engine.expect("disconnected: ")).contains("did not end within 20 s");
            assertThat(peer.isClosedByEngine()).isTrue();
        }
    }

    @Test
    @DisplayName("8a.13/14/17 Messages split at every byte, many per segment, beats in between")
    void messagesMayArriveInAnyPieces() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            byte[] one = ScriptedHost.Peer.frameOf(EVENT).getBytes(UTF_8);
            for (byte octet : one) {
                peer.send(new byte[] {octet});
            }
            peer.send("\n\n\r\n" + (ScriptedHost.Peer.frameOf(EVENT) + "\n").repeat(50));
            for (int i = 0; i < 51; i++) {
                try (VmReports reports = engine.events.take()) {
                    Decoded decoded = new Decoded();
                    assertThat(reports.decode(decoded)).isEqualTo(1);
                    assertThat(decoded.running().hostStampMillis()).isEqualTo(5);
                }
            }
        }
    }

    @Test
    @DisplayName("8a.21 A 25 MB answer arrives; its buffers are given back")
    void aLargeAnswerArrives() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.vmStatistics(engine.receiver());
            String vms = VmDecoderTest.manyVms(6_600);
            String result = vms.substring(vms.indexOf("[{"), vms.length() - 1);
            assertThat(result.length()).isGreaterThan(25_000_000);
            peer.request().answer(result);
            try (VmReports reports = (VmReports) engine.success()) {
                assertThat(reports.sizeBytes()).isGreaterThan(25_000_000);
                assertThat(engine.connector.bufferedBytes()).isGreaterThan(25_000_000);
                VmDecoderTest.Stable sink = new VmDecoderTest.Stable();
                assertThat(reports.decode(sink)).isEqualTo(6_600);
                assertThat(sink.known).hasSize(6_600);
            }
            assertThat(engine.connector.bufferedBytes()).isZero();
        }
    }

    @Test
    @DisplayName("8a.21/22/23 A frame beyond a limit or of wrong length ends the connection")
    void brokenFramesEndTheConnection() throws Exception {
        String[] broken = {
            "MESSAGE\ncontent-length:5\n\nlonger than five\0",
            "MESSAGE\ncontent-length:67108865\n\n",
            "MESSAGE\nh:" + "v".repeat(65_600) + "\n\n\0",
            "MESSAGE\nno colon here\n\n\0",
            "MESSAGE\na:\\t\n\n\0",
        };
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            for (String bytes : broken) {
                ScriptedHost.Peer peer = host.session();
                engine.expect("connected");
                peer.send(bytes);
                engine.expect("disconnected: protocol violation: ");
                assertThat(peer.isClosedByEngine()).isTrue();
                peer.close();
                engine.skipBackOff();
            }
            assertThat(engine.count("malformed")).isEqualTo(broken.length);
        }
    }

    @Test
    @DisplayName("8a.24/27 A silent host is declared lost after 2 × the agreed interval")
    void aSilentHostIsLost() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.awaitIdle();
            engine.connection.hardware(engine.receiver());
            peer.request();
            engine.awaitIdle();
            engine.time.advance(Duration.ofMillis(19_999));
            assertThat(engine.told).isEmpty();
            engine.time.advance(Duration.ofMillis(1));
            assertThat(engine.expect("disconnected: ")).contains("silent for 20 s");
            assertThat(engine.failure()).isInstanceOf(HostFailure.Unreachable.class);
        }
    }

    @Test
    @DisplayName(
            "8a.24 Anything that arrives counts as a sign of life; the longer interval is agreed")
    void beatsKeepTheConnection() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.connection();
            peer.handshake("version:1.2\nheart-beat:15000,0\n");
            engine.expect("connected");
            for (int i = 0; i < 5; i++) {
                engine.awaitIdle();
                engine.time.advance(Duration.ofSeconds(29));
                assertThat(engine.told).isEmpty();
                long before = engine.count("bytes");
                peer.send("\n");
                Engine.await("the beat", () -> engine.count("bytes") > before);
            }
            engine.awaitIdle();
            engine.time.advance(Duration.ofSeconds(30));
            assertThat(engine.expect("disconnected: ")).contains("silent for 30 s");
        }
    }

    @Test
    @DisplayName("8a.26 Promised beats go out at half the interval, during long idle too")
    void beatsGoOutAtHalfTheInterval() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.connection();
            peer.handshake("version:1.2\nheart-beat:0,10000\n");
            engine.expect("connected");
            for (int i = 0; i < 20; i++) {
                engine.awaitIdle();
                engine.time.advance(Duration.ofSeconds(5));
                assertThat(peer.read()).as("beat %d", i).isEqualTo('\n');
            }
        }
    }

    @Test
    @DisplayName("8a.25 A reconnect uses the configured heart-beats, not the former agreement")
    void aReconnectStartsFromTheSettings() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            Set<String> ids = new HashSet<>();
            for (int i = 0; i < 4; i++) {
                ScriptedHost.Peer peer = host.connection();
                StompFrame connect = peer.frame("CONNECT");
                assertThat(connect.header("heart-beat")).isEqualTo("10000,10000");
                peer.send("CONNECTED\nversion:1.2\nheart-beat:1000,7000\n\n\0");
                ids.add(peer.frame("SUBSCRIBE").header("id"));
                ids.add(peer.frame("SUBSCRIBE").header("id"));
                engine.expect("connected");
                peer.close();
                engine.expect("disconnected: unreachable");
                engine.skipBackOff();
            }
            assertThat(ids).as("8a.29 fresh subscription ids").hasSize(8);
        }
    }

    @Test
    @DisplayName("8a.29 Reconnects with exponential back-off and jitter, one connection at a time")
    void reconnectsBackOff() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            List<Long> waits = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                ScriptedHost.Peer peer = host.connection();
                peer.reset();
                engine.expect("disconnected: ");
                waits.add(engine.skipBackOff().toMillis());
            }
            for (int i = 0; i < waits.size(); i++) {
                long full = Math.min(1_000L << i, 30_000);
                assertThat(waits.get(i)).isBetween(full / 2, full);
            }
            assertThat(new HashSet<>(waits.subList(5, 9))).as("jitter").hasSizeGreaterThan(2);
        }
    }

    @Test
    @DisplayName("8a.28 On loss all pending calls fail at once with a network error")
    void pendingCallsFailOnLoss() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            for (int i = 0; i < 10; i++) {
                engine.connection.statistics(engine.receiver());
                peer.request();
            }
            peer.reset();
            for (int i = 0; i < 10; i++) {
                assertThat(engine.failure()).isInstanceOf(HostFailure.Unreachable.class);
            }
            engine.expect("disconnected: unreachable: connection lost");
        }
    }

    @Test
    void pendingCallsFailWhenAnErrorEndsTheSession() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.hardware(_ -> {
                throw new AssertionError("a defect of a receiver");
            });
            ScriptedHost.Request broken = peer.request();
            for (int i = 0; i < 5; i++) {
                engine.connection.statistics(engine.receiver());
                peer.request();
            }
            engine.connection.statistics(_ -> {
                throw new AssertionError("another one");
            });
            peer.request();
            broken.answer(HARDWARE);
            for (int i = 0; i < 5; i++) {
                assertThat(engine.failure()).isInstanceOf(HostFailure.Unreachable.class);
            }
            assertThat(engine.expect("disconnected: ")).contains("a defect of a receiver");
            assertThat(engine.count("lost")).isEqualTo(1);
            engine.skipBackOff();
            host.session();
            engine.expect("connected");
        }
    }

    @Test
    @DisplayName("8a.31 DISCONNECT carries receipt, waits for RECEIPT, then closes")
    void closingSendsDisconnect() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            Thread closer = Thread.ofVirtual().start(engine.connection::close);
            String receipt = peer.frame("DISCONNECT").header("receipt");
            assertThat(receipt).isNotBlank();
            assertThat(closer.isAlive()).isTrue();
            peer.send("RECEIPT\nreceipt-id:" + receipt + "\n\n\0");
            closer.join();
            assertThat(peer.isClosedByEngine()).isTrue();
            assertThat(engine.told).as("nothing is told after close").isEmpty();
        }
    }

    @Test
    @DisplayName("8a.31 Without RECEIPT the wait is short")
    void closingIsBounded() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.awaitIdle();
            Thread closer = Thread.ofVirtual().start(engine.connection::close);
            peer.frame("DISCONNECT");
            engine.time.advance(Duration.ofMillis(500));
            closer.join();
            assertThat(peer.isClosedByEngine()).isTrue();
        }
    }

    @Test
    @DisplayName("8a.32 ERROR frames do not end the connection")
    void errorFramesAreSurvived() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            peer.send("ERROR\ncontent-length:26\n\nSubscription not available\0");
            engine.connection.hardware(engine.receiver());
            peer.request().answer(HARDWARE);
            engine.success();
            assertThat(engine.count("errors")).isEqualTo(1);
            assertThat(engine.told).isEmpty();
            assertThat(engine.unexplained)
                    .as("for the listener, which does not log each")
                    .containsExactly("ERROR frame: Subscription not available");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PRIVATE", "SHARED"})
    @DisplayName(
            "8a.33/34/35 One object per SEND, unique UUID id, reply-to subscribed, length given")
    void requestsAreWellFormed(VdsmClientSettings.Replies replies) throws Exception {
        VdsmClientSettings d = Engine.plain();
        VdsmClientSettings settings =
                new VdsmClientSettings(
                        d.tls(), d.timeouts(), d.heartBeats(), d.reconnect(), d.bounds(), replies);
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host, settings)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            assertThat(peer.replyTo)
                    .matches(
                            replies == VdsmClientSettings.Replies.SHARED
                                    ? "jms\\.topic\\.vdsm_responses"
                                    : "jms\\.topic\\.vdsm_responses\\.[0-9a-f-]{36}");
            Set<String> ids = new HashSet<>();
            engine.connection.capabilities(engine.receiver());
            engine.connection.hardware(engine.receiver());
            engine.connection.statistics(engine.receiver());
            engine.connection.vmStatistics(engine.receiver());
            engine.connection.domainXmls(List.of(VM), engine.receiver());
            engine.connection.destroy(VM, engine.receiver());
            List<String> bodies = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                ScriptedHost.Request request = peer.request();
                assertThat(request.frame().header("reply-to")).isEqualTo(peer.replyTo);
                assertThat(request.frame().header("content-length"))
                        .isEqualTo(Long.toString(request.frame().body().length()));
                assertThat(UUID.fromString(request.id()).version()).isEqualTo(4);
                ids.add(request.id());
                bodies.add(request.body().replace(request.id(), "ID"));
            }
            assertThat(ids).hasSize(6);
            assertThat(bodies)
                    .containsExactly(
                            "{\"jsonrpc\":\"2.0\",\"method\":\"Host.getCapabilities\",\"params\":{},\"id\":\"ID\"}",
                            "{\"jsonrpc\":\"2.0\",\"method\":\"Host.getHardwareInfo\",\"params\":{},\"id\":\"ID\"}",
                            "{\"jsonrpc\":\"2.0\",\"method\":\"Host.getStats\",\"params\":{},\"id\":\"ID\"}",
                            "{\"jsonrpc\":\"2.0\",\"method\":\"Host.getAllVmStats\",\"params\":{},\"id\":\"ID\"}",
                            "{\"jsonrpc\":\"2.0\",\"method\":\"Host.dumpxmls\",\"params\":{\"vmList\":[\""
                                    + VM
                                    + "\"]},\"id\":\"ID\"}",
                            "{\"jsonrpc\":\"2.0\",\"method\":\"VM.destroy\",\"params\":{\"vmID\":\""
                                    + VM
                                    + "\"},\"id\":\"ID\"}");
        }
    }

    @Test
    @DisplayName("8a.36 Out-of-order answers are matched by id")
    void answersMayOvertakeEachOther() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.hardware(a -> engine.answers.add("first " + a));
            engine.connection.hardware(a -> engine.answers.add("second " + a));
            ScriptedHost.Request first = peer.request();
            ScriptedHost.Request second = peer.request();
            second.answer("{\"systemUUID\": \"2\"}");
            assertThat(engine.answer().toString()).startsWith("second ").contains("uuid=2");
            first.answer("{\"systemUUID\": \"1\"}");
            assertThat(engine.answer().toString()).startsWith("first ").contains("uuid=1");
        }
    }

    @Test
    @DisplayName("8a.37/38/39 Unknown, doubled and id-less answers are dropped")
    void foreignAnswersAreDropped() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.hardware(engine.receiver());
            ScriptedHost.Request request = peer.request();
            peer.message("{\"jsonrpc\": \"2.0\", \"id\": \"foreign\", \"result\": {}}");
            peer.message("{\"jsonrpc\": \"2.0\", \"id\": 17, \"result\": {}}");
            peer.message(
                    "{\"jsonrpc\": \"2.0\", \"id\": null, \"error\": {\"code\": -32700,"
                            + " \"message\": \"m\"}}");
            Engine.await("the count", () -> engine.count("unmatched") == 3);
            assertThat(engine.answers).isEmpty();
            request.answer(HARDWARE);
            request.answer(HARDWARE);
            engine.success();
            Engine.await("the count", () -> engine.count("unmatched") == 4);
            assertThat(engine.answers).isEmpty();
            assertThat(engine.told).isEmpty();
            assertThat(engine.unexplained)
                    .containsExactly("an answer without id, with error code -32700");
        }
    }

    @Test
    @DisplayName("8a.40 A timeout ends the call; a late answer is dropped")
    void aTimeoutFreesTheCall() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.connection();
            peer.handshake("version:1.2\nheart-beat:0,0\n");
            engine.expect("connected");
            engine.connection.hardware(engine.receiver());
            ScriptedHost.Request request = peer.request();
            engine.awaitIdle();
            engine.time.advance(Duration.ofSeconds(100));
            peer.message("{\"id\": \"sign of life\", \"result\": 1}");
            Engine.await("the count", () -> engine.count("unmatched") == 1);
            engine.time.advance(Duration.ofMillis(79_999));
            assertThat(engine.answers).isEmpty();
            engine.time.advance(Duration.ofMillis(1));
            assertThat(engine.failure())
                    .isEqualTo(new HostFailure.TimedOut("Host.getHardwareInfo", 180_000));
            request.answer(HARDWARE);
            Engine.await("the count", () -> engine.count("unmatched") == 2);
            assertThat(engine.answers).isEmpty();
            assertThat(engine.told).as("the connection stays").isEmpty();
        }
    }

    @Test
    @DisplayName("8a.27 A dead peer that promised no beats is found by the timeout of a call")
    void aDeadPeerWithoutBeatsIsFound() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.connection();
            peer.handshake("version:1.2\nheart-beat:0,0\n");
            engine.expect("connected");
            engine.connection.hardware(engine.receiver());
            peer.request();
            engine.awaitIdle();
            engine.time.advance(Duration.ofMinutes(3));
            assertThat(engine.expect("disconnected: ")).contains("silent");
        }
    }

    @Test
    void aHostThatStopsReadingIsLost() throws Exception {
        VdsmClientSettings d = Engine.plain();
        VdsmClientSettings settings =
                new VdsmClientSettings(
                        d.tls(),
                        VdsmClientSettings.Timeouts.DEFAULT,
                        d.heartBeats(),
                        d.reconnect(),
                        new VdsmClientSettings.Bounds(
                                d.bounds().frames(),
                                50_000,
                                100_000,
                                3,
                                0,
                                50_000,
                                4_096,
                                32 << 20),
                        d.replies());
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host, settings)) {
            ScriptedHost.Peer peer = host.connection();
            peer.handshake("version:1.2\nheart-beat:0,10000\n");
            engine.expect("connected");
            List<VmId> many = new ArrayList<>();
            for (int i = 0; i < 50_000; i++) {
                many.add(new VmId(0, i));
            }
            // Some 2 MB each, which the reader ignores: more than any socket buffer takes.
            for (int i = 0; i < 10; i++) {
                engine.connection.domainXmls(many, engine.receiver());
            }
            Engine.await("the first of them", () -> peer.available() > 0);
            // The beat that is due joins a queue that does not move; after the write timeout, the
            // end.
            for (int i = 0; i < 100 && engine.told.isEmpty(); i++) {
                engine.time.advance(Duration.ofSeconds(1));
                LockSupport.parkNanos(10_000_000);
            }
            assertThat(engine.expect("disconnected: ")).contains("stopped reading");
            assertThat(engine.failure()).isInstanceOf(HostFailure.Unreachable.class);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"code\": 99, \"message\": \"Recovering\"} | Recovering[message=Recovering]",
                "{\"code\": 1100, \"message\": \"Not enough\"} | Overloaded[message=Not enough]",
                "{\"code\": 4711, \"message\": \"new\"} | Refused[code=4711, message=new]",
                "{\"code\": \"99\"} | Recovering[message=]",
                "{\"message\": \"Recovering\"} | Refused[code=0, message=Recovering]",
                "{\"code\": -32601, \"message\": \"Virtual machine does not exist\"} |"
                        + " Refused[code=-32601, message=Virtual machine does not exist]",
            })
    @DisplayName("8a.41/42/43/44 Codes decide, not messages; unknown codes are kept")
    void errorCodes(String error, String failure) throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.statistics(engine.receiver());
            peer.request().error(error);
            assertThat(engine.failure().toString()).isEqualTo(failure);
            engine.connection.vmStatistics(engine.receiver());
            peer.request().error(error);
            assertThat(engine.failure().toString()).isEqualTo(failure);
            assertThat(engine.connector.bufferedBytes()).isZero();
        }
    }

    @Test
    @DisplayName("8a.45 Malformed JSON costs that message; repeated, the connection")
    void malformedMessages() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            peer.message("{not json");
            engine.expect("malformed: ");
            engine.connection.hardware(engine.receiver());
            ScriptedHost.Request request = peer.request();
            peer.message(request.answerText("{\"systemUUID\": "));
            assertThat(engine.failure()).isInstanceOf(HostFailure.ProtocolViolation.class);
            engine.connection.hardware(engine.receiver());
            peer.request().answer(HARDWARE);
            engine.success();
            assertThat(engine.count("malformed")).isEqualTo(2);
            assertThat(engine.told).as("still connected").isEmpty();
            for (int i = 0; i < 3; i++) {
                peer.message("[]");
                engine.expect("malformed: ");
            }
            assertThat(engine.expect("disconnected: ")).contains("3 malformed messages in a row");
        }
    }

    @Test
    @DisplayName("8a.45 A malformed answer about VMs counts, too")
    void aMalformedAnswerAboutVms() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            for (int i = 0; i < 3; i++) {
                engine.connection.vmStatistics(engine.receiver());
                peer.request().answer("[{\"vmId\": ");
                VmReports reports = (VmReports) engine.success();
                try (reports) {
                    reports.decode(new Decoded());
                } catch (MalformedReport expected) {
                    assertThat(expected).hasMessageStartingWith("not JSON");
                }
            }
            assertThat(engine.expect("disconnected: ")).contains("3 malformed messages in a row");
        }
    }

    @Test
    @DisplayName("8a.50 Events are distinguished by component and operation; others are ignored")
    void events() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            peer.message(Decoded.sample("event_jobs_status_done"));
            peer.message(Decoded.sample("event_jobs_status_failed"));
            peer.message("{\"method\": \"|virt|VM_dance|x\", \"params\": {}}");
            peer.message("{\"method\": \"VM_status\", \"params\": {}}");
            peer.message("{\"method\": \"|net|VM_status|x\", \"params\": {}}");
            peer.message(Decoded.sample("event_host_conn"));
            peer.message(Decoded.sample("event_vm_migration_status"));
            peer.message(Decoded.sample("event_vm_migration_status_done"));
            engine.expect("network");
            engine.expect("migration a94b6c20-7e5f-4d38-b1a6-08c7d5e4f204 42 null");
            engine.expect("migration a94b6c20-7e5f-4d38-b1a6-08c7d5e4f204 100 87");
            assertThat(engine.events).isEmpty();
            peer.message(EVENT);
            VmReports reports = engine.events.take();
            assertThat(reports.kind()).isEqualTo(VmReports.Kind.EVENT);
            reports.close();
        }
    }

    @Test
    @DisplayName("8a.54 A poll carries the times at which it was asked and answered")
    void aPollCarriesItsTimes() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.awaitIdle();
            engine.time.advance(Duration.ofSeconds(3));
            engine.connection.vmStatistics(engine.receiver());
            ScriptedHost.Request request = peer.request();
            engine.time.advance(Duration.ofSeconds(1));
            request.answer("[]");
            try (VmReports reports = (VmReports) engine.success()) {
                assertThat(reports.fetchedNanos()).isEqualTo(3_000_000_000L);
                assertThat(reports.receivedNanos()).isEqualTo(4_000_000_000L);
                assertThat(reports.decode(new Decoded())).isZero();
            }
        }
    }

    @Test
    @DisplayName("8a.55 A storm of events does not delay heart-beats nor answers")
    void anEventStorm() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.hardware(engine.receiver());
            ScriptedHost.Request request = peer.request();
            byte[] storm = ScriptedHost.Peer.frameOf(EVENT).repeat(1_000).getBytes(UTF_8);
            for (int i = 0; i < 10; i++) {
                peer.send(storm);
            }
            engine.time.advance(Duration.ofSeconds(5));
            assertThat(peer.read()).isEqualTo('\n');
            request.answer(HARDWARE);
            engine.success();
            assertThat(engine.events).hasSize(10_000);
            assertThat(engine.connector.bufferedBytes()).isZero();
        }
    }

    @Test
    @DisplayName("8a.56 VM.destroy: code 1 is as good as done")
    void destroyingAMissingVmIsFine() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.destroy(VM, engine.receiver());
            peer.request().answer("true");
            assertThat(engine.success()).isEqualTo(VM);
            engine.connection.destroy(VM, engine.receiver());
            peer.request().error("{\"code\": 1, \"message\": \"Virtual machine does not exist\"}");
            assertThat(engine.success()).isEqualTo(VM);
            engine.connection.destroy(VM, engine.receiver());
            peer.request().error("{\"code\": 42, \"message\": \"m\"}");
            assertThat(engine.failure()).isEqualTo(new HostFailure.Refused(42, "m"));
        }
    }

    @Test
    void externalDataIsRequestedAndDecoded() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.externalData(VM, ExternalDataKind.TPM, "h1", true, engine.receiver());
            ScriptedHost.Request request = peer.request();
            assertThat(request.body().replace(request.id(), "ID"))
                    .isEqualTo(
                            "{\"jsonrpc\":\"2.0\",\"method\":\"VM.getExternalData\",\"params\":{\"vmID\":\""
                                    + VM
                                    + "\",\"kind\":\"tpm\",\"lastHash\":\"h1\",\"forceUpdate\":true},\"id\":\"ID\"}");
            request.answer("{\"hash\":\"h2\",\"_X_data\":\"c2VjcmV0\",\"more\":{}}");
            assertThat(engine.success()).isEqualTo(new ExternalDataAnswer("h2", "c2VjcmV0"));

            engine.connection.externalData(
                    VM, ExternalDataKind.NVRAM, null, false, engine.receiver());
            request = peer.request();
            assertThat(request.body())
                    .contains("\"kind\":\"nvram\",\"forceUpdate\":false")
                    .doesNotContain("lastHash");
            request.answer("{\"hash\":\"h2\"}");
            assertThat(engine.success()).isEqualTo(new ExternalDataAnswer("h2", null));
        }
    }

    @Test
    void externalDataIsKeptExactlyOrRefused() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.externalData(VM, ExternalDataKind.TPM, null, true, engine.receiver());
            peer.request().answer("{\"hash\":\"h\",\"_X_data\":\"c2Vj\\ncmV0\\r\\n\"}");
            assertThat(engine.success()).isEqualTo(new ExternalDataAnswer("h", "c2Vj\ncmV0\r\n"));
            for (String data : List.of("c2Vj\\u0000", "c2Vj\\u200b", "c2Vj\\tcmV0", "\u00e9")) {
                engine.connection.externalData(
                        VM, ExternalDataKind.TPM, null, true, engine.receiver());
                peer.request().answer("{\"hash\":\"h\",\"_X_data\":\"" + data + "\"}");
                assertThat(engine.failure().describe()).contains("data that is not base64");
                engine.connection.hardware(engine.receiver());
                peer.request().answer(HARDWARE);
                engine.success();
            }
        }
    }

    @Test
    @DisplayName("8a.58 dumpxmls goes out in chunks")
    void domainXmlsAreRequestedInChunks() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            List<VmId> vms = new ArrayList<>();
            for (int i = 0; i < 120; i++) {
                vms.add(new VmId(1, i));
            }
            engine.connection.domainXmls(vms, engine.receiver());
            for (int size : new int[] {50, 50, 20}) {
                ScriptedHost.Request request = peer.request();
                List<String> ids = idsIn(request);
                assertThat(ids).hasSize(size);
                request.answer(xmls(ids));
            }
            Map<?, ?> found = (Map<?, ?>) engine.success();
            assertThat(found).hasSize(120);
            assertThat(found.get(vms.get(119))).isEqualTo("<" + vms.get(119) + "/>");
            engine.connection.domainXmls(List.of(), engine.receiver());
            assertThat(engine.success()).isEqualTo(Map.of());
        }
    }

    @Test
    @DisplayName(
            "8a.59 dumpxmls failing with -32603 is retried id by id; the missing one is left out")
    void oneMissingVmDoesNotCostTheOthers() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            List<VmId> vms = List.of(new VmId(1, 1), new VmId(1, 2), new VmId(1, 3));
            engine.connection.domainXmls(vms, engine.receiver());
            peer.request().error("{\"code\": -32603, \"message\": \"Internal JSON-RPC error\"}");
            for (VmId vm : vms) {
                ScriptedHost.Request one = peer.request();
                assertThat(idsIn(one)).containsExactly(vm.toString());
                if (vm.equals(vms.get(1))) {
                    one.error("{\"code\": -32603, \"message\": \"Internal JSON-RPC error\"}");
                } else {
                    one.answer(xmls(idsIn(one)));
                }
            }
            assertThat(((Map<?, ?>) engine.success()).keySet().stream().map(Object::toString))
                    .containsExactlyInAnyOrder(vms.get(0).toString(), vms.get(2).toString());
            engine.connection.domainXmls(vms, engine.receiver());
            peer.request().error("{\"code\": 99, \"message\": \"m\"}");
            assertThat(engine.failure()).isInstanceOf(HostFailure.Recovering.class);
        }
    }

    @Test
    void unrequestedDataIsNotKeptNorMoreThanACallMayHold() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host, receiving(64 << 10, 32 << 20))) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            List<VmId> vms = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                vms.add(new VmId(1, i));
            }
            engine.connection.domainXmls(vms, engine.receiver());
            peer.request().error("{\"code\": -32603, \"message\": \"Internal JSON-RPC error\"}");
            String large = "x".repeat(30_000);
            for (int i = 0; i < 3; i++) {
                ScriptedHost.Request one = peer.request();
                one.answer(
                        "{\"%s\": \"%s\", \"%s\": \"%s\"}"
                                .formatted(idsIn(one).getFirst(), large, new VmId(9, i), large));
            }
            Map<?, ?> found = (Map<?, ?>) engine.success();
            assertThat(found).as("the others are asked for again by who misses them").hasSize(3);
            assertThat(found.keySet()).allMatch(vms::contains);
        }
    }

    private static VdsmClientSettings receiving(long frameBytes, long bytesPerSecond) {
        VdsmClientSettings d = Engine.plain();
        VdsmClientSettings.Bounds b = d.bounds();
        return new VdsmClientSettings(
                d.tls(),
                d.timeouts(),
                d.heartBeats(),
                d.reconnect(),
                new VdsmClientSettings.Bounds(
                        new StompLimits(65_536, frameBytes, true),
                        b.outboundFrames(),
                        b.pendingCalls(),
                        b.malformedMessages(),
                        b.idleBufferBytes(),
                        b.dumpxmlsChunk(),
                        b.hostMembers(),
                        bytesPerSecond),
                d.replies());
    }

    @Test
    void aHostThatSendsWithoutEndIsReadAtItsPace() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host, receiving(64 << 10, 64 << 10))) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            Thread flood =
                    Thread.ofPlatform()
                            .daemon()
                            .start(() -> {
                                try {
                                    peer.send("\n".repeat(1 << 20));
                                } catch (IOException ended) {
                                    // with the test
                                }
                            });
            Engine.await("it waits", () -> engine.count("slowed") == 1);
            long read = engine.count("bytes");
            assertThat(read).isBetween(64L << 10, 96L << 10);
            for (int seconds = 1; engine.count("bytes") < 512 << 10; seconds++) {
                long before = engine.count("bytes");
                engine.time.advance(Duration.ofSeconds(1));
                // Without a byte for some of these seconds the host would be silent.
                for (int look = 0; look < 200 && engine.count("bytes") == before; look++) {
                    LockSupport.parkNanos(1_000_000);
                }
                assertThat(engine.count("bytes"))
                        .isLessThanOrEqualTo((64L << 10) * (seconds + 1) + (32L << 10));
            }
            assertThat(engine.told).as("still connected").isEmpty();
            engine.connection.reconnect("enough");
            assertThat(engine.expect("disconnected: ")).contains("enough");
            flood.join();
        }
    }

    private static List<String> idsIn(ScriptedHost.Request request) {
        String list = request.body().replaceAll(".*\"vmList\":\\[(.*?)].*", "$1").replace("\"", "");
        return Arrays.asList(list.split(","));
    }

    private static String xmls(List<String> ids) {
        StringBuilder json = new StringBuilder("{");
        for (String id : ids) {
            json.append(json.length() > 1 ? ", " : "");
            json.append('"').append(id).append("\": \"<").append(id).append("/>\"");
        }
        return json.append('}').toString();
    }

    @Test
    void aRequestedReconnectMakesANewConnection() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.hardware(engine.receiver());
            peer.request();
            engine.connection.reconnect("it looks stuck");
            assertThat(engine.failure()).isInstanceOf(HostFailure.Unreachable.class);
            assertThat(engine.expect("disconnected: ")).contains("it looks stuck");
            assertThat(peer.isClosedByEngine()).isTrue();
            engine.skipBackOff();
            host.session();
            engine.expect("connected");
        }
    }

    @Test
    void tooManyCallsAreRefusedNotQueued() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            host.session();
            engine.expect("connected");
            for (int i = 0; i < 257; i++) {
                engine.connection.statistics(engine.receiver());
            }
            assertThat(engine.failure()).isInstanceOf(HostFailure.Overloaded.class);
            assertThat(engine.answers).isEmpty();
        }
    }

    @Test
    void aStartIsSpacedOut() {
        VirtualTime time = new VirtualTime();
        ConnectGate gate = new ConnectGate(time, VdsmClientSettings.Reconnect.DEFAULT);
        Duration last = Duration.ZERO;
        for (int i = 0; i < 1_000; i++) {
            last = gate.nextSlot();
        }
        assertThat(last).isEqualTo(Duration.ofMillis(1_998));
        time.advance(Duration.ofSeconds(10));
        assertThat(gate.nextSlot()).isZero();
    }

    @Test
    void noHostWaitsForItsTurnWithAnOpenConnection() throws Exception {
        VdsmClientSettings d = Engine.plain();
        VdsmClientSettings.Reconnect r = d.reconnect();
        VdsmClientSettings oneAtATime =
                new VdsmClientSettings(
                        d.tls(),
                        d.timeouts(),
                        d.heartBeats(),
                        new VdsmClientSettings.Reconnect(
                                r.firstDelay(), r.longestDelay(), 1, Duration.ZERO),
                        d.bounds(),
                        d.replies());
        try (ScriptedHost first = new ScriptedHost();
                ScriptedHost second = new ScriptedHost();
                Engine engine = Engine.connectedTo(first, oneAtATime)) {
            ScriptedHost.Peer shaking = first.connection();
            shaking.frame("CONNECT");
            try (HostConnection other =
                    engine.connector.open(second.definition(), new Engine(oneAtATime))) {
                assertThat(second.connection().nextFrame()).as("hung up").isNull();
                assertThat(second.hasConnection()).isFalse();
                shaking.send("CONNECTED\nversion:1.2\nheart-beat:0,0\n\n\0");
                second.connection().frame("CONNECT");
                assertThat(other).isNotNull();
            }
        }
    }

    @Test
    void anIdleConnectionHoldsOneTimer() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            host.session();
            engine.expect("connected");
            engine.awaitIdle();
            assertThat(engine.time.pending()).isEqualTo(1);
        }
    }
}
