package org.stillwater.dal.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks the tar archive of the server binaries: folders, files and symbolic links. Other kinds of
 * entries, and names or links that leave the target, are refused. Used by one thread.
 */
final class TarReader {

    private static final int OWNER_EXECUTES = 0100;

    private static final Set<PosixFilePermission> READABLE =
            PosixFilePermissions.fromString("rw-r--r--");

    private static final Set<PosixFilePermission> EXECUTABLE =
            PosixFilePermissions.fromString("rwxr-xr-x");

    private final TarArchiveInputStream archive;

    TarReader(InputStream in) {
        this.archive = new TarArchiveInputStream(in, UTF_8.name());
    }

    /**
     * Unpacks everything below {@code target}, which must exist, and returns how many bytes the
     * files hold.
     */
    long unpackInto(Path target) throws IOException {
        long total = 0;
        TarArchiveEntry entry = archive.getNextEntry();
        while (entry != null) {
            Path path = inside(target, entry.getName());
            switch (entry.getLinkFlag()) {
                case TarConstants.LF_DIR -> Files.createDirectories(path);
                case TarConstants.LF_SYMLINK -> link(target, path, entry.getLinkName());
                case TarConstants.LF_NORMAL, TarConstants.LF_OLDNORM -> total += file(path, entry);
                default ->
                        throw new IOException(
                                "unexpected kind of archive entry '%c'"
                                        .formatted(entry.getLinkFlag()));
            }
            entry = archive.getNextEntry();
        }
        return total;
    }

    private long file(Path path, TarArchiveEntry entry) throws IOException {
        parents(path);
        long size;
        try (OutputStream out = Files.newOutputStream(path)) {
            size = archive.transferTo(out);
        }
        boolean executable = (entry.getMode() & OWNER_EXECUTES) != 0;
        Files.setPosixFilePermissions(path, executable ? EXECUTABLE : READABLE);
        return size;
    }

    private static void link(Path target, Path path, String to) throws IOException {
        inside(target, target.relativize(parents(path).resolve(to)).toString());
        Files.createSymbolicLink(path, Path.of(to));
    }

    private static Path parents(Path path) throws IOException {
        @Nullable Path parent = path.getParent();
        if (parent == null) {
            throw new IOException("archive entry without a folder: " + path);
        }
        return Files.createDirectories(parent);
    }

    private static Path inside(Path target, String name) throws IOException {
        Path path = target.resolve(name).normalize();
        if (name.isEmpty() || !path.startsWith(target)) {
            throw new IOException("archive entry leaves its folder: " + name);
        }
        return path;
    }
}
