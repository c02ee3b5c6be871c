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

    /** Of every file: a package of one commit is the same whenever it is built. */
    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");

    private static final String MODULES =
            "java.se,jdk.attach,jdk.crypto.cryptoki,jdk.jcmd,jdk.jfr,jdk.localedata,jdk.management,"
                + "jdk.management.agent,jdk.management.jfr,jdk.naming.dns,jdk.net,jdk.unsupported,"
                + "jdk.zipfs";

    private static final String HELP =
            """
            Usage: stillwater dist [--out DIR]

            Builds packages for the system that it runs on: stillwater-VERSION-linux-ARCH.tar.gz, which needs no JDK and
            no installation, and a Debian package of the same with systemd units. Needs no root and no network. Two
            builds of the same sources by the same JDK are equal byte by byte.

              --out DIR   where they go; target/dist by default
              --help      this text
            """;

    private final Path root;
    private final Path out;
    private final String version;
    private final PrintStream print;

    private Dist(Path root, Path out, String version, PrintStream print) {
        this.root = root;
        this.out = out;
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
        if (!arguments.isEmpty()) {
            String first = arguments.getFirst();
            if (arguments.size() == 2 && first.equals("--out")) {
                folder = Path.of(arguments.getLast());
            } else if (arguments.size() == 1 && first.startsWith("--out=")) {
                folder = Path.of(first.substring("--out=".length()));
            } else {
                err.println("stillwater: unknown option; see ./stillwater dist --help");
                return UNUSABLE;
            }
        }
        try {
            new Dist(root, folder.toAbsolutePath(), property("version"), out).build();
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
            debian(program, debian);
            report(debian);
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

    /** What every package has: below {@code usr/lib/stillwater}, or the folder of the archive. */
    private static PackageTree program(Path root, Path runtime, String version) throws IOException {
        PackageTree tree = new PackageTree();
        tree.folder("runtime", runtime);
        for (String each : List.of("engine", "fake", "cli")) {
            Path staged = Path.of(property(each));
            tree.file(each + "/app.jar", PackageTree.FILE, staged.resolve("app.jar"));
            tree.folder(each + "/lib", staged.resolve("lib"));
        }
        tree.file("bin/stillwater", PackageTree.PROGRAM, root.resolve("packaging/stillwater"));
        tree.text("version", PackageTree.FILE, version + "\n");
        tree.folder("docs", root.resolve("docs"));
        for (String each : List.of("LICENSE", "CHANGELOG.md", "README.md")) {
            tree.file(each, PackageTree.FILE, root.resolve(each));
        }
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

    private void debian(PackageTree program, Path file) throws IOException {
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

    /** A snapshot sorts before its release. */
    static String debianVersion(String version) {
        return version.replace("-SNAPSHOT", "~snapshot");
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
