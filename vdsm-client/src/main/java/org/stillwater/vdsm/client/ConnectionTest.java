package org.stillwater.vdsm.client;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostProbe;
import org.stillwater.core.host.HostDefinition;

/**
 * One test of the connection to a host. It dials twice: first for the certificates, which TLS would
 * not show of a host that is not trusted, then as monitoring does, up to the answer to CONNECT.
 * Used once, by one thread.
 */
final class ConnectionTest {

    private final HostDefinition host;
    private final ConnectionResources wire;
    private final List<X509Certificate> shown = new CopyOnWriteArrayList<>();

    ConnectionTest(HostDefinition host, ConnectionResources wire) {
        this.host = host;
        this.wire = wire;
    }

    HostProbe.Result run() throws InterruptedException {
        HostFailure failure = look();
        if (failure == null) {
            failure = connect();
        }
        List<HostProbe.Shown> chain = new ArrayList<>();
        for (X509Certificate certificate : shown) {
            try {
                chain.add(
                        new HostProbe.Shown(
                                Certificates.read(certificate),
                                certificate.getIssuerX500Principal().getName(X500Principal.RFC2253),
                                certificate.getNotBefore().toInstant()));
            } catch (CertificateEncodingException broken) {
                failure =
                        new HostFailure.Untrusted(
                                "a certificate of the host cannot be read: "
                                        + Refusals.words(broken));
            }
        }
        return new HostProbe.Result(wire.tls != null, chain, failure);
    }

    /** Shakes hands for the certificates; null if they are trusted, or if there is no TLS. */
    private @Nullable HostFailure look() {
        if (!(wire.settings.tls() instanceof TlsSettings.Mutual mutual) || wire.tls == null) {
            return null;
        }
        VdsmClientSettings.Timeouts timeouts = wire.settings.timeouts();
        try (Socket raw = new Socket()) {
            InetSocketAddress address = new InetSocketAddress(host.address(), host.port());
            if (address.isUnresolved()) {
                throw new UnknownHostException(host.address());
            }
            raw.connect(address, (int) Math.min(timeouts.connect().toMillis(), Integer.MAX_VALUE));
            Timers.Timer limit = wire.timers.after(timeouts.handshake(), () -> end(raw));
            try (SSLSocket socket =
                    (SSLSocket)
                            wire.tls
                                    .recording(chain -> shown.addAll(List.of(chain)))
                                    .getSocketFactory()
                                    .createSocket(raw, host.address(), host.port(), true)) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setProtocols(mutual.protocols().toArray(new String[0]));
                if (mutual.verifyHostName()) {
                    parameters.setEndpointIdentificationAlgorithm("HTTPS");
                }
                socket.setSSLParameters(parameters);
                socket.startHandshake();
                return null;
            } finally {
                limit.cancel();
            }
        } catch (IOException failed) {
            return Refusals.explain(failed, host.address(), true);
        }
    }

    /** Closes the raw socket: closing TLS may wait for a write that is stuck. */
    private static void end(Socket raw) {
        try {
            raw.close();
        } catch (IOException ignored) {
            // it is gone either way
        }
    }

    /** Connects as monitoring does. A person decides which certificate the host may have. */
    private @Nullable HostFailure connect() throws InterruptedException {
        StompConnection connection =
                new StompConnection(host, wire, _ -> null, ConnectionTest::nothing);
        try {
            connection.open();
            return null;
        } catch (ConnectFailed failed) {
            return failed.failure();
        } finally {
            connection.abort(new HostFailure.Unreachable("the test has ended"));
            connection.release();
        }
    }

    private static void nothing() {}
}
