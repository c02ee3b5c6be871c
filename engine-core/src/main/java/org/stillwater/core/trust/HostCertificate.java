package org.stillwater.core.trust;

import java.time.Instant;

/**
 * The certificate that a host showed; TLS has checked that its authority is trusted, that it is
 * valid now, and that the host has its key.
 *
 * @param fingerprint identifies it
 * @param subject its subject for people, bounded and without control characters
 * @param names its subject names
 * @param notAfter when it ends
 */
public record HostCertificate(
        CertificateFingerprint fingerprint,
        String subject,
        CertificateNames names,
        Instant notAfter) {

    /** Longest text of a certificate that is kept or shown. */
    public static final int LONGEST_TEXT = 255;

    public HostCertificate {
        subject = presentable(subject);
    }

    /**
     * A text of a certificate as it may be shown and logged: bounded, and with a question mark for
     * each control, format and bidirectional-override character and each half of a surrogate pair.
     */
    public static String presentable(String text) {
        StringBuilder clean = new StringBuilder(Math.min(text.length(), LONGEST_TEXT));
        text.codePoints()
                .limit(LONGEST_TEXT)
                .forEach(c -> {
                    int kind = Character.getType(c);
                    boolean hidden =
                            kind == Character.CONTROL
                                    || kind == Character.FORMAT
                                    || kind == Character.SURROGATE
                                    || kind == Character.LINE_SEPARATOR
                                    || kind == Character.PARAGRAPH_SEPARATOR;
                    clean.appendCodePoint(hidden ? '?' : c);
                });
        while (clean.length() > LONGEST_TEXT) {
            clean.setLength(clean.offsetByCodePoints(clean.length(), -1));
        }
        return clean.toString();
    }
}
