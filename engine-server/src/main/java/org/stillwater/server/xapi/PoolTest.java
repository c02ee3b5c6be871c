package org.stillwater.server.xapi;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.xapi.client.PoolProbe;

/**
 * Result of the test of a pool.
 *
 * @param found the pool; null if it was not reached
 * @param refusal why it cannot be watched as it is; null if it can
 * @param certificates the certificates that hosts showed, in the order of their addresses
 */
public record PoolTest(
        PoolProbe.@Nullable Found found,
        @Nullable PoolRefused refusal,
        List<ShownCertificate> certificates) {

    public PoolTest {
        certificates = List.copyOf(certificates);
    }

    /**
     * A certificate that a host showed.
     *
     * @param address address of the host
     * @param subject its subject, bounded and without control characters
     * @param issuer its issuer, in the same way
     * @param confirmed whether a person, or an authority, stands for it
     */
    public record ShownCertificate(
            String address,
            CertificateFingerprint fingerprint,
            String subject,
            String issuer,
            Instant notBefore,
            Instant notAfter,
            boolean confirmed) {}
}
