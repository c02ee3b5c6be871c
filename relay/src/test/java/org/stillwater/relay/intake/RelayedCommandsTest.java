package org.stillwater.relay.intake;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.HostId;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.relay.state.Deadband;
import org.stillwater.relay.state.HostLedger;
import org.stillwater.relay.v1.Call;
import org.stillwater.relay.v1.FromEngine;
import org.stillwater.relay.v1.FromRelay;
import org.stillwater.relay.v1.Hello;
import org.stillwater.relay.v1.Offer;
import org.stillwater.relay.vm.HostCells;
import org.stillwater.relay.wire.CallCodec;
import org.stillwater.relay.wire.DeltaCodec;
import org.stillwater.relay.wire.StreamLimits;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.vdsm.client.CallPassage;
import org.stillwater.vdsm.client.CallPassage.PassedCall;

/** Commands of the engine through a scripted relay. */
class RelayedCommandsTest {

    private static final HostId HOST = new HostId(new UUID(0, 1));
    private static final HostId OTHER = new HostId(new UUID(0, 2));
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int CALL_BYTES = 100;

    private final VirtualClock clock = new VirtualClock();
    private final RelayIntake intake =
            new RelayIntake(Map.of("rack-7", List.of(HOST, OTHER)), 1_000, clock);
    private final RelayEndpoint endpoint =
            new RelayEndpoint(
                    intake,
                    clock,
                    new RelayServer.Pace(
                            Duration.ofSeconds(15),
                            64,
                            Duration.ofSeconds(1),
                            8,
                            Duration.ofSeconds(30)));
    private final HostLedger ledger = new HostLedger(5, Deadband.NONE, 100);
    private final List<CommandOutcome> counted = new ArrayList<>();
    private final List<String> ends = new ArrayList<>();
    private RelayEndpointTest.Call call = new RelayEndpointTest.Call();
    private StreamObserver<FromRelay> relay;
    private long deltas;
    private long polls;

    private void carry() {
        intake.carryCommands(new RelayIntake.CommandLimits(2, 3, CALL_BYTES), counted::add);
    }

    /** Connects a relay and lets it stand in for the polls of the first host. */
    private void connect(int calls) throws Exception {
        call = new RelayEndpointTest.Call();
        relay =
                Context.current()
                        .withValue(RelayName.OF_PEER, "rack-7")
                        .call(() -> endpoint.connect(call));
        Hello.Builder hello =
                Hello.newBuilder()
                        .setRelay("rack-7")
                        .setVersion(StreamLimits.VERSION)
                        .setIntervalMillis(15_000)
                        .setCalls(calls)
                        .setCallBytes(1_000);
        for (HostId each : List.of(HOST, OTHER)) {
            hello.addHosts(Offer.newBuilder().setHost(DeltaCodec.write(each.value())).setEpoch(5));
        }
        relay.onNext(FromRelay.newBuilder().setHello(hello).build());
        Objects.requireNonNull(intake.of(HOST)).directConnected(clock.nanoTime() - 1);
        clock.advance(Duration.ofMillis(1));
        poll();
    }

    private void poll() {
        long session = call.sent.getFirst().getWelcome().getSession();
        long mark = call.sent.get(1).getMark().getMark();
        polls++;
        ledger.put(HostCells.id(), new HostCells(true, polls, session, mark, null).cells());
        ledger.commit();
        deltas++;
        relay.onNext(
                FromRelay.newBuilder()
                        .setDelta(DeltaCodec.write(deltas, 0, ledger.since(0, true)))
                        .build());
    }

    private void pass(String name) {
        pass(name, "{\"vmID\":\"" + name + "\"}");
    }

    private void pass(String name, String params) {
        CallPassage passage = intake.passage(HOST);
        assertThat(passage).isNotNull();
        passage.pass(
                new PassedCall("VM.pause", params.getBytes(UTF_8), LIMIT, 5_000),
                new CallPassage.Outcome() {
                    @Override
                    public void answered(byte[] answer) {
                        ends.add(name + " answered " + new String(answer, UTF_8));
                    }

                    @Override
                    public void failed(HostFailure failure) {
                        ends.add(name + " failed " + failure.describe());
                    }

                    @Override
                    public void notSent(HostFailure failure) {
                        ends.add(name + " not sent " + failure.describe());
                    }
                });
    }

