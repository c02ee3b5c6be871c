package org.stillwater.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortCheckTest {

    @TempDir Path folder;
    private Path file;

    @BeforeEach
    void place() {
        file = folder.resolve("stillwater.yaml");
    }

    private String line(int number) {
        return "line " + number + " of " + file;
    }

    @Test
    void aTakenPortIsFoundUnlessTheEngineRuns() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Files.writeString(file, "server.port: " + taken.getLocalPort());
            GivenSettings given =
                    GivenSettings.read(List.of(), file.toString(), GivenEnvironment.of(Map.of()));
            assertThat(ConfigurationCheck.of(given, true))
                    .singleElement()
                    .asString()
                    .startsWith("error: " + line(1) + ": port " + taken.getLocalPort());
            assertThat(ConfigurationCheck.of(given, false)).isEmpty();
        }
    }

    @Test
    void thePortForRelaysIsCheckedAsWell() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            assertThat(ports("server.port: 0\nstillwater.relay.port: " + port)).isEmpty();
            String relays = "\nstillwater.relay:\n  enabled: true\n  port: " + port;
            assertThat(ports("server.port: 0" + relays))
                    .singleElement()
                    .asString()
                    .startsWith("error: " + line(4) + ": port " + port);
            assertThat(ports("server.port: " + port + relays))
                    .anySatisfy(each ->
                            assertThat(each)
                                    .contains(
                                            "stillwater.relay.port and server.port are the same"));
        }
    }

    private List<String> ports(String yaml) throws IOException {
        Files.writeString(file, yaml);
        GivenSettings given =
                GivenSettings.read(List.of(), file.toString(), GivenEnvironment.of(Map.of()));
        return ConfigurationCheck.of(given, true).stream().map(Finding::toString).toList();
    }

    @Test
    void aPortThatNeedsARightIsNoTakenPort() {
        assertThat(PortCheck.advice(443, "Permission denied")).contains("CAP_NET_BIND_SERVICE");
        assertThat(PortCheck.advice(443, "Address already in use"))
                .contains("another program has it");
        assertThat(PortCheck.advice(8443, "Permission denied")).contains("another program has it");
    }
}
