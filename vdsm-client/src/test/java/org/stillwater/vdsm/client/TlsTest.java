package org.stillwater.vdsm.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostProbe;
import org.stillwater.core.host.HostDefinition;

@Timeout(60)
class TlsTest {
    private static Pki pki;
    private static Pki otherPki;
    private static Pki.Identity engineIdentity;
    private static Pki.Identity hostIdentity;

    @TempDir Path folder;

    @BeforeAll
    static void makeAuthorities() throws Exception {
        pki = new Pki("the authority");
        otherPki = new Pki("another authority");
        engineIdentity = pki.issue("engine.example.test");
        hostIdentity = pki.issue("host1.example.test");
    }

    private static VdsmClientSettings settings(TlsSettings.KeyMaterial material) {
        return VdsmClientSettings.defaults(new TlsSettings.Mutual(material));
    }

    private VdsmClientSettings pem() throws IOException {
        return settings(pki.writePem(folder, engineIdentity, false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PKCS#8", "PKCS#1", "PKCS#12"})
    @DisplayName("8a.4/6 Shows a client certificate; accepts a host certificate of another name")
    void bothSidesShowCertificates(String form) throws Exception {
        TlsSettings.KeyMaterial material =
                form.equals("PKCS#12")
                        ? pki.writePkcs12(folder, engineIdentity)
                        : pki.writePem(folder, engineIdentity, form.equals("PKCS#1"));
        assertThat(material.toString()).doesNotContain("changeit");
        try (ScriptedHost host = new ScriptedHost(pki.serverContext(hostIdentity));
                Engine engine = Engine.connectedTo(host, settings(material))) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            assertThat(((SSLSocket) peer.socket).getSession().getPeerCertificates()[0])
                    .isEqualTo(engineIdentity.certificate());
            engine.connection.hardware(engine.receiver());
            peer.request().answer("{}");
            engine.success();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    @DisplayName("8a.7 Works with TLS 1.2-only and 1.3-only hosts")
    void eitherVersion(String version) throws Exception {
        try (ScriptedHost host = new ScriptedHost(pki.serverContext(hostIdentity), version);
                Engine engine = Engine.connectedTo(host, pem())) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            assertThat(((SSLSocket) peer.socket).getSession().getProtocol()).isEqualTo(version);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aHostThatRenewsItsKeysKeepsItsConnection(String version) throws Exception {
        try (ScriptedHost host = new ScriptedHost(pki.serverContext(hostIdentity), version);
                Engine engine = Engine.connectedTo(host, pem())) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            for (int round = 0; round < 20; round++) {
                ((SSLSocket) peer.socket).startHandshake();
                engine.connection.hardware(engine.receiver());
                peer.request().answer("{}");
                engine.success();
            }
        }
    }

    @Test
    @DisplayName("8a.5 Refuses a host with a certificate of another authority and reports this")
    void anotherAuthorityIsRefused() throws Exception {
        Pki.Identity foreign = otherPki.issue("host1.example.test");
        assertRefusal(
                foreign,
                pem(),
                "not signed by the configured authority CN=the authority, but by CN=another"
                        + " authority");
    }

    @Test
    @DisplayName("8a.5 Refuses a host of another authority of the same name and reports this")
    void anAuthorityOfTheSameNameIsRefused() throws Exception {
        Pki.Identity foreign = new Pki("the authority").issue("host1.example.test");
        assertRefusal(foreign, pem(), "by another one of the same name");
    }

    @Test
    @DisplayName("8a.5 Refuses an expired certificate and reports this")
    void anExpiredCertificateIsRefused() throws Exception {
        assertRefusal(
                pki.issue("host1.example.test", Duration.ofDays(-3), Duration.ofDays(-2)),
                pem(),
                "has expired");
    }

    @Test
    @DisplayName("8a.5 Refuses a certificate that is not yet valid and reports this")
    void anEarlyCertificateIsRefused() throws Exception {
        assertRefusal(
                pki.issue("host1.example.test", Duration.ofDays(2), Duration.ofDays(3)),
                pem(),
                "not yet valid");
    }

    @Test
    @DisplayName("8a.6 Strict mode refuses a host certificate with another name")
    void strictModeChecksNames() throws Exception {
        TlsSettings.KeyMaterial material = pki.writePem(folder, engineIdentity, false);
        VdsmClientSettings strict =
                VdsmClientSettings.defaults(
                        new TlsSettings.Mutual(material, TlsSettings.DEFAULT_PROTOCOLS, true));
        assertRefusal(hostIdentity, strict, "is for another name");
        try (ScriptedHost host = new ScriptedHost(pki.serverContext(pki.issue("127.0.0.1")));
                Engine engine = Engine.connectedTo(host, strict)) {
            host.session();
            engine.expect("connected");
        }
    }

    @Test
    void aTestOfTheConnectionShowsTheCertificatesOfAnUntrustedHost() throws Exception {
        Pki.Identity foreign = otherPki.issue("host1.example.test");
        try (ScriptedHost host = new ScriptedHost(otherPki.serverContext(foreign));
                Engine engine = new Engine(pem());
                ExecutorService tester = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<HostProbe.Result> test =
                    tester.submit(() -> engine.connector.test(host.definition()));
            assertThatThrownBy(host.connection()::nextFrame).isInstanceOf(IOException.class);
            HostProbe.Result found = test.get();
            assertThat(found.encrypted()).isTrue();
            assertThat(found.chain().getFirst().certificate())
                    .isEqualTo(Certificates.read(foreign.certificate()));
            assertThat(found.chain().getFirst().issuer()).contains("another authority");
            assertThat(found.failure()).isInstanceOf(HostFailure.Untrusted.class);
            assertThat(host.hasConnection()).as("an untrusted host is not talked to").isFalse();
        }
    }

    @Test
    void aTestOfTheConnectionAnswersAboutAHostThatIsNotThere() throws Exception {
        HostDefinition gone;
        try (ScriptedHost host = new ScriptedHost()) {
            gone = host.definition();
        }
        try (Engine engine = new Engine(pem())) {
            HostProbe.Result found = engine.connector.test(gone);
            assertThat(found.chain()).isEmpty();
            assertThat(found.failure()).isInstanceOf(HostFailure.Unreachable.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aHostThatRefusesTheEngineGivesTheReason(String version) throws Exception {
        Pki.Identity foreign = otherPki.issue("engine.example.test");
        VdsmClientSettings settings = settings(pki.writePem(folder, foreign, false));
        try (ScriptedHost host = new ScriptedHost(pki.serverContext(hostIdentity), version)) {
            Engine engine = Engine.connectedTo(host, settings);
            try (engine) {
                ScriptedHost.Peer peer = host.connection();
                assertThatThrownBy(peer::nextFrame).isInstanceOf(IOException.class);
                // Whether the alert or the reset is seen first is a race that the network decides.
                assertThat(engine.expect("disconnected: "))
                        .containsAnyOf(
                                "TLS refused", "the host may not accept the engine's certificate");
            }
        }
    }

    private static void assertRefusal(
            Pki.Identity identity, VdsmClientSettings settings, String reason) throws Exception {
        try (ScriptedHost host = new ScriptedHost(pki.serverContext(identity));
                Engine engine = Engine.connectedTo(host, settings)) {
            ScriptedHost.Peer peer = host.connection();
            assertThatThrownBy(peer::nextFrame).isInstanceOf(IOException.class);
            assertThat(engine.expect("disconnected: TLS refused: ")).contains(reason);
        }
    }

    @Test
    @DisplayName("8a.9 A TLS handshake that stalls is ended by a timer")
    void aStalledTlsHandshakeIsEnded() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host, pem())) {
            ScriptedHost.Peer peer = host.connection();
            assertThat(peer.read()).as("a TLS record").isEqualTo(22);
            Engine.await("the limit", () -> engine.time.pending() == 1);
            engine.time.advance(Duration.ofSeconds(20));
            assertThat(engine.expect("disconnected: ")).contains("did not end within 20 s");
        }
    }

    @Test
    void aHostWithoutTlsIsNamed() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host, pem())) {
            ScriptedHost.Peer peer = host.connection();
            peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
            assertThat(engine.expect("disconnected: ")).contains("does not speak TLS");
        }
    }

    @Test
    void changedFilesAreUsedByTheNextConnection() throws Exception {
        TlsSettings.KeyMaterial.Pem files = pki.writePem(folder, engineIdentity, false);
        TlsContexts contexts = new TlsContexts(files);
        SSLContext first = contexts.current();
        assertThat(contexts.current()).isSameAs(first);
        Pki.Identity renewed = pki.issue("engine.example.test");
        pki.writePem(folder, renewed, true);
        SSLContext second = contexts.current();
        assertThat(second).isNotSameAs(first);
        Files.writeString(files.certificate(), "half a file");
        assertThat(contexts.current()).as("the old one while broken").isSameAs(second);
        assertThat(contexts.current()).isSameAs(second);
        assertThat(contexts.trouble()).contains("no certificate in");
        Files.delete(files.key());
        assertThat(contexts.current()).as("the old one while missing").isSameAs(second);
        assertThatThrownBy(contexts::reread)
                .hasMessage("TLS files: there is no file " + files.key());
        pki.writePem(folder, engineIdentity, false);
        assertThat(contexts.current()).isNotSameAs(second);
        assertThat(contexts.trouble()).isNull();

        try (ScriptedHost host = new ScriptedHost(pki.serverContext(hostIdentity));
                Engine engine = Engine.connectedTo(host, settings(files))) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            pki.writePem(folder, renewed, false);
            engine.connection.reconnect("test");
            engine.expect("disconnected: ");
            assertThat(peer.isClosedByEngine()).isTrue();
            engine.skipBackOff();
            ScriptedHost.Peer again = host.session();
            engine.expect("connected");
            assertThat(((SSLSocket) again.socket).getSession().getPeerCertificates()[0])
                    .isEqualTo(renewed.certificate());
        }
    }

