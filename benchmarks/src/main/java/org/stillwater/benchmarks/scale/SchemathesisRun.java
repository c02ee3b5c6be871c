package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.stillwater.testkit.Schemathesis;

/** Runs schemathesis against an engine, by its OpenAPI document. */
final class SchemathesisRun {

    private static final Duration PATIENCE = Duration.ofHours(2);
    private static final int TOLD = 4_000;

    private SchemathesisRun() {}

    /**
     * Tries a number of examples of every operation.
     *
     * @return its findings; empty for none
     */
    static String run(int port, int examples, long seed, PrintStream out)
            throws IOException, InterruptedException {
        List<String> command =
                Schemathesis.command("http://127.0.0.1:" + port, examples, true, seed);
        if (command == null) {
            return "schemathesis did NOT run: it takes python3 with venv, and a package index";
        }
        out.println("schemathesis, " + examples + " examples of each operation");
        out.flush();
        Path log = Files.createTempFile("schemathesis", ".log");
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            if (!process.waitFor(PATIENCE)) {
                return "schemathesis did not end in " + PATIENCE.toHours() + " h";
            }
            if (process.exitValue() == 0) {
                return "";
            }
            String told = Files.readString(log, StandardCharsets.UTF_8);
            return told.substring(Math.max(0, told.length() - TOLD)) + "\nall of it: " + log;
        } finally {
            process.destroyForcibly();
        }
    }
}
