package org.stillwater.core.trust;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.value.Coded;

/**
 * Identity that a host's certificate must have.
 *
 * @param kind way by which it is known
 * @param fingerprint the certificate that was accepted last; null only for {@link Kind#OPEN}
 * @param subject the subject of that certificate, for people; empty for {@link Kind#OPEN}
 * @param since when the host showed it first, or when it was confirmed
 */
public record CertificateBinding(
        Kind kind, @Nullable CertificateFingerprint fingerprint, String subject, Instant since) {

    /** Way by which a certificate is known as the host's own. */
    public enum Kind implements Coded {
        /** The host was there before certificates were bound: its next certificate is accepted. */
        OPEN(0),
        /** The certificate names the host's address. */
        NAME(1),
        /** It is the very certificate with this fingerprint. */
        PINNED(2);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }

        /**
         * The kind with this code.
         *
         * @throws IllegalArgumentException if there is none
         */
        public static Kind ofCode(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("no kind of certificate binding has code " + code);
        }
    }

    public CertificateBinding {
        if ((kind == Kind.OPEN) != (fingerprint == null)) {
            throw new IllegalArgumentException("a certificate is known unless the binding is open");
        }
    }

    /** A host of an installation in which certificates were not bound. */
    public static CertificateBinding open(Instant since) {
        return new CertificateBinding(Kind.OPEN, null, "", since);
    }

    /** The binding to a certificate that is accepted: by name if it names the address. */
    public static CertificateBinding to(HostCertificate accepted, String address, Instant now) {
        return new CertificateBinding(
                accepted.names().match(address) ? Kind.NAME : Kind.PINNED,
                accepted.fingerprint(),
                accepted.subject(),
                now);
    }

    /** Whether this certificate is the one that was accepted last. */
    public boolean isOf(HostCertificate certificate) {
        return certificate.fingerprint().equals(fingerprint);
    }
}
