package org.stillwater.server.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Certificates and keys in PEM files. Stateless. */
final class PemFiles {

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");
    private static final Base64.Encoder LINES =
            Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

    private PemFiles() {}

    static String pem(X509Certificate certificate) {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (CertificateException e) {
            throw new IllegalStateException("a certificate that was read has an encoding", e);
        }
    }

    static String pem(PrivateKey key) {
        return pem("PRIVATE KEY", key.getEncoded());
    }

    private static String pem(String what, byte[] bytes) {
        return "-----BEGIN "
                + what
                + "-----\n"
                + LINES.encodeToString(bytes)
                + "\n-----END "
                + what
                + "-----\n";
    }

    /** The certificates of a text, in order; at least one. */
    static List<X509Certificate> certificates(String pem) throws CertificateException {
        List<X509Certificate> all =
                CertificateFactory.getInstance("X.509")
                        .generateCertificates(
                                new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8)))
                        .stream()
                        .map(X509Certificate.class::cast)
                        .toList();
        if (all.isEmpty()) {
            throw new CertificateException("there is no certificate in it");
        }
        return all;
    }

    /** The private key of a text, which must be of the given algorithm: that of a certificate. */
    static PrivateKey key(String pem, String algorithm) throws InvalidKeySpecException {
        Matcher found = KEY.matcher(pem);
        if (!found.find()) {
            throw new InvalidKeySpecException(
                    "it has no block BEGIN PRIVATE KEY (PKCS #8, not encrypted)");
        }
        try {
            return KeyFactory.getInstance(algorithm)
                    .generatePrivate(
                            new PKCS8EncodedKeySpec(
                                    Base64.getMimeDecoder().decode(found.group(1))));
        } catch (NoSuchAlgorithmException | IllegalArgumentException e) {
            throw new InvalidKeySpecException(e);
        }
    }

    /** Writes a file whole or not at all; secret ones are the owner's alone from the beginning. */
    static void write(Path file, String text, boolean secret) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        if (Files.getFileStore(file.toAbsolutePath().getParent())
                .supportsFileAttributeView("posix")) {
            Path _ =
                    Files.createFile(
                            fresh,
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString(
                                            secret ? "rw-------" : "rw-r--r--")));
        }
        Path _ = Files.writeString(fresh, text);
        Path _ =
                Files.move(
                        fresh,
                        file,
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
    }
}