    private List<Call> calls() {
        return call.sent.stream().filter(FromEngine::hasCall).map(FromEngine::getCall).toList();
    }

    private void answer(long id, String text) {
        relay.onNext(
                FromRelay.newBuilder()
                        .setResult(CallCodec.answered(id, text.getBytes(UTF_8)))
                        .build());
    }

    private String detour() {
        RelayIntake.HostStatus status = intake.status(HOST);
        assertThat(status).isNotNull();
        return String.valueOf(status.detour());
    }

    @Test
    @DisplayName("a command goes to the relay once, as it is, and the host's answer comes back")
    void answered() throws Exception {
        carry();
        Objects.requireNonNull(intake.of(HOST))
                .certificateShown(new CertificateFingerprint("ab".repeat(32)));
        connect(8);
        assertThat(detour()).isEqualTo("null");
        assertThat(intake.summary(1).commanded()).isEqualTo(1);
        pass("a");
        pass("b");
        assertThat(calls()).extracting(Call::getId).containsExactly(1L, 2L);
        Call first = calls().getFirst();
        assertThat(first.getHost()).isZero();
        assertThat(first.getMethod()).isEqualTo("VM.pause");
        assertThat(first.getParams().toStringUtf8()).isEqualTo("{\"vmID\":\"a\"}");
        assertThat(first.getLimitMillis()).isEqualTo(180_000);
        assertThat(first.getCertificate()).isEqualTo("ab".repeat(32));
        answer(2, "two");
        answer(1, "one");
        answer(1, "again");
        assertThat(ends).containsExactly("b answered two", "a answered one");
        assertThat(counted).containsExactly(CommandOutcome.ANSWERED, CommandOutcome.ANSWERED);
    }

    @Test
    @DisplayName(
            "the outcome of a command is unknown when its stream ends, and it is not sent again")
    void lostStream() throws Exception {
        carry();
        connect(8);
        pass("a");
        relay.onError(new IllegalStateException("reset"));
        assertThat(ends)
                .containsExactly(
                        "a failed unreachable: the stream of relay rack-7 ended before the answer"
                                + " to VM.pause");
        connect(8);
        assertThat(calls()).isEmpty();
        pass("b");
        assertThat(calls()).extracting(Call::getId).containsExactly(1L);
        answer(1, "of b");
        assertThat(ends).hasSize(2).last().isEqualTo("b answered of b");
        assertThat(counted).containsExactly(CommandOutcome.LOST, CommandOutcome.ANSWERED);
    }

    @Test
    @DisplayName("the outcome is unknown without a result in time, and a late one is left out")
    void timedOut() throws Exception {
        carry();
        connect(8);
        pass("a");
        clock.advance(LIMIT.minusNanos(1));
        endpoint.mark();
        assertThat(ends).isEmpty();
        clock.advance(Duration.ofNanos(1));
        endpoint.mark();
        answer(1, "late");
        assertThat(ends).containsExactly("a failed VM.pause was not answered within 180 s");
        assertThat(counted).containsExactly(CommandOutcome.TIMED_OUT);
    }

    @Test
    @DisplayName("only a command that the relay certainly did not send goes another way")
    void notSent() throws Exception {
        carry();
        connect(8);
        pass("a");
        pass("b");
        relay.onNext(
                FromRelay.newBuilder()
                        .setResult(CallCodec.notSent(1, new HostFailure.Unreachable("no session")))
                        .build());
        relay.onNext(
                FromRelay.newBuilder()
                        .setResult(CallCodec.failed(2, new HostFailure.Unreachable("reset")))
                        .build());
        assertThat(ends)
                .containsExactly(
                        "a not sent unreachable: relay rack-7: unreachable: no session",
                        "b failed unreachable: relay rack-7: unreachable: reset");
        assertThat(counted).containsExactly(CommandOutcome.NOT_SENT, CommandOutcome.LOST);
    }

