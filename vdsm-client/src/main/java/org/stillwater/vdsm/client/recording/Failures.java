package org.stillwater.vdsm.client.recording;

import org.stillwater.core.connection.HostFailure;
import tools.jackson.core.JsonGenerator;

/** Reasons of a failed answer, without its message text. */
final class Failures {

    private static final String SAID = "recorded";

    private Failures() {}

    static void write(JsonGenerator json, HostFailure failure) {
        json.writeStringProperty("failure", word(failure));
        switch (failure) {
            case HostFailure.TimedOut(String _, long afterMillis) ->
                    json.writeNumberProperty("afterMillis", afterMillis);
            case HostFailure.Refused(int code, String _) -> json.writeNumberProperty("code", code);
            case HostFailure.Unreachable _,
                    HostFailure.UnknownAddress _,
                    HostFailure.Untrusted _,
                    HostFailure.WrongCertificate _,
                    HostFailure.Recovering _,
                    HostFailure.Overloaded _,
                    HostFailure.ProtocolViolation _ -> {}
        }
    }

    private static String word(HostFailure failure) {
        return switch (failure) {
            case HostFailure.Unreachable _ -> "unreachable";
            case HostFailure.UnknownAddress _ -> "unknown_address";
            case HostFailure.Untrusted _ -> "untrusted";
            case HostFailure.WrongCertificate _ -> "wrong_certificate";
            case HostFailure.TimedOut _ -> "timed_out";
            case HostFailure.Recovering _ -> "recovering";
            case HostFailure.Overloaded _ -> "overloaded";
            case HostFailure.Refused _ -> "refused";
            case HostFailure.ProtocolViolation _ -> "protocol_violation";
        };
    }

    static HostFailure read(String word, String verb, long afterMillis, int code) {
        return switch (word) {
            case "unknown_address" -> new HostFailure.UnknownAddress(SAID);
            case "untrusted" -> new HostFailure.Untrusted(SAID);
            case "wrong_certificate" -> new HostFailure.WrongCertificate(SAID);
            case "timed_out" -> new HostFailure.TimedOut(verb, afterMillis);
            case "recovering" -> new HostFailure.Recovering(SAID);
            case "overloaded" -> new HostFailure.Overloaded(SAID);
            case "refused" -> new HostFailure.Refused(code, SAID);
            case "protocol_violation" -> new HostFailure.ProtocolViolation(SAID);
            default -> new HostFailure.Unreachable(SAID);
        };
    }
}
