package org.stillwater.benchmarks.scale;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Runs schemathesis against an engine, by its OpenAPI document. It is in a virtual environment
 * beside the user's other caches, which is made when it is first needed.
 */
final class Schemathesis {

    private static final String VERSION = "4.32.5";
    private static final Duration PATIENCE = Duration.ofHours(2);
    private static final int TOLD = 4_000;

    private Schemathesis() {}

    /**
     * Tries so many examples of every operation.
     *
     * @return what it found; empty for nothing
     */
    static String run(int port, int examples, long seed, PrintStream out)
            throws IOException, InterruptedException {
        Path program = program();
        if (program == null) {
            return "schemathesis did NOT run: it takes python3 with venv, and a package index";
        }
        out.println("schemathesis, " + examples + " examples of each operation");
        out.flush();
        Path log = Files.createTempFile("schemathesis", ".log");
        Process process =
                new ProcessBuilder(
                                program.toString(),
                                "run",
                                "http://127.0.0.1:" + port + "/api/v1/openapi.json",
                                "--checks",
                                "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
                                "--phases",
                                "examples,fuzzing",
                                "--max-examples",
                                Integer.toString(examples),
                                // Streams do not end by themselves.
                                "--exclude-path-regex",
                                "/stream|\\}/events$",
                                "--request-timeout",
                                "20",
                                "--seed",
                                Long.toString(seed),
                                // Two threads make CPython 3.11 fail on its own syntax trees.
                                "--workers",
                                "1",
                                "--no-color")
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

    private static @org.jspecify.annotations.Nullable Path program()
            throws IOException, InterruptedException {
        Path home =
                Path.of(
                        System.getProperty("user.home"),
                        ".cache",
                        "stillwater",
                        "schemathesis-" + VERSION);
        Path program = home.resolve(Path.of("bin", "schemathesis"));
        if (!Files.isExecutable(program)) {
            Files.createDirectories(home.getParent());
            boolean _ =
                    did("python3", "-m", "venv", home.toString())
                            && did(
                                    home.resolve(Path.of("bin", "pip")).toString(),
                                    "install",
                                    "--quiet",
                                    "schemathesis==" + VERSION);
        }
        return Files.isExecutable(program) ? program : null;
    }

    private static boolean did(String... command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(List.of(command)).inheritIO().start();
            boolean ended = process.waitFor(Duration.ofMinutes(5));
            process.destroyForcibly();
            return ended && process.exitValue() == 0;
        } catch (IOException _) {
            return false;
        }
    }
}
