package org.stillwater.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The programs of the distribution's package of Prometheus: installed, or unpacked below {@code
 * target}.
 */
final class Prometheus {

    private static final Path UNPACKED = Path.of("target", "prometheus");
    private static final int PACKAGE_SECONDS = 300;

    private static final String ADVICE =
            "Prometheus is not there. Install the distribution's package (apt-get install"
                    + " prometheus), or let apt-get download it: ";

    private Prometheus() {}

    /** Exit code and output of a program. */
    record Ran(int code, String output) {}

    /**
     * A program of the package.
     *
     * @throws AssertionError with advice if it cannot be had
     */
    static Path program(String name) throws IOException, InterruptedException {
        Path present = present(name);
        if (present == null) {
            unpack();
            present = present(name);
        }
        if (present == null) {
            throw new AssertionError(ADVICE + "the package has no " + name);
        }
        return present;
    }

    /** A program that is on the path, or was unpacked before; null for none. */
    static @Nullable Path present(String name) {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":")) {
            Path installed = Path.of(folder, name);
            if (Files.isExecutable(installed)) {
                return installed;
            }
        }
        Path unpacked = UNPACKED.resolve("usr/bin").resolve(name).toAbsolutePath();
        return Files.isExecutable(unpacked) ? unpacked : null;
    }

    /** Tests of another JVM look for the programs meanwhile: they come in one step. */
    private static void unpack() throws IOException, InterruptedException {
        Files.createDirectories(UNPACKED);
        Path making = Files.createTempDirectory(UNPACKED, "making-");
        Ran download = run(making, PACKAGE_SECONDS, "apt-get", "download", "prometheus");
        if (download.code() != 0) {
            throw new AssertionError(ADVICE + download.output());
        }
        Path archive;
        try (Stream<Path> files = Files.list(making)) {
            archive =
                    files.filter(file -> file.toString().endsWith(".deb"))
                            .findFirst()
                            .orElseThrow(() -> new AssertionError(ADVICE + download.output()));
        }
        Ran unpacked =
                run(
                        making,
                        PACKAGE_SECONDS,
                        "dpkg-deb",
                        "-x",
                        archive.getFileName().toString(),
                        ".");
        Files.delete(archive);
        if (unpacked.code() != 0) {
            throw new AssertionError(ADVICE + unpacked.output());
        }
        Files.move(making.resolve("usr"), UNPACKED.resolve("usr"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Runs a program to its end. */
    static Ran run(Path folder, int seconds, String... command)
            throws IOException, InterruptedException {
        Process process;
        try {
            process =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .start();
        } catch (IOException e) {
            return new Ran(127, e.getMessage());
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(List.of(command) + " does not end: " + output);
        }
        return new Ran(process.exitValue(), output);
    }
}
