package org.stillwater.relay.agent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.core.trust.CertificateNames;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.relay.state.Deadband;
import org.stillwater.relay.state.HostLedger;
import org.stillwater.relay.v1.Call;
import org.stillwater.relay.v1.CallFailure;
import org.stillwater.relay.v1.CallResult;
import org.stillwater.relay.wire.CallCodec;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.vdsm.client.CallPassage;
import org.stillwater.vdsm.client.CallPassage.PassedCall;

/** Calls of an engine to a scripted host. */
class PassedCallsTest {

    private static final HostDefinition HOST =
            new HostDefinition(new HostId(new UUID(0, 5)), "one", "192.0.2.1", 54321);
    private static final CertificateFingerprint KNOWN = new CertificateFingerprint("ab".repeat(32));
    private static final CertificateFingerprint OTHER = new CertificateFingerprint("cd".repeat(32));

    private final VirtualClock clock = new VirtualClock();
    private final ManualLoop loop = new ManualLoop(clock);
    private final List<PassedCall> sent = new ArrayList<>();
    private final List<CallPassage.Outcome> outcomes = new ArrayList<>();
    private final List<CallResult> results = new ArrayList<>();
    private final HostWatch watch =
            new HostWatch(
                    HOST,
                    KNOWN,
                    new HostLedger(1, Deadband.NONE, 100),
                    loop,
                    Duration.ofSeconds(15),
                    2,
                    new HostWatch.Environment() {
                        @Override
                        public long session() {
                            return 7;
                        }

                        @Override
                        public long mark() {
                            return 0;
                        }

                        @Override
                        public void changed(HostWatch changed) {}

                        @Override
                        public Instant now() {
                            return clock.now();
                        }
                    });
    private final PassedCalls calls =
            new PassedCalls(
                    List.of(watch, watch), new RelaySettings.Bounds(1_000, 1_000, 2, 1), loop);

    /** Opens a connection of which the test plays the host. */
    private void connect() {
        HostConnector connector =
                (host, listener) ->
                        (HostConnection)
                                Proxy.newProxyInstance(
                                        getClass().getClassLoader(),
                                        new Class<?>[] {HostConnection.class, CallPassage.class},
                                        (_, method, arguments) -> {
                                            if (method.getName().equals("pass")) {
                                                sent.add((PassedCall) arguments[0]);
                                                outcomes.add((CallPassage.Outcome) arguments[1]);
                                            }
                                            return null;
                                        });
        watch.start(connector, Duration.ofSeconds(3));
    }

    private void take(long id, int host, @Nullable CertificateFingerprint certificate) {
        calls.take(
                CallCodec.write(
                        id,
                        host,
                        new PassedCall(
                                "VM.pause",
                                ("{\"n\":" + id + "}").getBytes(UTF_8),
                                Duration.ofSeconds(9),
                                5_000),
                        certificate),
                results::add);
        loop.run();
    }

    private void refused(CallFailure.Reason reason) {
        assertThat(results)
                .last()
                .satisfies(result -> {
                    assertThat(result.getFailure().getReason()).isEqualTo(reason);
                    assertThat(result.getFailure().getNeverSent()).isTrue();
                });
    }

    @Test
    @DisplayName("a call reaches the host as it is, once, and the outcome comes back under its id")
    void passesOn() {
        connect();
        take(1, 0, null);
        take(2, 0, null);
        take(3, 1, null);
        assertThat(sent).hasSize(3);
        assertThat(sent.getFirst().verb()).isEqualTo("VM.pause");
        assertThat(new String(sent.getFirst().params(), UTF_8)).isEqualTo("{\"n\":1}");
        assertThat(sent.getFirst().limit()).isEqualTo(Duration.ofSeconds(9));
        assertThat(sent.getFirst().mostAnswerBytes()).as("the relay's own").isEqualTo(1_024);
        outcomes.get(1).answered("{\"result\": 2}".getBytes(UTF_8));
        assertThat(results).as("results are returned on the loop").isEmpty();
        loop.run();
        outcomes.get(0).failed(new HostFailure.TimedOut("VM.pause", 9_000));
        outcomes.get(2).notSent(new HostFailure.Unreachable("no session"));
        loop.run();
        assertThat(results).extracting(CallResult::getId).containsExactly(2L, 1L, 3L);
        assertThat(results.getFirst().getAnswer().toStringUtf8()).isEqualTo("{\"result\": 2}");
        assertThat(results.get(1).getFailure().getReason())
                .isEqualTo(CallFailure.Reason.REASON_TIMED_OUT);
        assertThat(results.get(1).getFailure().getNeverSent()).isFalse();
        refused(CallFailure.Reason.REASON_NOT_CONNECTED);
        assertThat(calls.underWay()).isZero();
    }

    @Test
    @DisplayName("calls under way are bounded; the host does not get those beyond")
    void bounds() {
        connect();
        take(1, 0, null);
        take(2, 0, null);
        take(3, 0, null);
        assertThat(sent).hasSize(2);
        refused(CallFailure.Reason.REASON_BUSY);
        outcomes.get(0).answered(new byte[0]);
        loop.run();
        take(4, 0, null);
        assertThat(sent).hasSize(3);
    }

    @Test
    @DisplayName("a host that shows the relay another certificate than the engine gets no call")
    void otherCertificate() {
        connect();
        assertThat(watch.certificateShown(HOST, certificate(OTHER))).isNotNull();
        assertThat(watch.certificateShown(HOST, certificate(KNOWN))).isNull();
        take(1, 0, OTHER);
        refused(CallFailure.Reason.REASON_OTHER_CERTIFICATE);
        assertThat(sent).isEmpty();
        take(2, 0, KNOWN);
        assertThat(sent).hasSize(1);
    }

    private static HostCertificate certificate(CertificateFingerprint fingerprint) {
        return new HostCertificate(
                fingerprint,
                "CN=one",
                new CertificateNames(List.of(), List.of(), "one"),
                Instant.EPOCH);
    }

    @Test
    @DisplayName("a call that cannot be sent is refused by name")
    void unusable() {
        connect();
        take(1, 2, null);
        refused(CallFailure.Reason.REASON_UNUSABLE);
        calls.take(Call.newBuilder().setId(2).build(), results::add);
        refused(CallFailure.Reason.REASON_UNUSABLE);
        assertThat(sent).isEmpty();
        watch.stop();
        take(3, 0, null);
        refused(CallFailure.Reason.REASON_NOT_CONNECTED);
        assertThat(results).hasSize(3);
    }
}
