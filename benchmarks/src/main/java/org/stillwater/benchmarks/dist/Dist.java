package org.stillwater.benchmarks.dist;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code ./stillwater dist}: packages that need no JDK. The launcher names the staged programs by
 * system properties; the runtime is made of the running JDK.
 */
public final class Dist {

    private static final int FAILED = 1;
    private static final int UNUSABLE = 2;
    private static final int ANYBODY_CREATES = 01777;

    /** A user and a group that no base has; embedded PostgreSQL does not run as root. */
    private static final String IMAGE_USER = "65532:65532";

    private static final String IMAGE_GROUP = "65532";

    /** Of every file: a package of one commit is the same whenever it is built. */
    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");

    /** Of the runtime, by commas. */
    static final String MODULES =
            "java.se,jdk.attach,jdk.crypto.cryptoki,jdk.httpserver,jdk.jcmd,jdk.jfr,"
                    + "jdk.localedata,jdk.management,jdk.management.agent,jdk.management.jfr,"
                    + "jdk.naming.dns,jdk.net,jdk.unsupported,jdk.zipfs";

    private static final String HELP =
            """
            Usage: stillwater dist [--out DIR] [--image-base FILE]

            Builds packages for the system that it runs on: stillwater-VERSION-linux-ARCH.tar.gz, which needs no JDK and
            no installation, and a Debian and an RPM package of the same with systemd units; for containers, a Helm chart
            (stillwater-VERSION-chart.tgz) and a Compose file. Needs no root and no network.
            Two builds of the same sources by the same JDK are equal byte by byte.

              --out DIR          where they go; target/dist by default
              --image-base FILE  makes an image for containers (OCI), too, above this root file system: a .tar.gz with
                                 glibc and a shell, as debootstrap --variant=minbase makes one
              --help             this text
            """;

    private final Path root;
    private final Path out;
    private final @Nullable Path base;
    private final String version;
    private final PrintStream print;

    private Dist(Path root, Path out, @Nullable Path base, String version, PrintStream print) {
        this.root = root;
        this.out = out;
        this.base = base;
        this.version = version;
        this.print = print;
    }

    /** Runs the program. */
    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    /** Runs it and returns its exit code. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        if (arguments.contains("--help") || arguments.contains("-h")) {
            out.print(HELP);
            return 0;
        }
        Path root = Path.of(property("root"));
        Path folder = root.resolve("target/dist");
        Path base = null;
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            String given = rest.next();
            int equals = given.indexOf('=');
            String option = equals < 0 ? given : given.substring(0, equals);
            boolean known = option.equals("--out") || option.equals("--image-base");
            if (!known || (equals < 0 && !rest.hasNext())) {
                err.println(
                        "stillwater: unknown option, or one without a value: "
                                + given
                                + "; see ./stillwater dist --help");
                return UNUSABLE;
            }
            Path value = Path.of(equals < 0 ? rest.next() : given.substring(equals + 1));
            if (option.equals("--out")) {
                folder = value;
            } else {
                base = value;
            }
        }
        try {
            new Dist(root, folder.toAbsolutePath(), base, property("version"), out).build();
            return 0;
        } catch (IOException e) {
            err.println("stillwater: the packages cannot be built: " + e.getMessage());
            return FAILED;
        }
    }

    private static String property(String name) {
        String value = System.getProperty("stillwater.dist." + name);
        if (value == null) {
            throw new IllegalStateException("run this by ./stillwater dist");
        }
        return value;
    }

    private void build() throws IOException {
        Path _ = Files.createDirectories(out);
        Path work = Files.createTempDirectory(out, ".work-");
        try {
            Path runtime = work.resolve("runtime");
            link(runtime);
            PackageTree program = program(root, runtime, version);
            String name = "stillwater-" + version + "-linux-" + architecture();
            Path archive = out.resolve(name + ".tar.gz");
            Archives.tarGz(archive(program), name + "/", TIME, archive);
            report(archive);
            Path debian =
                    out.resolve(
                            "stillwater_%s_%s.deb"
                                    .formatted(debianVersion(version), architecture()));
            PackageTree installed = installed(program);
            debian(installed, debian);
            report(debian);
            Path rpm =
                    out.resolve(
                            "stillwater-%s-1.%s.rpm"
                                    .formatted(debianVersion(version), rpmArchitecture()));
            rpm(installed, rpm);
            report(rpm);
            Path chart = out.resolve("stillwater-" + version + "-chart.tgz");
            Archives.tarGz(chart(root), "", TIME, chart);
            report(chart);
            Path compose = out.resolve("compose.yaml");
            Files.write(compose, Files.readAllBytes(root.resolve("packaging/compose.yaml")));
            report(compose);
            if (base != null) {
                Path layer = work.resolve("layer.tar.gz");
                Archives.tarGz(imageLayer(installed, base), "", TIME, layer);
                Path image =
                        out.resolve("stillwater-" + version + "-oci-" + architecture() + ".tar");
                OciImage.write(about(), List.of(base, layer), TIME, image);
                report(image);
            }
        } finally {
            delete(work);
        }
    }

    private static void link(Path runtime) throws IOException {
        ToolProvider jlink =
                ToolProvider.findFirst("jlink")
                        .orElseThrow(() -> new IOException("this JDK has no jlink"));
        int code =
                jlink.run(
                        System.out,
                        System.err,
                        "--add-modules",
                        MODULES,
                        "--strip-debug",
                        "--no-man-pages",
                        "--no-header-files",
                        "--compress=zip-6",
                        "--output",
                        runtime.toString());
        if (code != 0) {
            throw new IOException("jlink ended with code " + code);
        }
    }

    /** Content of every package: below {@code usr/lib/stillwater}, or the folder of the archive. */
    private static PackageTree program(Path root, Path runtime, String version) throws IOException {
        PackageTree tree = new PackageTree();
        tree.folder("runtime", runtime);
        for (String each : List.of("engine", "fake", "cli", "relay", "guest")) {
            Path staged = Path.of(property(each));
            tree.file(each + "/app.jar", PackageTree.FILE, staged.resolve("app.jar"));
            tree.folder(each + "/lib", staged.resolve("lib"));
        }
        tree.file("bin/stillwater", PackageTree.PROGRAM, root.resolve("packaging/stillwater"));
        tree.text("version", PackageTree.FILE, version + "\n");
        documents(root, tree);
        return tree;
    }