    @Test
    void anAuthorityIsReplacedInOperationWithAnOverlap() throws Exception {
        TlsSettings.KeyMaterial.Pem files = pki.writePem(folder, engineIdentity, false);
        RenewableTls tls = new RenewableTls(hostIdentity, List.of(pki));
        Pki.Identity newEngine = otherPki.issue("engine.example.test");
        Pki.Identity newHost = otherPki.issue("host1.example.test");
        try (ScriptedHost host = new ScriptedHost(tls.context());
                Engine engine = Engine.connectedTo(host, settings(files))) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");

            Pki.writeAuthorities(files.authorities(), List.of(pki, otherPki));
            assertThat(engine.connector.rereadTlsFiles())
                    .contains("CN=the authority until", "CN=another authority until");
            assertStands(engine, peer);
            tls.renew(newHost, List.of(pki, otherPki));
            peer = reconnected(engine, host, peer);
            assertThat(shown(peer)).isEqualTo(engineIdentity.certificate());

            otherPki.writePem(folder, newEngine, false);
            Pki.writeAuthorities(files.authorities(), List.of(pki, otherPki));
            peer = reconnected(engine, host, peer);
            assertThat(shown(peer)).isEqualTo(newEngine.certificate());

            Pki.writeAuthorities(files.authorities(), List.of(otherPki));
            assertStands(engine, peer);
            tls.renew(newHost, List.of(otherPki));
            peer = reconnected(engine, host, peer);
            assertThat(shown(peer)).isEqualTo(newEngine.certificate());

            tls.renew(hostIdentity, List.of(otherPki));
            engine.connection.reconnect("test");
            engine.expect("disconnected: ");
            engine.skipBackOff();
            ScriptedHost.Peer old = host.connection();
            assertThatThrownBy(old::nextFrame).isInstanceOf(IOException.class);
            assertThat(engine.expect("disconnected: TLS refused: "))
                    .as("a host of the old authority")
                    .contains(
                            "not signed by the configured authority CN=another authority, but by"
                                    + " CN=the authority");

            tls.renew(newHost, List.of(otherPki));
            engine.skipBackOff();
            host.session();
            engine.expect("connected");
        }
    }

    /** The connection takes and answers a call. */
    private static void assertStands(Engine engine, ScriptedHost.Peer peer) throws Exception {
        engine.connection.hardware(engine.receiver());
        peer.request().answer("{}");
        engine.success();
    }

    private static ScriptedHost.Peer reconnected(
            Engine engine, ScriptedHost host, ScriptedHost.Peer before) throws Exception {
        engine.connection.reconnect("test");
        engine.expect("disconnected: ");
        assertThat(before.isClosedByEngine()).isTrue();
        engine.skipBackOff();
        ScriptedHost.Peer peer = host.session();
        engine.expect("connected");
        return peer;
    }

    private static Certificate shown(ScriptedHost.Peer peer) throws Exception {
        return ((SSLSocket) peer.socket).getSession().getPeerCertificates()[0];
    }

    /** The connection that is lost before is the first failure in a row. */
    @Test
    void aRefusedHostIsLoggedOnce() throws Exception {
        RenewableTls tls = new RenewableTls(hostIdentity, List.of(pki));
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger log = (Logger) LoggerFactory.getLogger(HostSession.class);
        lines.start();
        log.addAppender(lines);
        try (ScriptedHost host = new ScriptedHost(tls.context());
                Engine engine = Engine.connectedTo(host, pem())) {
            host.session();
            engine.expect("connected");
            tls.renew(otherPki.issue("host1.example.test"), List.of(pki));
            engine.connection.reconnect("test");
            engine.expect("disconnected: ");
            for (int attempt = 0; attempt < 3; attempt++) {
                engine.skipBackOff();
                ScriptedHost.Peer refused = host.connection();
                assertThatThrownBy(refused::nextFrame).isInstanceOf(IOException.class);
                engine.expect("disconnected: TLS refused: ");
            }
        } finally {
            log.detachAppender(lines);
        }
        assertThat(List.copyOf(lines.list))
                .filteredOn(line -> line.getLevel().equals(Level.WARN))
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains("TLS refused"))
                .singleElement()
                .asString()
                .contains("CN=the authority, but by CN=another authority");
    }

    @Test
    void missingFilesAreNamed() throws Exception {
        TlsSettings.KeyMaterial.Pem files =
                new TlsSettings.KeyMaterial.Pem(
                        folder.resolve("a.pem"), folder.resolve("b.pem"), folder.resolve("c.pem"));
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = Engine.connectedTo(host, settings(files))) {
            assertThat(engine.expect("disconnected: ")).contains("TLS files").contains("a.pem");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void keysOfSeveralKindsAreRead(String algorithm) throws Exception {
        byte[] der =
                KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate().getEncoded();
        String pem = Pki.pem("PRIVATE KEY", der).replace("\n", "\r\n");
        assertThat(PemReader.privateKey(pem.getBytes(US_ASCII), "x").getEncoded()).isEqualTo(der);
    }

    @Test
    void filesWithoutAKeyAreNamed() {
        List<String> broken =
                List.of(
                        "",
                        "nothing",
                        "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
                                + "AAAA\n"
                                + "-----END ENCRYPTED PRIVATE KEY-----",
                        "-----BEGIN RSA PRIVATE KEY-----\n"
                                + "Proc-Type: 4,ENCRYPTED\n\n"
                                + "AAAA\n"
                                + "-----END RSA PRIVATE KEY-----",
                        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----");
        for (String pem : broken) {
            assertThatThrownBy(() -> PemReader.privateKey(pem.getBytes(US_ASCII), "key.pem"))
                    .isInstanceOf(GeneralSecurityException.class)
                    .hasMessageContaining("key.pem");
        }
        assertThatThrownBy(() -> PemReader.certificates(new byte[0], "ca.pem"))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining("no certificate in ca.pem");
    }
}
