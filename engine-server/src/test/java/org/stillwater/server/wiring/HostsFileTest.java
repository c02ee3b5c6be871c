package org.stillwater.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.server.settings.FleetSettings;

class HostsFileTest {

    @TempDir Path folder;

    @Test
    void namesAddressesAndPortsAreReadAndCommentsSkipped() throws Exception {
        Path file =
                Files.writeString(
                        folder.resolve("hosts"),
                        "# north\n\nnorth,north.example\n south , 2001:db8::1 , 54400 \n");
        assertThat(HostsFile.read(file))
                .extracting(HostDefinition::name, HostDefinition::address, HostDefinition::port)
                .containsExactly(
                        tuple("north", "north.example", 54321),
                        tuple("south", "2001:db8::1", 54400));
    }

    @Test
    void aMarkOfTheEncodingIsNoPartOfAName() throws Exception {
        Path file = Files.writeString(folder.resolve("hosts"), "\uFEFFnorth,n\nsouth,s\n");
        assertThat(HostsFile.read(file))
                .extracting(HostDefinition::name)
                .containsExactly("north", "south");
    }

    @Test
    void aHostOfTheSettingsIsNotInTheFileToo() throws Exception {
        Path file = Files.writeString(folder.resolve("hosts"), "north,n\nsouth,s\n");
        FleetSettings.Host south = new FleetSettings.Host("south", "elsewhere", 54321);
        FleetSettings.Host east = new FleetSettings.Host("east", "e", 54321);
        assertThat(HostsFile.hosts(new FleetSettings(folder, List.of(east), file)))
                .extracting(HostDefinition::name)
                .containsExactly("east", "north", "south");
        assertThatThrownBy(() ->
                        HostsFile.hosts(new FleetSettings(folder, List.of(east, south), file)))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("The host south is in stillwater.hosts and in the file");
    }

    @Test
    void aHostMayHaveItsUuidThere() throws Exception {
        String id = "0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01";
        Path file =
                Files.writeString(folder.resolve("hosts"), "north,n,1\nsouth,s,1, " + id + "\n");
        List<HostDefinition> hosts = HostsFile.read(file);
        assertThat(hosts.get(1).id()).isEqualTo(HostId.parse(id));
        assertThat(hosts.get(0).id()).isNotEqualTo(hosts.get(1).id());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "north|is not name,address",
                "north,a,1,2|is refused",
                "north,a,1,0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01|has the UUID of an earlier host",
                "north,a,1,2,3|is not name,address",
                "north,a,many|has a port that is no number",
                "north,a,0|1 to 65535",
                ",a|1 to 255 characters",
                "first,b|names the host first again"
            })
    void aWrongLineRefusesTheFileAndIsNamed(String line, String reason) throws Exception {
        Path file =
                Files.writeString(
                        folder.resolve("hosts"),
                        "first,a,1,0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01\n" + line + "\n");
        assertThatThrownBy(() -> HostsFile.read(file))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("Line 2")
                .hasMessageContaining(reason);
    }

    @Test
    void aMissingFileIsNamed() {
        assertThatThrownBy(() -> HostsFile.read(folder.resolve("none")))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("none does not exist");
    }
}
