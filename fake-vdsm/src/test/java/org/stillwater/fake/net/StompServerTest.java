package org.stillwater.fake.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StompServerTest extends WireTest {

    private static final byte[] V4 = {127, 0, 0, 1};
    private static final byte[] V6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    private static final String CONNECTED = "CONNECTED\nversion:1.2\nheart-beat:0,0\n\n";

    @Test
    @DisplayName("8b.1 A host listens on IPv4 and IPv6, and in clear if wanted")
    void listensOnBothFamilies() throws Exception {
        HostServer server = server();
        InetSocketAddress any =
                server.open(host, new InetSocketAddress(InetAddress.getByName("::"), 0));

        client(new InetSocketAddress(InetAddress.getByAddress(V4), any.getPort())).connected();
        client(new InetSocketAddress(InetAddress.getByAddress(V6), any.getPort())).connected();
    }

    @Test
    void manyHostsListenOnOnePortOfManyLoopbackAddresses() throws Exception {
        HostServer server = server();
        TestHost other = new TestHost("host-2");
        int port = server.open(host, new InetSocketAddress("127.31.0.1", 0)).getPort();
        server.open(other, new InetSocketAddress("127.31.0.2", port));

        client(new InetSocketAddress("127.31.0.1", port)).ready();
        assertThat(host.called).hasSize(1);
        client(new InetSocketAddress("127.31.0.2", port)).ready();
        assertThat(other.called).hasSize(1);
        assertThat(host.called).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "CONNECT\nac"})
    @DisplayName("8b.3 Fewer than 11 bytes within 10 s: the host closes")
    void detectionHasALimit(String start) throws Exception {
        HostServer server = timedServer(TransportSettings.DEFAULT);
        RawClient client = client(open(server));
        client.send(start);
        time.awaitTaskIn(Duration.ofSeconds(10));

        time.advance(Duration.ofMillis(9_999));
        assertThat(server.connections()).hasSize(1);
        time.advance(Duration.ofMillis(1));
        assertThat(client.isEndedSilently()).isTrue();
    }

    @Test
    @DisplayName("8b.3 After detection an unfinished CONNECT may hang without limit")
    void nothingIsTimedAfterDetection() throws Exception {
        HostServer server = timedServer(TransportSettings.DEFAULT);
        RawClient client = client(open(server));
        client.send("CONNECT\naccept-ver");
        while (server.metrics().bytesIn() == 0) {
            Thread.onSpinWait();
        }
        time.advance(Duration.ofHours(1));

        client.send("sion:1.2\n\n^@");
        assertThat(client.read()).isEqualTo(CONNECTED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "STOMP\naccept-version:1.2\n\n^@",
                "\nCONNECT\naccept-version:1.2\n\n^@",
                "POST /jsonrpc HTTP/1.1\r\n\r\n",
                "            ",
                "connect\naccept-version:1.2\n\n^@"
            })
    @DisplayName("8b.4 A connection with neither STOMP nor HTTP is closed without a byte")
    void unknownProtocolsAreClosedSilently(String start) throws Exception {
        RawClient client = client(open(server()));
        client.send(start);
        assertThat(client.isEndedSilently()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\n\r\n", "PUT /images/1 HTTP/1.1\r\n\r\n"})
    @DisplayName("8b.5 HTTP on the port gets a 404")
    void httpIsHarmless(String request) throws Exception {
        RawClient client = client(open(server()));
        client.send(request);
        assertThat(client.readToEnd()).startsWith("HTTP/1.1 404 ");
    }

    @Test
    @DisplayName("8b.6 SUBSCRIBE and SEND work before, and without, CONNECT")
    void noConnectIsNeeded() throws Exception {
        RawClient client = client(open(server()));
        client.subscribe("r", "jms.topic.vdsm_responses").call("\"1\"", "Test.void", "{}");
        assertThat(client.readBody()).isEqualTo(answer("\"1\"", "true"));
        client.connected();
    }

    @Test
    @DisplayName("8b.7 CONNECTED is exactly version and heart-beat, in that order")
    void connectedIsExact() throws Exception {
        RawClient client = client(open(server()));
        client.send("CONNECT\naccept-version:1.2\nhost:null\nlogin:x\npasscode:y\n\n^@");
        assertThat(client.read()).isEqualTo(CONNECTED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "accept-version:1.1,1.2\n",
                "accept-version:1.0\n",
                "",
                "accept-version: 1.2\n"
            })
    @DisplayName("8b.8 Another accept-version gets ERROR and may try again")
    void otherVersionsAreRefused(String header) throws Exception {
        RawClient client = client(open(server()));
        client.send("CONNECT\n" + header + "host:a\n\n^@");
        assertThat(client.read()).isEqualTo("ERROR\ncontent-length:19\n\nVersion unsupported");
        client.connected();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "heart-beat:0,0     | 0,0",
                "heart-beat:0,15000 | 15000,0",
                "heart-beat:500,200 | 1000,1000",
                "heart-beat:7000    | 0,0",
                "heart-beat:abc,7000| 7000,0",
                "heart-beat:7000,abc| 0,7000",
                "heart-beat:10000,10000| 10000,10000",
                "x:y                | 0,0"
            })
    @DisplayName("8b.9 The table of heart-beats")
    void heartBeatsAreNegotiatedAsVdsmDoes(String header, String agreed) throws Exception {
        RawClient client = client(open(server()));
        client.send("CONNECT\naccept-version:1.2\n" + header.strip() + "\n\n^@");
        assertThat(client.read())
                .isEqualTo("CONNECTED\nversion:1.2\nheart-beat:" + agreed + "\n\n");
    }

    @Test
    @DisplayName("8b.10 One LF after cy ms of silence, none while data flowed")
    void beatsAfterSilence() throws Exception {
        HostServer server = timedServer(TransportSettings.DEFAULT);
        RawClient client = client(open(server));
        client.subscribe("r", "jms.topic.vdsm_responses");
        client.send("CONNECT\naccept-version:1.2\nheart-beat:0,1500\n\n^@");
        client.read();
        time.awaitTaskIn(Duration.ofMillis(1500));

        time.advance(Duration.ofMillis(1499));
        assertThat(client.hasInput()).isFalse();
        time.advance(Duration.ofMillis(1));
        assertThat(client.readOctet()).isEqualTo('\n');

        time.advance(Duration.ofSeconds(1));
        client.call("1", "Test.void", "{}").readBody();
        time.advance(Duration.ofMillis(1499));
        assertThat(client.hasInput()).isFalse();
        time.advance(Duration.ofMillis(1));
        assertThat(client.readOctet()).isEqualTo('\n');
        awaitBeats(server, 2); // counted once they are written, which the client may see earlier
        assertThat(server.metrics().heartBeatsOut()).isEqualTo(2);
    }

    private static void awaitBeats(HostServer server, long count) {
        while (server.metrics().heartBeatsOut() < count) {
            Thread.onSpinWait();
        }
    }

    @Test
    @DisplayName("8b.11 Closes at cx ms without inbound bytes, and not before")
    void aSilentClientIsDropped() throws Exception {
        HostServer server = timedServer(TransportSettings.DEFAULT);
        RawClient client = client(open(server));
        client.subscribe("r", "jms.topic.vdsm_responses");
        client.send("CONNECT\naccept-version:1.2\nheart-beat:2000,0\n\n^@");
        client.read();
        time.awaitTaskIn(Duration.ofSeconds(2));

        time.advance(Duration.ofMillis(1500));
        client.send("\n").call("1", "Test.void", "{}").readBody();
        time.advance(Duration.ofMillis(1999));
        assertThat(server.connections()).hasSize(1);
        time.advance(Duration.ofMillis(1));
        assertThat(client.isEndedSilently()).isTrue();
        assertThat(server.metrics().dropped()).containsEntry("heart-beat", 1L);
    }

    @Test
    @DisplayName("8b.11 On the real clock the close comes at cx, within generous bounds")
    void aSilentClientIsDroppedInRealTime() throws Exception {
        RawClient client = client(open(server()));
        long begin = System.nanoTime(); // before the host's, whose answer may be read late
        client.send("CONNECT\naccept-version:1.2\nheart-beat:1000,0\n\n^@");
        client.read();
        assertThat(client.isEndedSilently()).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .isBetween(Duration.ofMillis(900), Duration.ofSeconds(20));
    }

    @Test
    void aSecondConnectNegotiatesAnew() throws Exception {
        HostServer server = timedServer(TransportSettings.DEFAULT);
        RawClient client = client(open(server));
        client.send("CONNECT\naccept-version:1.2\nheart-beat:2000,0\n\n^@");
        client.read();
        time.awaitTaskIn(Duration.ofSeconds(2));
        client.connected();
        client.send("CONNECT\naccept-version:1.2\nheart-beat:0,3000\n\n^@");
        client.read();
        time.awaitTaskIn(Duration.ofSeconds(3));
        time.advance(Duration.ofSeconds(3));
        assertThat(client.readOctet()).isEqualTo('\n');
        assertThat(server.connections()).hasSize(1);
    }

    @Test
    @DisplayName("8b.12 MESSAGE headers: destination, content-type, subscription, content-length")
    void messageHeadersAreInOrder() throws Exception {
        RawClient client = client(open(server())).ready();
        client.call("\"1\"", "Test.void", "{}");
        assertThat(client.read())
                .isEqualTo(
                        "MESSAGE\ndestination:jms.topic.vdsm_responses\n"
                                + "content-type:application/json\nsubscription:r\n"
                                + "content-length:45\n\n"
                                + answer("\"1\"", "true"));
    }

    @Test
    @DisplayName("8b.13 content-length counts bytes")
    void contentLengthCountsBytes() throws Exception {
        RawClient client = client(open(server())).ready();
        client.call("\"1\"", "Test.echo", "{\"name\":\"Köln 東京\"}");
        RawClient.Frame frame = client.readFrame();
        assertThat(frame.body()).contains("Köln 東京");
        assertThat(frame.head())
                .contains(
                        "content-length:"
                                + frame.body().getBytes(StandardCharsets.UTF_8).length
                                + "\n");
        client.call("\"2\"", "Test.void", "{}");
        assertThat(client.readBody()).isEqualTo(answer("\"2\"", "true"));
    }

    @Test
    @DisplayName("8b.14 NUL ends each frame and nothing follows")
    void nothingFollowsTheNul() throws Exception {
        RawClient client = client(open(server()));
        client.send("CONNECT\naccept-version:1.2\n\n^@").readFrame();
        client.send("DISCONNECT\nreceipt:1\n\n^@");
        assertThat(client.readOctet()).isEqualTo('R');
    }

    @ParameterizedTest
    @CsvSource({
        "'SUBSCRIBE\ndestination:a\nid:1\n\n^@', Subscription id already exists",
        "'SUBSCRIBE\ndestination:a\n\n^@', Missing destination or subscription id header",
        "'SUBSCRIBE\nid:7\n\n^@', Missing destination or subscription id header",
        "'UNSUBSCRIBE\ndestination:a\n\n^@', Missing id header",
        "'SEND\ndestination:jms.topic.nothing\ncontent-length:2\n\n{}^@', Subscription not"
                + " available"
    })
    @DisplayName("8b.16 Duplicate and missing ids, unknown destinations: the exact ERROR texts")
    void mistakesGetTheExactError(String frame, String text) throws Exception {
        RawClient client = client(open(server())).connected();
        client.subscribe("1", "b").send(frame);
        assertThat(client.read())
                .isEqualTo("ERROR\ncontent-length:" + text.length() + "\n\n" + text);
        client.connected();
    }

    @Test
    @DisplayName("8b.16 UNSUBSCRIBE of an unknown id is silent; of a known one ends it")
    void unsubscribeIsSilent() throws Exception {
        RawClient client = client(open(server())).ready();
        client.send("UNSUBSCRIBE\nid:unknown\n\n^@");
        client.send("UNSUBSCRIBE\nid:r\n\n^@");
        client.call("1", "Test.void", "{}");
        client.send("DISCONNECT\nreceipt:end\n\n^@");
        assertThat(client.read()).startsWith("RECEIPT\n");
    }

    @Test
    @DisplayName("8b.17 DISCONNECT with receipt gets RECEIPT; closing is left to the client")
    void disconnectGetsAReceipt() throws Exception {
        RawClient client = client(open(server())).connected();
        client.send("DISCONNECT\nreceipt:7d-9e\n\n^@");
        assertThat(client.read()).isEqualTo("RECEIPT\nreceipt-id:7d-9e\n\n");
        client.connected();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DISCONNECT\n\n^@",
                "ACK\nid:1\n\n^@",
                "NACK\nid:1\n\n^@",
                "BEGIN\ntransaction:1\n\n^@",
                "COMMIT\ntransaction:1\n\n^@",
                "ABORT\ntransaction:1\n\n^@",
                "NONSENSE\n\n^@",
                "MESSAGE\ndestination:a\n\n^@"
            })
    @DisplayName("8b.18 DISCONNECT without receipt, ACK, transactions, unknown: dropped")
    void unsupportedCommandsDropTheConnection(String frame) throws Exception {
        RawClient client = client(open(server())).connected();
        client.send(frame);
        assertThat(client.isEndedSilently()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CONNECT\naccept-version:1.2\nhost:fe80::1\n\n^@",
                "CONNECT\naccept-version:1.2\nhost:a\\tb\n\n^@",
                "CONNECT\naccept-version:1.2\nhost\n\n^@"
            })
    @DisplayName("8b.19 A raw colon or an undefined escape in a header: dropped")
    void badHeadersDropTheConnection(String frame) throws Exception {
        RawClient client = client(open(server()));
        client.send(frame);
        assertThat(client.isEndedSilently()).isTrue();
    }

    @Test
    @DisplayName(
            "8b.19 Escapes are undone and done again, CR LF is accepted, the first header wins")
    void escapesAndLineEnds() throws Exception {
        RawClient client = client(open(server()));
        client.send(
                "CONNECT\r\naccept-version:1.2\r\naccept-version:9\r\nhost:fe80\\c\\c1\r\n\r\n^@");
        assertThat(client.read()).isEqualTo(CONNECTED);
        client.send("DISCONNECT\nreceipt:a\\cb\\n\\\\c\n\n^@");
        assertThat(client.read()).isEqualTo("RECEIPT\nreceipt-id:a\\cb\\n\\\\c\n\n");
    }

    @Test
    @DisplayName("8b.20 content-length too short: dropped")
    void aShortContentLengthDropsTheConnection() throws Exception {
        RawClient client = client(open(server())).connected();
        client.send("SEND\ndestination:jms.topic.vdsm_requests\ncontent-length:1\n\n{}^@");
        assertThat(client.isEndedSilently()).isTrue();
    }

    @Test
    @DisplayName("8b.20 content-length too long: the host waits for the rest")
    void aLongContentLengthIsWaitedFor() throws Exception {
        HostServer server = timedServer(TransportSettings.DEFAULT);
        RawClient client = client(open(server)).connected();
        client.subscribe("x", "x");
        client.send("SEND\ndestination:x\ncontent-length:6\n\nab^@");
        time.advance(Duration.ofHours(1));
        assertThat(server.connections()).hasSize(1);
        client.send("cde^@");
        assertThat(client.readFrame().body()).isEqualTo("ab\0cde");
    }

    @Test
    void framesMayComeByteByByteOrAllAtOnce() throws Exception {
        RawClient client = client(open(server()));
        for (byte octet : "CONNECT\naccept-version:1.2\n\n\0".getBytes(StandardCharsets.US_ASCII)) {
            client.send(new byte[] {octet});
        }
        assertThat(client.read()).isEqualTo(CONNECTED);
        client.send(
                "\n\nSUBSCRIBE\ndestination:x\nid:1\n\n^@\nSEND\ndestination:x\n\nabc^@SEND\n"
                        + "destination:x\ncontent-length:1\n\nd^@");
        assertThat(client.readFrame().body()).isEqualTo("abc");
        assertThat(client.readFrame().body()).isEqualTo("d");
    }

    @Test
    @DisplayName("8b.21 Frames of 25 MB are accepted and sent")
    void largeFramesPass() throws Exception {
        RawClient client = client(open(server())).ready();
        client.subscribe("x", "some.place");
        byte[] body = new byte[25 << 20];
        Arrays.fill(body, (byte) 'y');
        client.send("SEND\ndestination:some.place.below\ncontent-length:" + body.length + "\n\n");
        client.send(body).send("^@");
        RawClient.Frame frame = client.readFrame();
        assertThat(frame.head()).contains("destination:some.place.below\n", "subscription:x\n");
        assertThat(frame.body().length()).isEqualTo(body.length);

        client.call("1", "Test.big", "{\"bytes\":" + (25 << 20) + "}");
        assertThat(client.readBody().length()).isEqualTo((25 << 20) + answer("1", "").length());
    }

    @Test
    @DisplayName(
            "8b.22 A reader that does not read blocks no other, and ends when its queue is full")
    void aSlowReaderBlocksNoOther() throws Exception {
        HostServer server = server(TransportSettings.DEFAULT.withOutQueueBytes(40 << 20));
        InetSocketAddress address = open(server);
        RawClient slow = client(address).connected();
        slow.subscribe("s", "slow");
        RawClient quick = client(address).ready();
        String big =
                "{\"jsonrpc\":\"2.0\",\"method\":\"Test.big\",\"params\":{\"bytes\":30000000},\"id\":%d}";
        slow.request(big.formatted(1), "slow");
        quick.call("7", "Test.void", "{}");
        assertThat(quick.readBody()).isEqualTo(answer("7", "true"));
        assertThat(server.connections()).hasSize(2);

        slow.request(big.formatted(2), "slow");
        int ended = 0;
        while (server.connections().size() > 1) {
            quick.call("8", "Test.void", "{}");
            assertThat(quick.readBody()).isEqualTo(answer("8", "true"));
            ended++;
            assertThat(ended).isLessThan(1_000_000);
        }
        assertThat(server.metrics().dropped()).containsEntry("slow-reader", 1L);
    }
}
