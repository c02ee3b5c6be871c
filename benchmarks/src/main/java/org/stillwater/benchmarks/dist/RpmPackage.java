package org.stillwater.benchmarks.dist;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.cpio.CpioArchiveEntry;
import org.apache.commons.compress.archivers.cpio.CpioArchiveOutputStream;
import org.apache.commons.compress.archivers.cpio.CpioConstants;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;

/**
 * An RPM package: a lead, a header with digests, a header with everything that is known of the
 * files, and their bytes as a compressed cpio archive (RPM's file format, version 4). Not signed:
 * {@code rpmsign} signs them for publication. Stateless.
 */
final class RpmPackage {

    private static final int CONFIGURATION = 1 | 1 << 4; // kept when it was changed
    private static final int ARCHIVE_LEVEL = 6;
    private static final int SHA_256 = 8;
    private static final int OF_RPM = 1 << 24 | 2 | 8; // a feature of rpm itself, less or equal
    private static final int EQUAL = 8;

    /** The texts of a package. */
    record About(
            String name,
            String version,
            String release,
            String architecture,
            String licence,
            String summary,
            String description) {}

    private RpmPackage() {}

    /**
     * Writes one.
     *
     * @param scripts by name: {@code postin}, {@code preun}, {@code postun}
     * @param configuration paths that an administrator may change, with a slash in front
     * @param owned folders that belong to the package, without a slash in front; those above are
     *     the system's
     * @param time of every file
     */
    static void write(
            About about,
            Map<String, String> scripts,
            List<String> configuration,
            List<String> owned,
            PackageTree tree,
            Instant time,
            Path file)
            throws IOException {
        List<PackageTree.Entry> entries =
                tree.entries().stream()
                        .filter(each -> !each.isFolder() || isOwned(each.path(), owned))
                        .toList();
        Path payload = Files.createTempFile("stillwater-payload", ".cpio.gz");
        try {
            long plain = archive(entries, time, payload);
            RpmHeader header = header(about, scripts, configuration, entries, time);
            header.texts(5092, List.of(hex("SHA-256", payload))); // PAYLOADDIGEST
            header.number(5093, SHA_256);
            byte[] main = header.bytes();
            byte[] signature = signature(main, payload, plain);
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
                out.write(lead(about));
                out.write(signature);
                out.write(new byte[(8 - signature.length % 8) % 8]);
                out.write(main);
                long _ = Files.copy(payload, out);
            }
        } finally {
            Files.deleteIfExists(payload);
        }
    }

    private static boolean isOwned(String path, List<String> owned) {
        return owned.stream().anyMatch(each -> path.equals(each) || path.startsWith(each + "/"));
    }

    /** Its size before compression. */
    private static long archive(List<PackageTree.Entry> entries, Instant time, Path payload)
            throws IOException {
        GzipParameters gzip = new GzipParameters();
        gzip.setCompressionLevel(ARCHIVE_LEVEL);
        try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(payload));
                CpioArchiveOutputStream cpio =
                        new CpioArchiveOutputStream(
                                new GzipCompressorOutputStream(file, gzip),
                                CpioConstants.FORMAT_NEW)) {
            for (PackageTree.Entry each : entries) {
                byte[] link = each.link() == null ? new byte[0] : utf8(each.link());
                CpioArchiveEntry entry =
                        new CpioArchiveEntry(CpioConstants.FORMAT_NEW, "./" + each.path());
                entry.setMode(mode(each));
                entry.setTime(time.getEpochSecond());
                entry.setNumberOfLinks(each.isFolder() ? 2 : 1);
                entry.setSize(each.isFile() ? each.size() : link.length);
                cpio.putArchiveEntry(entry);
                if (each.source() != null) {
                    long _ = Files.copy(each.source(), cpio);
                } else {
                    cpio.write(each.isFile() ? each.textBytes() : link);
                }
                cpio.closeArchiveEntry();
            }
            cpio.finish();
            return cpio.getBytesWritten();
        }
    }

    private static int mode(PackageTree.Entry each) {
        int kind =
                each.isFolder()
                        ? CpioConstants.C_ISDIR
                        : each.link() != null ? CpioConstants.C_ISLNK : CpioConstants.C_ISREG;
        return kind | each.mode();
    }

    private static RpmHeader header(
            About about,
            Map<String, String> scripts,
            List<String> configuration,
            List<PackageTree.Entry> entries,
            Instant time)
            throws IOException {
        RpmHeader header = new RpmHeader(63);
        header.texts(100, List.of("C")); // HEADERI18NTABLE
        header.text(1000, about.name());
        header.text(1001, about.version());
        header.text(1002, about.release());
        header.translated(1004, about.summary());
        header.translated(1005, about.description());
        header.number(1006, (int) time.getEpochSecond());
        header.text(1007, "localhost"); // BUILDHOST
        header.text(1014, about.licence());
        header.translated(1016, "System Environment/Daemons");
        header.text(1021, "linux");
        header.text(1022, about.architecture());
        header.text(
                1044, about.name() + "-" + about.version() + "-" + about.release() + ".src.rpm");
        header.text(1064, "4.14.0"); // RPMVERSION with this format
        header.text(1124, "cpio");
        header.text(1125, "gzip");
        header.text(1126, String.valueOf(ARCHIVE_LEVEL));
        script(header, scripts, "postin", 1024, 1086);
        script(header, scripts, "preun", 1025, 1087);
        script(header, scripts, "postun", 1026, 1088);
        relations(header, about);
        files(header, configuration, entries, time);
        return header;
    }

    private static void script(
            RpmHeader header, Map<String, String> scripts, String name, int tag, int program) {
        String text = scripts.get(name);
        if (text != null) {
            header.text(tag, text);
            header.text(program, "/bin/sh");
        }
    }

    private static void relations(RpmHeader header, About about) {
        header.texts(1047, List.of(about.name()));
        header.numbers(1112, List.of(EQUAL));
        header.texts(1113, List.of(about.version() + "-" + about.release()));
        header.texts(
                1049,
                List.of(
                        "/bin/sh",
                        "rpmlib(CompressedFileNames)",
                        "rpmlib(FileDigests)",
                        "rpmlib(PayloadFilesHavePrefix)"));
        header.numbers(1048, List.of(0, OF_RPM, OF_RPM, OF_RPM));
        header.texts(1050, List.of("", "3.0.4-1", "4.6.0-1", "4.0-1"));
    }

    private static void files(
            RpmHeader header,
            List<String> configuration,
            List<PackageTree.Entry> entries,
            Instant time)
            throws IOException {
        List<Integer> sizes = new ArrayList<>();
        List<Integer> modes = new ArrayList<>();
        List<String> digests = new ArrayList<>();
        List<String> links = new ArrayList<>();
        List<Integer> flags = new ArrayList<>();
        List<Integer> inodes = new ArrayList<>();
        List<String> names = new ArrayList<>();
        List<Integer> folders = new ArrayList<>();
        Map<String, Integer> folderNumbers = new LinkedHashMap<>();
        long total = 0;
        for (PackageTree.Entry each : entries) {
            long size =
                    each.isFile()
                            ? each.size()
                            : each.link() == null ? 0 : utf8(each.link()).length;
            total += size;
            sizes.add(Math.toIntExact(size));
            modes.add(mode(each));
            digests.add(each.isFile() ? hex("SHA-256", each.bytes()) : "");
            links.add(each.link() == null ? "" : each.link());
            flags.add(configuration.contains("/" + each.path()) ? CONFIGURATION : 0);
            inodes.add(inodes.size() + 1);
            int slash = each.path().lastIndexOf('/');
            names.add(each.path().substring(slash + 1));
            String folder = "/" + each.path().substring(0, slash + 1);
            folderNumbers.putIfAbsent(folder, folderNumbers.size());
            folders.add(folderNumbers.getOrDefault(folder, 0));
        }
        int count = entries.size();
        header.number(1009, Math.toIntExact(total));
        header.numbers(1028, sizes);
        header.shorts(1030, modes);
        header.shorts(1033, same(0, count)); // FILERDEVS
        header.numbers(1034, same((int) time.getEpochSecond(), count));
        header.texts(1035, digests);
        header.texts(1036, links);
        header.numbers(1037, flags);
        header.texts(1039, same("root", count));
        header.texts(1040, same("root", count));
        header.numbers(1045, same(-1, count)); // FILEVERIFYFLAGS: everything
        header.numbers(1095, same(1, count)); // FILEDEVICES
        header.numbers(1096, inodes);
        header.texts(1097, same("", count)); // FILELANGS
        header.numbers(1116, folders);
        header.texts(1117, names);
        header.texts(1118, List.copyOf(folderNumbers.keySet()));
        header.number(5011, SHA_256); // FILEDIGESTALGO
    }

    private static <T> List<T> same(T value, int count) {
        return java.util.Collections.nCopies(count, value);
    }

    private static byte[] signature(byte[] main, Path payload, long plain) throws IOException {
        RpmHeader header = new RpmHeader(62);
        header.text(269, hex("SHA-1", main));
        header.text(273, hex("SHA-256", main));
        header.number(1000, Math.toIntExact(main.length + Files.size(payload)));
        MessageDigest both = digest("MD5");
        both.update(main);
        update(both, payload);
        header.binary(1004, both.digest());
        header.number(1007, Math.toIntExact(plain));
        return header.bytes();
    }

    private static byte[] lead(About about) {
        ByteBuffer lead = ByteBuffer.allocate(96);
        lead.putInt(0xedabeedb).put((byte) 3).put((byte) 0);
        lead.putShort((short) 0); // a binary package
        lead.putShort((short) (about.architecture().equals("aarch64") ? 19 : 1));
        byte[] name = utf8(about.name() + "-" + about.version() + "-" + about.release());
        lead.put(name, 0, Math.min(name.length, 65));
        lead.position(76).putShort((short) 1).putShort((short) 5); // Linux; headers sign
        return lead.array();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String hex(String algorithm, byte[] bytes) {
        return HexFormat.of().formatHex(digest(algorithm).digest(bytes));
    }

    private static String hex(String algorithm, Path file) throws IOException {
        MessageDigest digest = digest(algorithm);
        update(digest, file);
        return HexFormat.of().formatHex(digest.digest());
    }

    private static void update(MessageDigest digest, Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] buffer = new byte[64 * 1024];
            for (int some = in.read(buffer); some >= 0; some = in.read(buffer)) {
                digest.update(buffer, 0, some);
            }
        }
    }

    private static MessageDigest digest(String algorithm) {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has " + algorithm, e);
        }
    }
}
