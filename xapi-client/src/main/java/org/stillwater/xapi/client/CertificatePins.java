package org.stillwater.xapi.client;

import java.security.cert.X509Certificate;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Stores the fingerprint of each host's first certificate. Thread-safe. */
public interface CertificatePins {

    /**
     * Whether a connection may be made to a host that shows this certificate, before anything else
     * about it is checked. No byte of a call is sent to a host without this agreement.
     */
    default boolean accepts(String address, X509Certificate shown) {
        return true;
    }

    /** SHA-256 of the certificate that the host must show, in lower-case hexadecimal digits. */
    @Nullable String pinned(String address);

    /** Keeps the fingerprint of a host that was not known. */
    void pin(String address, String sha256);

    /** A host showed another certificate and was refused. */
    void refused(String address, String sha256);

    /** A host's certificate was accepted; it is valid until then. */
    void seen(String address, Instant notAfter);
}
