package org.stillwater.relay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.HostId;
import org.stillwater.relay.state.Outbox;
import org.stillwater.relay.v1.Call;
import org.stillwater.relay.v1.CallFailure;
import org.stillwater.relay.v1.CallResult;
import org.stillwater.relay.v1.FromEngine;
import org.stillwater.relay.v1.FromRelay;
import org.stillwater.relay.v1.Welcome;
import org.stillwater.relay.wire.CallCodec;
import org.stillwater.testkit.VirtualClock;

/** With an engine that is a scripted call. */
class EngineStreamTest {

    private static final String EVIL = "no\u001b[2J\nWARN forged\u202e";

    private final ManualLoop loop = new ManualLoop(new VirtualClock());
    private final Answers answers = new Answers();
    private final Calls calls = new Calls();
    private final EngineStream stream =
            new EngineStream(
                    answers,
                    "rack-1",
                    Duration.ofSeconds(15),
                    List.of(new EngineStream.Offered(new HostId(new UUID(1, 1)), "host-1", 7)),
                    new Outbox(Duration.ofMinutes(1)),
                    loop,
                    new Random(1));

    @BeforeEach
    void open() {
        stream.takeCalls(calls);
        stream.open();
        loop.run();
    }

    @Test
    void aRefusalOfTheEngineIsOneLineWithoutControlCharacters() {
        answers.message(
                FromEngine.newBuilder()
                        .setWelcome(Welcome.newBuilder().setSession(3).setRefusal(EVIL))
                        .build());
        loop.run();
        assertThat(stream.session()).isEqualTo(3);
        assertThat(stream.trouble()).isEqualTo("the engine refuses 1 host: no [2J WARN forged");
    }

    @Test
    void theReasonOfAnEndedStreamIsOneLineWithoutControlCharacters() {
        answers.end(
                Status.UNAVAILABLE
                        .withDescription(EVIL)
                        .withCause(new IllegalStateException("\u0007\nof\tit")));
        loop.run();
        assertThat(stream.trouble()).isEqualTo("UNAVAILABLE: no [2J WARN forged (  of it)");
    }

    /** Calls that a relay took. */
    private static final class Calls implements EngineStream.CallTaker {
        private final List<Consumer<CallResult>> taken = new ArrayList<>();

        @Override
        public int most() {
            return 8;
        }

        @Override
        public int mostBytes() {
            return 512;
        }

        @Override
        public void take(Call call, Consumer<CallResult> results) {
            taken.add(results);
        }
    }

    private void call(long id) {
        answers.message(FromEngine.newBuilder().setCall(Call.newBuilder().setId(id)).build());
        loop.run();
    }

    private static CallResult result(long id) {
        return CallCodec.answered(id, new byte[] {'x'});
    }

    @Test
    @DisplayName("Hello offers calls, and a result goes to the engine at once")
    void calls() {
        assertThat(answers.sent.getFirst().getHello().getCalls()).isEqualTo(8);
        assertThat(answers.sent.getFirst().getHello().getCallBytes()).isEqualTo(512);
        call(1);
        call(2);
        assertThat(calls.taken).hasSize(2);
        calls.taken.get(1).accept(result(2));
        assertThat(answers.sent)
                .last()
                .isEqualTo(FromRelay.newBuilder().setResult(result(2)).build());
    }

    @Test
    @DisplayName("the result of a call of an earlier stream is left out, and so are its late calls")
    void callsOfAnEarlierStream() {
        call(1);
        answers.message(FromEngine.newBuilder().setCall(Call.newBuilder().setId(2)).build());
        answers.end(Status.UNAVAILABLE);
        ClientCall.Listener<Object> earlier = answers.listener;
        loop.pass(Duration.ofSeconds(1));
        assertThat(answers.sent).as("a second Hello").hasSize(2);
        earlier.onMessage(FromEngine.newBuilder().setCall(Call.newBuilder().setId(3)).build());
        loop.run();
        assertThat(calls.taken).as("the call before the end").hasSize(2);
        calls.taken.getFirst().accept(result(1));
        assertThat(answers.sent).hasSize(2);
        call(1);
        assertThat(calls.taken).as("ids begin anew").hasSize(3);
    }

    @Test
    @DisplayName("a call that comes twice ends the stream and is not taken again")
    void twice() {
        call(1);
        call(1);
        assertThat(calls.taken).hasSize(1);
        assertThat(answers.cancelled).isTrue();
        assertThat(stream.trouble()).isEqualTo("the engine sent a call twice");
    }

    @Test
    @DisplayName("a relay that takes no calls refuses them by name")
    void noCalls() {
        Answers other = new Answers();
        EngineStream without =
                new EngineStream(
                        other,
                        "rack-2",
                        Duration.ofSeconds(15),
                        List.of(new EngineStream.Offered(new HostId(new UUID(1, 1)), "h", 7)),
                        new Outbox(Duration.ofMinutes(1)),
                        loop,
                        new Random(1));
        without.open();
        assertThat(other.sent.getFirst().getHello().getCalls()).isZero();
        other.message(FromEngine.newBuilder().setCall(Call.newBuilder().setId(1)).build());
        loop.run();
        CallFailure failure = other.sent.getLast().getResult().getFailure();
        assertThat(failure.getNeverSent()).isTrue();
        assertThat(failure.getText()).contains("the relay takes no calls");
    }

    /** A channel of which the test plays the other side. */
    private static final class Answers extends ManagedChannel {

        private final List<FromRelay> sent = new ArrayList<>();
        private ClientCall.Listener<Object> listener;
        private boolean cancelled;

        void message(FromEngine message) {
            listener.onMessage(message);
        }

        void end(Status status) {
            listener.onClose(status, new Metadata());
        }

        @Override
        public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
            return new ClientCall<>() {
                @Override
                @SuppressWarnings("unchecked") // the only method of the service has these types
                public void start(Listener<A> answers, Metadata headers) {
                    listener = (ClientCall.Listener<Object>) answers;
                }

                @Override
                public void request(int messages) {}

                @Override
                public void cancel(String message, Throwable cause) {
                    cancelled = true;
                }

                @Override
                public void halfClose() {}

                @Override
                public void sendMessage(Q message) {
                    sent.add((FromRelay) message);
                }
            };
        }

        @Override
        public String authority() {
            return "engine.example";
        }

        @Override
        public ManagedChannel shutdown() {
            return this;
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public ManagedChannel shutdownNow() {
            return this;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }
}
