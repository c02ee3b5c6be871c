package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.trust.CertificateBinding;
import org.stillwater.core.trust.CertificateBinding.Kind;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.core.trust.CertificateNames;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.monitoring.trust.Confirmation;
import org.stillwater.monitoring.trust.HostTrust;

/** Certificates that hosts show to a running engine, and the data that it keeps of them. */
class HostCertificatesTest {

    private final Lab lab = new Lab();

    private static CertificateFingerprint fingerprint(String digit) {
        return new CertificateFingerprint(digit.repeat(64));
    }

    private static HostCertificate certificate(String digit, String name) {
        return new HostCertificate(
                fingerprint(digit),
                "O=example,CN=" + name,
                new CertificateNames(List.of(name), List.of(), null),
                Instant.parse("2027-01-01T00:00:00Z"));
    }

    private static HostDefinition at(HostId id, String address) {
        return new HostDefinition(
                id, "host" + id.value().getLeastSignificantBits(), address, 54321);
    }

    private String show(HostId host, HostCertificate certificate) {
        String refusal =
                lab.host(host)
                        .listener()
                        .certificateShown(lab.host(host).definition(), certificate);
        lab.settle();
        return refusal;
    }

    private HostTrust trust(HostId host) {
        return Objects.requireNonNull(lab.engine.fleet().host(host)).trust();
    }

    private List<AuditEntry> told(AuditEvent event) throws StoreUnavailable {
        return lab.engine.events().newest(AuditFilter.ANY, null, 1000).stream()
                .filter(entry -> entry.event() == event)
                .toList();
    }

    private Lab twoNewHosts() throws StoreUnavailable {
        lab.hosts.put(at(ALPHA, "alpha.example"), HostStatus.UP);
        lab.hosts.put(at(BETA, "beta.example"), HostStatus.UP);
        return lab.started();
    }

    @Test
    void anotherHostOfTheSameAuthorityCannotTakeAHostsPlace() throws Exception {
        twoNewHosts();
        assertThat(show(ALPHA, certificate("a", "alpha.example"))).isNull();
        assertThat(trust(ALPHA).binding().kind()).isEqualTo(Kind.NAME);

        String refusal = show(ALPHA, certificate("b", "beta.example"));
        assertThat(refusal)
                .contains(
                        fingerprint("b").toString(),
                        "it names beta.example",
                        "/certificate/confirm");
        assertThat(trust(ALPHA).refused().certificate().fingerprint()).isEqualTo(fingerprint("b"));
        assertThat(trust(ALPHA).binding().fingerprint()).isEqualTo(fingerprint("a"));

        assertThat(show(ALPHA, certificate("a", "alpha.example"))).as("the host itself").isNull();
        assertThat(trust(ALPHA).refused()).isNull();
    }

    @Test
    void aNewHostDoesNotBeginWithTheCertificateOfAnotherHost() throws Exception {
        twoNewHosts();
        assertThat(show(ALPHA, certificate("b", "beta.example")))
                .as("it names the other host")
                .contains("that of host host2");
        assertThat(show(BETA, certificate("c", "legacy"))).isNull();
        assertThat(show(ALPHA, certificate("c", "legacy")))
                .as("it is pinned for the other host")
                .contains("that of host host2");
        assertThat(show(ALPHA, certificate("d", "legacy too"))).isNull();
    }

