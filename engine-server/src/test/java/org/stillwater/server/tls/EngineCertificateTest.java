package org.stillwater.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.TlsSettings;
import org.stillwater.testkit.VirtualClock;

/** Certificates from an operator: taken, changed, and complained about. */
class EngineCertificateTest {

    private final VirtualClock clock = new VirtualClock();

    @TempDir Path folder;
    private Path certificate;
    private Path key;

    @BeforeEach
    void give() throws Exception {
        certificate = folder.resolve("chain.pem");
        key = folder.resolve("key.pem");
        copy(made("one"));
    }

    /** A certificate and its key, in a folder of their own. */
    private OwnAuthority made(String name) throws Exception {
        OwnAuthority authority = new OwnAuthority(folder.resolve(name));
        authority.provide(
                Set.of(name + ".example"), clock.now(), Duration.ofDays(30), Duration.ofDays(1));
        return authority;
    }

    private void copy(OwnAuthority from) throws Exception {
        Files.copy(from.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
        Files.copy(from.key(), key, StandardCopyOption.REPLACE_EXISTING);
    }

    private EngineCertificate given() {
        Binder binder =
                new Binder(
                        new MapConfigurationPropertySource(
                                Map.of(
                                        "stillwater.tls.certificate", certificate.toString(),
                                        "stillwater.tls.key", key.toString())));
        return new EngineCertificate(
                binder.bindOrCreate("stillwater.tls", TlsSettings.class),
                binder.bindOrCreate("stillwater", FleetSettings.class),
                clock);
    }

    private static Set<String> names(EngineCertificate used) throws Exception {
        X509Certificate present = used.certificate();
        return present == null ? Set.of() : CertificateNames.of(present);
    }

    @Test
    void givenFilesAreUsedAndNothingIsMade() throws Exception {
        EngineCertificate used = given();
        assertThat(names(used)).containsExactly("one.example");
        assertThat(used.look()).isFalse();
    }

    @Test
    void aChangedPairIsTaken() throws Exception {
        EngineCertificate used = given();
        copy(made("two"));
        assertThat(used.look()).isTrue();
        assertThat(names(used)).containsExactly("two.example");
        assertThat(used.look()).isFalse();
    }

    @Test
    void aPairThatIsChangedHalfOrBrokenIsNotTakenUntilItIsWhole() throws Exception {
        EngineCertificate used = given();
        OwnAuthority two = made("two");
        Files.copy(two.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
        assertThat(used.look()).as("the key is still the other's").isFalse();
        Files.writeString(key, "nonsense");
        assertThat(used.look()).isFalse();
        Files.delete(key);
        assertThat(used.look()).isFalse();
        assertThat(names(used)).containsExactly("one.example");
        Files.copy(two.key(), key);
        assertThat(used.look()).isTrue();
        assertThat(names(used)).containsExactly("two.example");
    }

    @Test
    void unusableFilesAtTheStartAreNamed() throws Exception {
        Files.writeString(certificate, "no certificate");
        assertThatThrownBy(this::given)
                .isInstanceOf(TlsRefused.class)
                .hasMessageContaining(certificate.toString());
        copy(made("two"));
        Files.writeString(key, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        assertThatThrownBy(this::given)
                .isInstanceOf(TlsRefused.class)
                .hasMessageContaining(key.toString());
        Files.copy(made("three").key(), key, StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(this::given)
                .isInstanceOf(TlsRefused.class)
                .hasMessageContaining("is not that of the certificate");
        Files.delete(key);
        assertThatThrownBy(this::given)
                .isInstanceOf(TlsRefused.class)
                .hasMessageContaining("cannot be read")
                .hasMessageContaining(key.toString());
    }

    /** As by watch-real-hosts and then secure-the-engine, in one data folder. */
    @Test
    void theHostsFolderAndTheEnginesAreNotTheSame() throws Exception {
        Path pki = Files.createDirectories(folder.resolve("data/pki"));
        Files.writeString(pki.resolve("ca.pem"), "the hosts' authority");
        Binder binder =
                new Binder(
                        new MapConfigurationPropertySource(
                                Map.of(
                                        "stillwater.data-folder",
                                        folder.resolve("data").toString())));
        EngineCertificate made =
                new EngineCertificate(
                        binder.bindOrCreate("stillwater.tls", TlsSettings.class),
                        binder.bindOrCreate("stillwater", FleetSettings.class),
                        clock);
        assertThat(names(made)).contains("localhost");
        assertThat(pki.resolve("ca.pem")).hasContent("the hosts' authority");
        assertThat(folder.resolve("data/tls/ca.pem")).isRegularFile();
        assertThat(made.look()).isFalse();
    }
}