    /** The README of the sources is for builders. */
    static void documents(Path root, PackageTree tree) throws IOException {
        tree.folder("docs", root.resolve("docs"));
        for (String each : List.of("LICENSE", "CHANGELOG.md")) {
            tree.file(each, PackageTree.FILE, root.resolve(each));
        }
        tree.file("README.md", PackageTree.FILE, root.resolve("packaging/package-readme.md"));
    }

    /** The chart as {@code helm install} takes it: in a folder of its name. */
    static PackageTree chart(Path root) throws IOException {
        PackageTree tree = new PackageTree();
        tree.folder("stillwater", root.resolve("packaging/helm/stillwater"));
        return tree;
    }

    private PackageTree archive(PackageTree program) throws IOException {
        PackageTree tree = new PackageTree();
        program.entries().forEach(each -> copy(each, tree));
        tree.file(
                "etc/stillwater.yaml",
                PackageTree.FILE,
                root.resolve("docs/reference/stillwater.yaml"));
        tree.folder("systemd", root.resolve("packaging/systemd"));
        return tree;
    }

    private static void copy(PackageTree.Entry each, PackageTree to) {
        if (each.source() != null) {
            to.file(each.path(), each.mode(), each.source());
        } else if (each.text() != null) {
            to.text(each.path(), each.mode(), each.text());
        } else if (each.link() != null) {
            to.link(each.path(), each.link());
        }
    }

    /** Tree of a distribution's package. */
    private PackageTree installed(PackageTree program) throws IOException {
        PackageTree tree = program.below("usr/lib/stillwater");
        tree.link("usr/bin/stillwater", "../lib/stillwater/bin/stillwater");
        tree.file(
                "etc/stillwater/stillwater.yaml",
                0640,
                root.resolve("docs/reference/stillwater.yaml"));
        tree.folder("usr/lib/systemd/system", root.resolve("packaging/systemd"));
        tree.text(
                "usr/lib/sysusers.d/stillwater.conf",
                PackageTree.FILE,
                "u stillwater - \"Stillwater engine\" /var/lib/stillwater -\n");
        tree.file("usr/share/doc/stillwater/copyright", PackageTree.FILE, root.resolve("LICENSE"));
        return tree;
    }

