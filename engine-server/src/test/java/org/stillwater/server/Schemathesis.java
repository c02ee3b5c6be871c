package org.stillwater.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Where schemathesis is: in a virtual environment beside the user's other caches, made when it is
 * first needed, so that a clean build does not fetch it again.
 */
final class Schemathesis {

    private static final String VERSION = "4.32.5";

    private Schemathesis() {}

    /** The program; null where Python or the package index is missing, which is told loudly. */
    static Path program() throws IOException, InterruptedException {
        Path home =
                Path.of(System.getProperty("user.home"))
                        .resolve(Path.of(".cache", "stillwater", "schemathesis-" + VERSION));
        Path program = home.resolve(Path.of("bin", "schemathesis"));
        if (Files.isExecutable(program)) {
            return program;
        }
        Files.createDirectories(home.getParent());
        boolean made =
                run(List.of("python3", "-m", "venv", home.toString()), Duration.ofMinutes(2))
                        && run(
                                List.of(
                                        home.resolve(Path.of("bin", "pip")).toString(),
                                        "install",
                                        "--quiet",
                                        "schemathesis==" + VERSION),
                                Duration.ofMinutes(4));
        if (made && Files.isExecutable(program)) {
            return program;
        }
        System.err.println(
                "\n"
                        + "*** schemathesis is NOT run: python3 with venv, or a package index, is"
                        + " missing ***\n");
        return null;
    }

    private static boolean run(List<String> command, Duration patience)
            throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command).inheritIO().start();
            if (!process.waitFor(patience)) {
                process.destroyForcibly();
                return false;
            }
            return process.exitValue() == 0;
        } catch (IOException _) {
            return false;
        }
    }
}
