package org.stillwater.benchmarks.dist;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/**
 * Tar archives with bytes that depend only on names and contents: everything belongs to root.
 * Stateless.
 */
final class Archives {

    private static final int LEVEL = 6;

    private Archives() {}

    /**
     * Writes one.
     *
     * @param prefix in front of every path, such as {@code ./}
     * @param time of every file
     */
    static void tarGz(PackageTree tree, String prefix, Instant time, OutputStream out)
            throws IOException {
        GzipParameters gzip = new GzipParameters();
        gzip.setCompressionLevel(LEVEL);
        tar(
                tree,
                prefix,
                time,
                new GzipCompressorOutputStream(new BufferedOutputStream(out), gzip));
    }

    private static void tar(PackageTree tree, String prefix, Instant time, OutputStream out)
            throws IOException {
        try (TarArchiveOutputStream tar =
                new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name())) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
            tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_STAR);
            for (PackageTree.Entry each : tree.entries()) {
                TarArchiveEntry entry = entry(each, prefix);
                entry.setModTime(time.toEpochMilli());
                entry.setIds(0, 0);
                entry.setNames("root", "root");
                entry.setMode(each.mode());
                if (each.isFile()) {
                    entry.setSize(each.size());
                }
                tar.putArchiveEntry(entry);
                if (each.source() != null) {
                    long _ = Files.copy(each.source(), tar);
                } else if (each.text() != null) {
                    tar.write(each.textBytes());
                }
                tar.closeArchiveEntry();
            }
            tar.finish();
        }
    }

    private static TarArchiveEntry entry(PackageTree.Entry each, String prefix) {
        String name = prefix + each.path();
        if (each.link() != null) {
            TarArchiveEntry entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
            entry.setLinkName(each.link());
            return entry;
        }
        return new TarArchiveEntry(each.isFolder() ? name + "/" : name);
    }

    static void tarGz(PackageTree tree, String prefix, Instant time, Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            tarGz(tree, prefix, time, out);
        }
    }

    /** The text of one file of a {@code .tar.gz}; empty if it has no such file. */
    static String text(Path archive, String path) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(
                        GzipCompressorInputStream.builder()
                                .setInputStream(
                                        new BufferedInputStream(Files.newInputStream(archive)))
                                .setDecompressConcatenated(true)
                                .get())) {
            for (TarArchiveEntry each = tar.getNextEntry();
                    each != null;
                    each = tar.getNextEntry()) {
                if (each.getName().equals(path) || each.getName().equals("./" + path)) {
                    return new String(tar.readAllBytes(), StandardCharsets.UTF_8);
                }
            }
        }
        return "";
    }

    /** The same without compression. */
    static void tar(PackageTree tree, String prefix, Instant time, Path file) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            tar(tree, prefix, time, out);
        }
    }
}
