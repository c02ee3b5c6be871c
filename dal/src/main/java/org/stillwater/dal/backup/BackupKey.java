package org.stillwater.dal.backup;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key that encrypts backups. HKDF with the file's salt (RFC 5869) derives a separate key for
 * every file, so that no two files use the same nonces. Immutable.
 */
public final class BackupKey {

    private static final int KEY_BYTES = 32;
    private static final int LARGEST = 64 * 1024;
    private static final byte[] PURPOSE = "stillwater-backup 1".getBytes(StandardCharsets.US_ASCII);

    private final byte[] key;

    BackupKey(byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("a key has 32 bytes, not " + key.length);
        }
        this.key = key.clone();
    }

    /**
     * Reads a file with 32 bytes in base64 as its first line that is neither empty nor a comment
     * (#).
     *
     * @throws BackupRefused if there is no such line, or others may read the file
     */
    public static BackupKey read(Path file) throws BackupRefused {
        try {
            if (Files.size(file) > LARGEST) {
                throw new BackupRefused("the key file " + file + " is larger than 64 KiB");
            }
            if (Files.getFileStore(file).supportsFileAttributeView("posix")
                    && Files.getPosixFilePermissions(file)
                            .contains(PosixFilePermission.OTHERS_READ)) {
                throw new BackupRefused(
                        "the key file " + file + " can be read by everybody: chmod 600 it");
            }
            for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    return new BackupKey(Base64.getDecoder().decode(line.strip()));
                }
            }
            throw new BackupRefused("the key file " + file + " holds no key");
        } catch (NoSuchFileException e) {
            throw new BackupRefused("there is no key file " + file, e);
        } catch (IOException e) {
            throw new BackupRefused("the key file " + file + " cannot be read: " + e, e);
        } catch (IllegalArgumentException e) {
            throw new BackupRefused(
                    "the key file "
                            + file
                            + " holds no 32 bytes in base64; make one with: openssl rand -base64"
                            + " 32",
                    e);
        }
    }

    /** The key of one file. */
    SecretKey of(byte[] salt) {
        try {
            KDF hkdf = KDF.getInstance("HKDF-SHA256");
            byte[] derived =
                    hkdf.deriveData(
                            HKDFParameterSpec.ofExtract()
                                    .addIKM(key)
                                    .addSalt(salt)
                                    .thenExpand(PURPOSE, KEY_BYTES));
            return new SecretKeySpec(derived, "AES");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK 25 has HKDF-SHA256", e);
        }
    }
}
