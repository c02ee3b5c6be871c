package org.stillwater.monitoring.trust;

import org.stillwater.core.trust.CertificateBinding;

/** Outcome of a confirmation of a certificate. */
public sealed interface Confirmation {

    /** The host is held to it from now on. */
    record Confirmed(CertificateBinding binding) implements Confirmation {}

    /** The certificate was already accepted; no change is made. */
    record KnownAlready(CertificateBinding binding) implements Confirmation {}

    /**
     * The host's last certificate is another one; no change is made.
     *
     * @param waiting whether another certificate of the host waits for a confirmation
     */
    record NotShown(boolean waiting) implements Confirmation {}
}
