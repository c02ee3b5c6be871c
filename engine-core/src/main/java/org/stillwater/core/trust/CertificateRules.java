package org.stillwater.core.trust;

import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;

/**
 * Decides whether a certificate of the trusted authority is that of the host that was dialled.
 * Every host of a data centre has a certificate of the same authority, so a signature alone lets
 * each of them pretend to be every other.
 *
 * <ul>
 *   <li>A certificate that names the host's address is the host's, and so is its successor that
 *       names it, too. From then on only such certificates are accepted.
 *   <li>A first certificate that does not name the address is pinned: from then on only this very
 *       certificate is accepted. If it is known to be another host's, it is refused at once.
 *   <li>A host that was there before certificates were bound keeps contact: its first certificate
 *       is accepted with any name.
 *   <li>Everything else is refused until an administrator confirms it.
 * </ul>
 *
 * <p>Stateless.
 */
public final class CertificateRules {

    private CertificateRules() {}

    /**
     * Decides.
     *
     * @param address the address that was dialled
     * @param known present binding of the host; null for a host that was never in contact
     * @param shown the certificate that it showed
     * @param otherOwner name of another host that this certificate belongs to or names, null for
     *     none; evaluated only where it counts, because it checks every host
     */
    public static CertificateVerdict decide(
            String address,
            @Nullable CertificateBinding known,
            HostCertificate shown,
            Function<HostCertificate, @Nullable String> otherOwner,
            Instant now) {
        CertificateBinding next = CertificateBinding.to(shown, address, now);
        boolean named = next.kind() == CertificateBinding.Kind.NAME;
        if (known == null || known.kind() == CertificateBinding.Kind.OPEN) {
            String other = named ? null : otherOwner.apply(shown);
            if (other != null && known == null) {
                return new CertificateVerdict.Refused(
                        "it does not name %s and is that of host %s".formatted(address, other));
            }
            return new CertificateVerdict.Accepted(
                    next, named ? null : AuditEvent.HOST_CERTIFICATE_PINNED, other);
        }
        if (known.isOf(shown)) {
            // The very certificate; its kind follows where the host's address was changed.
            return known.kind() == next.kind()
                    ? new CertificateVerdict.Accepted(known, null, null)
                    : new CertificateVerdict.Accepted(
                            next, named ? null : AuditEvent.HOST_CERTIFICATE_PINNED, null);
        }
        if (known.kind() == CertificateBinding.Kind.PINNED) {
            return new CertificateVerdict.Refused(
                    "it is not the one that the host is known by, " + known.fingerprint());
        }
        return named
                ? new CertificateVerdict.Accepted(next, AuditEvent.HOST_CERTIFICATE_RENEWED, null)
                : new CertificateVerdict.Refused(
                        "it names %s, not %s, which the host's certificate named until now"
                                .formatted(shown.names().describe(), address));
    }
}
