package org.stillwater.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        assertThat(OwnAuthority.namesOf(mine)).containsExactlyInAnyOrderElementsOf(NAMES);
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
    void whatWillDoStays() throws Exception {
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
        assertThat(OwnAuthority.namesOf(chain().getFirst())).containsExactly("other.example");
        assertThat(chain().getLast()).isEqualTo(before.getLast());
    }

    @Test
    void aLostKeyIsReplacedWithWhatItSigned() throws Exception {
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
    void namesAreWrittenOneWay() {
        assertThat(OwnAuthority.canonical(" Engine.Example ")).isEqualTo("engine.example");
        assertThat(OwnAuthority.canonical("2001:DB8::1")).isEqualTo("2001:db8:0:0:0:0:0:1");
        assertThat(OwnAuthority.machineNames()).contains("localhost", "127.0.0.1");
    }
}
