package org.stillwater.monitoring.trust;

import org.stillwater.core.trust.CertificateBinding;

/** Outcome of a confirmation of a certificate. */
public sealed interface Confirmation {

    /** The host is held to it from now on. */
    record Confirmed(CertificateBinding binding) implements Confirmation {}

    /** The host was held to it before; nothing changed. */
    record KnownAlready(CertificateBinding binding) implements Confirmation {}

    /**
     * The host did not show it last; nothing changed.
     *
     * @param waiting whether another certificate of the host waits for a confirmation
     */
    record NotShown(boolean waiting) implements Confirmation {}
}
