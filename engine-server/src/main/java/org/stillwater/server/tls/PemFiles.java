package org.stillwater.server.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.stillwater.server.DurableFiles;

/** Certificates and keys in PEM files. Stateless. */
final class PemFiles {

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");
    private static final String PREFIX = ".stillwater-";
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

    /** Whether a private key is that of a public one. */
    static boolean belong(PublicKey open, PrivateKey key) {
        try {
            String algorithm =
                    switch (key.getAlgorithm()) {
                        case "RSA" -> "SHA256withRSA";
                        case "EC" -> "SHA256withECDSA";
                        default -> key.getAlgorithm();
                    };
            byte[] probe = {1, 2, 3};
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(probe);
            byte[] signed = signature.sign();
            signature.initVerify(open);
            signature.update(probe);
            return signature.verify(signed);
        } catch (GeneralSecurityException _) {
            return false;
        }
    }

    /**
     * Writes a file whole or not at all; secret ones are the owner's alone from the beginning.
     *
     * @param replace whether a file of this name may be there; otherwise it stays unchanged
     * @throws FileAlreadyExistsException if there is one that must not be replaced
     */
    static void write(Path file, String text, boolean secret, boolean replace) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        boolean posix = Files.getFileStore(folder).supportsFileAttributeView("posix");
        Path fresh =
                posix
                        ? Files.createTempFile(folder, PREFIX, ".new", permissions("rw-------"))
                        : Files.createTempFile(folder, PREFIX, ".new");
        try {
            Path _ = Files.writeString(fresh, text);
            if (posix && !secret) {
                Path _ = Files.setPosixFilePermissions(fresh, permissions("rw-r--r--").value());
            }
            if (replace) {
                DurableFiles.replace(fresh, file);
            } else {
                DurableFiles.force(fresh);
                place(fresh, file);
                DurableFiles.forceFolder(file);
            }
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    /** A link is made only where nothing is, in one step; a file system without links checks. */
    private static void place(Path fresh, Path file) throws IOException {
        try {
            Path _ = Files.createLink(file, fresh);
        } catch (FileAlreadyExistsException taken) {
            throw taken;
        } catch (UnsupportedOperationException | FileSystemException noLinks) {
            Path _ = Files.move(fresh, file);
        }
    }

    private static FileAttribute<Set<PosixFilePermission>> permissions(String text) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
    }
}
