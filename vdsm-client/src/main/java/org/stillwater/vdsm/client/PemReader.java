package org.stillwater.vdsm.client;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads private keys and certificates in PEM form (RFC 7468). Text around the blocks is skipped.
 * Stateless.
 */
final class PemReader {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);

    private static final List<String> KEY_ALGORITHMS = List.of("RSA", "EC", "EdDSA");

    /** {@code AlgorithmIdentifier} of rsaEncryption (RFC 8017, appendix C), parameters NULL. */
    private static final byte[] RSA_ALGORITHM = {
        0x30,
        0x0d,
        0x06,
        0x09,
        0x2a,
        (byte) 0x86,
        0x48,
        (byte) 0x86,
        (byte) 0xf7,
        0x0d,
        0x01,
        0x01,
        0x01,
        0x05,
        0x00
    };

    private static final byte[] VERSION_0 = {0x02, 0x01, 0x00};
    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 0x04;

    /**
     * One block.
     *
     * @param base64 its content, still encoded
     */
    private record Block(String label, String base64) {
        byte[] der(String source) throws GeneralSecurityException {
            try {
                return Base64.getMimeDecoder().decode(base64.strip());
            } catch (IllegalArgumentException notBase64) {
                throw new GeneralSecurityException("broken PEM block in " + source, notBase64);
            }
        }
    }

    private PemReader() {}

    /** All certificates, in order. */
    static List<X509Certificate> certificates(byte[] pem, String source)
            throws GeneralSecurityException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block block : blocks(pem)) {
            if (block.label().equals("CERTIFICATE")
                    || block.label().equals("TRUSTED CERTIFICATE")
                    || block.label().equals("X509 CERTIFICATE")) {
                certificates.add(
                        (X509Certificate)
                                factory.generateCertificate(
                                        new ByteArrayInputStream(block.der(source))));
            }
        }
        if (certificates.isEmpty()) {
            throw new GeneralSecurityException("no certificate in " + source);
        }
        return certificates;
    }

    /** The first private key. */
    static PrivateKey privateKey(byte[] pem, String source) throws GeneralSecurityException {
        for (Block block : blocks(pem)) {
            switch (block.label()) {
                case "PRIVATE KEY" -> {
                    return pkcs8(block.der(source), source);
                }
                case "RSA PRIVATE KEY" -> {
                    return KeyFactory.getInstance("RSA")
                            .generatePrivate(new PKCS8EncodedKeySpec(wrapPkcs1(block.der(source))));
                }
                case "ENCRYPTED PRIVATE KEY" ->
                        throw new GeneralSecurityException(
                                "the key in "
                                        + source
                                        + " is encrypted; decrypt it or use PKCS#12");
                default -> {
                    // Certificates and parameters may stand beside the key.
                }
            }
        }
        throw new GeneralSecurityException("no PKCS#8 or PKCS#1 private key in " + source);
    }

    private static PrivateKey pkcs8(byte[] der, String source) throws GeneralSecurityException {
        for (String algorithm : KEY_ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm)
                        .generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (InvalidKeySpecException otherAlgorithm) {
                // The key names its algorithm; the factories check it.
            }
        }
        throw new GeneralSecurityException("the key in " + source + " is not RSA, EC or EdDSA");
    }

    /** PKCS#1 inside the {@code PrivateKeyInfo} of PKCS#8 (RFC 5208 §5). */
    private static byte[] wrapPkcs1(byte[] pkcs1) {
        return der(SEQUENCE, VERSION_0, RSA_ALGORITHM, der(OCTET_STRING, pkcs1));
    }

    private static byte[] der(int tag, byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        byte[] head =
                length < 0x80
                        ? new byte[] {(byte) tag, (byte) length}
                        : new byte[] {
                            (byte) tag, (byte) 0x82, (byte) (length >>> 8), (byte) length
                        };
        byte[] out = new byte[head.length + length];
        System.arraycopy(head, 0, out, 0, head.length);
        int at = head.length;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, out, at, part.length);
            at += part.length;
        }
        return out;
    }

    private static List<Block> blocks(byte[] pem) {
        Matcher matcher = BLOCK.matcher(new String(pem, StandardCharsets.ISO_8859_1));
        List<Block> blocks = new ArrayList<>();
        while (matcher.find()) {
            boolean encrypted = matcher.group(2).contains("Proc-Type: 4,ENCRYPTED");
            blocks.add(
                    new Block(
                            encrypted ? "ENCRYPTED PRIVATE KEY" : matcher.group(1),
                            matcher.group(2)));
        }
        return blocks;
    }
}
