package org.stillwater.core.trust;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * SHA-256 of a certificate's DER encoding, as {@code openssl x509 -fingerprint -sha256} computes
 * it.
 *
 * @param hex 64 hexadecimal digits in lower case
 */
public record CertificateFingerprint(String hex) {

    private static final Pattern HEX = Pattern.compile("[0-9a-f]{64}");
    private static final int LONGEST_TEXT = 200;

    public CertificateFingerprint {
        if (!HEX.matcher(hex).matches()) {
            throw new IllegalArgumentException(
                    "a SHA-256 fingerprint has 64 hexadecimal digits in lower case");
        }
    }

    /**
     * Reads a copied fingerprint: digits of either case, with colons or without, also behind
     * OpenSSL's {@code sha256 Fingerprint=}.
     *
     * @throws IllegalArgumentException if it is no SHA-256 fingerprint
     */
    public static CertificateFingerprint parse(String text) {
        String digits = text.length() > LONGEST_TEXT ? "" : text.strip();
        int label = digits.indexOf('=');
        if (label >= 0 && digits.toLowerCase(Locale.ROOT).startsWith("sha256")) {
            digits = digits.substring(label + 1);
        }
        digits = digits.replace(":", "").toLowerCase(Locale.ROOT);
        if (!HEX.matcher(digits).matches()) {
            throw new IllegalArgumentException(
                    "a SHA-256 fingerprint has 64 hexadecimal digits, with or without colons");
        }
        return new CertificateFingerprint(digits);
    }

    /** As OpenSSL prints it: pairs of upper-case digits with colons between them. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(95);
        for (int i = 0; i < hex.length(); i += 2) {
            text.append(i == 0 ? "" : ":").append(hex, i, i + 2);
        }
        return text.toString().toUpperCase(Locale.ROOT);
    }
}
