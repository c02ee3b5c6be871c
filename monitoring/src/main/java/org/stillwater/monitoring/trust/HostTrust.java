package org.stillwater.monitoring.trust;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.trust.CertificateBinding;
import org.stillwater.core.trust.HostCertificate;

/**
 * Known binding and refusal of a host's certificate.
 *
 * @param binding its binding; null for a host that was never in contact
 * @param refused the certificate that is refused now, null for none
 */
public record HostTrust(@Nullable CertificateBinding binding, @Nullable Refused refused) {

    /** A host that was never in contact. */
    public static final HostTrust UNKNOWN = new HostTrust(null, null);

    /**
     * A certificate that waits for a confirmation.
     *
     * @param certificate last certificate that the host showed
     * @param why why it is refused, one clause
     * @param since when it was shown first
     */
    public record Refused(HostCertificate certificate, String why, Instant since) {}
}
