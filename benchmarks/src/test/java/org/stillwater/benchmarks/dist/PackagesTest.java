package org.stillwater.benchmarks.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveInputStream;
import org.apache.commons.compress.archivers.cpio.CpioArchiveEntry;
import org.apache.commons.compress.archivers.cpio.CpioArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PackagesTest {

    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");
    private static final Path PACKAGING = Path.of("..", "packaging");

    private static final List<String> UNITS =
            List.of(
                    "stillwater.service",
                    "stillwater-relay.service",
                    "stillwater-fake-hosts.service");

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
    void aDebianPackageHasItsPartsAndRootOwnsItsFiles() throws Exception {
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

    private Path rpm(String name, PackageTree tree) throws Exception {
        Path file = folder.resolve(name);
        RpmPackage.write(
                new RpmPackage.About(
                        "stillwater",
                        "1.0~snapshot",
                        "1",
                        "x86_64",
                        "Apache-2.0",
                        "an engine",
                        "More."),
                Map.of("postin", "exit 0\n", "preun", "exit 0\n"),
                List.of("/etc/stillwater/stillwater.yaml"),
                List.of("usr/lib/stillwater", "etc/stillwater"),
                tree,
                TIME,
                file);
        return file;
    }

    @Test
    void rpmPackagesOfTheSameFilesAreEqualByteByByte() throws Exception {
        Path first = rpm("1.rpm", tree(source("one", false, TIME)));
        Path second =
                rpm("2.rpm", tree(source("two", true, Instant.parse("2020-02-02T02:02:02Z"))));
        assertThat(Files.readAllBytes(second)).isEqualTo(Files.readAllBytes(first));
    }

    /** By the rules of the format; {@code rpm -K} and {@code rpm -qlp} read it, too. */
    @Test
    void anRpmPackageHasItsPartsAndDigests() throws Exception {
        ByteBuffer file =
                ByteBuffer.wrap(Files.readAllBytes(rpm("1.rpm", tree(source("one", false, TIME)))));
        assertThat(file.getInt(0)).isEqualTo(0xedabeedb);
        Section signature = Section.read(file, 96);
        int at = (signature.end() + 7) / 8 * 8;
        Section main = Section.read(file, at);
        byte[] header = Arrays.copyOfRange(file.array(), at, main.end());
        byte[] payload = Arrays.copyOfRange(file.array(), main.end(), file.capacity());
        assertThat(signature.text(273)).isEqualTo(sha256(header));
        assertThat(main.text(5092)).isEqualTo(sha256(payload));
        assertThat(signature.number(1000)).isEqualTo(header.length + payload.length);
        assertThat(main.text(1000)).isEqualTo("stillwater");
        assertThat(main.text(1001)).isEqualTo("1.0~snapshot");
        Map<String, Long> modes = new LinkedHashMap<>();
        try (CpioArchiveInputStream cpio =
                new CpioArchiveInputStream(
                        new GzipCompressorInputStream(new ByteArrayInputStream(payload)))) {
            for (CpioArchiveEntry each = cpio.getNextEntry();
                    each != null;
                    each = cpio.getNextEntry()) {
                modes.put(each.getName(), each.getMode());
            }
        }
        assertThat(modes)
                .containsEntry("./usr/lib/stillwater/bin/stillwater", 0100755L)
                .containsEntry("./etc/stillwater/stillwater.yaml", 0100640L)
                .containsEntry("./usr/bin/stillwater", 0120777L)
                .containsEntry("./usr/lib/stillwater", 040755L)
                .doesNotContainKeys("./usr", "./usr/lib", "./etc");
        assertThat(main.count(1117)).isEqualTo(modes.size());
    }

    /** By rpm itself, where it is installed, with an empty database of packages and keys. */
    @Test
    void rpmItselfAcceptsThePackage() throws Exception {
        assumeTrue(output("rpm", "--version").startsWith("RPM version"));
        String file = rpm("1.rpm", tree(source("one", false, TIME))).toString();
        String database = "--dbpath=" + folder.resolve("rpmdb");
        assertThat(output("rpm", database, "-K", "-v", file))
                .contains(
                        "Header SHA256 digest: OK",
                        "Header SHA1 digest: OK",
                        "Payload SHA256 digest: OK",
                        "MD5 digest: OK")
                .doesNotContain("exit code");
        assertThat(output("rpm", database, "-qp", "--requires", file).lines())
                .containsExactlyInAnyOrder(
                        "/bin/sh",
                        "rpmlib(CompressedFileNames) <= 3.0.4-1",
                        "rpmlib(FileDigests) <= 4.6.0-1",
                        "rpmlib(PayloadFilesHavePrefix) <= 4.0-1");
        assertThat(output("rpm", database, "-qp", "--scripts", file))
                .contains(
                        "postinstall scriptlet (using /bin/sh):\nexit 0",
                        "preuninstall scriptlet (using /bin/sh):\nexit 0");
        assertThat(output("rpm", database, "-qp", "--configfiles", file).lines())
                .containsExactly("/etc/stillwater/stillwater.yaml");
    }

    /** Every reference in an image is by the digest of its target. */
    @Test
    void anImageRefersToItsLayersByTheirDigests() throws Exception {
        Path base = folder.resolve("base.tar.gz");
        PackageTree shell = new PackageTree();
        shell.text("bin/sh", PackageTree.PROGRAM, "a shell");
        Archives.tarGz(shell, "", TIME, base);
        Path layer = folder.resolve("layer.tar.gz");
        Archives.tarGz(tree(source("one", false, TIME)), "", TIME, layer);
        List<byte[]> images = new ArrayList<>();
        for (String name : List.of("1.tar", "2.tar")) {
            Path file = folder.resolve(name);
            OciImage.write(
                    new OciImage.About("amd64", "stillwater:1.0", Map.of("User", "65532:65532")),
                    List.of(base, layer),
                    TIME,
                    file);
            images.add(Files.readAllBytes(file));
        }
        assertThat(images.getFirst()).isEqualTo(images.getLast());
        Map<String, byte[]> blobs = new TreeMap<>();
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new ByteArrayInputStream(images.getFirst()))) {
            for (TarArchiveEntry each = tar.getNextEntry();
                    each != null;
                    each = tar.getNextEntry()) {
                blobs.put(each.getName(), tar.readAllBytes());
            }
        }
        JsonMapper mapper = JsonMapper.builder().build();
        JsonNode named = mapper.readTree(blobs.get("index.json")).path("manifests").path(0);
        JsonNode manifest = mapper.readTree(blob(blobs, named));
        JsonNode image = mapper.readTree(blob(blobs, manifest.path("config")));
        assertThat(image.path("config").path("User").asString()).isEqualTo("65532:65532");
        assertThat(image.path("rootfs").path("diff_ids").size()).isEqualTo(2);
        for (int i = 0; i < 2; i++) {
            byte[] packed = blob(blobs, manifest.path("layers").path(i));
            byte[] plain =
                    new GzipCompressorInputStream(new ByteArrayInputStream(packed)).readAllBytes();
            assertThat(image.path("rootfs").path("diff_ids").path(i).asString())
                    .isEqualTo("sha256:" + sha256(plain));
        }
        assertThat(blobs).containsKey("oci-layout");
    }

    /** PostgreSQL's initdb wants a name for its user, which no base has. */
    @Test
    void anImageKnowsItsUserBesideThoseOfItsBase() throws Exception {
        Path base = folder.resolve("base.tar.gz");
        PackageTree accounts = new PackageTree();
        accounts.text("etc/passwd", PackageTree.FILE, "root:x:0:0::/root:/bin/sh");
        Archives.tarGz(accounts, "./", TIME, base);
        Path layer = folder.resolve("layer.tar.gz");
        Archives.tarGz(Dist.imageLayer(tree(source("one", false, TIME)), base), "", TIME, layer);
        Map<String, String> files = contents(Files.readAllBytes(layer));
        assertThat(files.get("etc/passwd"))
                .isEqualTo(
                        "root:x:0:0::/root:/bin/sh\n"
                            + "stillwater:x:65532:65532::/var/lib/stillwater:/usr/sbin/nologin\n");
        assertThat(files.get("etc/group")).isEqualTo("stillwater:x:65532:\n");
        assertThat(files).containsKey("usr/bin/stillwater").doesNotContainKey("etc/stillwater");
    }

    private static byte[] blob(Map<String, byte[]> blobs, JsonNode descriptor) throws Exception {
        String digest = descriptor.path("digest").asString().substring("sha256:".length());
        byte[] bytes = blobs.get("blobs/sha256/" + digest);
        assertThat(sha256(bytes)).isEqualTo(digest);
        assertThat(descriptor.path("size").asLong()).isEqualTo(bytes.length);
        return bytes;
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    /** A header in a file: where its values are. */
    private record Section(ByteBuffer file, int at, int entries, int end) {

        static Section read(ByteBuffer file, int at) {
            assertThat(file.getInt(at)).isEqualTo(0x8eade801);
            int entries = file.getInt(at + 8);
            return new Section(file, at, entries, at + 16 + 16 * entries + file.getInt(at + 12));
        }

        private int entry(int tag) {
            for (int i = 0; i < entries; i++) {
                if (file.getInt(at + 16 + 16 * i) == tag) {
                    return at + 16 + 16 * i;
                }
            }
            throw new AssertionError("no tag " + tag);
        }

        private int value(int tag) {
            return at + 16 + 16 * entries + file.getInt(entry(tag) + 8);
        }

        int count(int tag) {
            return file.getInt(entry(tag) + 12);
        }

        int number(int tag) {
            return file.getInt(value(tag));
        }

        String text(int tag) {
            int from = value(tag);
            int to = from;
            while (file.get(to) != 0) {
                to++;
            }
            byte[] text = new byte[to - from];
            file.get(from, text);
            return new String(text, StandardCharsets.UTF_8);
        }
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

    /** Classes of the JDK that a program uses and the runtime lacks are missed at run time only. */
    @ParameterizedTest
    @ValueSource(strings = {"cli", "fake-vdsm", "relay", "bench-guest", "engine-server"})
    void theRuntimeHasTheModulesThatProgramsUse(String module) {
        Path classes = PACKAGING.resolveSibling(module).resolve("target/classes");
        assumeTrue(Files.isDirectory(classes));
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        int code =
                ToolProvider.findFirst("jdeps")
                        .orElseThrow()
                        .run(
                                out,
                                out,
                                "--print-module-deps",
                                "--ignore-missing-deps",
                                classes.toString());
        assertThat(code).as(said.toString()).isZero();
        assertThat(List.of(said.toString().strip().split(",")))
                .contains("java.base")
                .filteredOn(each -> !each.startsWith("java."))
                .isSubsetOf(Dist.MODULES.split(","));
    }

    @Test
    void theChartAndComposeNameTheImageOfThisVersion() throws Exception {
        String version =
                Files.readAllLines(PACKAGING.resolveSibling("pom.xml")).stream()
                        .filter(each -> each.startsWith("  <version>"))
                        .map(each -> each.replaceAll("<[^>]*>", "").strip())
                        .findFirst()
                        .orElseThrow();
        String tag = Dist.imageTag(version);
        assertThat(Files.readAllLines(PACKAGING.resolve("helm/stillwater/Chart.yaml")))
                .contains("appVersion: " + tag);
        assertThat(Files.readString(PACKAGING.resolve("compose.yaml")))
                .contains(":-stillwater:" + tag + "}");
    }

    /** Its reader has a package and neither the sources nor a JDK. */
    @Test
    void theReadmeOfPackagesIsTrueInThem() throws Exception {
        PackageTree tree = new PackageTree();
        Dist.documents(PACKAGING.resolve(".."), tree);
        Path file = folder.resolve("documents.tgz");
        Archives.tarGz(tree, "", TIME, file);
        Map<String, String> files = contents(Files.readAllBytes(file));
        String readme = files.get("README.md");
        assertThat(readme).contains("bin/stillwater run --data").doesNotContain("./stillwater");
        assertThat(Pattern.compile("]\\(([^)]+)\\)").matcher(readme).results())
                .hasSizeGreaterThan(4)
                .allSatisfy(link -> assertThat(files).containsKey(link.group(1)));
        String program = Files.readString(PACKAGING.resolve("stillwater"));
        assertThat(Pattern.compile("\\bstillwater ([a-z][a-z-]+)").matcher(readme).results())
                .hasSizeGreaterThan(3)
                .allSatisfy(verb ->
                        assertThat(program)
                                .containsPattern("\n" + verb.group(1) + "( [|].*)?\\) "));
    }

    /** The image has no client of HTTPS; the exec form needs no shell. */
    @Test
    void composeAsksTheProgramWhetherTheEngineIsReady() throws Exception {
        assertThat(Files.readString(PACKAGING.resolve("compose.yaml")))
                .containsOnlyOnce("test: [\"CMD\", \"/usr/bin/stillwater\", \"health\"]");
        assertThat(Files.readString(PACKAGING.resolve("stillwater")))
                .contains("\nhealth) tool org.stillwater.server.programs.HealthProgram");
    }

    /** Required content of each unit, also without systemd. */
    @Test
    void unitsHaveNoRightsOfTheirOwn() throws Exception {
        for (String unit : UNITS) {
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
                .contains(
                        "Type=notify",
                        "NotifyAccess=main",
                        "WatchdogSec=60s",
                        "KillMode=mixed",
                        "User=stillwater");
    }

    /** At most 2.5 of 10 by systemd's own judgement, where a systemd is that judges files. */
    @Test
    void systemdRatesEachUnitAsSafe() throws Exception {
        assumeTrue(output("systemd-analyze", "--help").contains("--offline"));
        for (String unit : UNITS) {
            String said =
                    output(
                            "systemd-analyze",
                            "security",
                            "--offline=true",
                            "--threshold=25",
                            PACKAGING.resolve("systemd").resolve(unit).toRealPath().toString());
            assertThat(said).contains("exposure level for " + unit).doesNotContain("exit code");
        }
    }

    /** The output of a program; empty if there is none. */
    private static String output(String... command) throws Exception {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            return "";
        }
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        return code == 0 ? said : said + "\nexit code " + code;
    }

    @Test
    void theChartIsWholeAndOfTheVersionOfTheImage() throws Exception {
        Path file = folder.resolve("chart.tgz");
        Archives.tarGz(Dist.chart(PACKAGING.resolve("..")), "", TIME, file);
        Map<String, String> chart = contents(Files.readAllBytes(file));
        assertThat(chart)
                .containsKeys(
                        "stillwater/values.yaml",
                        "stillwater/values.schema.json",
                        "stillwater/templates/_helpers.tpl",
                        "stillwater/templates/statefulset.yaml");
        String version =
                Files.readAllLines(PACKAGING.resolve("../pom.xml")).stream()
                        .filter(each -> each.startsWith("  <version>"))
                        .map(each -> each.replaceAll("</?version>", "").strip())
                        .findFirst()
                        .orElseThrow();
        String tag = Dist.imageTag(version);
        assertThat(chart.get("stillwater/Chart.yaml"))
                .contains("\nappVersion: " + tag + "\n")
                .contains("\nversion: " + version.replace("-SNAPSHOT", "") + "\n");
        assertThat(PACKAGING.resolve("compose.yaml")).content().contains(":-stillwater:" + tag);
    }
}
