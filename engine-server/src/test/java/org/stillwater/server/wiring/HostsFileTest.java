package org.stillwater.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.server.settings.FleetSettings.Host;

class HostsFileTest {

    @TempDir Path folder;

    @Test
    void namesAddressesAndPortsAreReadAndCommentsSkipped() throws Exception {
        Path file =
                Files.writeString(
                        folder.resolve("hosts"),
                        "# north\n\nnorth,north.example\n south , 2001:db8::1 , 54400 \n");
        assertThat(HostsFile.read(file))
                .containsExactly(
                        new Host("north", "north.example", 54321),
                        new Host("south", "2001:db8::1", 54400));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "north|is not name,address",
                "north,a,1,2|is not name,address",
                "north,a,many|has a port that is no number",
                "north,a,0|1 to 65535",
                ",a|1 to 255 characters",
                "first,b|names the host first again"
            })
    void aWrongLineRefusesTheFileAndIsNamed(String line, String reason) throws Exception {
        Path file = Files.writeString(folder.resolve("hosts"), "first,a\n" + line + "\n");
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
