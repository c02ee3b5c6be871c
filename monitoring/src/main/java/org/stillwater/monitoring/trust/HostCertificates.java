package org.stillwater.monitoring.trust;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.HostCertificateStore;
import org.stillwater.core.store.HostCertificateStore.BoundHost;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.trust.CertificateBinding;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.core.trust.CertificateRules;
import org.stillwater.core.trust.CertificateVerdict;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.monitoring.audit.AuditLog;
import org.stillwater.monitoring.write.BatchWriter;
import org.stillwater.monitoring.write.PendingRows;

/**
 * The accepted certificate of each host. Memory decides; the database is written later and read
 * once, at the start, so that a database without an answer loses no binding.
 *
 * <p>Thread-safe, bounded by the number of hosts; does not block. Each decision takes one lock,
 * because a certificate may belong to another host; it is a comparison of texts, once per
 * connection.
 */
public final class HostCertificates {

    private static final Logger LOG = LoggerFactory.getLogger(HostCertificates.class);

    private final Map<HostId, HostTrust> known = new ConcurrentHashMap<>();
    private final Supplier<Stream<HostDefinition>> hosts;
    private final AuditLog audit;
    private final EngineClock clock;
    private final PendingRows<HostId, BoundHost> pending;

    /**
     * Has no data.
     *
     * @param hosts the present hosts
     */
    public HostCertificates(
            HostCertificateStore store,
            BatchWriter writer,
            AuditLog audit,
            EngineClock clock,
            Supplier<Stream<HostDefinition>> hosts) {
        this.hosts = hosts;
        this.audit = audit;
        this.clock = clock;
        this.pending =
                new PendingRows<>(
                        writer,
                        bindings -> {
                            bindings.sort(Comparator.comparing(BoundHost::host));
                            return store.saveCertificates(bindings);
                        });
    }

    /** Takes the saved bindings of the database, before any host is connected to. */
    public void recover(Map<HostId, CertificateBinding> saved) {
        saved.forEach((host, binding) -> known.put(host, new HostTrust(binding, null)));
    }

    /** Known binding and refusal of a host's certificate. */
    public HostTrust of(HostId host) {
        return known.getOrDefault(host, HostTrust.UNKNOWN);
    }

    /** The host is gone. */
    public synchronized void forget(HostId host) {
        pending.forget(host);
        known.remove(host);
    }

    /**
     * A host showed its certificate.
     *
     * @return why it is refused, one sentence for the operator; null if it is accepted
     */
    public @Nullable String shown(HostDefinition host, HostCertificate shown) {
        CertificateVerdict verdict;
        HostTrust before;
        Instant now = now();
        synchronized (this) {
            before = of(host.id());
            verdict =
                    CertificateRules.decide(
                            host.address(),
                            before.binding(),
                            shown,
                            certificate -> otherOwner(host.id(), certificate),
                            now);
            switch (verdict) {
                case CertificateVerdict.Accepted accepted -> {
                    if (before.refused() != null || !accepted.binding().equals(before.binding())) {
                        known.put(host.id(), new HostTrust(accepted.binding(), null));
                    }
                    if (!accepted.binding().equals(before.binding())) {
                        save(host.id(), accepted.binding());
                    }
                }
                case CertificateVerdict.Refused refused -> {
                    if (!isRefused(before, shown)) {
                        known.put(
                                host.id(),
                                new HostTrust(
                                        before.binding(),
                                        new HostTrust.Refused(shown, refused.why(), now)));
                    }
                }
            }
        }
        return switch (verdict) {
            case CertificateVerdict.Accepted accepted -> {
                tell(host, shown, before, accepted);
                yield null;
            }
            case CertificateVerdict.Refused refused -> {
                if (!isRefused(before, shown)) {
                    audit.record(
                            AuditEvent.HOST_CERTIFICATE_REFUSED,
                            null,
                            host.id(),
                            Map.of(
                                    "fingerprint",
                                    shown.fingerprint().toString(),
                                    "subject",
                                    shown.subject(),
                                    "known",
                                    name(before.binding()),
                                    "why",
                                    refused.why()));
                }
                yield "the host showed the certificate %s (%s): %s. Compare it with the host's own and confirm it, if it is right, with POST /api/v1/hosts/%s/certificate/confirm"
                        .formatted(shown.fingerprint(), shown.subject(), refused.why(), host.id());
            }
        };
    }

    private static boolean isRefused(HostTrust trust, HostCertificate shown) {
        HostTrust.Refused refused = trust.refused();
        return refused != null && refused.certificate().fingerprint().equals(shown.fingerprint());
    }

    private void tell(
            HostDefinition host,
            HostCertificate shown,
            HostTrust before,
            CertificateVerdict.Accepted accepted) {
        AuditEvent event = accepted.event();
        if (event != null) {
            Map<String, String> details = new HashMap<>();
            details.put("fingerprint", shown.fingerprint().toString());
            details.put("subject", shown.subject());
            details.put("address", host.address());
            details.put("known", name(before.binding()));
            String other = accepted.remark();
            if (other != null) {
                details.put("remark", "(it is that of host " + other + ", too)");
            }
            audit.record(event, null, host.id(), details);
        }
        if (!accepted.binding().equals(before.binding())) {
            LOG.info(
                    "host={} known by={} certificate={} subject={}",
                    host.name(),
                    accepted.binding().kind(),
                    shown.fingerprint(),
                    shown.subject());
        }
    }

    /**
     * Confirms by an administrator's order that a certificate is the host's.
     *
     * @param host the present host
     * @param fingerprint of the host's last, refused certificate
     * @param user the confirming user
     */
    public Confirmation confirm(
            HostDefinition host, CertificateFingerprint fingerprint, String user) {
        CertificateBinding next;
        HostTrust before;
        synchronized (this) {
            before = of(host.id());
            CertificateBinding present = before.binding();
            HostTrust.Refused refused = before.refused();
            if (refused == null || !refused.certificate().fingerprint().equals(fingerprint)) {
                return refused == null
                                && present != null
                                && fingerprint.equals(present.fingerprint())
                        ? new Confirmation.KnownAlready(present)
                        : new Confirmation.NotShown(refused != null);
            }
            next = CertificateBinding.to(refused.certificate(), host.address(), now());
            known.put(host.id(), new HostTrust(next, null));
            save(host.id(), next);
        }
        audit.record(
                AuditEvent.HOST_CERTIFICATE_CONFIRMED,
                null,
                host.id(),
                Map.of(
                        "fingerprint",
                        fingerprint.toString(),
                        "known",
                        name(before.binding()),
                        "user",
                        user));
        return new Confirmation.Confirmed(next);
    }

    private void save(HostId host, CertificateBinding binding) {
        pending.put(host, new BoundHost(host, binding));
    }

    /** Another host with this certificate, or one that the certificate names. */
    private @Nullable String otherOwner(HostId host, HostCertificate certificate) {
        return hosts.get()
                .filter(other -> !other.id().equals(host))
                .filter(other -> {
                    CertificateBinding binding = of(other.id()).binding();
                    return (binding != null && binding.isOf(certificate))
                            || certificate.names().match(other.address());
                })
                .map(HostDefinition::name)
                .min(Comparator.naturalOrder())
                .orElse(null);
    }

    private static String name(@Nullable CertificateBinding binding) {
        CertificateFingerprint fingerprint = binding == null ? null : binding.fingerprint();
        return fingerprint == null ? "none" : fingerprint.toString();
    }

    /** As exact as the database keeps it. */
    private Instant now() {
        return clock.now().truncatedTo(ChronoUnit.MILLIS);
    }
}
