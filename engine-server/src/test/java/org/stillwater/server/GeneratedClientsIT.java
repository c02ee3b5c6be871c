package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that generators make from the engine's description of its interface: they are generated,
 * checked by their compiler, and used.
 */
@Tag("full") // generators of two registries once
@Timeout(1_800)
@DisplayName("A client that is made by")
class GeneratedClientsIT {

    private static final int SECONDS = 600;
    private static final Map<String, String> PASSWORD = Map.of("PW", RunningEngine.PASSWORD);

    @TempDir static Path folder;
    private static SdkFleet fleet;
    private static Path document;

    @BeforeAll
    static void start() throws Exception {
        fleet = SdkFleet.start(folder);
        document = folder.resolve("openapi.json");
        Files.writeString(document, fleet.engine().get("/api/v1/openapi.json").body());
    }

    @AfterAll
    static void stop() {
        if (fleet != null) {
            fleet.close();
        }
    }

    private static void ok(PythonEnvironment.Ran ran) {
        assertThat(ran.code()).as(ran.output()).isZero();
    }

    private static String copied(String program, Path into) throws Exception {
        Path copy = Files.createDirectories(into).resolve(program);
        try (InputStream text =
                GeneratedClientsIT.class.getResourceAsStream("/clients/" + program)) {
            Files.copy(Objects.requireNonNull(text, program), copy);
        }
        return copy.toString();
    }

    /** Makes a client by openapi-generator. */
    private static void generate(String language, Path into) throws Exception {
        PythonEnvironment python = PythonEnvironment.withGenerators();
        PythonEnvironment.Ran jar =
                PythonEnvironment.run(
                        List.of(
                                python.python(),
                                "-c",
                                "import openapi_generator_cli as cli; print(cli.__path__[0])"),
                        Map.of(),
                        SECONDS);
        ok(jar);
        ok(
                PythonEnvironment.run(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-jar",
                                Path.of(jar.output().strip(), "openapi-generator.jar").toString(),
                                "generate",
                                "-g",
                                language,
                                "-i",
                                document.toString(),
                                "-o",
                                into.toString()),
                        Map.of(),
                        SECONDS));
    }

    /** Uses a client in Python, which starts a VM. */
    private static void use(String program, Path client, String vm) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(PythonEnvironment.withGenerators().python());
        command.add(copied(program, folder.resolve("programs")));
        command.addAll(List.of(fleet.engine().address(), vm));
        PythonEnvironment.Ran ran =
                PythonEnvironment.run(
                        command,
                        Map.of("PW", RunningEngine.PASSWORD, "PYTHONPATH", client.toString()),
                        SECONDS);
        assertThat(ran.output()).endsWith("GENERATED-CLIENT-OK\n");
        ok(ran);
    }

    @Test
    @DisplayName("openapi-generator in Python reads names as texts and sends a definition back")
    void python() throws Exception {
        Path client = folder.resolve("openapi-generator-python");
        generate("python", client);
        use("generated_openapi_generator.py", client, "defined0");
    }

    @Test
    @DisplayName("openapi-python-client reads names as texts and starts a VM")
    void pythonClient() throws Exception {
        Path client = folder.resolve("openapi-python-client");
        Path configuration =
                Files.writeString(folder.resolve("hooks.json"), "{\"post_hooks\": []}");
        PythonEnvironment.Ran made =
                PythonEnvironment.run(
                        List.of(
                                PythonEnvironment.withGenerators().python(),
                                "-m",
                                "openapi_python_client",
                                "generate",
                                "--fail-on-warning",
                                "--path",
                                document.toString(),
                                "--output-path",
                                client.toString(),
                                "--config",
                                configuration.toString()),
                        Map.of(),
                        SECONDS);
        ok(made);
        use("generated_openapi_python_client.py", client, "defined1");
    }

    @Test
    @DisplayName("openapi-generator in TypeScript compiles, reads names as texts and starts a VM")
    void typeScript() throws Exception {
        Path program = folder.resolve("typescript");
        generate("typescript-fetch", program.resolve("generated"));
        String source = copied("generated_typescript.ts", program);
        ok(
                NodePackages.run(
                        "typescript",
                        "5.9.3",
                        "bin/tsc",
                        Map.of(),
                        "--strict",
                        "--target",
                        "es2020",
                        "--module",
                        "commonjs",
                        "--lib",
                        "es2020,dom",
                        "--outDir",
                        program.resolve("made").toString(),
                        source));
        PythonEnvironment.Ran ran =
                PythonEnvironment.run(
                        List.of(
                                "node",
                                program.resolve("made")
                                        .resolve("generated_typescript.js")
                                        .toString(),
                                fleet.engine().address(),
                                "defined2"),
                        PASSWORD,
                        SECONDS);
        assertThat(ran.output()).endsWith("GENERATED-CLIENT-OK\n");
        ok(ran);
    }

    @Test
    @DisplayName("any generator has a description without an error or warning of Redocly")
    void redocly() throws Exception {
        PythonEnvironment.Ran ran =
                NodePackages.run(
                        "@redocly/cli",
                        "2.77.0",
                        "bin/cli.js",
                        Map.of(
                                "REDOCLY_TELEMETRY",
                                "off",
                                "REDOCLY_SUPPRESS_UPDATE_NOTICE",
                                "true"),
                        "lint",
                        document.toString());
        assertThat(ran.output())
                .contains("Your API description is valid")
                .doesNotContain("Warning was generated", "Error was generated");
        ok(ran);
    }
}
