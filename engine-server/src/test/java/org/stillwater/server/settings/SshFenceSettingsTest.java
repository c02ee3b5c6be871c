package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SshFenceSettingsTest {

    private static final String PREFIX = "stillwater.fencing.ssh.";

    @Test
    void defaults() {
        assertThat(Bound.bind(SshFenceSettings.class, Map.of()))
                .isEqualTo(
                        new SshFenceSettings(
                                false,
                                "ssh",
                                null,
                                null,
                                "root",
                                22,
                                Duration.ofSeconds(10),
                                Duration.ofMinutes(2),
                                4));
    }

    @Test
    void everySettingIsRead() {
        assertThat(
                        Bound.bind(
                                SshFenceSettings.class,
                                Map.of(
                                        PREFIX + "enabled", "true",
                                        PREFIX + "program", "/opt/ssh",
                                        PREFIX + "identity", "/keys/id",
                                        PREFIX + "known-hosts", "/keys/known",
                                        PREFIX + "user", "fencer",
                                        PREFIX + "port", "2222",
                                        PREFIX + "connect-timeout", "3s",
                                        PREFIX + "time-limit", "30s",
                                        PREFIX + "at-once", "7")))
                .isEqualTo(
                        new SshFenceSettings(
                                true,
                                "/opt/ssh",
                                Path.of("/keys/id"),
                                Path.of("/keys/known"),
                                "fencer",
                                2222,
                                Duration.ofSeconds(3),
                                Duration.ofSeconds(30),
                                7));
    }

    @Test
    void unreasonableValuesAreRefused() {
        assertThat(refusal("enabled", "true")).contains("both identity and known-hosts");
        assertThat(refusal("identity", "relative/key")).contains("must be an absolute path");
        assertThat(refusal("known-hosts", "/keys/%h")).contains("must be an absolute path");
        assertThat(refusal("identity", "/my keys/id")).contains("must be an absolute path");
        assertThat(refusal("user", "-oProxyCommand=x")).contains("must be a plain user name");
        assertThat(refusal("user", "a b")).contains("must be a plain user name");
        assertThat(refusal("program", " ")).contains("must be a program");
        assertThat(refusal("port", "0")).contains("must be 1 to 65535, not 0");
        assertThat(refusal("connect-timeout", "0s")).contains("must be 1s to 5m, not 0ms");
        assertThat(refusal("time-limit", "5s")).contains("must be 10s to 10m, not 5s");
        assertThat(refusal("at-once", "0")).contains("must be 1 to 100, not 0");
    }

    private static String refusal(String name, String value) {
        return Bound.refusal(SshFenceSettings.class, PREFIX + name, value);
    }
}
