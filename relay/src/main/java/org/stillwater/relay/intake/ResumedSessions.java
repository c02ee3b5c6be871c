package org.stillwater.relay.intake;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import javax.net.ssl.SSLSession;
import org.stillwater.vdsm.client.RenewedTlsFiles;

/**
 * Refuses calls of a new connection with a resumed TLS session of a certificate that the present
 * authorities did not sign: TLS itself checks certificates of new sessions only. Stateless.
 */
final class ResumedSessions extends ServerTransportFilter implements ServerInterceptor {

    private static final Attributes.Key<String> REFUSAL = Attributes.Key.create("refusal");

    private final RenewedTlsFiles tls;

    ResumedSessions(RenewedTlsFiles tls) {
        this.tls = tls;
    }

    @Override
    public Attributes transportReady(Attributes attributes) {
        SSLSession session = attributes.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        String refusal = session == null ? null : tls.refusal(session);
        return refusal == null ? attributes : attributes.toBuilder().set(REFUSAL, refusal).build();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        String refusal = call.getAttributes().get(REFUSAL);
        if (refusal != null) {
            call.close(Status.UNAUTHENTICATED.withDescription(refusal), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        return next.startCall(call, headers);
    }
}
