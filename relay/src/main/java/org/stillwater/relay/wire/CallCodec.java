package org.stillwater.relay.wire;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.relay.v1.Call;
import org.stillwater.relay.v1.CallFailure;
import org.stillwater.relay.v1.CallFailure.Reason;
import org.stillwater.relay.v1.CallResult;
import org.stillwater.vdsm.client.CallPassage.Outcome;
import org.stillwater.vdsm.client.CallPassage.PassedCall;

/** Converts between calls to hosts with their outcomes, and their messages. Stateless. */
public final class CallCodec {

    /** Longest wait for the answer to a call that a relay accepts. */
    private static final Duration LONGEST = Duration.ofHours(1);

    private CallCodec() {}

    /**
     * The message of a call.
     *
     * @param id counts the calls of the stream
     * @param host position of the host in the relay's Hello
     * @param certificate of the host as the engine knows it; null without TLS
     */
    public static Call write(
            long id, int host, PassedCall call, @Nullable CertificateFingerprint certificate) {
        return Call.newBuilder()
                .setId(id)
                .setHost(host)
                .setMethod(call.verb())
                .setParams(ByteString.copyFrom(call.params()))
                .setLimitMillis((int) Math.min(call.limit().toMillis(), LONGEST.toMillis()))
                .setMostAnswerBytes(call.mostAnswerBytes())
                .setCertificate(certificate == null ? "" : certificate.hex())
                .build();
    }

    /**
     * The call of a message.
     *
     * @param mostBytes largest parameters, and largest answer, that the relay takes
     * @throws IllegalArgumentException if the message is no call that can be sent
     */
    public static PassedCall read(Call message, int mostBytes) {
        if (message.getMethod().isEmpty()) {
            throw new IllegalArgumentException("a call without a method");
        }
        if (message.getParams().size() > mostBytes) {
            throw new IllegalArgumentException(
                    "a call with %d bytes of parameters, more than %d"
                            .formatted(message.getParams().size(), mostBytes));
        }
        long millis = Integer.toUnsignedLong(message.getLimitMillis());
        if (millis < 1 || millis > LONGEST.toMillis()) {
            throw new IllegalArgumentException("a call with a limit of " + millis + " ms");
        }
        long most = Integer.toUnsignedLong(message.getMostAnswerBytes());
        return new PassedCall(
                message.getMethod(),
                message.getParams().toByteArray(),
                Duration.ofMillis(millis),
                (int) Math.min(most, mostBytes));
    }

    /**
     * The certificate in a call; null for none.
     *
     * @throws IllegalArgumentException if it is no fingerprint
     */
    public static @Nullable CertificateFingerprint certificate(Call message) {
        return message.getCertificate().isEmpty()
                ? null
                : new CertificateFingerprint(message.getCertificate());
    }

    /** The result of a call that the host answered. */
    public static CallResult answered(long id, byte[] answer) {
        return CallResult.newBuilder().setId(id).setAnswer(ByteString.copyFrom(answer)).build();
    }

    /** The result of a call that the host may have carried out. */
    public static CallResult failed(long id, HostFailure failure) {
        return failure(id, reason(failure, false), false, failure.describe());
    }

    /** The result of a call that the relay did not send, and will not. */
    public static CallResult notSent(long id, HostFailure failure) {
        return failure(id, reason(failure, true), true, failure.describe());
    }

    /** The result of a message that is no call that can be sent. */
    public static CallResult unusable(long id, String text) {
        return failure(id, Reason.REASON_UNUSABLE, true, text);
    }

    private static CallResult failure(long id, Reason reason, boolean neverSent, String text) {
        return CallResult.newBuilder()
                .setId(id)
                .setFailure(
                        CallFailure.newBuilder()
                                .setReason(reason)
                                .setNeverSent(neverSent)
                                .setText(text))
                .build();
    }

    private static Reason reason(HostFailure failure, boolean neverSent) {
        return switch (failure) {
            case HostFailure.Unreachable _, HostFailure.UnknownAddress _, HostFailure.Untrusted _ ->
                    neverSent ? Reason.REASON_NOT_CONNECTED : Reason.REASON_CONNECTION_LOST;
            case HostFailure.WrongCertificate _ -> Reason.REASON_OTHER_CERTIFICATE;
            case HostFailure.TimedOut _ -> Reason.REASON_TIMED_OUT;
            case HostFailure.Overloaded _ -> Reason.REASON_BUSY;
            case HostFailure.ProtocolViolation _ ->
                    neverSent ? Reason.REASON_UNUSABLE : Reason.REASON_ANSWER_UNUSABLE;
            case HostFailure.Recovering _, HostFailure.Refused _ -> Reason.REASON_UNSPECIFIED;
        };
    }

    /**
     * Delivers a result to the receiver of the call.
     *
     * @param call the call
     * @param relay the relay's name for messages
     */
    public static void deliver(CallResult result, PassedCall call, String relay, Outcome outcome) {
        switch (result.getOutcomeCase()) {
            case ANSWER -> outcome.answered(result.getAnswer().toByteArray());
            case FAILURE -> {
                CallFailure failure = result.getFailure();
                if (failure.getNeverSent()) {
                    outcome.notSent(new HostFailure.Unreachable(text(relay, failure)));
                } else {
                    outcome.failed(failure(failure, call, relay));
                }
            }
            case OUTCOME_NOT_SET ->
                    outcome.failed(
                            new HostFailure.ProtocolViolation(
                                    "relay " + relay + " sent a result without an outcome"));
        }
    }

    /** The failure of a call with an unknown outcome, as the engine's own connection has it. */
    private static HostFailure failure(CallFailure failure, PassedCall call, String relay) {
        return switch (failure.getReason()) {
            case REASON_TIMED_OUT -> new HostFailure.TimedOut(call.verb(), call.limit().toMillis());
            case REASON_ANSWER_UNUSABLE -> new HostFailure.ProtocolViolation(text(relay, failure));
            case REASON_UNSPECIFIED,
                    REASON_NOT_CONNECTED,
                    REASON_BUSY,
                    REASON_OTHER_CERTIFICATE,
                    REASON_UNUSABLE,
                    REASON_CONNECTION_LOST,
                    UNRECOGNIZED ->
                    new HostFailure.Unreachable(text(relay, failure));
        };
    }

    private static String text(String relay, CallFailure failure) {
        String text = failure.getText();
        return "relay "
                + relay
                + ": "
                + (text.isEmpty() ? failure.getReason().name().toLowerCase(Locale.ROOT) : text);
    }
}
