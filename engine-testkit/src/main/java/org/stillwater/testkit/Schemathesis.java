package org.stillwater.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client that sends all requests that an OpenAPI document describes, and more. It is in a virtual
 * environment beside the user's other caches, which is made when it is first needed, so that a
 * clean build does not fetch it again. Stateless.
 */
public final class Schemathesis {

    private static final String VERSION = "4.32.5";

    /** Generator of the examples: another version would generate others from the same seed. */
    private static final String HYPOTHESIS = "hypothesis==6.170.15";

    /**
     * Without those about accepted and refused data and methods: the engine refuses some values for
     * the rest of the body, the fleet or a page's cursor, ignores the value of some read-only
     * members, and has paths that are also those of an object.
     */
    private static final String CHECKS =
            "not_a_server_error,status_code_conformance,content_type_conformance,"
                    + "response_headers_conformance,response_schema_conformance,"
                    + "missing_required_header,use_after_free,ensure_resource_availability";

    private static final Duration MAKING = Duration.ofMinutes(2);
    private static final Duration INSTALLING = Duration.ofMinutes(5);

    private Schemathesis() {}

    /**
     * The command that tries an engine's native interface.
     *
     * @param address of the engine, such as {@code http://127.0.0.1:8080}
     * @param examples how many of each operation
     * @param edges whether it also sends each value at its bounds, and each with each other method,
     *     which takes some minutes
     * @param seed the same seed gives the same requests
     * @return null where Python or the package index is missing
     */
    public static @Nullable List<String> command(
            String address, int examples, boolean edges, long seed)
            throws IOException, InterruptedException {
        Path program = program();
        if (program == null) {
            return null;
        }
        List<String> command = new ArrayList<>();
        command.add(program.toString());
        command.add("run");
        command.add(address + "/api/v1/openapi.json");
        command.addAll(List.of("--checks", CHECKS));
        command.addAll(
                List.of("--phases", edges ? "examples,coverage,fuzzing" : "examples,fuzzing"));
        command.addAll(List.of("--max-examples", Integer.toString(examples)));
        // Streams do not end by themselves.
        command.addAll(List.of("--exclude-path-regex", "/stream|\\}/events$"));
        // A machine may be busy with something else.
        command.addAll(List.of("--request-timeout", "60", "--suppress-health-check", "all"));
        command.addAll(List.of("--seed", Long.toString(seed)));
        // One: in two threads CPython 3.11 fails on its own syntax trees ("AST constructor
        // recursion depth mismatch"), with any answer.
        command.addAll(List.of("--workers", "1", "--no-color"));
        return command;
    }

    private static @Nullable Path program() throws IOException, InterruptedException {
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
                    did(MAKING, "python3", "-m", "venv", home.toString())
                            && did(
                                    INSTALLING,
                                    home.resolve(Path.of("bin", "pip")).toString(),
                                    "install",
                                    "--quiet",
                                    "schemathesis==" + VERSION,
                                    HYPOTHESIS);
        }
        return Files.isExecutable(program) ? program : null;
    }

    private static boolean did(Duration patience, String... command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(List.of(command)).inheritIO().start();
            boolean ended = process.waitFor(patience);
            process.destroyForcibly();
            return ended && process.exitValue() == 0;
        } catch (IOException _) {
            return false;
        }
    }
}
