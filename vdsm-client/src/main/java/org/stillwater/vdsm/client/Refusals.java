package org.stillwater.vdsm.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import java.util.Objects;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.text.SafeText;

/** Describes why a connection could not be made. Stateless. */
final class Refusals {
    private Refusals() {}

    /** The failure behind an exception while connecting to that address, with TLS or without. */
    static HostFailure explain(IOException cause, String address, boolean tls) {
        return switch (cause) {
            case ConnectFailed known -> known.failure();
            case UnknownHostException _ -> unreachable("the name " + address + " is not known");
            case SocketTimeoutException _ -> unreachable(address + " did not answer in time");
            case ConnectException refused ->
                    unreachable(address + " refused the connection: " + words(refused));
            case NoRouteToHostException _ -> unreachable("no route to " + address);
            case SSLException refused -> explainTls(refused);
            case SocketException broken when tls ->
                    unreachable(
                            "the connection broke during the TLS handshake ("
                                    + words(broken)
                                    + "); the host may not accept the engine's certificate");
            default -> unreachable(words(cause));
        };
    }

    private static HostFailure explainTls(SSLException tls) {
        for (Throwable at = tls; at != null; at = at.getCause()) {
            String reason = certificateReason(at);
            if (reason != null) {
                return new HostFailure.Untrusted(reason);
            }
        }
        String words = words(tls);
        String lower = words.toLowerCase(Locale.ROOT);
        if (lower.contains("plaintext connection?")
                || lower.contains("unsupported or unrecognized ssl message")) {
            return new HostFailure.Untrusted("the host does not speak TLS on this port");
        }
        if (lower.contains("certificate_required") || lower.contains("bad_certificate")) {
            return new HostFailure.Untrusted(
                    "the host wants another client certificate (" + words + ")");
        }
        if (lower.contains("unknown_ca")) {
            return new HostFailure.Untrusted(
                    "the host does not trust the authority of the engine's certificate");
        }
        if (lower.contains("protocol_version") || lower.contains("no appropriate protocol")) {
            return new HostFailure.Untrusted("no common TLS version (" + words + ")");
        }
        if (tls.getCause() instanceof IOException
                || lower.contains("terminated the handshake")
                || lower.contains("connection reset")
                || lower.contains("socket closed")) {
            return unreachable("the connection broke during the TLS handshake: " + words);
        }
        return new HostFailure.Untrusted(words);
    }

    private static @Nullable String certificateReason(Throwable at) {
        return switch (at) {
            case CertificateExpiredException expired ->
                    "the host's certificate has expired (" + words(expired) + ")";
            case CertificateNotYetValidException early ->
                    "the host's certificate is not yet valid (" + words(early) + ")";
            case AuthorityTrust.UnknownAuthority foreign -> words(foreign);
            case CertPathValidatorException path when path.getCause() == null ->
                    "the host's certificate is refused: " + words(path);
            case CertificateException name when isAboutNames(name) ->
                    "the host's certificate is for another name: " + words(name);
            default -> null;
        };
    }

    private static boolean isAboutNames(CertificateException exception) {
        String message = words(exception);
        return message.startsWith("No subject alternative")
                || message.startsWith("No name matching")
                || message.contains("doesn't match");
    }

    private static HostFailure unreachable(String reason) {
        return new HostFailure.Unreachable(reason);
    }

    static String words(Throwable throwable) {
        return SafeText.of(
                Objects.requireNonNullElse(
                        throwable.getMessage(), throwable.getClass().getSimpleName()),
                ReportedText.FAILURE.mostCharacters());
    }
}
