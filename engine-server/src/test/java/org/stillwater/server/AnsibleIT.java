package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.id.VmId;

/** Ansible's collection ovirt.ovirt accepts the engine. */
@Tag("full") // minutes, and a large package once
class AnsibleIT {

    private static final int RUN_SECONDS = 1_500;

    /** VMs of each host that can move at once. */
    private static final int MOVING = 15;

    @TempDir Path folder;

    @Test
    void thePlaybookIsPlayedToItsEnd() throws Exception {
        try (SdkFleet fleet = SdkFleet.start(folder, Tls.arguments(folder))) {
            play(fleet, "playbook.yml", Map.of());
        }
    }

    @Test
    void aHostWithSixteenVmsIsSetAsideAlthoughOneWaitsForItsLaunch() throws Exception {
        List<String> settings = new ArrayList<>(Arrays.asList(Tls.arguments(folder)));
        settings.add("--stillwater.commands.hosts.drain-patience=15s"); // instead of minutes
        try (SdkFleet fleet = SdkFleet.start(folder, MOVING, settings.toArray(String[]::new))) {
            Thread launches = fleet.holdLaunchOf(new VmId(7, 0));
            play(fleet, "maintenance.yml", Map.of("VM", "defined0"));
            launches.join();
        }
    }

    private void play(SdkFleet fleet, String name, Map<String, String> variables) throws Exception {
        PythonEnvironment ansible = PythonEnvironment.withAnsible();
        Map<String, String> environment = new HashMap<>(variables);
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
                                playbook(name).toString()),
                        environment,
                        RUN_SECONDS);
        assertThat(ran.output())
                .as("exit code %d", ran.code())
                .contains("ANSIBLE-OK")
                .containsPattern("localhost +: ok=[0-9]+ .*unreachable=0 +failed=0");
        assertThat(ran.code()).isZero();
    }

    private Path playbook(String name) throws IOException {
        Path playbook = folder.resolve(name);
        try (InputStream text = getClass().getResourceAsStream("/clients/" + name)) {
            Files.copy(Objects.requireNonNull(text), playbook);
        }
        return playbook;
    }
}
