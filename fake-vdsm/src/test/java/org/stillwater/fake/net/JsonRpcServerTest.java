package org.stillwater.fake.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.fake.world.SimulationClock;
import org.stillwater.fake.world.World;
import org.stillwater.fake.world.WorldSettings;

class JsonRpcServerTest extends WireTest {

    private static final TransportSettings FAITHFUL =
            TransportSettings.DEFAULT.withFaithfulQuirks(true);

    private static final String PARSE_ERROR =
            error(
                    "null",
                    -32700,
                    "Invalid JSON was received by the server. An error occurred on the server while"
                            + " parsing the JSON text.");
    private static final String INVALID =
            error("null", -32600, "The JSON sent is not a valid Request object.");

    @Test
    @DisplayName("8b.23 The answer goes to reply-to, to all its subscribers, on all connections")
    void answersReachEverySubscriber() throws Exception {
        InetSocketAddress address = open(server());
        RawClient other = client(address).ready();
        RawClient asking = client(address).connected();
        asking.subscribe("p", "private").subscribe("q", "private");
        asking.request(
                "{\"jsonrpc\":\"2.0\",\"method\":\"Test.void\",\"params\":{},\"id\":\"1\"}",
                "jms.topic.vdsm_responses");
        assertThat(other.readBody()).isEqualTo(answer("\"1\"", "true"));
        other.request(
                "{\"jsonrpc\":\"2.0\",\"method\":\"Test.void\",\"params\":{},\"id\":\"2\"}",
                "private");
        RawClient.Frame first = asking.readFrame();
        RawClient.Frame second = asking.readFrame();
        assertThat(first.body()).isEqualTo(answer("\"2\"", "true"));
        assertThat(first.head()).contains("subscription:p\n");
        assertThat(second.head()).contains("subscription:q\n");
    }

    @Test
    @DisplayName(
            "8b.23 Answers match reply-to exactly: a subscriber of the parent does not see them")
    void answersDoNotClimb() throws Exception {
        RawClient client = client(open(server())).ready();
        client.subscribe("own", "jms.topic.vdsm_responses.mine");
        client.request(
                "{\"jsonrpc\":\"2.0\",\"method\":\"Test.void\",\"params\":{},\"id\":1}",
                "jms.topic.vdsm_responses.mine");
        assertThat(client.readFrame().head()).contains("subscription:own\n");
        client.call("2", "Test.void", "{}");
        assertThat(client.readBody()).isEqualTo(answer("2", "true"));
    }

    @Test
    @DisplayName("8b.24 Without reply-to there is no answer")
    void noReplyToNoAnswer() throws Exception {
        RawClient client = client(open(server())).ready();
        client.request(
                "{\"jsonrpc\":\"2.0\",\"method\":\"Test.wait\",\"params\":{},\"id\":1}", null);
        host.nextWaiting().result(JsonBody.TRUE);
        client.call("2", "Test.void", "{}");
        assertThat(client.readBody()).isEqualTo(answer("2", "true"));
    }

    @Test
    @DisplayName("8b.25 Void verbs answer true")
    void voidVerbsAnswerTrue() throws Exception {
        RawClient client = client(open(server())).ready();
        client.call("\"a\"", "Test.void", "{}");
        assertThat(client.readBody()).isEqualTo(answer("\"a\"", "true"));
    }

    @Test
    @DisplayName("8b.26 Unknown verb -32601; bad JSON -32700 with id null")
    void mistakesHaveTheirCodes() throws Exception {
        RawClient client = client(open(server())).ready();
        client.call("\"m1\"", "Host.noSuchVerb", "{}");
        assertThat(client.readBody())
                .isEqualTo(
                        error(
                                "\"m1\"",
                                -32601,
                                "The method does not exist or is not available: {'method':"
                                        + " 'Host.noSuchVerb'}"));
        client.request("{not json", "jms.topic.vdsm_responses");
        assertThat(client.readBody()).isEqualTo(PARSE_ERROR);
    }

