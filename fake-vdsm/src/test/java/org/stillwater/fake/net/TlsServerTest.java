package org.stillwater.fake.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.fake.net.FaultSpec.BadCertificate;
import org.stillwater.fake.net.TransportSettings.Certificates;
import org.stillwater.fake.pki.CertificateAuthority;
import org.stillwater.fake.pki.CertificateOrder;
import org.stillwater.fake.pki.Identity;
import org.stillwater.fake.pki.KeyStores;
import org.stillwater.fake.pki.PkiDirectory;

class TlsServerTest extends WireTest {

    private static final char[] PASSWORD = PkiDirectory.DEFAULT_PASSWORD.toCharArray();

    @TempDir static Path folder;

    private static PkiDirectory pki;
    private static Instant now;

    @BeforeAll
    static void makeCertificates() throws Exception {
        now = InstantSource.system().instant();
        pki = PkiDirectory.open(folder.resolve("pki"), now, PASSWORD);
    }

    private HostServer tlsServer(TransportSettings settings) {
        return keep(HostServer.create(settings, pki));
    }

    private static SSLContext context(Identity identity, X509Certificate trusted) throws Exception {
        KeyManagerFactory keys = null;
        if (identity != null) {
            keys = KeyManagerFactory.getInstance("PKIX");
            keys.init(identity.keyStoreForThisProcess(PASSWORD), PASSWORD);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(KeyStores.trusting(trusted));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys == null ? null : keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static SSLContext engine() throws Exception {
        return context(pki.engine(), pki.authority().certificate());
    }

    private RawClient tls(InetSocketAddress address, SSLContext context, String... protocols)
            throws Exception {
        return keep(RawClient.tls(address, context, protocols));
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    @DisplayName("8b.1 TLS 1.2 and 1.3 with the engine's certificate")
    void bothVersionsWork(String version) throws Exception {
        InetSocketAddress address = open(tlsServer(TransportSettings.DEFAULT));
        RawClient client = tls(address, engine(), version).ready();
        SSLSession session = ((SSLSocket) client.socket()).getSession();
        assertThat(session.getProtocol()).isEqualTo(version);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aHostMaySpeakOneVersionOnly(String version) throws Exception {
        TransportSettings only = TransportSettings.DEFAULT.withTlsProtocols(List.of(version));
        InetSocketAddress address = open(tlsServer(only));
        tls(address, engine()).ready();
        String other = version.equals("TLSv1.2") ? "TLSv1.3" : "TLSv1.2";
        assertThatThrownBy(() -> tls(address, engine(), other)).isInstanceOf(SSLException.class);
    }

    @Test
    @DisplayName("8b.2 Any certificate of its CA is let in, even a host's own")
    void anyCertificateOfTheCaIsAccepted() throws Exception {
        InetSocketAddress address = open(tlsServer(TransportSettings.DEFAULT));
        Identity hostIdentity = pki.host("host-9", List.of());
        tls(address, context(hostIdentity, pki.authority().certificate())).ready();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    @DisplayName("8b.2 Without a client certificate: an alert")
    void aClientCertificateIsRequired(String version) throws Exception {
        HostServer server = tlsServer(TransportSettings.DEFAULT);
        InetSocketAddress address = open(server);
        SSLContext nobody = context(null, pki.authority().certificate());
        assertThatThrownBy(() -> tls(address, nobody, version).connected())
                .isInstanceOf(SSLException.class)
                .hasMessageContaining(
                        version.equals("TLSv1.3") ? "certificate_required" : "handshake_failure");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    @DisplayName("8b.2 A certificate of another CA: JSSE's alert for what OpenSSL calls unknown_ca")
    void anotherCaIsRefused(String version) throws Exception {
        InetSocketAddress address = open(tlsServer(TransportSettings.DEFAULT));
        Identity stranger =
                CertificateAuthority.create("Stillwater", now)
                        .issue(CertificateOrder.of("engine", List.of(), now));
        Identity pretender =
                new Identity(stranger.key(), stranger.certificate(), pki.authority().certificate());
        assertThatThrownBy(() ->
                        tls(address, context(pretender, pki.authority().certificate()), version)
                                .connected())
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("certificate_unknown");
    }

    @Test
    @DisplayName("8b.2 Plain text on a TLS port is closed")
    void plainTextIsClosed() throws Exception {
        RawClient client = client(open(tlsServer(TransportSettings.DEFAULT)));
        client.send("CONNECT\naccept-version:1.2\n\n^@");
        assertThat(client.readToEnd()).doesNotContain("CONNECTED");
    }

    @Test
    @DisplayName("8b.3 A handshake that stalls is ended after 10 s")
    void theHandshakeHasALimit() throws Exception {
        HostServer server = keep(HostServer.create(TransportSettings.DEFAULT, pki, time));
        RawClient client = client(open(server));
        time.awaitTaskIn(Duration.ofSeconds(10));
        time.advance(Duration.ofMillis(9_999));
        assertThat(server.connections()).hasSize(1);
        time.advance(Duration.ofMillis(1));
        assertThat(client.isEndedSilently()).isTrue();
    }

    @Test
    @DisplayName("8b.15 Each small frame leaves in a TLS record of its own")
    void smallFramesAreNotJoined() throws Exception {
        HostServer server = tlsServer(TransportSettings.DEFAULT);
        RawClient client = tls(open(server), engine()).ready();
        int events = 20;
        for (int i = 0; i < events; i++) {
            server.publish(host.name(), TestHost.event("vm-1", 1000 + i));
        }
        client.call("1", "Test.void", "{}");
        int frame = client.readFrameBytes().length;
        List<Integer> sizes = client.readSizes(frame * (events - 1));
        assertThat(sizes).hasSize(events - 1).containsOnly(frame);
    }

    @Test
    @DisplayName("8b.21 Frames of 25 MB pass over TLS")
    void largeFramesPass() throws Exception {
        RawClient client = tls(open(tlsServer(TransportSettings.DEFAULT)), engine()).ready();
        client.call("1", "Test.big", "{\"bytes\":" + (25 << 20) + "}");
        assertThat(client.readBody().length()).isEqualTo((25 << 20) + answer("1", "").length());
    }

    @Test
    void theSharedCertificateIsGoodForLoopback() throws Exception {
        InetSocketAddress address = open(tlsServer(TransportSettings.DEFAULT));
        strictly(address, "localhost");
        strictly(address, "127.0.0.1");
    }

    @Test
    void aHostsOwnCertificateIsGoodForItsNameAndAddress() throws Exception {
        HostServer server =
                tlsServer(TransportSettings.DEFAULT.withCertificates(Certificates.PER_HOST));
        InetSocketAddress address = server.open(host, new InetSocketAddress("127.44.5.6", 0));
        SSLSocket socket = strictly(address, "127.44.5.6");
        X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
        assertThat(shown.getSubjectX500Principal().getName()).contains("CN=host-1");
        strictly(address, "host-1");
        assertThatThrownBy(() -> strictly(address, "host-2")).isInstanceOf(SSLException.class);
    }

    /** Connects as a client that checks the name it dialled. */
    private SSLSocket strictly(InetSocketAddress address, String name) throws Exception {
        RawClient plain = client(address);
        SSLSocket socket =
                keep(
                        (SSLSocket)
                                engine().getSocketFactory()
                                        .createSocket(plain.socket(), name, 0, true));
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    @ParameterizedTest
    @EnumSource(BadCertificate.class)
    @DisplayName("8b.53 Bad certificates on demand: expired, not yet valid, wrong CA, wrong name")
    void badCertificatesOnDemand(BadCertificate flaw) throws Exception {
        HostServer server = tlsServer(TransportSettings.DEFAULT);
        InetSocketAddress address = open(server);
        Fault fault =
                server.faults().add(FaultSpec.of(FaultKind.BAD_CERTIFICATE).withCertificate(flaw));
        assertThatThrownBy(() -> strictly(address, "localhost")).isInstanceOf(SSLException.class);
        server.faults().remove(fault.id());
        strictly(address, "localhost");
    }

    @Test
    @DisplayName("8b.53 A handshake can be stalled on demand")
    void handshakesCanBeStalled() throws Exception {
        HostServer server = tlsServer(TransportSettings.DEFAULT);
        InetSocketAddress address = open(server);
        server.faults().add(FaultSpec.of(FaultKind.STALLED_HANDSHAKE).withCount(1));
        RawClient stalled = client(address);
        stalled.send(new byte[] {22, 3, 1, 0, 5, 1, 0, 0, 1, 0});
        tls(address, engine()).ready();
        assertThat(stalled.hasInput()).isFalse();
        assertThat(server.connections()).hasSize(2);
    }

    @Test
    void theListeningAddressIsReturned() {
        HostServer server = tlsServer(TransportSettings.DEFAULT);
        InetSocketAddress address = open(server);
        assertThat(address.getAddress()).isEqualTo(InetAddress.getLoopbackAddress());
        assertThat(server.hosts())
                .containsExactly(new HostTransport.Listening(host.name(), address, false, false));
    }
}
