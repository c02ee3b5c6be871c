package org.stillwater.core.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.trust.CertificateBinding.Kind;

/** The accepted certificates, from the first contact on. */
class CertificateRulesTest {

    private static final Instant THEN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant NOW = Instant.parse("2026-11-23T18:00:00Z");
    private static final String ADDRESS = "host1.example";

    private static HostCertificate certificate(String digit, String name) {
        return new HostCertificate(
                new CertificateFingerprint(digit.repeat(64)),
                "O=example,CN=" + name,
                new CertificateNames(List.of(name), List.of(), null),
                NOW.plusSeconds(86_400));
    }

    private static CertificateBinding bound(Kind kind, String digit) {
        return new CertificateBinding(
                kind, new CertificateFingerprint(digit.repeat(64)), "CN=before", THEN);
    }

    private static CertificateVerdict decide(
            @Nullable CertificateBinding known, HostCertificate shown, @Nullable String other) {
        return CertificateRules.decide(ADDRESS, known, shown, _ -> other, NOW);
    }

    private static void assertAccepted(
            CertificateVerdict verdict, Kind kind, String digit, @Nullable AuditEvent event) {
        assertThat(verdict)
                .isInstanceOfSatisfying(
                        CertificateVerdict.Accepted.class,
                        accepted -> {
                            assertThat(accepted.binding().kind()).isEqualTo(kind);
                            assertThat(accepted.binding().fingerprint())
                                    .isEqualTo(new CertificateFingerprint(digit.repeat(64)));
                            assertThat(accepted.event()).isEqualTo(event);
                        });
    }

    private static void assertRefused(CertificateVerdict verdict, String why) {
        assertThat(verdict)
                .isInstanceOfSatisfying(
                        CertificateVerdict.Refused.class,
                        refused -> assertThat(refused.why()).contains(why));
    }

    @Test
    void aNewHostIsHeldToItsNameIfItsCertificateNamesIt() {
        assertAccepted(decide(null, certificate("a", ADDRESS), "host2"), Kind.NAME, "a", null);
    }

    @Test
    void aNewHostIsHeldToItsFirstCertificateIfThatNamesAnotherAddress() {
        assertAccepted(
                decide(null, certificate("a", "other.example"), null),
                Kind.PINNED,
                "a",
                AuditEvent.HOST_CERTIFICATE_PINNED);
    }

    @Test
    void aNewHostDoesNotBeginWithAnothersCertificate() {
        assertRefused(
                decide(null, certificate("a", "host2.example"), "host2"), "that of host host2");
    }

    @Test
    void aHostFromBeforeTheUpgradeKeepsContactWithAnyCertificate() {
        CertificateBinding open = CertificateBinding.open(THEN);
        assertAccepted(decide(open, certificate("a", ADDRESS), null), Kind.NAME, "a", null);
        assertAccepted(
                decide(open, certificate("a", "other.example"), null),
                Kind.PINNED,
                "a",
                AuditEvent.HOST_CERTIFICATE_PINNED);
        CertificateVerdict shared = decide(open, certificate("a", "host2.example"), "host2");
        assertAccepted(shared, Kind.PINNED, "a", AuditEvent.HOST_CERTIFICATE_PINNED);
        assertThat(((CertificateVerdict.Accepted) shared).remark()).isEqualTo("host2");
    }

    @Test
    void aRenewedCertificateThatNamesTheHostIsAccepted() {
        assertAccepted(
                decide(bound(Kind.NAME, "a"), certificate("b", ADDRESS), null),
                Kind.NAME,
                "b",
                AuditEvent.HOST_CERTIFICATE_RENEWED);
    }

    @Test
    void anotherHostsCertificateIsRefusedWhereTheNameCounts() {
        assertRefused(
                decide(bound(Kind.NAME, "a"), certificate("b", "host2.example"), null),
                "it names host2.example, not host1.example");
    }

    @ParameterizedTest
    @ValueSource(strings = {"other.example", ADDRESS})
    void anyOtherCertificateIsRefusedWhereOneIsPinned(String name) {
        assertRefused(
                decide(bound(Kind.PINNED, "a"), certificate("b", name), null),
                new CertificateFingerprint("a".repeat(64)).toString());
    }

    @Test
    void aKnownCertificateChangesNothing() {
        CertificateBinding named = bound(Kind.NAME, "a");
        CertificateBinding pinned = bound(Kind.PINNED, "a");
        assertThat(decide(named, certificate("a", ADDRESS), null))
                .isEqualTo(new CertificateVerdict.Accepted(named, null, null));
        assertThat(decide(pinned, certificate("a", "other.example"), null))
                .isEqualTo(new CertificateVerdict.Accepted(pinned, null, null));
    }

    @Test
    void theSameCertificateStaysAcceptedWhereTheHostsAddressIsChanged() {
        assertAccepted(
                decide(bound(Kind.NAME, "a"), certificate("a", "old.example"), null),
                Kind.PINNED,
                "a",
                AuditEvent.HOST_CERTIFICATE_PINNED);
        assertAccepted(
                decide(bound(Kind.PINNED, "a"), certificate("a", ADDRESS), null),
                Kind.NAME,
                "a",
                null);
    }

    @Test
    void fingerprintsAreReadAsPeopleCopyThem() {
        String hex = "0123456789abcdef".repeat(4);
        CertificateFingerprint known = new CertificateFingerprint(hex);
        assertThat(known.toString()).startsWith("01:23:45:67:89:AB:CD:EF:01:").hasSize(95);
        assertThat(CertificateFingerprint.parse(known.toString())).isEqualTo(known);
        assertThat(
                        CertificateFingerprint.parse(
                                " " + hex.toUpperCase(java.util.Locale.ROOT) + "\n"))
                .isEqualTo(known);
        assertThat(CertificateFingerprint.parse("sha256 Fingerprint=" + known)).isEqualTo(known);
        assertThat(CertificateFingerprint.parse("SHA256 Fingerprint=" + known)).isEqualTo(known);
        for (String bad :
                List.of(
                        "",
                        "ab",
                        hex + "0",
                        hex.substring(1),
                        hex.replace('a', 'g'),
                        ":".repeat(3_000_000),
                        "sha1 Fingerprint=" + hex)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> CertificateFingerprint.parse(bad));
        }
    }

    @Test
    void aSubjectIsKeptBoundedAndWithoutControls() {
        HostCertificate shown =
                new HostCertificate(
                        new CertificateFingerprint("a".repeat(64)),
                        "CN=a\u001b[31m\n"
                                + (char) 0x202e
                                + new String(Character.toChars(0x1F600)).repeat(300),
                        new CertificateNames(List.of(), List.of(), null),
                        NOW);
        assertThat(shown.subject()).startsWith("CN=a?[31m??").hasSizeLessThanOrEqualTo(255);
        assertThat(Character.isHighSurrogate(shown.subject().charAt(shown.subject().length() - 1)))
                .isFalse();
    }
}
