package org.stillwater.fake.pki;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.Base64;

/** PEM as OpenSSL and VDSM read it: certificates, and unencrypted PKCS#8 keys. */
final class Pem {

    private static final int LINE = 64;
    private static final String KEY = "PRIVATE KEY";

    private Pem() {}

    static byte[] encode(X509Certificate certificate) throws GeneralSecurityException {
        return encode("CERTIFICATE", certificate.getEncoded());
    }

    static byte[] encode(PrivateKey key) {
        return encode(KEY, key.getEncoded());
    }

    static X509Certificate certificate(Path file) throws IOException, GeneralSecurityException {
        return (X509Certificate)
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(file)));
    }

    static KeyPair keyPair(Path file) throws IOException, GeneralSecurityException {
        String text = Files.readString(file, StandardCharsets.US_ASCII);
        int begin = text.indexOf("-----BEGIN " + KEY + "-----");
        int end = text.indexOf("-----END " + KEY + "-----");
        if (begin < 0 || end < begin) {
            throw new GeneralSecurityException(file + " holds no unencrypted PKCS#8 key");
        }
        byte[] der =
                Base64.getMimeDecoder()
                        .decode(text.substring(text.indexOf('\n', begin) + 1, end).strip());
        KeyFactory factory = KeyFactory.getInstance("RSA");
        if (factory.generatePrivate(new PKCS8EncodedKeySpec(der)) instanceof RSAPrivateCrtKey key) {
            return new KeyPair(
                    factory.generatePublic(
                            new RSAPublicKeySpec(key.getModulus(), key.getPublicExponent())),
                    key);
        }
        throw new GeneralSecurityException(file + " holds no complete RSA key");
    }

    private static byte[] encode(String label, byte[] der) {
        String body = Base64.getMimeEncoder(LINE, new byte[] {'\n'}).encodeToString(der);
        return ("-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
