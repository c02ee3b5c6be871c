package org.stillwater.relay.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.protobuf.InvalidProtocolBufferException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.relay.v1.Call;
import org.stillwater.relay.v1.CallFailure;
import org.stillwater.relay.v1.CallResult;
import org.stillwater.vdsm.client.CallPassage.Outcome;
import org.stillwater.vdsm.client.CallPassage.PassedCall;

class CallCodecTest {

    private static final byte[] PARAMS = "{\"vmID\": \"ä\",  \"x\":1.10}".getBytes(UTF_8);
    private static final PassedCall CALL =
            new PassedCall("VM.pause", PARAMS, Duration.ofMinutes(3), 4_096);
    private static final CertificateFingerprint CERTIFICATE =
            new CertificateFingerprint("0f".repeat(32));

    /** Notes the outcome as a text. */
    private static final class Noted implements Outcome {
        private final List<String> ends = new ArrayList<>();

        @Override
        public void answered(byte[] answer) {
            ends.add("answered " + new String(answer, UTF_8));
        }

        @Override
        public void failed(HostFailure failure) {
            ends.add("failed " + failure);
        }

        @Override
        public void notSent(HostFailure failure) {
            ends.add("not sent " + failure);
        }
    }

    private static String delivered(CallResult result) throws InvalidProtocolBufferException {
        Noted noted = new Noted();
        CallCodec.deliver(CallResult.parseFrom(result.toByteArray()), CALL, "rack-7", noted);
        assertThat(noted.ends).hasSize(1);
        return noted.ends.getFirst();
    }

    @Test
    @DisplayName("a call arrives as it was, byte by byte")
    void calls() throws Exception {
        Call message = Call.parseFrom(CallCodec.write(7, 3, CALL, CERTIFICATE).toByteArray());
        assertThat(message.getId()).isEqualTo(7);
        assertThat(message.getHost()).isEqualTo(3);
        assertThat(CallCodec.certificate(message)).isEqualTo(CERTIFICATE);
        PassedCall read = CallCodec.read(message, 1_000);
        assertThat(read.verb()).isEqualTo("VM.pause");
        assertThat(read.params()).isEqualTo(PARAMS);
        assertThat(read.limit()).isEqualTo(Duration.ofMinutes(3));
        assertThat(read.mostAnswerBytes()).as("the smaller limit").isEqualTo(1_000);
        assertThat(CallCodec.certificate(CallCodec.write(7, 3, CALL, null))).isNull();
    }

    @Test
    @DisplayName("a message that is no call is refused by name")
    void noCalls() {
        Call call = CallCodec.write(7, 3, CALL, null);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CallCodec.read(call.toBuilder().clearMethod().build(), 1_000))
                .withMessage("a call without a method");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CallCodec.read(call, PARAMS.length - 1))
                .withMessageContaining("bytes of parameters, more than");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> CallCodec.read(call.toBuilder().clearLimitMillis().build(), 1_000))
                .withMessage("a call with a limit of 0 ms");
    }

    static Stream<Arguments> failures() {
        return Stream.of(
                Arguments.of(
                        new HostFailure.Unreachable("reset"),
                        "failed Unreachable[reason=relay rack-7: unreachable: reset]"),
                Arguments.of(
                        new HostFailure.TimedOut("VM.pause", 9),
                        "failed TimedOut[call=VM.pause, afterMillis=180000]"),
                Arguments.of(
                        new HostFailure.ProtocolViolation("too long"),
                        "failed ProtocolViolation[reason=relay rack-7: protocol violation: too"
                                + " long]"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    @DisplayName("a failure with an unknown outcome is that of a connection of the engine")
    void unknownOutcomes(HostFailure failure, String wanted) throws Exception {
        assertThat(delivered(CallCodec.failed(7, failure))).isEqualTo(wanted);
        assertThat(delivered(CallCodec.notSent(7, failure))).startsWith("not sent Unreachable");
    }

    @Test
    @DisplayName(
            "an answer arrives as it was, and a reason of a later form is no proof of anything")
    void results() throws Exception {
        assertThat(delivered(CallCodec.answered(7, "{\"result\": true}".getBytes(UTF_8))))
                .isEqualTo("answered {\"result\": true}");
        CallFailure later = CallFailure.newBuilder().setReasonValue(99).build();
        assertThat(delivered(CallResult.newBuilder().setId(7).setFailure(later).build()))
                .isEqualTo("failed Unreachable[reason=relay rack-7: unrecognized]");
        assertThat(delivered(CallResult.newBuilder().setId(7).build()))
                .startsWith("failed ProtocolViolation");
    }

    @Test
    void secretsAreNotShown() {
        assertThat(new PassedCall("VM.x", "s3cret".getBytes(UTF_8), Duration.ZERO, 1).toString())
                .doesNotContain("s3cret")
                .isEqualTo("VM.x with 6 bytes of parameters");
    }
}
