package org.stillwater.relay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.HostId;
import org.stillwater.relay.state.Outbox;
import org.stillwater.relay.v1.FromEngine;
import org.stillwater.relay.v1.Welcome;
import org.stillwater.testkit.VirtualClock;

/** With an engine that is a scripted call. */
class EngineStreamTest {

    private static final String EVIL = "no\u001b[2J\nWARN forged\u202e";

    private final ManualLoop loop = new ManualLoop(new VirtualClock());
    private final Answers answers = new Answers();
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

    /** A channel of which the test plays the other side. */
    private static final class Answers extends ManagedChannel {

        private ClientCall.Listener<Object> listener;

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
                public void cancel(String message, Throwable cause) {}

                @Override
                public void halfClose() {}

                @Override
                public void sendMessage(Q message) {}
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
