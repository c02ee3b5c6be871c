package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ansible's collection ovirt.ovirt accepts the engine. */
@Tag("full") // minutes, and a large package once
class AnsibleIT {

    private static final int RUN_SECONDS = 1_500;

    @TempDir Path folder;

    @Test
    void thePlaybookIsPlayedToItsEnd() throws Exception {
        PythonEnvironment ansible = PythonEnvironment.withAnsible();
        Path playbook = folder.resolve("playbook.yml");
        try (InputStream text = getClass().getResourceAsStream("/clients/playbook.yml")) {
            Files.copy(Objects.requireNonNull(text), playbook);
        }
        try (SdkFleet fleet = SdkFleet.start(folder, Tls.arguments(folder))) {
            Map<String, String> environment = new HashMap<>();
            environment.put("OVIRT_URL", fleet.url());
            environment.put("OVIRT_CAFILE", Tls.authority(folder).toString());
            environment.put("OVIRT_USERNAME", "admin@internal");
            environment.put("OVIRT_PASSWORD", RunningEngine.PASSWORD);
            environment.put("ANSIBLE_HOME", folder.resolve("ansible").toString());
            environment.put("ANSIBLE_LOCALHOST_WARNING", "false");
            environment.put("ANSIBLE_NOCOLOR", "true");
            environment.put("LC_ALL", "C.UTF-8");
            PythonEnvironment.Ran ran =
                    PythonEnvironment.run(
                            List.of(
                                    ansible.python(),
                                    "-m",
                                    "ansible",
                                    "playbook",
                                    playbook.toString()),
                            environment,
                            RUN_SECONDS);
            assertThat(ran.output())
                    .as("exit code %d", ran.code())
                    .contains("ANSIBLE-OK")
                    .containsPattern("localhost +: ok=[0-9]+ .*unreachable=0 +failed=0");
            assertThat(ran.code()).isZero();
        }
    }
}
