package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.trust.CertificateBinding;
import org.stillwater.core.trust.CertificateRules;
import org.stillwater.core.trust.CertificateVerdict;
import org.stillwater.core.trust.HostCertificate;

/**
 * Every host has a certificate of the same authority; on the wire, each is taken for itself only.
 */
@Timeout(60)
class CertificateTrustTest {
    private static Pki pki;
    private static Pki.Identity engineIdentity;

    /** Names the address of the scripted host. */
    private static Pki.Identity own;

    private static Pki.Identity ofAnotherHost;

    @TempDir Path folder;

    private @Nullable CertificateBinding known;
    private volatile @Nullable HostCertificate last;

    @BeforeAll
    static void makeCertificates() throws Exception {
        pki = new Pki("the authority");
        engineIdentity = pki.issue("engine.example.test");
        own = pki.issue("127.0.0.1");
        ofAnotherHost = pki.issue("host2.example.test");
    }

    /** The rules of the engine, for one host. */
    private synchronized @Nullable String trust(HostDefinition dialled, HostCertificate shown) {
        last = shown;
        return switch (CertificateRules.decide(
                dialled.address(), known, shown, _ -> null, Instant.EPOCH)) {
            case CertificateVerdict.Accepted accepted -> {
                known = accepted.binding();
                yield null;
            }
            case CertificateVerdict.Refused refused -> refused.why();
        };
    }

    private synchronized void confirm(HostCertificate shown) {
        known = CertificateBinding.to(shown, "127.0.0.1", Instant.EPOCH);
    }

    private Engine engine() throws IOException {
        Engine engine =
                new Engine(
                        VdsmClientSettings.defaults(
                                new TlsSettings.Mutual(
                                        pki.writePem(folder, engineIdentity, false))));
        engine.trust = this::trust;
        return engine;
    }

    private static void assertNothingWasSent(ScriptedHost host) throws Exception {
        ScriptedHost.Peer peer = host.connection();
        try {
            assertThat(peer.nextFrame()).as("a STOMP frame").isNull();
        } catch (IOException aborted) {
            // The engine has closed the socket below TLS.
        }
    }

    /** No pause is left but the one between any two attempts to connect; it passes. */
    private static void skipSpacing(Engine engine) {
        Duration spacing = VdsmClientSettings.Reconnect.DEFAULT.spacing();
        Engine.await("the next slot", () -> engine.time.awaitsOnly(spacing));
        engine.time.advance(spacing);
    }

    @Test
    void anotherHostOfTheSameAuthorityGetsNoByteOfStomp() throws Exception {
        try (ScriptedHost real = new ScriptedHost(pki.serverContext(own));
                Engine engine = engine().open(real.definition())) {
            real.session();
            engine.expect("connected");
        }
        try (ScriptedHost intruder = new ScriptedHost(pki.serverContext(ofAnotherHost));
                Engine engine = engine().open(intruder.definition())) {
            assertNothingWasSent(intruder);
            assertThat(engine.expect("disconnected: certificate refused: "))
                    .contains("it names host2.example.test, not 127.0.0.1");
        }
        Pki.Identity renewed = pki.issue("127.0.0.1");
        try (ScriptedHost real = new ScriptedHost(pki.serverContext(renewed));
                Engine engine = engine().open(real.definition())) {
            real.session();
            engine.expect("connected");
        }
    }

