package org.stillwater.benchmarks.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackagesTest {

    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");
    private static final Path PACKAGING = Path.of("..", "packaging");

    @TempDir Path folder;

    private static PackageTree tree(Path source) throws Exception {
        PackageTree tree = new PackageTree();
        tree.folder("usr/lib/stillwater", source);
        tree.text("etc/stillwater/stillwater.yaml", 0640, "# settings\n");
        tree.link("usr/bin/stillwater", "../lib/stillwater/bin/stillwater");
        return tree;
    }

    /** The same files, made in another order, at another time and in another folder. */
    private Path source(String name, boolean reversed, Instant changed) throws Exception {
        Path source = folder.resolve(name);
        List<String> names = new ArrayList<>(List.of("bin/stillwater", "lib/a.jar", "lib/b/c.jar"));
        for (String each : reversed ? names.reversed() : names) {
            Path file = source.resolve(each);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "content of " + each);
            Files.setPosixFilePermissions(
                    file,
                    PosixFilePermissions.fromString(
                            each.startsWith("bin/") ? "rwxr-x---" : "rw-------"));
            Files.setLastModifiedTime(file, FileTime.from(changed));
        }
        return source;
    }

    private Path debian(String name, PackageTree tree) throws Exception {
        Map<String, String> control = new LinkedHashMap<>();
        control.put("Package", "stillwater");
        control.put("Version", "1.0");
        control.put("Architecture", "amd64");
        control.put("Maintainer", "Stillwater <stillwater@localhost>");
        control.put("Description", "an engine\n More of it.");
        Path file = folder.resolve(name);
        DebianPackage.write(
                control,
                Map.of("postinst", "#!/bin/sh\n", "prerm", "#!/bin/sh\n"),
                List.of("/etc/stillwater/stillwater.yaml"),
                tree,
                TIME,
                file);
        return file;
    }

    @Test
    void packagesOfTheSameFilesAreEqualByteByByte() throws Exception {
        Path first = debian("1.deb", tree(source("one", false, TIME)));
        Path second =
                debian("2.deb", tree(source("two", true, Instant.parse("2020-02-02T02:02:02Z"))));
        assertThat(Files.readAllBytes(second)).isEqualTo(Files.readAllBytes(first));
    }

    @Test
    void aDebianPackageHasItsPartsAndRootOwnsWhatIsInIt() throws Exception {
        Map<String, byte[]> members = new LinkedHashMap<>();
        try (ArArchiveInputStream ar =
                new ArArchiveInputStream(
                        Files.newInputStream(debian("1.deb", tree(source("one", false, TIME)))))) {
            for (ArArchiveEntry each = ar.getNextEntry(); each != null; each = ar.getNextEntry()) {
                members.put(each.getName(), ar.readAllBytes());
            }
        }
        assertThat(members.keySet())
                .containsExactly("debian-binary", "control.tar.gz", "data.tar.gz");
        Map<String, String> control = contents(members.get("control.tar.gz"));
        assertThat(control.get("./control"))
                .contains("Package: stillwater\n", "Installed-Size: 1\nDescription: an engine\n");
        assertThat(control.get("./conffiles")).isEqualTo("/etc/stillwater/stillwater.yaml\n");
        assertThat(control.get("./md5sums"))
                .contains("  usr/lib/stillwater/lib/b/c.jar\n")
                .doesNotContain("usr/bin/stillwater\n");
        Map<String, String> data = entries(members.get("data.tar.gz"));
        assertThat(data)
                .containsEntry("./usr/lib/stillwater/bin/stillwater", "100755 root")
                .containsEntry("./usr/lib/stillwater/lib/a.jar", "100644 root")
                .containsEntry("./etc/stillwater/stillwater.yaml", "100640 root")
                .containsEntry("./usr/lib/", "40755 root")
                .containsEntry("./usr/bin/stillwater", "120777 root");
        List<String> names = List.copyOf(data.keySet());
        assertThat(names.indexOf("./usr/lib/stillwater/"))
                .isLessThan(names.indexOf("./usr/lib/stillwater/lib/a.jar"));
    }

    private static Map<String, String> contents(byte[] tarGz) throws Exception {
        Map<String, String> found = new TreeMap<>();
        try (TarArchiveInputStream tar = tar(tarGz)) {
            for (TarArchiveEntry each = tar.getNextEntry();
                    each != null;
                    each = tar.getNextEntry()) {
                found.put(each.getName(), new String(tar.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return found;
    }

    private static Map<String, String> entries(byte[] tarGz) throws Exception {
        Map<String, String> found = new LinkedHashMap<>();
        try (TarArchiveInputStream tar = tar(tarGz)) {
            for (TarArchiveEntry each = tar.getNextEntry();
                    each != null;
                    each = tar.getNextEntry()) {
                assertThat(each.getLongUserId()).isZero();
                assertThat(each.getLastModifiedTime().toInstant()).isEqualTo(TIME);
                int kind = each.isDirectory() ? 040000 : each.isSymbolicLink() ? 0120000 : 0100000;
                found.put(
                        each.getName(),
                        Integer.toOctalString(kind | (each.getMode() & 07777))
                                + " "
                                + each.getUserName());
            }
        }
        return found;
    }

    private static TarArchiveInputStream tar(byte[] tarGz) throws Exception {
        return new TarArchiveInputStream(
                new GzipCompressorInputStream(new ByteArrayInputStream(tarGz)));
    }

    @Test
    void aPathIsInAPackageOnce() {
        PackageTree tree = new PackageTree();
        tree.text("a/b", PackageTree.FILE, "1");
        assertThatThrownBy(() -> tree.text("a/b", PackageTree.FILE, "2"))
                .hasMessageContaining("a/b is there twice");
    }

    @Test
    void aSnapshotSortsBeforeItsRelease() {
        assertThat(Dist.debianVersion("0.1.0-SNAPSHOT")).isEqualTo("0.1.0~snapshot");
        assertThat(Dist.debianVersion("0.1.0")).isEqualTo("0.1.0");
    }

    /** What must be in each unit; systemd-analyze security rates them 1.3, of 10. */
    @Test
    void unitsHaveNoRightsOfTheirOwn() throws Exception {
        for (String unit : List.of("stillwater.service", "stillwater-fake-hosts.service")) {
            assertThat(Files.readAllLines(PACKAGING.resolve("systemd").resolve(unit)))
                    .as(unit)
                    .contains(
                            "NoNewPrivileges=yes",
                            "CapabilityBoundingSet=",
                            "ProtectSystem=strict",
                            "ProtectHome=yes",
                            "PrivateTmp=yes",
                            "PrivateDevices=yes",
                            "PrivateUsers=yes",
                            "ProtectKernelModules=yes",
                            "RestrictNamespaces=yes",
                            "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
                            "RestrictSUIDSGID=yes",
                            "SystemCallFilter=@system-service",
                            "UMask=0077")
                    .noneMatch(each -> each.contains("User=root"));
        }
        assertThat(Files.readAllLines(PACKAGING.resolve("systemd/stillwater.service")))
                .contains("Type=notify", "NotifyAccess=main", "WatchdogSec=60s", "User=stillwater");
    }
}
