package org.stillwater.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.server.ReadyPki;

class OwnAuthorityTest {

    private static final Instant NOW = Instant.parse("2026-11-22T00:00:00Z");
    private static final Duration VALID = Duration.ofDays(100);
    private static final Duration BEFORE = Duration.ofDays(10);
    private static final Set<String> NAMES =
            Set.of("engine.example", "192.0.2.7", "2001:db8:0:0:0:0:0:1");

    @TempDir Path folder;

    private boolean provide(Set<String> names, Instant now) throws Exception {
        return authority().provide(names, now, VALID, BEFORE);
    }

    private OwnAuthority authority() {
        return new OwnAuthority(folder.resolve("pki"));
    }

    private List<X509Certificate> chain() throws Exception {
        return PemFiles.certificates(Files.readString(authority().certificate()));
    }

    @Test
    void itMakesAnAuthorityAndACertificateOfIt() throws Exception {
        assertThat(provide(NAMES, NOW)).isTrue();
        List<X509Certificate> chain = chain();
        X509Certificate mine = chain.getFirst();
        X509Certificate authority = chain.getLast();
        assertThat(chain).hasSize(2);
        mine.verify(authority.getPublicKey());
        authority.verify(authority.getPublicKey());
        assertThat(mine.getBasicConstraints()).as("no authority").isEqualTo(-1);
        assertThat(authority.getBasicConstraints()).as("of servers only").isZero();
        assertThat(mine.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        assertThat(CertificateNames.of(mine)).containsExactlyInAnyOrderElementsOf(NAMES);
        assertThat(mine.getNotBefore().toInstant()).isBefore(NOW);
        assertThat(mine.getNotAfter().toInstant()).isEqualTo(NOW.plus(VALID));
        assertThat(mine.getSerialNumber()).isPositive();
        for (String secret : List.of("ca.key.pem", "server.key.pem")) {
            assertThat(
                            PosixFilePermissions.toString(
                                    Files.getPosixFilePermissions(
                                            folder.resolve("pki").resolve(secret))))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void usableFilesStay() throws Exception {
        provide(NAMES, NOW);
        List<X509Certificate> before = chain();
        assertThat(provide(NAMES, NOW)).isFalse();
        assertThat(provide(Set.of("engine.example"), NOW.plus(VALID).minus(BEFORE).minusSeconds(1)))
                .isFalse();
        assertThat(chain()).isEqualTo(before);
    }

    @Test
    void beforeItsEndAndForOtherNamesItIsMadeAnewByTheSameAuthority() throws Exception {
        provide(NAMES, NOW);
        List<X509Certificate> before = chain();
        assertThat(provide(NAMES, NOW.plus(VALID).minus(BEFORE))).isTrue();
        List<X509Certificate> later = chain();
        assertThat(later.getFirst()).isNotEqualTo(before.getFirst());
        assertThat(later.getLast()).isEqualTo(before.getLast());
        assertThat(provide(Set.of("other.example"), NOW)).isTrue();
        assertThat(CertificateNames.of(chain().getFirst())).containsExactly("other.example");
        assertThat(chain().getLast()).isEqualTo(before.getLast());
    }

    @Test
    void aLostKeyIsReplacedWithItsCertificates() throws Exception {
        provide(NAMES, NOW);
        List<X509Certificate> before = chain();
        Files.delete(authority().key());
        assertThat(provide(NAMES, NOW)).isTrue();
        assertThat(chain().getLast()).isEqualTo(before.getLast());
        Files.delete(folder.resolve("pki").resolve("ca.key.pem"));
        assertThat(provide(NAMES, NOW)).isTrue();
        assertThat(chain().getLast()).isNotEqualTo(before.getLast());
    }

    @Test
    void anAuthorityThatEndedIsKeptAndIssuesNoMoreThanOneCertificate() throws Exception {
        Instant behind = Instant.parse("2015-01-01T00:00:00Z"); // of a machine without a battery
        provide(NAMES, behind);
        X509Certificate ended = chain().getLast();
        assertThat(provide(NAMES, NOW)).isTrue();
        List<X509Certificate> last = chain();
        assertThat(provide(NAMES, NOW)).isFalse();
        assertThat(chain()).isEqualTo(last);
        assertThat(last.getLast()).as("the clock of now may be the wrong one").isEqualTo(ended);
    }

    @Test
    void theLastCertificateOfAnAuthorityStaysUntilItsEnd() throws Exception {
        provide(NAMES, NOW);
        Instant end = chain().getLast().getNotAfter().toInstant();
        assertThat(provide(NAMES, end.minus(BEFORE))).isTrue();
        assertThat(chain().getFirst().getNotAfter().toInstant()).isEqualTo(end);
        assertThat(provide(NAMES, end.minus(BEFORE))).isFalse();
        assertThat(provide(NAMES, end.minusSeconds(1))).isFalse();
    }

    @Test
    void namesAreWrittenOneWay() {
        assertThat(CertificateNames.canonical(" Engine.Example ")).isEqualTo("engine.example");
        assertThat(CertificateNames.canonical("2001:DB8::1")).isEqualTo("2001:db8:0:0:0:0:0:1");
        assertThat(CertificateNames.ofMachine()).contains("localhost", "127.0.0.1");
    }

    private Path file(String name) {
        return folder.resolve(name);
    }

    private Map<String, String> contents(Path where) throws Exception {
        Map<String, String> all = new TreeMap<>();
        try (Stream<Path> files = Files.list(where)) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                all.put(
                        each.getFileName().toString(),
                        HexFormat.of().formatHex(Files.readAllBytes(each)));
            }
        }
        return all;
    }

    private void assertForeign(OwnAuthority authority, Path where, String name) throws Exception {
        Map<String, String> before = contents(where);
        assertThatThrownBy(() -> authority.provide(NAMES, NOW, VALID, BEFORE))
                .isInstanceOf(TlsRefused.class)
                .hasMessageContaining(name)
                .hasMessageContaining("did not write")
                .satisfies(refused ->
                        assertThat(((TlsRefused) refused).action())
                                .contains("stillwater.tls.folder"));
        assertThat(contents(where)).as("nothing was touched").isEqualTo(before);
    }

    /** The defect: the hosts' authority was overwritten without a word. */
    @Test
    void theHostsAuthorityIsNeverOverwritten() throws Exception {
        Path pki = Files.createDirectories(file("pki"));
        Files.writeString(pki.resolve("ca.pem"), "the hosts' authority");
        assertForeign(new OwnAuthority(pki), pki, "ca.pem");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ca.pem", "ca.key.pem", "server.pem", "server.key.pem"})
    void noFileThatItDidNotWriteIsOverwritten(String name) throws Exception {
        Path tls = Files.createDirectories(file("tls"));
        Files.writeString(tls.resolve(name), "somebody's");
        assertForeign(new OwnAuthority(tls), tls, name);
        assertForeign(new OwnAuthority(tls, file("pki")), tls, name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ca.pem", "ca.key.pem", "server.pem", "server.key.pem"})
    void aReplacedFileIsNotOverwritten(String name) throws Exception {
        provide(NAMES, NOW);
        Files.writeString(file("pki").resolve(name), "somebody's");
        assertForeign(authority(), file("pki"), name);
    }

    @Test
    void simulatedHostsCertificatesStayAndTheEngineMakesItsOwnBesideThem() throws Exception {
        Path pki = file("pki");
        ReadyPki.copyTo(pki);
        Map<String, String> before = contents(pki);
        OwnAuthority beside = new OwnAuthority(file("tls"), pki);
        assertThat(beside.provide(NAMES, NOW, VALID, BEFORE)).isTrue();
        assertThat(contents(pki)).isEqualTo(before);
        assertThat(PemFiles.certificates(Files.readString(beside.certificate())).getLast())
                .isNotEqualTo(
                        PemFiles.certificates(Files.readString(pki.resolve("ca.pem"))).getFirst());

        assertForeign(new OwnAuthority(pki), pki, "ca.pem");
    }

    /** The folder of an earlier engine without a list of its files. */
    private OwnAuthority madeByAnEngineOfBefore(Path where) throws Exception {
        OwnAuthority former = new OwnAuthority(where);
        former.provide(NAMES, NOW, VALID, BEFORE);
        Files.delete(where.resolve(OwnedFiles.LEDGER));
        return former;
    }

    @Test
    void theAuthorityOfAnEarlierEngineIsMovedAndStaysTrusted() throws Exception {
        Path pki = file("pki");
        String authority = Files.readString(madeByAnEngineOfBefore(pki).authority());
        String server = Files.readString(pki.resolve("server.pem"));
        OwnAuthority now = new OwnAuthority(file("tls"), pki);
        assertThat(now.provide(NAMES, NOW, VALID, BEFORE)).as("made anew").isFalse();
        assertThat(now.authority()).hasContent(authority);
        assertThat(now.certificate()).hasContent(server);
        assertThat(contents(pki)).as("for scripts that name it").containsOnlyKeys("ca.pem");
        assertThat(pki.resolve("ca.pem")).hasContent(authority);
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(file("tls").resolve("ca.key.pem"))))
                .isEqualTo("rw-------");
        assertThat(new OwnAuthority(file("tls"), pki).provide(NAMES, NOW, VALID, BEFORE)).isFalse();
    }

    @Test
    void itIsFoundInItsChainWhereTheHostsAuthorityWasPutOverIt() throws Exception {
        Path pki = file("pki");
        String authority = Files.readString(madeByAnEngineOfBefore(pki).authority());
        Files.writeString(pki.resolve("ca.pem"), "the hosts' authority");
        OwnAuthority now = new OwnAuthority(file("tls"), pki);
        now.provide(NAMES, NOW, VALID, BEFORE);
        assertThat(now.authority()).hasContent(authority);
        assertThat(pki.resolve("ca.pem")).hasContent("the hosts' authority");
    }

    @Test
    void aMoveThatWasInterruptedIsDoneAgain() throws Exception {
        Path pki = file("pki");
        String authority = Files.readString(madeByAnEngineOfBefore(pki).authority());
        Map<String, String> before = contents(pki);
        OwnAuthority now = new OwnAuthority(file("tls"), pki);
        now.provide(NAMES, NOW, VALID, BEFORE);
        Files.delete(now.authority());
        for (Map.Entry<String, String> each : before.entrySet()) {
            Files.write(pki.resolve(each.getKey()), HexFormat.of().parseHex(each.getValue()));
        }
        assertThat(now.provide(NAMES, NOW, VALID, BEFORE)).isFalse();
        assertThat(now.authority()).hasContent(authority);
    }

    @Test
    void aFolderThatIsNamedAndOfAnEngineOfBeforeIsUsedInPlace() throws Exception {
        Path own = file("own");
        String authority = Files.readString(madeByAnEngineOfBefore(own).authority());
        assertThat(new OwnAuthority(own).provide(NAMES, NOW, VALID, BEFORE)).isFalse();
        assertThat(new OwnAuthority(own).provide(NAMES, NOW.plus(VALID), VALID, BEFORE)).isTrue();
        assertThat(own.resolve("ca.pem")).hasContent(authority);
    }

    @Test
    void theListOfItsFilesIsOneThatSha256sumChecks() throws Exception {
        provide(NAMES, NOW);
        for (String line : Files.readAllLines(file("pki").resolve(OwnedFiles.LEDGER))) {
            String[] parts = line.split("  ");
            assertThat(parts[0])
                    .isEqualTo(
                            HexFormat.of()
                                    .formatHex(
                                            MessageDigest.getInstance("SHA-256")
                                                    .digest(
                                                            Files.readAllBytes(
                                                                    file("pki")
                                                                            .resolve(parts[1])))));
        }
        assertThat(contents(file("pki")))
                .containsOnlyKeys(
                        "ca.pem", "ca.key.pem", "server.pem", "server.key.pem", OwnedFiles.LEDGER);
    }

    @Test
    @DisplayName(
            "a clock step back renews a certificate that is not valid yet, a step forth one that"
                    + " ends")
    void clockSteps() throws Exception {
        provide(NAMES, NOW);
        List<X509Certificate> right = chain();
        assertThat(provide(NAMES, NOW.plus(VALID))).as("the clock is ahead").isTrue();
        assertThat(provide(NAMES, NOW)).as("the clock is set back").isTrue();
        X509Certificate renewed = chain().getFirst();
        renewed.checkValidity(Date.from(NOW));
        assertThat(chain().getLast()).isEqualTo(right.getLast());
        assertThat(provide(NAMES, NOW.minusSeconds(1))).as("a leap second").isFalse();
    }
}
