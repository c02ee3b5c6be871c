package org.stillwater.dal.embedded;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Unpacks the tar archive of the server binaries: folders, files and symbolic links in the ustar
 * layout (POSIX.1-1988) with GNU long names, which is what the archive holds. Other kinds of
 * entries, and names or links that leave the target, are refused. Used by one thread.
 */
final class TarReader {

    private static final int BLOCK = 512;
    private static final int NAME_LENGTH = 100;
    private static final int MODE_OFFSET = 100;
    private static final int SIZE_OFFSET = 124;
    private static final int TYPE_OFFSET = 156;
    private static final int LINK_OFFSET = 157;
    private static final int MAGIC_OFFSET = 257;
    private static final int PREFIX_OFFSET = 345;
    private static final int PREFIX_LENGTH = 155;
    private static final int LONGEST_NAME = 4096;
    private static final int OWNER_EXECUTES = 0100;

    private final InputStream in;
    private final byte[] header = new byte[BLOCK];
    private final byte[] buffer = new byte[64 * 1024];

    TarReader(InputStream in) {
        this.in = in;
    }

    /**
     * Unpacks everything below {@code target}, which must exist, and says how many bytes the files
     * hold.
     */
    long unpackInto(Path target) throws IOException {
        long total = 0;
        String longName = null;
        while (nextHeader()) {
            long size = octal(SIZE_OFFSET, 12);
            char type = (char) header[TYPE_OFFSET];
            if (type == 'L') {
                longName = longName(size);
                continue;
            }
            Path entry = inside(target, longName != null ? longName : name());
            longName = null;
            switch (type) {
                case '5' -> Files.createDirectories(entry);
                case '2' -> link(target, entry);
                case '0', '\0' -> {
                    file(entry, size);
                    total += size;
                }
                default -> throw new IOException("unexpected kind of archive entry '" + type + "'");
            }
        }
        return total;
    }

    private boolean nextHeader() throws IOException {
        if (in.readNBytes(header, 0, BLOCK) < BLOCK || header[0] == 0) {
            return false;
        }
        if (!"ustar".equals(text(MAGIC_OFFSET, 5))) {
            throw new IOException("not a ustar archive");
        }
        return true;
    }

    private String longName(long size) throws IOException {
        if (size > LONGEST_NAME) {
            throw new IOException("name of " + size + " bytes in archive");
        }
        byte[] bytes = in.readNBytes((int) size);
        skipPadding(size);
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private String name() {
        String name = text(0, NAME_LENGTH);
        // GNU tar writes "ustar  \0" and uses the prefix field for other things.
        boolean posix = header[MAGIC_OFFSET + 5] == 0;
        String prefix = posix ? text(PREFIX_OFFSET, PREFIX_LENGTH) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    private void file(Path entry, long size) throws IOException {
        parents(entry);
        long left = size;
        try (OutputStream out = Files.newOutputStream(entry)) {
            while (left > 0) {
                int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (read < 0) {
                    throw new EOFException("archive ends inside " + entry.getFileName());
                }
                out.write(buffer, 0, read);
                left -= read;
            }
        }
        skipPadding(size);
        boolean executable = (octal(MODE_OFFSET, 8) & OWNER_EXECUTES) != 0;
        Files.setPosixFilePermissions(entry, executable ? EXECUTABLE : READABLE);
    }

    private void link(Path target, Path entry) throws IOException {
        String to = text(LINK_OFFSET, NAME_LENGTH);
        Path parent = parents(entry);
        inside(target, target.relativize(parent.resolve(to)).toString());
        Files.createSymbolicLink(entry, Path.of(to));
    }

    private static Path parents(Path entry) throws IOException {
        @Nullable Path parent = entry.getParent();
        if (parent == null) {
            throw new IOException("archive entry without a folder: " + entry);
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

    private void skipPadding(long size) throws IOException {
        int padding = (int) ((BLOCK - size % BLOCK) % BLOCK);
        in.skipNBytes(padding);
    }

    private long octal(int offset, int length) throws IOException {
        long value = 0;
        for (int i = offset; i < offset + length; i++) {
            byte digit = header[i];
            if (digit == 0 || digit == ' ') {
                continue;
            }
            if (digit < '0' || digit > '7') {
                throw new IOException("bad number in archive header");
            }
            value = value * 8 + (digit - '0');
        }
        return value;
    }

    private String text(int offset, int length) {
        int end = offset;
        while (end < offset + length && header[end] != 0) {
            end++;
        }
        return new String(header, offset, end - offset, StandardCharsets.UTF_8);
    }

    private static final Set<PosixFilePermission> READABLE =
            EnumSet.of(
                    PosixFilePermission.OWNER_READ,
                    PosixFilePermission.OWNER_WRITE,
                    PosixFilePermission.GROUP_READ,
                    PosixFilePermission.OTHERS_READ);

    private static final Set<PosixFilePermission> EXECUTABLE =
            EnumSet.of(
                    PosixFilePermission.OWNER_READ,
                    PosixFilePermission.OWNER_WRITE,
                    PosixFilePermission.OWNER_EXECUTE,
                    PosixFilePermission.GROUP_READ,
                    PosixFilePermission.GROUP_EXECUTE,
                    PosixFilePermission.OTHERS_READ,
                    PosixFilePermission.OTHERS_EXECUTE);
}
