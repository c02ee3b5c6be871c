package org.stillwater.vdsm.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.vdsm.stomp.FrameBody;

/** Commands that go through a passage, and calls that a connection passes on. */
@Timeout(60)
class CallPassageTest {
    private static final VmId VM = VmId.parse("a94b6c20-7e5f-4d38-b1a6-08c7d5e4f204");
    private static final HostFailure RESET = new HostFailure.Unreachable("reset");

    /** A call that a passage got. */
    private record Passed(CallPassage.PassedCall call, CallPassage.Outcome outcome) {
        void answer(String member) {
            outcome.answered(
                    ("{\"jsonrpc\": \"2.0\", \"id\": \"its own\", " + member + "}")
                            .getBytes(UTF_8));
        }
    }

    private final BlockingQueue<Passed> passed = new LinkedBlockingQueue<>();

    private Engine passing(ScriptedHost host) {
        Engine engine = new Engine(Engine.plain());
        engine.connector.passCommandsThrough(id ->
                id.equals(host.definition().id())
                        ? (call, outcome) -> passed.add(new Passed(call, outcome))
                        : null);
        return engine.open(host.definition());
    }

    private Passed next() throws InterruptedException {
        Passed next = passed.poll(ScriptedHost.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("a passed call").isNotNull();
        return next;
    }

    @Test
    @DisplayName("a command goes through the passage, and its answer means what a host's means")
    void commands() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = passing(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.order(new VmOrder.Pause(VM), engine.receiver());
            Passed pause = next();
            assertThat(pause.call().verb()).isEqualTo("VM.pause");
            assertThat(new String(pause.call().params(), UTF_8))
                    .isEqualTo("{\"vmID\":\"" + VM + "\"}");
            assertThat(pause.call().limit()).isEqualTo(Duration.ofMinutes(3));
            pause.answer("\"result\": true");
            assertThat(engine.success()).isEqualTo(VM);

            engine.connection.order(new VmOrder.Reset(VM), engine.receiver());
            next().answer("\"error\": {\"code\": 1, \"message\": \"m\"}");
            assertThat(engine.failure())
                    .isEqualTo(new HostFailure.Refused(RefusalCode.NO_SUCH_VM, "m"));
            engine.connection.destroy(VM, engine.receiver());
            next().answer("\"error\": {\"code\": 1, \"message\": \"m\"}");
            assertThat(engine.success()).as("a missing VM is destroyed").isEqualTo(VM);
            engine.connection.storage().clearTask("t", engine.receiver());
            Passed clear = next();
            assertThat(clear.call().verb()).isEqualTo("Task.clear");
            clear.answer("\"error\": {\"code\": 99, \"message\": \"m\"}");
            assertThat(engine.failure()).isEqualTo(new HostFailure.Recovering("m"));

            engine.connection.hardware(engine.receiver());
            ScriptedHost.Request first = peer.request();
            assertThat(first.method())
                    .as("the first request of the connection is a reading")
                    .isEqualTo("Host.getHardwareInfo");
            assertThat(passed).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "a command is sent over the connection if it was certainly not sent, and else never")
    void otherWay() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = passing(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.order(new VmOrder.Pause(VM), engine.receiver());
            next().outcome().failed(RESET);
            assertThat(engine.failure()).isEqualTo(RESET);
            engine.connection.order(new VmOrder.Resume(VM), engine.receiver());
            next().outcome().notSent(RESET);
            ScriptedHost.Request resume = peer.request();
            assertThat(resume.method()).as("the pause was not sent").isEqualTo("VM.cont");
            resume.answer("{}");
            assertThat(engine.success()).isEqualTo(VM);
        }
    }

