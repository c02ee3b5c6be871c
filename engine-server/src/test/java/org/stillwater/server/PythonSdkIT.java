package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Python SDK accepts the engine. Recorded requests of other clients run in every suite. */
@Tag("full") // installs packages and builds one of them once
class PythonSdkIT {

    private static final int RUN_SECONDS = 900;

    @TempDir Path folder;

    @Test
    void theSdkAcceptsTheEngine() throws Exception {
        PythonEnvironment python = PythonEnvironment.withSdk();
        Path program = folder.resolve("accept.py");
        try (InputStream text = getClass().getResourceAsStream("/clients/accept.py")) {
            Files.copy(Objects.requireNonNull(text), program);
        }
        try (SdkFleet fleet = SdkFleet.start(folder, Tls.arguments(folder))) {
            List<String> command =
                    List.of(
                            python.python(),
                            program.toString(),
                            fleet.url(),
                            Tls.authority(folder).toString());
            PythonEnvironment.Ran ran =
                    PythonEnvironment.run(
                            command, Map.of("PW", RunningEngine.PASSWORD), RUN_SECONDS);
            assertThat(ran.output()).as("exit code %d", ran.code()).endsWith("PYTHON-SDK-OK\n");
            assertThat(ran.code()).isZero();
        }
    }
}
