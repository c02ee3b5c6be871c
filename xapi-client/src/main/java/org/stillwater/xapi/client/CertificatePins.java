package org.stillwater.xapi.client;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Stores the fingerprint of each host's first certificate. Thread-safe. */
public interface CertificatePins {

    /** SHA-256 of the certificate that the host must show, in lower-case hexadecimal digits. */
    @Nullable String pinned(String address);

    /** Keeps the fingerprint of a host that was not known. */
    void pin(String address, String sha256);

    /** A host showed another certificate and was refused. */
    void refused(String address, String sha256);

    /** A host's certificate was accepted; it is valid until then. */
    void seen(String address, Instant notAfter);
}
