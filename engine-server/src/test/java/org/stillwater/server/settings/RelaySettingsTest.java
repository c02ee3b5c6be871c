package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;
import org.stillwater.core.id.HostId;

class RelaySettingsTest {

    private static final String PREFIX = "stillwater.relay.";
    private static final String ONE = "0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01";
    private static final String TWO = "0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e02";

    @Test
    void relaysAreOffByDefault() {
        assertThat(Bound.bind(RelaySettings.class, Map.of()))
                .isEqualTo(
                        new RelaySettings(
                                false,
                                "127.0.0.1",
                                54_331,
                                null,
                                null,
                                null,
                                List.of(),
                                256,
                                Duration.ofMillis(250),
                                1_000_000,
                                16,
                                Duration.ofSeconds(30),
                                RelaySettings.Commands.DIRECT,
                                64,
                                8,
                                DataSize.ofKilobytes(512)));
    }

    @Test
    void everySettingIsRead() {
        RelaySettings settings =
                Bound.bind(
                        RelaySettings.class,
                        Map.ofEntries(
                                Map.entry(PREFIX + "enabled", "true"),
                                Map.entry(PREFIX + "address", "::"),
                                Map.entry(PREFIX + "port", "4711"),
                                Map.entry(PREFIX + "key", "/k.pem"),
                                Map.entry(PREFIX + "certificate", "/c.pem"),
                                Map.entry(PREFIX + "authorities", "/ca.pem"),
                                Map.entry(PREFIX + "hosts[0]", "rack=7=" + ONE),
                                Map.entry(PREFIX + "hosts[1]", "rack=7=" + TWO),
                                Map.entry(PREFIX + "window", "7"),
                                Map.entry(PREFIX + "mark", "1s"),
                                Map.entry(PREFIX + "most-cells", "5000"),
                                Map.entry(PREFIX + "silent-streams", "3"),
                                Map.entry(PREFIX + "hello-timeout", "9s"),
                                Map.entry(PREFIX + "commands", "relay"),
                                Map.entry(PREFIX + "calls-per-host", "4"),
                                Map.entry(PREFIX + "calls", "5"),
                                Map.entry(PREFIX + "call-size", "1MB")));
        assertThat(settings)
                .isEqualTo(
                        new RelaySettings(
                                true,
                                "::",
                                4_711,
                                Path.of("/k.pem"),
                                Path.of("/c.pem"),
                                Path.of("/ca.pem"),
                                List.of("rack=7=" + ONE, "rack=7=" + TWO),
                                7,
                                Duration.ofSeconds(1),
                                5_000,
                                3,
                                Duration.ofSeconds(9),
                                RelaySettings.Commands.RELAY,
                                5,
                                4,
                                DataSize.ofMegabytes(1)));
        assertThat(settings.hostsByRelay())
                .isEqualTo(Map.of("rack=7", List.of(HostId.parse(ONE), HostId.parse(TWO))));
    }

    @Test
    void unreasonableValuesAreRefused() {
        assertThat(refusal("address", "engine.example")).contains("must be an IP address");
        assertThat(refusal("port", "70000")).contains("must be 0 to 65535, not 70000");
        assertThat(refusal("key", "/k.pem")).contains("given together with");
        assertThat(refusal("hosts", "rack-7")).contains("must be entries NAME=UUID, not rack-7");
        assertThat(refusal("hosts", "=" + ONE)).contains("must be entries NAME=UUID");
        assertThat(refusal("window", "0")).contains("must be 1 to 10000, not 0");
        assertThat(refusal("mark", "1ms")).contains("must be 10ms to 5s, not 1ms");
        assertThat(refusal("most-cells", "1")).contains("must be 1000 to 100000000, not 1");
        assertThat(refusal("silent-streams", "0")).contains("must be 1 to 1000, not 0");
        assertThat(refusal("hello-timeout", "1ms")).contains("must be 1s to 10m, not 1ms");
        assertThat(refusal("calls-per-host", "0")).contains("must be 1 to 1000, not 0");
        assertThat(refusal("calls", "0")).contains("must be 1 to 10000, not 0");
        assertThat(refusal("call-size", "1KB")).contains("must be 16KB to 32MB, not 1KB");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(RelaySettings.class, PREFIX + name, value);
    }
}
