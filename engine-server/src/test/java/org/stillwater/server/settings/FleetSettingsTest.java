package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.stillwater.server.settings.FleetSettings.Host;

class FleetSettingsTest {

    @Test
    void withoutSettingsThereAreNoHostsAndAFolderBesideTheProcess() {
        assertThat(Bound.bind(FleetSettings.class, Map.of()))
                .isEqualTo(new FleetSettings(Path.of("data"), List.of(), null));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                FleetSettings.class,
                                Map.of(
                                        "stillwater.data-folder", "/var/lib/stillwater",
                                        "stillwater.hosts[0].name", "north",
                                        "stillwater.hosts[0].address", "north.example",
                                        "stillwater.hosts[1].name", "south",
                                        "stillwater.hosts[1].address", "192.0.2.7",
                                        "stillwater.hosts[1].port", "54400",
                                        "stillwater.hosts-file", "/etc/stillwater/hosts")))
                .isEqualTo(
                        new FleetSettings(
                                Path.of("/var/lib/stillwater"),
                                List.of(
                                        new Host("north", "north.example", 54321),
                                        new Host("south", "192.0.2.7", 54400)),
                                Path.of("/etc/stillwater/hosts")));
    }

    @Test
    void invalidHostsAreRefusedWithTheNameOfTheSetting() {
        assertThat(Bound.refusal(FleetSettings.class, "stillwater.hosts[0].name", "north"))
                .contains("stillwater.hosts[].address", "missing");
        assertThat(
                        Bound.refusal(
                                FleetSettings.class,
                                Map.of(
                                        "stillwater.hosts[0].name", " ",
                                        "stillwater.hosts[0].address", "north.example")))
                .contains("stillwater.hosts[].name", "1 to 255 characters");
        assertThat(
                        Bound.refusal(
                                FleetSettings.class,
                                Map.of(
                                        "stillwater.hosts[0].name", "north",
                                        "stillwater.hosts[0].address", "north.example",
                                        "stillwater.hosts[0].port", "70000")))
                .contains("stillwater.hosts[].port", "1 to 65535", "70000");
        assertThat(
                        Bound.refusal(
                                FleetSettings.class,
                                Map.of(
                                        "stillwater.hosts[0].name", "north",
                                        "stillwater.hosts[0].address", "a.example",
                                        "stillwater.hosts[1].name", "north",
                                        "stillwater.hosts[1].address", "b.example")))
                .contains("different names", "north");
    }
}