    @Test
    void aChangeOfAPinnedCertificateIsAuditedOnceAndWaitsForItsConfirmation() throws Exception {
        twoNewHosts();
        assertThat(show(ALPHA, certificate("a", "legacy"))).isNull();
        assertThat(told(AuditEvent.HOST_CERTIFICATE_PINNED)).hasSize(1);
        assertThat(lab.hosts.certificate(ALPHA).kind()).isEqualTo(Kind.PINNED);

        for (int i = 0; i < 50; i++) {
            assertThat(show(ALPHA, certificate("b", "legacy")))
                    .contains(fingerprint("b").toString());
            lab.clock.advance(Duration.ofSeconds(30));
        }
        assertThat(told(AuditEvent.HOST_CERTIFICATE_REFUSED))
                .singleElement()
                .satisfies(entry ->
                        assertThat(entry.text())
                                .contains(
                                        fingerprint("a").toString(),
                                        fingerprint("b").toString(),
                                        "CN=legacy"));

        assertThat(lab.engine.administration().confirmCertificate(ALPHA, fingerprint("c"), "ada"))
                .isEqualTo(new Confirmation.NotShown(true));
        assertThat(show(ALPHA, certificate("b", "legacy"))).isNotNull();
        assertThat(lab.engine.administration().confirmCertificate(ALPHA, fingerprint("b"), "ada"))
                .isInstanceOf(Confirmation.Confirmed.class);
        assertThat(show(ALPHA, certificate("b", "legacy"))).isNull();
        assertThat(lab.hosts.certificate(ALPHA).fingerprint()).isEqualTo(fingerprint("b"));
        assertThat(told(AuditEvent.HOST_CERTIFICATE_CONFIRMED))
                .singleElement()
                .satisfies(entry -> assertThat(entry.text()).contains("ada"));
        assertThat(lab.engine.administration().confirmCertificate(ALPHA, fingerprint("b"), "ada"))
                .as("again")
                .isInstanceOf(Confirmation.KnownAlready.class);
        assertThat(lab.engine.administration().confirmCertificate(ALPHA, fingerprint("a"), "ada"))
                .isEqualTo(new Confirmation.NotShown(false));
        assertThat(
                        lab.engine
                                .administration()
                                .confirmCertificate(Lab.hostId(9), fingerprint("a"), "ada"))
                .isNull();
        assertThat(show(ALPHA, certificate("a", "legacy"))).as("the former one").isNotNull();
    }

    @Test
    void hostsOfBeforeAreAcceptedOnceAndHeldToThatFromThenOn() throws Exception {
        lab.hosts.put(at(ALPHA, "alpha.example"), HostStatus.UP);
        lab.hosts.put(at(BETA, "beta.example"), HostStatus.UP);
        lab.hosts.put(ALPHA, CertificateBinding.open(Instant.EPOCH));
        lab.hosts.put(BETA, CertificateBinding.open(Instant.EPOCH));
        lab.started();
        assertThat(show(ALPHA, certificate("a", "one for all"))).isNull();
        assertThat(show(BETA, certificate("a", "one for all"))).as("shared").isNull();
        assertThat(told(AuditEvent.HOST_CERTIFICATE_PINNED).getFirst().text())
                .contains("host1, too");
        assertThat(show(ALPHA, certificate("b", "one for all"))).isNotNull();
        assertThat(show(BETA, certificate("b", "one for all"))).isNotNull();
    }

    @Test
    void knownCertificatesSurviveARestartAndAnAbsentDatabase() throws Exception {
        twoNewHosts();
        assertThat(show(ALPHA, certificate("a", "legacy"))).isNull();
        lab.hosts.unavailable("away");
        assertThat(show(BETA, certificate("b", "legacy"))).isNull();
        assertThat(show(BETA, certificate("c", "legacy"))).as("memory stands").isNotNull();
        assertThat(lab.hosts.certificate(BETA)).isNull();

        lab.hosts.unavailable(null);
        lab.clock.advance(Duration.ofMinutes(1));
        lab.settle();
        assertThat(lab.hosts.certificate(BETA).fingerprint()).isEqualTo(fingerprint("b"));

        lab.restarted();
        assertThat(show(ALPHA, certificate("b", "legacy"))).isNotNull();
        assertThat(show(ALPHA, certificate("a", "legacy"))).isNull();
        assertThat(show(BETA, certificate("c", "legacy"))).isNotNull();
    }

    @Test
    void aKnownCertificateCostsNoStatement() throws Exception {
        twoNewHosts();
        show(ALPHA, certificate("a", "alpha.example"));
        int calls = lab.sqlCalls();
        for (int i = 0; i < 10; i++) {
            assertThat(show(ALPHA, certificate("a", "alpha.example"))).isNull();
        }
        assertThat(lab.sqlCalls()).isEqualTo(calls);
    }

    @Test
    void aHostThatIsRemovedLeavesNothingBehind() throws Exception {
        twoNewHosts();
        show(ALPHA, certificate("a", "legacy"));
        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("cut"));
        lab.settle();
        assertThat(lab.engine.administration().order(ALPHA, new HostFact.Maintain(null)))
                .isNotNull();
        lab.settle();
        assertThat(lab.engine.administration().removeHost(ALPHA, Duration.ofSeconds(1)))
                .isInstanceOf(OrderAnswer.Followed.class);
        lab.settle();
        assertThat(lab.engine.fleet().host(ALPHA)).isNull();
        assertThat(lab.hosts.certificate(ALPHA)).isNull();
        assertThat(show(BETA, certificate("a", "legacy"))).as("it is nobody's any more").isNull();
    }
}
