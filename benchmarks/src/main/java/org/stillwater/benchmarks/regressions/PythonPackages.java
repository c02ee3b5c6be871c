package org.stillwater.benchmarks.regressions;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An environment of Python with packages from PyPI, installed once below the user's cache directory
 * ({@code stillwater/}), so that later runs need no network; deleting it causes a new installation.
 */
final class PythonPackages {

    private static final int INSTALL_SECONDS = 600;
    private static final int MOST_REASON = 400;

    private final Path home;

    private PythonPackages(Path home) {
        this.home = home;
    }

    /** Packages that cannot be had here; the message is the reason. */
    static final class Unavailable extends Exception {

        private static final long serialVersionUID = 1;

        Unavailable(String reason) {
            super(reason);
        }
    }

    /**
     * The environment with these packages.
     *
     * @param name of its folder
     * @param packages with versions, such as {@code numpy==2.2.0}
     */
    static PythonPackages provide(String name, List<String> packages)
            throws IOException, InterruptedException, Unavailable {
        String python = System.getProperty("stillwater.bench.python", "python3");
        String version;
        try {
            version =
                    run(
                            List.of(
                                    python,
                                    "-c",
                                    "import sys; print('%d.%d' % sys.version_info[:2])"),
                            INSTALL_SECONDS);
        } catch (IOException e) {
            throw new Unavailable("no Python (" + e.getMessage() + ")");
        }
        Path home = cache().resolve("stillwater/" + name + "-python" + version.strip());
        if (!Files.isExecutable(home.resolve("bin/python"))) {
            Files.createDirectories(home.getParent());
            Path made = Files.createTempDirectory(home.getParent(), "making-");
            try {
                install(python, made, packages);
                Files.move(made, home, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                delete(made);
            }
        }
        return new PythonPackages(home);
    }

    private static void install(String python, Path made, List<String> packages)
            throws IOException, InterruptedException, Unavailable {
        run(List.of(python, "-m", "venv", made.toString()), INSTALL_SECONDS);
        List<String> install =
                new ArrayList<>(
                        List.of(
                                made.resolve("bin/python").toString(),
                                "-m",
                                "pip",
                                "install",
                                "--quiet",
                                "--disable-pip-version-check"));
        install.addAll(packages);
        run(install, INSTALL_SECONDS);
    }

    /** Leftovers of a failed installation. */
    private static void delete(Path made) throws IOException {
        if (!Files.exists(made)) {
            return;
        }
        try (Stream<Path> files = Files.walk(made)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static Path cache() {
        String named = System.getenv("XDG_CACHE_HOME");
        return named == null || named.isBlank()
                ? Path.of(System.getProperty("user.home"), ".cache")
                : Path.of(named);
    }

    /** The interpreter, which has the packages. */
    String python() {
        return home.resolve("bin/python").toString();
    }

    /** Runs a program to its end and returns its output. */
    static String run(List<String> command, long seconds)
            throws IOException, InterruptedException, Unavailable {
        return new Running(command).output(seconds);
    }

    /** A program that was started. */
    static final class Running {

        private final List<String> command;
        private final Path log;
        private final Process process;

        Running(List<String> command) throws IOException {
            this.command = command;
            log = Files.createTempFile("python", ".log");
            process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start();
        }

        /** Waits for its end; a program that fails or takes longer is unavailable. */
        String output(long seconds) throws IOException, InterruptedException, Unavailable {
            try {
                if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                    throw new Unavailable("took more than " + seconds + " s");
                }
                String output = Files.readString(log, StandardCharsets.UTF_8);
                if (process.exitValue() != 0) {
                    String reason = output.strip();
                    throw new Unavailable(
                            command.getFirst()
                                    + " ended with code "
                                    + process.exitValue()
                                    + ": "
                                    + reason.substring(Math.max(0, reason.length() - MOST_REASON)));
                }
                return output;
            } finally {
                stop();
                Files.deleteIfExists(log);
            }
        }

        void stop() throws InterruptedException {
            process.destroyForcibly().waitFor();
        }
    }
}
