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
