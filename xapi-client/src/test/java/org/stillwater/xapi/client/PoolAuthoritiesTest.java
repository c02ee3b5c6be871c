package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.fake.xapi.net.PoolServer;
import org.stillwater.fake.xapi.world.PoolSettings.Era;

/** Authorities of a pool change while its connections are used, by real handshakes. */
@Timeout(120)
class PoolAuthoritiesTest {

    @TempDir Path folder;

    @Test
    void authoritiesAreReplacedInOperationWithAnOverlap() throws Exception {
        try (Lab lab = new Lab("127.10.60", Era.TODAY, 1, 2, true)) {
            String address = lab.addresses.getFirst();
            X509Certificate old = shownBy(address, lab.server.port());
            Path file = write(old);
            PoolAuthorities authorities = PoolAuthorities.of(file);
            assertThat(authorities.reread()).startsWith("trusted authorities: CN=" + address);
            connect(lab, authorities);

            lab.server.close();
            lab.server = PoolServer.start(lab.pools, 0, true); // with another certificate
            X509Certificate renewed = shownBy(address, lab.server.port());
            assertRefused(lab, authorities);

            write(old, renewed);
            connect(lab, authorities);
            write(renewed);
            connect(lab, authorities);
            write(old);
            assertRefused(lab, authorities);
        }
    }

    @Test
    void aBrokenFileLeavesTheAuthoritiesOfBeforeInUse() throws Exception {
        try (Lab lab = new Lab("127.10.61", Era.TODAY, 1, 2, true)) {
            Path file = write(shownBy(lab.addresses.getFirst(), lab.server.port()));
            PoolAuthorities authorities = PoolAuthorities.of(file);
            Files.writeString(file, "half a file");
            connect(lab, authorities);
            assertThatThrownBy(authorities::reread)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(file.toString());
            Files.delete(file);
            connect(lab, authorities);
            assertThatThrownBy(authorities::reread).hasMessage("there is no file " + file);
            assertThatThrownBy(() -> PoolAuthorities.of(file)).isInstanceOf(IOException.class);
        }
    }

    private static void connect(Lab lab, PoolAuthorities authorities) throws Exception {
        try (PoolConnection connection = connection(lab, authorities)) {
            connection.session();
        }
    }

    private static void assertRefused(Lab lab, PoolAuthorities authorities) {
        try (PoolConnection connection = connection(lab, authorities)) {
            assertThatThrownBy(connection::session)
                    .isInstanceOf(XapiException.Untrusted.class)
                    .hasMessageContaining(
                            "the host's certificate is not signed by the configured authority CN="
                                    + lab.addresses.getFirst());
        }
    }

    private static PoolConnection connection(Lab lab, PoolAuthorities authorities) {
        PoolAccess pinned = lab.access(lab.addresses.getFirst());
        PoolAccess access =
                new PoolAccess(
                        pinned.addresses(),
                        pinned.port(),
                        true,
                        authorities,
                        pinned.user(),
                        pinned.password(),
                        pinned.originator(),
                        pinned.encodings(),
                        null,
                        pinned.connectTimeout(),
                        pinned.callTimeout(),
                        pinned.authenticationPause());
        return new PoolConnection(access, lab.pins, new PoolClaims(), Lab.CLOCK);
    }

    private Path write(X509Certificate... certificates) throws Exception {
        StringBuilder pem = new StringBuilder();
        for (X509Certificate each : List.of(certificates)) {
            pem.append("-----BEGIN CERTIFICATE-----\n")
                    .append(Base64.getMimeEncoder().encodeToString(each.getEncoded()))
                    .append("\n-----END CERTIFICATE-----\n");
        }
        return Files.writeString(folder.resolve("ca.pem"), pem);
    }

    /** The certificate that a server shows to a client that accepts every one. */
    private static X509Certificate shownBy(String address, int port) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Credulous()}, null);
        try (SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket(address, port)) {
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    private static final class Credulous extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
