package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Python SDK accepts the engine. The SDK is installed once, into an environment below the
 * user's cache directory ({@code stillwater/}), so that later runs need no network; deleting it
 * installs it anew.
 */
class PythonSdkIT {

    private static final Logger LOG = LoggerFactory.getLogger(PythonSdkIT.class);
    private static final String SDK = "ovirt-engine-sdk-python==4.6.3";
    private static final String CURL = "pycurl==7.49.0";
    private static final int INSTALL_SECONDS = 600;
    private static final int RUN_SECONDS = 900;

    /** What a compiler says where something to build the SDK with is missing. */
    private static final List<String> MISSING =
            List.of(
                    "gcc' failed: No such file",
                    "xmlreader.h: No such file",
                    "Python.h: No such file",
                    "ensurepip is not available",
                    "No module named venv");

    @TempDir Path folder;

    @Test
    void theSdkAcceptsTheEngine() throws Exception {
        Path python = python();
        Path program = folder.resolve("accept.py");
        try (InputStream text = getClass().getResourceAsStream("/clients/accept.py")) {
            Files.copy(Objects.requireNonNull(text), program);
        }
        try (SdkFleet fleet = SdkFleet.start(folder, Tls.arguments(folder))) {
            List<String> command = new ArrayList<>(List.of(python.toString(), program.toString()));
            command.add(fleet.url());
            command.add(Tls.authority(folder).toString());
            Ran ran = run(command, Map.of("PW", RunningEngine.PASSWORD), RUN_SECONDS);
            assertThat(ran.output()).as("exit code %d", ran.code()).endsWith("PYTHON-SDK-OK\n");
            assertThat(ran.code()).isZero();
        }
    }

    /** The interpreter of an environment that has the SDK. */
    private Path python() throws Exception {
        String host = System.getProperty("stillwater.test.python", "python3");
        Ran version;
        try {
            version =
                    run(
                            List.of(
                                    host,
                                    "-c",
                                    "import sys; print('%d.%d' % sys.version_info[:2])"),
                            Map.of(),
                            INSTALL_SECONDS);
        } catch (IOException e) {
            throw skipped("there is no Python here (" + e.getMessage() + ")");
        }
        assertThat(version.code()).as(version.output()).isZero();
        Path home =
                cache().resolve("stillwater/python-sdk-4.6.3-python" + version.output().strip());
        Path python = home.resolve("bin/python");
        if (!Files.isExecutable(python)) {
            install(host, home);
        }
        Ran imported =
                run(
                        List.of(python.toString(), "-c", "import ovirtsdk4, pycurl"),
                        Map.of(),
                        INSTALL_SECONDS);
        assertThat(imported.code()).as("delete " + home + "; " + imported.output()).isZero();
        return python;
    }

    private static Path cache() {
        String named = System.getenv("XDG_CACHE_HOME");
        return named == null || named.isBlank()
                ? Path.of(System.getProperty("user.home"), ".cache")
                : Path.of(named);
    }

    private static void install(String host, Path home) throws Exception {
        Files.createDirectories(home.getParent());
        Path made = Files.createTempDirectory(home.getParent(), "making-");
        ok(run(List.of(host, "-m", "venv", made.toString()), Map.of(), INSTALL_SECONDS));
        ok(
                run(
                        List.of(
                                made.resolve("bin/python").toString(),
                                "-m",
                                "pip",
                                "install",
                                "--disable-pip-version-check",
                                SDK,
                                CURL),
                        Map.of(),
                        INSTALL_SECONDS));
        Files.move(made, home, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void ok(Ran ran) {
        if (ran.code() != 0 && MISSING.stream().anyMatch(ran.output()::contains)) {
            throw skipped(
                    "the Python SDK cannot be built here; it takes a C compiler and the headers of"
                            + " Python and libxml2:\n"
                            + ran.output());
        }
        assertThat(ran.code()).as(ran.output()).isZero();
    }

    private static RuntimeException skipped(String why) {
        LOG.warn("THE PYTHON SDK WAS NOT TRIED: {}", why);
        Assumptions.abort("the Python SDK was not tried: " + why);
        return new IllegalStateException("not reached");
    }

    private record Ran(int code, String output) {}

    private static Ran run(List<String> command, Map<String, String> environment, int seconds)
            throws IOException, InterruptedException {
        Path log = Files.createTempFile("python", ".log");
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
            return new Ran(process.exitValue(), Files.readString(log, StandardCharsets.UTF_8));
        } finally {
            Files.delete(log);
        }
    }
}
