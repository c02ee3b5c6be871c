package org.stillwater.dal.embedded;

import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.BINARIES_UNUSABLE;
import static org.stillwater.dal.embedded.EmbeddedPostgresException.Reason.UNSUPPORTED_PLATFORM;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.jar.JarEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tukaani.xz.XZInputStream;

/**
 * The unpacked server programs of one version. Immutable; {@link #unpack} may be called by many
 * programs at once on one folder: each unpacks aside and the first rename wins, so a half-unpacked
 * folder never carries the final name.
 *
 * @param home folder with {@code bin}, {@code lib} and {@code share}
 */
record ServerBinaries(Path home) {

    private static final Logger log = LoggerFactory.getLogger(ServerBinaries.class);
    private static final String COMPLETE = ".complete";

    Path postgres() {
        return home.resolve("bin/postgres");
    }

    Path pgCtl() {
        return home.resolve("bin/pg_ctl");
    }

    Path initdb() {
        return home.resolve("bin/initdb");
    }

    /**
     * Finds this version below {@code folder}, unpacking it first when it is missing or damaged.
     */
    static ServerBinaries unpack(Path folder) {
        return unpack(archive(), folder);
    }

    /** The same of this archive. */
    static ServerBinaries unpack(URL archive, Path folder) {
        try {
            Files.createDirectories(folder);
            Path home = home(archive, folder);
            if (!isComplete(home)) {
                unpack(archive, folder, home);
            }
            return new ServerBinaries(home);
        } catch (IOException e) {
            throw new EmbeddedPostgresException(
                    BINARIES_UNUSABLE,
                    "Cannot unpack the PostgreSQL binaries into " + folder + ": " + e,
                    e);
        }
    }

    /** Home of the server once it is unpacked; its name differs between versions of the archive. */
    static Path home(URL archive, Path folder) throws IOException {
        return folder.resolve("postgresql-" + version(archive));
    }

    /**
     * Unpacks to the temporary folder. PostgreSQL's programs search for each other with access(2),
     * which ignores capabilities; so an account that passes closed folders by capability still
     * needs programs in an open folder.
     */
    static ServerBinaries unpackWhereAllCanRead() throws IOException {
        return unpack(folderForAll());
    }

    /** Copies the files that an earlier program unpacked; installed programs stay in place. */
    ServerBinaries copiedWhereAllCanRead() throws IOException {
        if (!Files.exists(home.resolve(COMPLETE))) {
            return this;
        }
        Path folder = folderForAll();
        Path copy = folder.resolve(home.getFileName());
        if (!isComplete(copy)) {
            Path aside = Files.createTempDirectory(folder, ".copying-");
            try {
                Trees.copy(home, aside);
                putInPlace(aside, copy);
            } finally {
                Trees.deleteQuietly(aside);
            }
        }
        return new ServerBinaries(copy);
    }

    private static Path folderForAll() throws IOException {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
        Path mine = temporary.resolve("stillwater-postgresql");
        try {
            Files.createDirectory(mine);
        } catch (FileAlreadyExistsException _) {
            boolean trusted =
                    Files.isDirectory(mine, LinkOption.NOFOLLOW_LINKS) && Trees.uid(mine) == 0;
            if (!trusted) {
                mine = Files.createTempDirectory(temporary, "stillwater-postgresql-");
            }
        }
        Files.setPosixFilePermissions(mine, PosixFilePermissions.fromString("rwxr-xr-x"));
        return mine;
    }

    static URL archive() {
        URL archive = ServerBinaries.class.getResource(resource());
        if (archive == null) {
            throw new EmbeddedPostgresException(
                    UNSUPPORTED_PLATFORM,
                    "No embedded PostgreSQL for this machine (%s, %s): set spring.datasource.url to a PostgreSQL server."
                            .formatted(
                                    System.getProperty("os.name"), System.getProperty("os.arch")));
        }
        return archive;
    }

    private static String resource() {
        String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        String cpu =
                switch (arch) {
                    case "amd64", "x86_64" -> "x86_64";
                    case "aarch64", "arm64" -> "arm_64";
                    default -> arch;
                };
        return "/postgres-" + os + "-" + cpu + ".txz";
    }

    private static void unpack(URL archive, Path folder, Path home) throws IOException {
        Path aside = Files.createTempDirectory(folder, ".unpacking-");
        try {
            log.info("Unpacking the PostgreSQL binaries to {}", home);
            long bytes;
            try (InputStream in = new XZInputStream(archive.openStream())) {
                bytes = new TarReader(in).unpackInto(aside);
            }
            Files.writeString(aside.resolve(COMPLETE), Long.toString(bytes));
            Files.setPosixFilePermissions(aside, PosixFilePermissions.fromString("rwxr-xr-x"));
            putInPlace(aside, home);
        } finally {
            Trees.deleteQuietly(aside);
        }
    }

    private static void putInPlace(Path aside, Path home) throws IOException {
        for (int attempt = 0; ; attempt++) {
            try {
                Files.move(aside, home, StandardCopyOption.ATOMIC_MOVE);
                return;
            } catch (IOException e) {
                if (isComplete(home)) {
                    return; // another program was faster, with the same content
                }
                if (attempt == 1) {
                    throw e;
                }
                // Damaged (a disk was full, files were cleaned away): its name is free once it is
                // moved aside.
                Path damaged = Files.createTempDirectory(aside.getParent(), ".damaged-");
                Files.move(home, damaged.resolve("home"), StandardCopyOption.ATOMIC_MOVE);
                Trees.deleteQuietly(damaged);
            }
        }
    }

    /**
     * A complete copy has as many bytes in files as were unpacked; a truncated or cleaned-up copy
     * has fewer.
     */
    private static boolean isComplete(Path home) throws IOException {
        Path marker = home.resolve(COMPLETE);
        if (!Files.isRegularFile(marker)) {
            return false;
        }
        AtomicLong bytes = new AtomicLong();
        Files.walkFileTree(
                home,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (attributes.isRegularFile() && !file.equals(marker)) {
                            bytes.addAndGet(attributes.size());
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return Files.readString(marker).strip().equals(Long.toString(bytes.get()));
    }

    /**
     * Sixteen digits: checksum and size as the directory of the archive's jar has them, because
     * each start needs them and a digest would read 15 MB. A file outside of a jar is read.
     */
    private static String version(URL archive) throws IOException {
        if (archive.openConnection() instanceof JarURLConnection connection) {
            JarEntry entry = connection.getJarEntry();
            if (entry.getCrc() >= 0 && entry.getSize() >= 0) {
                return "%08x%08x".formatted(entry.getCrc(), entry.getSize());
            }
        }
        return digest(archive).substring(0, 16);
    }

    private static String digest(URL archive) throws IOException {
        try (DigestInputStream in =
                new DigestInputStream(archive.openStream(), MessageDigest.getInstance("SHA-256"))) {
            in.transferTo(java.io.OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(in.getMessageDigest().digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
