package org.stillwater.relay.intake;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.HostId;
import org.stillwater.relay.v1.FromEngine;
import org.stillwater.relay.v1.FromRelay;
import org.stillwater.relay.v1.Hello;
import org.stillwater.relay.wire.StreamLimits;
import org.stillwater.testkit.VirtualClock;

class RelayEndpointTest {

    private static final int MOST_SILENT = 3;
    private static final Duration HELLO = Duration.ofSeconds(7);

    private final VirtualClock clock = new VirtualClock();
    private final RelayEndpoint endpoint =
            new RelayEndpoint(
                    new RelayIntake(
                            Map.of(
                                    "rack-7", List.of(new HostId(new UUID(0, 1))),
                                    "rack-8", List.of(new HostId(new UUID(0, 2)))),
                            1_000,
                            clock),
                    clock,
                    new RelayServer.Pace(
                            Duration.ofSeconds(15), 64, Duration.ofSeconds(1), MOST_SILENT, HELLO));

    /** One call as the engine sees it. */
    static final class Call extends ServerCallStreamObserver<FromEngine> {
        final List<FromEngine> sent = new ArrayList<>();
        private @Nullable Status ended;
        boolean broken;

        int marks() {
            return (int) sent.stream().filter(FromEngine::hasMark).count();
        }

        Status.@Nullable Code code() {
            return ended == null ? null : ended.getCode();
        }

        @Override
        public void onNext(FromEngine message) {
            if (broken) {
                throw new IllegalStateException("call is closed");
            }
            sent.add(message);
        }

        @Override
        public void onError(Throwable failure) {
            ended = Status.fromThrowable(failure);
        }

        @Override
        public void onCompleted() {
            ended = Status.OK;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {}

        @Override
        public void setOnReadyHandler(Runnable handler) {}

        @Override
        public void setCompression(String compression) {}

        @Override
        public void setMessageCompression(boolean enable) {}

        @Override
        public void disableAutoInboundFlowControl() {}

        @Override
        public void disableAutoRequest() {}

        @Override
        public void request(int count) {}
    }

    private StreamObserver<FromRelay> connect(String peer, Call call) throws Exception {
        return Context.current()
                .withValue(RelayName.OF_PEER, peer)
                .call(() -> endpoint.connect(call));
    }

    private static FromRelay hello(String relay) {
        return FromRelay.newBuilder()
                .setHello(
                        Hello.newBuilder()
                                .setRelay(relay)
                                .setVersion(StreamLimits.VERSION)
                                .setIntervalMillis(1_000))
                .build();
    }

    @Test
    @DisplayName("a stream without a Hello ends after its time, and a late Hello does not count")
    void noHello() throws Exception {
        Call silent = new Call();
        Call welcomed = new Call();
        StreamObserver<FromRelay> late = connect("rack-7", silent);
        connect("rack-7", welcomed).onNext(hello("rack-7"));
        clock.advance(HELLO);
        endpoint.mark();
        assertThat(silent.ended).isNull();
        clock.advance(Duration.ofMillis(1));
        endpoint.mark();
        assertThat(silent.code()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
        late.onNext(hello("rack-7"));
        assertThat(silent.sent).isEmpty();
        assertThat(welcomed.ended).isNull();
        assertThat(endpoint.connected()).isEqualTo(1);
    }

    @Test
    @DisplayName("a certificate's name has a bounded number of streams without a Hello")
    void manyWithoutHello() throws Exception {
        StreamObserver<FromRelay> first = connect("rack-7", new Call());
        for (int i = 1; i < MOST_SILENT; i++) {
            Call call = new Call();
            connect("rack-7", call);
            assertThat(call.ended).isNull();
        }
        Call further = new Call();
        connect("rack-7", further);
        assertThat(further.code()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        Call other = new Call();
        connect("rack-8", other).onNext(hello("rack-8"));
        assertThat(other.ended).isNull();
        first.onNext(hello("rack-7"));
        Call next = new Call();
        connect("rack-7", next);
        assertThat(next.ended).isNull();
        assertThat(endpoint.connected()).isEqualTo(2);
    }

    @Test
    @DisplayName("a stream that takes no mark ends, and marks go on for the others")
    void brokenStream() throws Exception {
        Call broken = new Call();
        Call sound = new Call();
        connect("rack-7", broken).onNext(hello("rack-7"));
        connect("rack-8", sound).onNext(hello("rack-8"));
        int before = sound.marks();
        broken.broken = true;
        endpoint.mark();
        endpoint.mark();
        assertThat(sound.marks()).isEqualTo(before + 2);
        assertThat(endpoint.connected()).isEqualTo(1);
    }

    @Test
    @DisplayName("a refused relay cannot forge a line of the log by its name")
    void namesAreShownInOneLine() throws Exception {
        Call call = new Call();
        connect("rack-7", call).onNext(hello("x\n12:00:00 WARN forged\u001b[2K\u202e\u2028"));
        assertThat(call.ended)
                .extracting(Status::getDescription)
                .isEqualTo("the certificate is not that of relay x?12:00:00 WARN forged?[2K??");
        Call known = new Call();
        connect("a\r\nb", known).onNext(hello("a\r\nb"));
        assertThat(known.ended)
                .extracting(Status::getDescription)
                .isEqualTo("stillwater.relay.hosts names no relay a??b");
        assertThat(RelayName.printable("z".repeat(10_000))).hasSize(200);
        assertThat(RelayName.printable("Zürich-7 😀")).isEqualTo("Zürich-7 😀");
        assertThat(RelayName.printable(null)).isEqualTo("(none)");
    }
}
