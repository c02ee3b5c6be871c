package org.stillwater.benchmarks.dist;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveOutputStream;

/**
 * A Debian package: an ar archive of a version, a tar of control files and a tar of data (deb(5)).
 * Stateless.
 */
final class DebianPackage {

    private static final String VERSION = "2.0\n";

    private DebianPackage() {}

    /**
     * Writes one.
     *
     * @param control fields of the control file, in their order, without Installed-Size
     * @param scripts maintainer scripts by name
     * @param configuration paths that an administrator may change, with a slash in front
     * @param tree installed files
     * @param time of every file
     */
    static void write(
            Map<String, String> control,
            Map<String, String> scripts,
            List<String> configuration,
            PackageTree tree,
            Instant time,
            Path file)
            throws IOException {
        PackageTree meta = new PackageTree();
        meta.text("control", PackageTree.FILE, control(control, tree));
        meta.text("conffiles", PackageTree.FILE, String.join("\n", configuration) + "\n");
        meta.text("md5sums", PackageTree.FILE, sums(tree));
        scripts.forEach((name, text) -> meta.text(name, PackageTree.PROGRAM, text));
        Path controlTar = Files.createTempFile("stillwater-control", ".tar.gz");
        Path dataTar = Files.createTempFile("stillwater-data", ".tar.gz");
        try (OutputStream out = Files.newOutputStream(file);
                ArArchiveOutputStream ar = new ArArchiveOutputStream(out)) {
            Archives.tarGz(meta, "./", time, controlTar);
            Archives.tarGz(tree, "./", time, dataTar);
            member(ar, "debian-binary", VERSION.getBytes(StandardCharsets.US_ASCII), time);
            member(ar, "control.tar.gz", controlTar, time);
            member(ar, "data.tar.gz", dataTar, time);
        } finally {
            Files.deleteIfExists(controlTar);
            Files.deleteIfExists(dataTar);
        }
    }

    private static void member(ArArchiveOutputStream ar, String name, byte[] bytes, Instant time)
            throws IOException {
        ar.putArchiveEntry(
                new ArArchiveEntry(name, bytes.length, 0, 0, 0100644, time.getEpochSecond()));
        ar.write(bytes);
        ar.closeArchiveEntry();
    }

    private static void member(ArArchiveOutputStream ar, String name, Path file, Instant time)
            throws IOException {
        ar.putArchiveEntry(
                new ArArchiveEntry(name, Files.size(file), 0, 0, 0100644, time.getEpochSecond()));
        long _ = Files.copy(file, ar);
        ar.closeArchiveEntry();
    }

    private static String control(Map<String, String> fields, PackageTree tree) throws IOException {
        long bytes = 0;
        for (PackageTree.Entry each : tree.entries()) {
            bytes += each.size();
        }
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, String> field : fields.entrySet()) {
            if (field.getKey().equals("Description")) { // the last one, by custom
                text.append("Installed-Size: ").append((bytes + 1023) / 1024).append('\n');
            }
            text.append(field.getKey()).append(": ").append(field.getValue()).append('\n');
        }
        return text.toString();
    }

    @SuppressWarnings("JdkObsolete")
    private static String sums(PackageTree tree) throws IOException {
        StringBuilder text = new StringBuilder();
        for (PackageTree.Entry each : tree.entries()) {
            if (each.isFile()) {
                text.append(HexFormat.of().formatHex(md5().digest(each.bytes())))
                        .append("  ")
                        .append(each.path())
                        .append('\n');
            }
        }
        return text.toString();
    }

    /** dpkg compares by MD5; it finds damage, not forgery. */
    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has MD5", e);
        }
    }
}