    @Test
    void aPinnedCertificateIsTheOnlyOneUntilAnotherIsConfirmed() throws Exception {
        Pki.Identity first = pki.issue("legacy.example.test");
        Pki.Identity second = pki.issue("legacy.example.test");
        try (ScriptedHost host = new ScriptedHost(pki.serverContext(first));
                Engine engine = engine().open(host.definition())) {
            host.session();
            engine.expect("connected");
        }
        try (ScriptedHost host = new ScriptedHost(pki.serverContext(second));
                Engine engine = engine().open(host.definition())) {
            assertNothingWasSent(host);
            engine.expect("disconnected: certificate refused: ");
            engine.skipBackOff();
            assertNothingWasSent(host);
            engine.expect("disconnected: certificate refused: ");

            confirm(last);
            Engine.await("the back-off", () -> engine.time.pending() == 1);
            engine.connection.reconnect("it was confirmed");
            skipSpacing(engine);
            host.session();
            engine.expect("connected");
        }
        try (ScriptedHost host = new ScriptedHost(pki.serverContext(first));
                Engine engine = engine().open(host.definition())) {
            assertNothingWasSent(host);
            engine.expect("disconnected: certificate refused: ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aResumedSessionIsCheckedLikeANewOne(String version) throws Exception {
        SSLContext context = pki.serverContext(own);
        try (ScriptedHost host = new ScriptedHost(context, version);
                Engine engine = engine().open(host.definition())) {
            ScriptedHost.Peer peer = host.session();
            engine.expect("connected");
            engine.connection.hardware(engine.receiver());
            peer.request().answer("{}"); // TLS 1.3 hands out its tickets after the handshake
            engine.success();
            long created = ((SSLSocket) peer.socket).getSession().getCreationTime();

            engine.connection.reconnect("test");
            engine.expect("disconnected: ");
            engine.skipBackOff();
            ScriptedHost.Peer again = host.session();
            engine.expect("connected");
            assertThat(((SSLSocket) again.socket).getSession().getCreationTime())
                    .as("the session was resumed")
                    .isEqualTo(created);

            synchronized (this) {
                known = CertificateBinding.to(shown(ofAnotherHost), "127.0.0.1", Instant.EPOCH);
            }
            engine.connection.reconnect("test");
            engine.expect("disconnected: ");
            engine.skipBackOff();
            assertNothingWasSent(host);
            engine.expect("disconnected: certificate refused: ");
        }
    }

    @Test
    void aListenerThatFailsAcceptsNothing() throws Exception {
        try (ScriptedHost host = new ScriptedHost(pki.serverContext(own));
                Engine engine = engine()) {
            engine.trust =
                    (_, _) -> {
                        throw new IllegalStateException("a bug");
                    };
            engine.open(host.definition());
            assertNothingWasSent(host);
            assertThat(engine.expect("disconnected: certificate refused: ")).contains("a bug");
            engine.trust = this::trust;
            engine.skipBackOff();
            host.session();
            engine.expect("connected");
        }
    }

    @Test
    void allNamesOfACertificateAreRead() throws Exception {
        HostCertificate read = shown(ofAnotherHost);
        assertThat(read.names().dnsNames()).containsExactly("host2.example.test");
        assertThat(read.names().commonName()).isEqualTo("host2.example.test");
        assertThat(read.subject()).isEqualTo("CN=host2.example.test,O=test");
        assertThat(read.notAfter())
                .isEqualTo(ofAnotherHost.certificate().getNotAfter().toInstant());
        assertThat(read.fingerprint().hex())
                .isEqualTo(
                        HexFormat.of()
                                .formatHex(
                                        MessageDigest.getInstance("SHA-256")
                                                .digest(ofAnotherHost.certificate().getEncoded())));
        assertThat(shown(own).names().addresses()).containsExactly("127.0.0.1");
        assertThat(shown(own).names().match("127.0.0.1")).isTrue();
    }

    /** As oVirt's older engines signed it: the address is the common name, and nothing else. */
    @Test
    void aCertificateWithACommonNameOnlyNamesItsHost() throws Exception {
        Pki.Identity plain = pki.issueWithoutNames("127.0.0.1");
        assertThat(shown(plain).names().match("127.0.0.1")).isTrue();
        assertThat(shown(plain).names().match("127.0.0.2")).isFalse();
        try (ScriptedHost host = new ScriptedHost(pki.serverContext(plain));
                Engine engine = engine().open(host.definition())) {
            host.session();
            engine.expect("connected");
        }
        synchronized (this) {
            assertThat(known.kind()).isEqualTo(CertificateBinding.Kind.NAME);
        }
    }

    @Test
    void withoutTlsNoCertificateIsChecked() throws Exception {
        try (ScriptedHost host = new ScriptedHost();
                Engine engine = new Engine(Engine.plain())) {
            engine.trust = (_, _) -> "no";
            engine.open(host.definition());
            host.session();
            engine.expect("connected");
        }
    }

    private static HostCertificate shown(Pki.Identity identity) throws Exception {
        return Certificates.read(identity.certificate());
    }
}
