package org.stillwater.relay.intake;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** The name of the connected relay: the common name of its certificate. */
final class RelayName implements ServerInterceptor {

    /** The name; null without a certificate that contains one. */
    static final Context.Key<String> OF_PEER = Context.key("relay");

    private static final int LONGEST_SHOWN = 200;

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        String name = of(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
        Context context = Context.current();
        return Contexts.interceptCall(
                name == null ? context : context.withValue(OF_PEER, name), call, headers, next);
    }

    private static @Nullable String of(@Nullable SSLSession session) {
        if (session == null) {
            return null;
        }
        try {
            Certificate[] shown = session.getPeerCertificates();
            return shown.length > 0 && shown[0] instanceof X509Certificate certificate
                    ? commonName(certificate.getSubjectX500Principal().getName())
                    : null;
        } catch (SSLPeerUnverifiedException _) {
            return null;
        }
    }

    /**
     * A text that another program chose, for the log and for messages: one line of at most {@value
     * #LONGEST_SHOWN} characters, with question marks in place of control characters and of those
     * that change the direction of a line.
     */
    static String printable(@Nullable String text) {
        if (text == null) {
            return "(none)";
        }
        StringBuilder clean = new StringBuilder();
        text.codePoints()
                .limit(LONGEST_SHOWN)
                .forEach(each -> clean.appendCodePoint(isPrintable(each) ? each : '?'));
        return clean.toString();
    }

    private static boolean isPrintable(int each) {
        return switch (Character.getType(each)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED ->
                    false;
            default -> true;
        };
    }

    /** The common name in a distinguished name; null for none. */
    static @Nullable String commonName(String distinguished) {
        try {
            for (Rdn each : new LdapName(distinguished).getRdns()) {
                if (each.getType().equalsIgnoreCase("CN")) {
                    return each.getValue() instanceof String text ? text : null;
                }
            }
            return null;
        } catch (InvalidNameException _) {
            return null;
        }
    }
}
