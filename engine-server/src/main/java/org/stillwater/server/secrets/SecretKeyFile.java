package org.stillwater.server.secrets;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file of the keys. Without a setting it is the engine's own and made once; a file that a
 * setting or systemd names is only ever read. Thread-safe.
 */
public final class SecretKeyFile {

    /** Name of the credential by which systemd hands the file over (LoadCredential=). */
    public static final String CREDENTIAL = "stillwater-secrets-key";

    private static final String POSIX = "posix";
    private static final int KEY_BYTES = 32;
    private static final int LARGEST = 64 * 1024;

    private final Path file;
    private final boolean own;

    private SecretKeyFile(Path file, boolean own) {
        this.file = file.toAbsolutePath().normalize();
        this.own = own;
    }

    /**
     * Which file it is.
     *
     * @param given path of the setting, null for none
     * @param credentials folder of systemd's credentials, null for none
     * @param dataFolder the engine's data folder
     */
    public static SecretKeyFile find(
            @Nullable Path given, @Nullable Path credentials, Path dataFolder) {
        if (given != null) {
            return new SecretKeyFile(given, false);
        }
        if (credentials != null && Files.exists(credentials.resolve(CREDENTIAL))) {
            return new SecretKeyFile(credentials.resolve(CREDENTIAL), false);
        }
        return new SecretKeyFile(dataFolder.resolve("secrets").resolve("keys"), true);
    }

    /** Path of the file. */
    public Path path() {
        return file;
    }

    /** Whether the engine makes it if it is not there. */
    public boolean isOwn() {
        return own;
    }

    /**
     * Reads the keys; null if there is no such file.
     *
     * @throws IOException if it cannot be read, others may read or change it, or it holds no keys
     */
    @Nullable SecretKeys read() throws IOException {
        try {
            requirePrivate();
            if (Files.size(file) > LARGEST) {
                throw new IOException("the key file " + file + " is larger than " + LARGEST);
            }
            return SecretKeys.parse(Files.readString(file, StandardCharsets.US_ASCII));
        } catch (NoSuchFileException _) {
            return null;
        } catch (IllegalArgumentException | CharacterCodingException e) {
            throw new IOException("the key file " + file + " cannot be used: " + e.getMessage(), e);
        }
    }

    /**
     * Checks a file that an administrator gives.
     *
     * @throws IOException if the engine could not use it, with the reason
     */
    public void check() throws IOException {
        if (read() == null) {
            throw new IOException("there is no key file " + file);
        }
    }

    /** The group may read a file that an administrator gives; everything else is its owner's. */
    private void requirePrivate() throws IOException {
        if (!Files.getFileStore(file).supportsFileAttributeView(POSIX)) {
            return;
        }
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        boolean open =
                permissions.contains(PosixFilePermission.OTHERS_READ)
                        || permissions.contains(PosixFilePermission.OTHERS_WRITE)
                        || permissions.contains(PosixFilePermission.GROUP_WRITE)
                        || (own && permissions.contains(PosixFilePermission.GROUP_READ));
        if (open) {
            throw new IOException(
                    "the key file %s is open to others (%s): chmod 600 it"
                            .formatted(file, PosixFilePermissions.toString(permissions)));
        }
    }

    /** Gives a file a second name, as {@link Files#createLink} does. */
    @FunctionalInterface
    interface Linker {

        /**
         * Makes a link to a file.
         *
         * @throws UnsupportedOperationException if the file system has no links
         */
        Path link(Path name, Path existing) throws IOException;
    }

    /**
     * Makes the engine's own file with one new key, its owner's alone from the beginning, whole or
     * not at all, and on the disk before it is used. An existing file is never overwritten.
     */
    void create() throws IOException {
        create(Files::createLink);
    }

    /** As {@link #create()}, with another way to make a link. */
    void create(Linker linker) throws IOException {
        Path folder = Objects.requireNonNull(file.getParent(), "a file below the data folder");
        boolean posix;
        if (Files.exists(folder)) {
            posix = Files.getFileStore(folder).supportsFileAttributeView(POSIX);
        } else {
            Path parent = Objects.requireNonNull(folder.getParent(), "the data folder");
            Path _ = Files.createDirectories(parent);
            posix = Files.getFileStore(parent).supportsFileAttributeView(POSIX);
            Path _ = Files.createDirectory(folder, only("rwx------", posix));
        }
        Path aside = Files.createTempFile(folder, ".keys-", "", only("rw-------", posix));
        try {
            try (FileChannel channel = FileChannel.open(aside, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(newKey().getBytes(StandardCharsets.US_ASCII));
                while (bytes.hasRemaining()) {
                    int _ = channel.write(bytes);
                }
                channel.force(true);
            }
            place(aside, linker);
        } catch (FileAlreadyExistsException _) {
            return; // another engine was faster; its key is as good
        } finally {
            Files.deleteIfExists(aside);
        }
        if (posix) {
            try (FileChannel entry = FileChannel.open(folder, StandardOpenOption.READ)) {
                entry.force(true);
            }
        }
    }

    /**
     * A link is made only where nothing is, in one step. A file system without links (CIFS, exFAT,
     * some volumes of containers) checks for the name and then renames.
     */
    private void place(Path aside, Linker linker) throws IOException {
        try {
            Path _ = linker.link(file, aside);
        } catch (FileAlreadyExistsException taken) {
            throw taken;
        } catch (UnsupportedOperationException | FileSystemException noLinks) {
            Path _ = Files.move(aside, file);
        }
    }

    private static String newKey() {
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return """
        # Keys of Stillwater's secrets, newest first. Without them, passwords of fence agents and XAPI pools are
        # lost: back this file up apart from the database.
        %s
        """
                .formatted(Base64.getEncoder().encodeToString(key));
    }

    private static FileAttribute<?>[] only(String permissions, boolean posix) {
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }
}
