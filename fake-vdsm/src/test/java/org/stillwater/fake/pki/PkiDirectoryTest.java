package org.stillwater.fake.pki;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PkiDirectoryTest {

    private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
    private static final char[] PASSWORD = "secret".toCharArray();
    private static final String SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
    private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

    @TempDir static Path folder;

    private static PkiDirectory pki;

    @BeforeAll
    static void make() throws Exception {
        pki = PkiDirectory.open(folder.resolve("pki"), NOW, PASSWORD);
    }

    @Test
    void hostCertificatesAreAsOvirtMakesThem() throws Exception {
        InetAddress address = InetAddress.getByAddress(new byte[] {127, 1, 0, 7});
        X509Certificate certificate =
                pki.host("host-7.example.test", List.of(address)).certificate();

        certificate.verify(pki.authority().certificate().getPublicKey());
        assertThat(certificate.getSubjectX500Principal().getName())
                .isEqualTo("CN=host-7.example.test,O=Stillwater");
        assertThat(((RSAPublicKey) certificate.getPublicKey()).getModulus().bitLength())
                .isEqualTo(2048);
        assertThat(certificate.getSubjectAlternativeNames())
                .extracting(name -> String.valueOf(name.get(1)))
                .containsExactly("host-7.example.test", "localhost", "127.1.0.7");
        assertThat(certificate.getExtendedKeyUsage()).containsExactly(SERVER_AUTH, CLIENT_AUTH);
        assertThat(certificate.getCriticalExtensionOIDs()).contains("2.5.29.15", "2.5.29.37");
        assertThat(certificate.getKeyUsage()).startsWith(true, false, true, false);
        assertThat(certificate.getBasicConstraints()).isEqualTo(-1);
        assertThat(pki.authority().certificate().getBasicConstraints()).isNotNegative();
        certificate.checkValidity(Date.from(NOW));
    }

    @Test
    void badCertificatesAreBadInOneWayEach() throws Exception {
        X509Certificate ca = pki.authority().certificate();
        X509Certificate expired =
                pki.badHost(PkiDirectory.Flaw.EXPIRED, "h", List.of()).certificate();
        assertThat(expired.getNotAfter().toInstant()).isBefore(NOW);
        X509Certificate early =
                pki.badHost(PkiDirectory.Flaw.NOT_YET_VALID, "h", List.of()).certificate();
        assertThat(early.getNotBefore().toInstant()).isAfter(NOW);
        X509Certificate foreign =
                pki.badHost(PkiDirectory.Flaw.WRONG_CA, "h", List.of()).certificate();
        assertThat(foreign.getIssuerX500Principal()).isEqualTo(ca.getSubjectX500Principal());
        assertThatThrownBy(() -> foreign.verify(ca.getPublicKey()))
                .isInstanceOf(GeneralSecurityException.class);
        X509Certificate misnamed =
                pki.badHost(PkiDirectory.Flaw.WRONG_NAME, "h", List.of()).certificate();
        assertThat(misnamed.getSubjectX500Principal().getName()).doesNotContain("CN=h,");
    }

    @Test
    void openingAgainChangesNothing() throws Exception {
        Map<String, byte[]> before = contents(folder.resolve("pki"));
        PkiDirectory again =
                PkiDirectory.open(folder.resolve("pki"), NOW.plus(Duration.ofDays(30)), PASSWORD);
        assertThat(again.authority().certificate()).isEqualTo(pki.authority().certificate());
        assertThat(contents(folder.resolve("pki"))).containsExactlyEntriesOf(before);
    }

    @Test
    void missingFilesAreMadeAgain() throws Exception {
        Path directory = folder.resolve("partial");
        PkiDirectory first = PkiDirectory.open(directory, NOW, PASSWORD);
        Files.delete(directory.resolve("engine.pem"));
        Files.delete(directory.resolve("truststore.p12"));
        PkiDirectory second = PkiDirectory.open(directory, NOW, PASSWORD);
        assertThat(second.authority().certificate()).isEqualTo(first.authority().certificate());
        assertThat(second.engine().certificate().getPublicKey())
                .isEqualTo(first.engine().certificate().getPublicKey());
        assertThat(directory.resolve("truststore.p12")).exists();
    }

    @Test
    void filesWithPrivateKeysAreTheOwnersOnly() throws Exception {
        for (String file : List.of("ca.key.pem", "engine.key.pem", "host.key.pem", "engine.p12")) {
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(pki.directory().resolve(file))))
                    .as(file)
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void theKeyStoresEqualTheFiles() throws Exception {
        KeyStore engine = load("engine.p12");
        assertThat(engine.getCertificate("1")).isEqualTo(pki.engine().certificate());
        assertThat(engine.getKey("1", PASSWORD)).isEqualTo(pki.engine().key());
        assertThat(engine.getCertificateChain("1")).hasSize(2);
        KeyStore trust = load("truststore.p12");
        assertThat(trust.getCertificate("ca")).isEqualTo(pki.authority().certificate());
    }

    @Test
    void certificatesForNamedHostsAreWritten() throws Exception {
        Path file = pki.writeHost("node-1.example.test", List.of());
        assertThat(Pem.certificate(file).getSubjectX500Principal().getName())
                .contains("CN=node-1.example.test");
        assertThat(pki.writeBad("h", List.of())).hasSize(4);
        assertThatThrownBy(() -> pki.writeHost("../escape", List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anExpiredAuthorityIsNamed() {
        assertThatThrownBy(() ->
                        PkiDirectory.open(
                                folder.resolve("pki"),
                                NOW.plus(Duration.ofDays(20 * 365)),
                                PASSWORD))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining("has expired");
    }

    @Test
    void aCertificateWithoutItsKeyIsNamed() throws Exception {
        Path directory = Files.createDirectories(folder.resolve("half"));
        Files.copy(pki.directory().resolve("ca.pem"), directory.resolve("ca.pem"));
        assertThatThrownBy(() -> PkiDirectory.open(directory, NOW, PASSWORD))
                .hasMessageContaining("ca.key.pem");
    }

    private static KeyStore load(String file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(pki.directory().resolve(file))) {
            store.load(in, PASSWORD);
        }
        return store;
    }

    private static Map<String, byte[]> contents(Path directory) throws IOException {
        Map<String, byte[]> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
        }
        return contents;
    }
}