    @Test
    @DisplayName("calls under way and their size are bounded; those beyond go another way")
    void bounds() throws Exception {
        carry();
        connect(8);
        pass("large", "{\"x\":\"" + "x".repeat(CALL_BYTES) + "\"}");
        pass("a");
        pass("b");
        pass("c");
        assertThat(calls()).hasSize(2);
        assertThat(ends)
                .containsExactly(
                        "large not sent the host is overloaded: its parameters have 108 bytes, more"
                                + " than 100",
                        "c not sent the host is overloaded: too many calls are under way through"
                                + " relay rack-7");
        answer(1, "one");
        pass("d");
        assertThat(calls()).hasSize(3);
        assertThat(counted)
                .containsExactly(CommandOutcome.BUSY, CommandOutcome.BUSY, CommandOutcome.ANSWERED);
    }

    @Test
    @DisplayName("a relay bounds its own calls")
    void boundsOfTheRelay() throws Exception {
        carry();
        connect(1);
        pass("a");
        pass("b");
        assertThat(calls()).hasSize(1);
        assertThat(ends).singleElement().asString().startsWith("b not sent");
    }

    @Test
    @DisplayName("an old relay takes no calls, and a result of it ends its stream")
    void oldRelay() throws Exception {
        carry();
        connect(0);
        pass("a");
        assertThat(calls()).isEmpty();
        assertThat(ends).containsExactly("a not sent unreachable: relay rack-7 takes no calls");
        assertThat(detour()).isEqualTo("relay rack-7 takes no calls");
        assertThat(counted).containsExactly(CommandOutcome.UNAVAILABLE);
        answer(1, "forged");
        assertThat(call.code()).isEqualTo(io.grpc.Status.Code.INVALID_ARGUMENT);
    }

    @Test
    @DisplayName("commands use the engine's connection unless the setting says otherwise")
    void direct() throws Exception {
        connect(8);
        assertThat(intake.passage(HOST)).isNull();
        assertThat(detour()).isEqualTo("stillwater.relay.commands is direct");
        carry();
        assertThat(intake.passage(new HostId(new UUID(0, 9)))).as("without relay").isNull();
    }

    @Test
    @DisplayName("commands go through a relay only while it works and the host is reachable itself")
    void onlyWhileItWorks() throws Exception {
        carry();
        connect(8);
        Objects.requireNonNull(intake.of(HOST)).directLost();
        pass("a");
        assertThat(detour()).isEqualTo("the engine is not connected to the host");
        connect(8);
        assertThat(detour()).isEqualTo("null");
        clock.advance(Duration.ofSeconds(23));
        pass("b");
        assertThat(detour()).isEqualTo("relay rack-7 lags");
        relay.onCompleted();
        pass("c");
        assertThat(detour()).isEqualTo("no relay is connected");
        assertThat(calls()).isEmpty();
        assertThat(counted)
                .containsExactly(
                        CommandOutcome.UNAVAILABLE,
                        CommandOutcome.UNAVAILABLE,
                        CommandOutcome.UNAVAILABLE);
    }

    @Test
    @DisplayName(
            "a later stream of the relay takes the commands, the end of the earlier one is its own")
    void laterStream() throws Exception {
        carry();
        connect(8);
        StreamObserver<FromRelay> earlier = relay;
        pass("a");
        connect(8);
        pass("b");
        earlier.onError(new IllegalStateException("reset"));
        assertThat(ends).singleElement().asString().startsWith("a failed unreachable");
        answer(1, "of b");
        assertThat(ends).last().isEqualTo("b answered of b");
    }

    @Test
    @DisplayName("a stream that takes no message ends, and the outcome of the command is unknown")
    void brokenStream() throws Exception {
        carry();
        connect(8);
        call.broken = true;
        pass("a");
        assertThat(ends).singleElement().asString().startsWith("a failed unreachable");
        assertThat(detour()).isEqualTo("no relay is connected");
    }
}