    private void debian(PackageTree tree, Path file) throws IOException {
        Map<String, String> control = new LinkedHashMap<>();
        control.put("Package", "stillwater");
        control.put("Version", debianVersion(version));
        control.put("Architecture", architecture());
        control.put("Maintainer", "Stillwater <stillwater@localhost>");
        control.put("Section", "admin");
        control.put("Priority", "optional");
        control.put("Depends", "libc6");
        control.put("Recommends", "systemd");
        control.put(
                "Description",
                "monitoring engine of a virtual data centre\n Watches and commands the virtual"
                        + " machines of VDSM hosts, with its own Java runtime\n and PostgreSQL.");
        Map<String, String> scripts = new LinkedHashMap<>();
        for (String each : List.of("postinst", "prerm", "postrm")) {
            scripts.put(each, Files.readString(root.resolve("packaging/debian/" + each)));
        }
        DebianPackage.write(
                control, scripts, List.of("/etc/stillwater/stillwater.yaml"), tree, TIME, file);
    }

    /**
     * The package, a folder for data in which the engine's user may write, and the base's accounts
     * with that user: PostgreSQL wants a name for the user that it runs as.
     */
    static PackageTree imageLayer(PackageTree installed, Path base) throws IOException {
        PackageTree tree = new PackageTree();
        installed.entries().stream()
                .filter(each -> !each.path().startsWith("usr/lib/systemd"))
                .filter(each -> !each.path().startsWith("etc/stillwater/"))
                .forEach(each -> copy(each, tree));
        tree.folder("var/lib/stillwater", ANYBODY_CREATES);
        account(tree, base, "etc/passwd", IMAGE_USER + "::/var/lib/stillwater:/usr/sbin/nologin");
        account(tree, base, "etc/group", IMAGE_GROUP + ":");
        return tree;
    }

    private static void account(PackageTree tree, Path base, String path, String line)
            throws IOException {
        String known = Archives.text(base, path);
        String end = known.isEmpty() || known.endsWith("\n") ? "" : "\n";
        tree.text(path, PackageTree.FILE, known + end + "stillwater:x:" + line + "\n");
    }

    /** Runs without the rights of root, with settings from a mounted file or the environment. */
    private OciImage.About about() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("User", IMAGE_USER);
        members.put("ExposedPorts", Map.of("8443/tcp", Map.of()));
        members.put(
                "Env",
                List.of(
                        "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                        "SERVER_ADDRESS=0.0.0.0",
                        "STILLWATER_DATAFOLDER=/var/lib/stillwater/data"));
        members.put("Entrypoint", List.of("/usr/bin/stillwater"));
        members.put("Cmd", List.of("run"));
        members.put("Volumes", Map.of("/var/lib/stillwater", Map.of()));
        members.put("WorkingDir", "/var/lib/stillwater");
        return new OciImage.About(architecture(), "stillwater:" + imageTag(version), members);
    }

    private void rpm(PackageTree tree, Path file) throws IOException {
        Map<String, String> scripts = new LinkedHashMap<>();
        for (String each : List.of("postin", "preun", "postun")) {
            scripts.put(each, Files.readString(root.resolve("packaging/rpm/" + each)));
        }
        RpmPackage.write(
                new RpmPackage.About(
                        "stillwater",
                        debianVersion(version),
                        "1",
                        rpmArchitecture(),
                        "Apache-2.0",
                        "monitoring engine of a virtual data centre",
                        "Watches and commands the virtual machines of VDSM hosts, with its own Java"
                                + " runtime and PostgreSQL."),
                scripts,
                List.of("/etc/stillwater/stillwater.yaml"),
                List.of("usr/lib/stillwater", "etc/stillwater", "usr/share/doc/stillwater"),
                tree,
                TIME,
                file);
    }

    private static String rpmArchitecture() {
        return architecture().equals("amd64")
                ? "x86_64"
                : architecture().equals("arm64") ? "aarch64" : architecture();
    }

    /** A snapshot sorts before its release, for dpkg and for rpm. */
    static String debianVersion(String version) {
        return version.replace("-SNAPSHOT", "~snapshot");
    }

    static String imageTag(String version) {
        return debianVersion(version).replace('~', '-');
    }

    private static String architecture() {
        String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        return switch (arch) {
            case "x86_64", "amd64" -> "amd64";
            case "aarch64", "arm64" -> "arm64";
            default -> arch;
        };
    }

    private void report(Path file) throws IOException {
        print.printf("%s  %d MiB  sha256 %s%n", file, Files.size(file) / 1024 / 1024, digest(file));
    }

    private static String digest(Path file) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (var in = Files.newInputStream(file)) {
                byte[] buffer = new byte[64 * 1024];
                for (int some = in.read(buffer); some >= 0; some = in.read(buffer)) {
                    digest.update(buffer, 0, some);
                }
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static void delete(@Nullable Path folder) throws IOException {
        if (folder != null && Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