    @Test
    @DisplayName("an answer that is none fails the command, and not the connection")
    void malformedAnswers() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = passing(host)) {
            host.session();
            engine.expect("connected");
            engine.connection.order(new VmOrder.Pause(VM), engine.receiver());
            next().outcome().answered("[".getBytes(UTF_8));
            assertThat(engine.failure()).isInstanceOf(HostFailure.ProtocolViolation.class);
            engine.connection.order(new VmOrder.Pause(VM), engine.receiver());
            next().answer("\"method\": \"m\"");
            assertThat(engine.failure()).isInstanceOf(HostFailure.ProtocolViolation.class);
            assertThat(engine.count("malformed")).isEqualTo(2);
            assertThat(engine.told).isEmpty();
        }
    }

    @Test
    @DisplayName("a recorded host gets its commands over the connection")
    void recorded() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = passing(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connector.listen(Set.of(host.definition().id()), new SilentTap());
            engine.connection.order(new VmOrder.Pause(VM), engine.receiver());
            assertThat(peer.request().method()).isEqualTo("VM.pause");
            assertThat(passed).isEmpty();
        }
    }

    private static final class SilentTap implements WireTap {
        @Override
        public void connected(HostId host, long nanos) {}

        @Override
        public void disconnected(HostId host, long nanos, HostFailure failure) {}

        @Override
        public void called(HostId host, long nanos, String verb, byte[] request) {}

        @Override
        public void answered(
                HostId host, long sentNanos, long receivedNanos, String verb, FrameBody message) {}

        @Override
        public void failed(HostId host, long nanos, String verb, HostFailure failure) {}

        @Override
        public void event(HostId host, long receivedNanos, FrameBody message) {}

        @Override
        public void malformed(HostId host, long receivedNanos) {}
    }

    private static CallPassage.PassedCall call(String params) {
        return new CallPassage.PassedCall(
                "VM.pause", params.getBytes(UTF_8), Duration.ofSeconds(7), 200);
    }

    /** Passes a call on over the engine's connection; the outcome is one of its answers. */
    private static void pass(Engine engine, CallPassage.PassedCall call) {
        assertThat(engine.connection).isInstanceOf(CallPassage.class);
        ((CallPassage) engine.connection)
                .pass(
                        call,
                        new CallPassage.Outcome() {
                            @Override
                            public void answered(byte[] answer) {
                                engine.answers.add("answered " + new String(answer, UTF_8));
                            }

                            @Override
                            public void failed(HostFailure failure) {
                                engine.answers.add("failed " + failure.describe());
                            }

                            @Override
                            public void notSent(HostFailure failure) {
                                engine.answers.add("not sent " + failure.describe());
                            }
                        });
    }

    @Test
    @DisplayName("a connection passes a call and its answer on byte by byte")
    void passesOn() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            String params = "{\"vmID\": \"\u00e4\",  \"x\":1.10, \"y\": [{}]}";
            pass(engine, call(params));
            ScriptedHost.Request request = peer.request();
            assertThat(request.method()).isEqualTo("VM.pause");
            assertThat(request.body()).contains("\"params\":" + params + ",\"id\":");
            request.answer("{\"b\":  2.50}");
            assertThat(engine.answer())
                    .isEqualTo("answered " + request.answerText("{\"b\":  2.50}"));
            pass(engine, call("{}"));
            ScriptedHost.Request refused = peer.request();
            refused.error("{\"code\": 1, \"message\": \"m\"}");
            assertThat(engine.answer().toString()).startsWith("answered {").contains("\"code\": 1");
            pass(engine, call("{}"));
            peer.request().answer("\"" + "x".repeat(200) + "\"");
            assertThat(engine.answer().toString())
                    .startsWith("failed protocol violation: the answer has");
        }
    }

    @Test
    @DisplayName("a call counts as not sent only if the host certainly did not get it")
    void certainty() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = new Engine(Engine.plain()).open(host.definition())) {
            ScriptedHost.Peer opening = host.connection();
            pass(engine, call("{}"));
            assertThat(engine.answer()).isEqualTo("not sent unreachable: not connected yet");
            opening.handshake("version:1.2\nheart-beat:10000,10000\n");
            engine.expect("connected");
            for (String none : new String[] {"", "[]", "{} {}", "{\"s3cret\"", "{\"a\": s3cret}"}) {
                pass(engine, call(none));
                assertThat(engine.answer().toString())
                        .startsWith("not sent protocol violation: the parameters are not")
                        .doesNotContain("s3cret");
            }
            pass(engine, call("{}"));
            opening.request();
            engine.awaitIdle();
            engine.time.advance(Duration.ofSeconds(7));
            assertThat(engine.answer()).isEqualTo("failed VM.pause was not answered within 7 s");
        }
    }

    @Test
    @DisplayName("the outcome of a call is unknown when the connection is lost before the answer")
    void lostConnection() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            pass(engine, call("{}"));
            peer.request();
            peer.reset();
            assertThat(engine.answer().toString()).startsWith("failed unreachable");
        }
    }

    @Test
    @DisplayName("a call beyond the bound of pending calls is not sent")
    void pendingCalls() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host)) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            int most = Engine.plain().bounds().pendingCalls();
            for (int i = 0; i <= most; i++) {
                pass(engine, call("{\"vmID\": \"" + new UUID(0, i) + "\"}"));
                if (i < most) {
                    peer.request();
                }
            }
            assertThat(engine.answer())
                    .isEqualTo(
                            "not sent the host is overloaded: too many calls wait for an answer");
        }
    }
}