    @Test
    @DisplayName("8b.26 An error with id null goes to the customary destination only")
    void anonymousErrorsAreNotPrivate() throws Exception {
        RawClient client = client(open(server())).ready();
        client.subscribe("own", "mine");
        client.request("[]", "mine");
        RawClient.Frame frame = client.readFrame();
        assertThat(frame.head()).contains("subscription:r\n");
        assertThat(frame.body()).isEqualTo(INVALID);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "7",
                "\"text\"",
                "{\"jsonrpc\":\"1.0\",\"method\":\"Test.void\",\"id\":1}",
                "{\"method\":\"Test.void\",\"id\":1}",
                "{\"jsonrpc\":\"2.0\",\"id\":1}",
                "{\"jsonrpc\":\"2.0\",\"method\":7,\"id\":1}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"Test.void\",\"params\":7,\"id\":1}",
                "[]"
            })
    void invalidRequestsAreRefused(String json) throws Exception {
        RawClient client = client(open(server())).ready();
        client.request(json, "jms.topic.vdsm_responses");
        assertThat(client.readBody()).isEqualTo(INVALID);
        client.call("2", "Test.void", "{}");
        assertThat(client.readBody()).isEqualTo(answer("2", "true"));
    }

    @Test
    void aVerbThatFailsIsAnswered() throws Exception {
        RawClient client = client(open(server())).ready();
        client.call("1", "Test.bug", "{}");
        assertThat(client.readBody())
                .isEqualTo(error("1", -32603, "Internal JSON-RPC error: deliberate"));
    }

    @Test
    @DisplayName("8b.29 Eight run, eighty wait, more are refused with 1100")
    void tooManyCallsAreRefused() throws Exception {
        HostServer server = server();
        RawClient client = client(open(server)).ready();
        for (int i = 0; i < 90; i++) {
            client.call("" + i, "Test.wait", "{}");
        }
        for (int i = 88; i < 90; i++) {
            assertThat(client.readBody())
                    .isEqualTo(
                            error(
                                    "" + i,
                                    1100,
                                    "Not enough resources: {'reason': 'Too many tasks',"
                                            + " 'resource': 'jsonrpc', 'current_tasks': 80}"));
        }
        assertThat(server.metrics().refusedCalls()).isEqualTo(2);
        for (int i = 0; i < 88; i++) {
            host.nextWaiting().result(JsonBody.TRUE);
            assertThat(client.readBody()).contains("\"result\": true");
        }
        client.call("90", "Test.void", "{}");
        assertThat(client.readBody()).isEqualTo(answer("90", "true"));
    }

    @Test
    void aVerbOfMoreThanAMinuteLosesItsWorkerButStillAnswers() throws Exception {
        HostServer server = timedServer(TransportSettings.DEFAULT);
        RawClient client = client(open(server)).ready();
        for (int i = 0; i < 8; i++) {
            client.call("" + i, "Test.wait", "{}");
        }
        RpcReply first = host.nextWaiting();
        for (int i = 1; i < 8; i++) {
            host.nextWaiting();
        }
        client.call("8", "Test.wait", "{}");
        client.call("9", "Test.wait", "{}");
        client.send("DISCONNECT\nreceipt:sent\n\n^@").read();
        assertThat(host.waiting).isEmpty();
        time.advance(Duration.ofSeconds(60));
        host.nextWaiting();
        host.nextWaiting();
        first.result(JsonBody.TRUE);
        assertThat(client.readBody()).contains("\"result\": true");
    }

    @Test
    @DisplayName("8b.30 With latency answers come out of order")
    void latencyReordersAnswers() throws Exception {
        HostServer server = timedServer(TransportSettings.DEFAULT);
        RawClient client = client(open(server)).ready();
        server.faults()
                .add(
                        FaultSpec.of(FaultKind.LATENCY)
                                .withVerb("Test.ech?")
                                .withDelay(Duration.ofSeconds(3), Duration.ofSeconds(3)));
        client.call("1", "Test.echo", "{}");
        time.awaitTaskIn(Duration.ofSeconds(3));
        client.call("2", "Test.void", "{}");
        assertThat(client.readBody()).isEqualTo(answer("2", "true"));
        time.advance(Duration.ofSeconds(3));
        assertThat(client.readBody()).isEqualTo(answer("1", "{}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "7",
                "-1",
                "0",
                "12345678901234567890123",
                "1.5",
                "true",
                "\"a b\"",
                "\"\\\"x\\\"\""
            })
    @DisplayName("8b.31 Ids are echoed as they came")
    void idsAreEchoed(String id) throws Exception {
        RawClient client = client(open(server())).ready();
        client.call(id, "Test.void", "{}");
        assertThat(client.readBody()).isEqualTo(answer(id, "true"));
    }

    @Test
    @DisplayName("8b.32 Default mode: a batch is answered as a batch, notifications are silent")
    void batchesAreAnswered() throws Exception {
        RawClient client = client(open(server())).ready();
        client.request(
                "[{\"jsonrpc\":\"2.0\",\"method\":\"Test.void\",\"id\":1},"
                        + "{\"jsonrpc\":\"2.0\",\"method\":\"Test.void\"},"
                        + "{\"jsonrpc\":\"2.0\",\"method\":\"Test.echo\",\"params\":[2],\"id\":2}]",
                "jms.topic.vdsm_responses");
        assertThat(client.readBody())
                .isIn(
                        "[" + answer("1", "true") + ", " + answer("2", "[2]") + "]",
                        "[" + answer("2", "[2]") + ", " + answer("1", "true") + "]");
        client.request(
                "{\"jsonrpc\":\"2.0\",\"method\":\"Test.void\"}", "jms.topic.vdsm_responses");
        client.call("3", "Test.void", "{}");
        assertThat(client.readBody()).isEqualTo(answer("3", "true"));
    }

    @Test
    @DisplayName("8b.32 A batch of one is answered with a bare object, as VDSM does")
    void aBatchOfOneIsNoBatch() throws Exception {
        RawClient client = client(open(server())).ready();
        client.request(
                "[{\"jsonrpc\":\"2.0\",\"method\":\"Test.void\",\"id\":1}]",
                "jms.topic.vdsm_responses");
        assertThat(client.readBody()).isEqualTo(answer("1", "true"));
    }

    @Test
    @DisplayName("8b.32 Faithful mode: a batch of two is executed and never answered")
    void faithfulBatchesAreSilent() throws Exception {
        RawClient client = client(open(server(FAITHFUL))).ready();
        client.request(
                "[{\"jsonrpc\":\"2.0\",\"method\":\"Test.wait\",\"id\":1},"
                        + "{\"jsonrpc\":\"2.0\",\"method\":\"Test.wait\",\"id\":2}]",
                "jms.topic.vdsm_responses");
        host.nextWaiting().result(JsonBody.TRUE);
        host.nextWaiting().result(JsonBody.TRUE);
        client.call("3", "Test.void", "{}");
        assertThat(client.readBody()).isEqualTo(answer("3", "true"));
    }

    @Test
    @DisplayName("8b.32 Faithful mode: a notification stops all answers until VDSM restarts")
    void faithfulNotificationsKillTheDispatcher() throws Exception {
        HostServer server = server(FAITHFUL);
        InetSocketAddress address = open(server);
        RawClient client = client(address).ready();
        client.request(
                "{\"jsonrpc\":\"2.0\",\"method\":\"Test.wait\"}", "jms.topic.vdsm_responses");
        host.nextWaiting().result(JsonBody.TRUE);
        client.call("2", "Test.wait", "{}");
        host.nextWaiting().result(JsonBody.TRUE);
        client.send("DISCONNECT\nreceipt:end\n\n^@");
        assertThat(client.read()).startsWith("RECEIPT\n");

        server.restarted(host.name());
        assertThat(client.isEndedSilently()).isTrue();
        client(address).ready();
    }

    @Test
    @DisplayName("A restart of VDSM ends the calls that hold its workers")
    void aRestartFreesTheWorkers() throws Exception {
        HostServer server = server();
        server.faults()
                .add(
                        FaultSpec.of(FaultKind.LATENCY)
                                .withVerb("Host.getStats")
                                .withDelay(Duration.ofHours(1), Duration.ofHours(1)));
        try (World world = World.create(WorldSettings.of(7, 1, 1), SimulationClock.manual())) {
            world.start(server, _ -> anyPort());
            InetSocketAddress address = server.hosts().getFirst().address();
            RawClient client = client(address).ready();
            for (int id = 1; id <= TransportSettings.DEFAULT.workers(); id++) {
                client.call(Integer.toString(id), "Host.getStats", "{}");
            }
            client.send("DISCONNECT\nreceipt:end\n\n^@");
            assertThat(client.read()).startsWith("RECEIPT\n");

            world.hosts().getFirst().restartVdsm(Duration.ofSeconds(1));
            world.advance(Duration.ofSeconds(1));
            assertThat(client.isEndedSilently()).isTrue();
            RawClient after = client(address).connected();
            after.subscribe("r", "jms.topic.vdsm_responses");
            after.call("9", "Host.ping", "{}");
            assertThat(after.readBody()).isEqualTo(answer("9", "true"));
        }
    }

    @Test
    @DisplayName("8b.32 Faithful mode: an invalid request is refused twice")
    void faithfulRefusalsAreDoubled() throws Exception {
        RawClient client = client(open(server(FAITHFUL))).ready();
        client.request("{\"jsonrpc\":\"2.0\",\"id\":1}", "jms.topic.vdsm_responses");
        assertThat(client.readBody()).isEqualTo(INVALID);
        assertThat(client.readBody()).isEqualTo(INVALID);
    }

    @Test
    @DisplayName("8b.51 Events reach every subscriber of jms.queue.events and only them")
    void eventsReachTheirSubscribersOnly() throws Exception {
        HostServer server = server();
        InetSocketAddress address = open(server);
        TestHost otherHost = new TestHost("host-2");
        RawClient elsewhere = client(server.open(otherHost, anyPort())).ready();
        RawClient first = client(address).ready();
        RawClient second = client(address).ready();
        RawClient unsubscribed = client(address).connected();
        unsubscribed.subscribe("parent", "jms.queue");
        unsubscribed.subscribe("mine", "mine");
        first.readBody();
        unsubscribed.request("{\"jsonrpc\":\"2.0\",\"method\":\"Test.void\",\"id\":0}", "mine");
        unsubscribed.readBody();

        server.publish(host.name(), TestHost.event("vm-1", 1));
        server.publish(host.name(), TestHost.event("vm-2", 2));
        for (RawClient client : List.of(first, second)) {
            RawClient.Frame frame = client.readFrame();
            assertThat(frame.head())
                    .startsWith(
                            "MESSAGE\ndestination:jms.queue.events\ncontent-type:application/json\n"
                                    + "subscription:e\ncontent-length:");
            assertThat(frame.body()).contains("|virt|VM_status|vm-1");
            assertThat(client.readBody()).contains("|virt|VM_status|vm-2");
        }
        unsubscribed.send("DISCONNECT\nreceipt:end\n\n^@");
        assertThat(unsubscribed.read()).startsWith("RECEIPT\n");
        elsewhere.send("DISCONNECT\nreceipt:end\n\n^@");
        assertThat(elsewhere.read()).startsWith("RECEIPT\n");
    }
}
