package org.stillwater.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.logging.LogLevel;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.server.configuration.GivenSettings;

class SettingsReloadTest {

    @TempDir Path folder;

    private final List<String> done = new ArrayList<>();
    private Path file;
    private Path hosts;
    private @Nullable String broken;

    /** Records the actions of a reload. */
    private final SettingsReload.Effects effects =
            new SettingsReload.Effects() {
                @Override
                public void level(String logger, @Nullable LogLevel level) {
                    done.add("level " + logger + " " + level);
                }

                @Override
                public void hosts(List<HostDefinition> wanted) {
                    done.add("hosts " + wanted.stream().map(HostDefinition::name).toList());
                }

                @Override
                public List<String> tlsFiles() throws IOException {
                    if (broken != null) {
                        throw new IOException(broken);
                    }
                    return List.of("hosts: trusted authorities: CN=old; CN=new");
                }

                @Override
                public void audit(AuditEvent event, Map<String, String> details) {
                    done.add(event + " " + details);
                }
            };

    @BeforeEach
    void write() throws Exception {
        hosts = Files.writeString(folder.resolve("hosts"), "one,192.0.2.1\n");
        file = folder.resolve("stillwater.yaml");
        settings("logging.level.org.stillwater: info", "stillwater.cycle.interval: 15s");
    }

    private void settings(String... lines) throws Exception {
        Files.writeString(
                file,
                String.join("\n", lines)
                        + "\nstillwater.data-folder: "
                        + folder
                        + "\nstillwater.hosts-file: "
                        + hosts
                        + "\n");
    }

    private GivenSettings read() {
        return GivenSettings.read(List.of(), file.toString());
    }

    private SettingsReload engine() {
        return new SettingsReload(this::read, read().written(), effects);
    }

    @Test
    void levelsAndHostsAreTaken() throws Exception {
        SettingsReload engine = engine();
        settings(
                "logging.level.org.postgresql: debug",
                "logging.level.org.flywaydb: off",
                "stillwater.cycle.interval: 15s");
        Files.writeString(hosts, "one,192.0.2.1\ntwo,192.0.2.2\n");
        engine.reload();
        assertThat(done)
                .contains(
                        "level org.postgresql DEBUG", "level org.flywaydb OFF", "hosts [one, two]");
        assertThat(done.getLast())
                .startsWith("SETTINGS_RELOADED")
                .contains("2 hosts of the settings are watched", "CN=old; CN=new")
                .doesNotContain("restart");
        done.clear();
        settings("stillwater.cycle.interval: 15s");
        engine.reload();
        assertThat(done).contains("level org.postgresql null", "level org.flywaydb null");
    }

    @Test
    void changesThatNeedARestartAreNamed() throws Exception {
        SettingsReload engine = engine();
        settings("stillwater.cycle.interval: 30s", "stillwater.tls.enabled: false");
        engine.reload();
        assertThat(done.getLast())
                .startsWith("SETTINGS_RELOADED")
                .contains(
                        "only a restart changes stillwater.cycle.interval,"
                                + " stillwater.tls.enabled");
    }

    @Test
    void brokenTlsFilesChangeNothing() throws Exception {
        SettingsReload engine = engine();
        settings("logging.level.org.postgresql: debug");
        broken = "TLS files: no certificate in ca.pem";
        engine.reload();
        assertThat(done)
                .singleElement()
                .asString()
                .startsWith("SETTINGS_REFUSED")
                .contains("no certificate in ca.pem");
        done.clear();
        broken = null;
        engine.reload();
        assertThat(done.getLast()).startsWith("SETTINGS_RELOADED");
    }

    @Test
    void wrongSettingsChangeNothingAndTheNearestNameIsSuggested() throws Exception {
        SettingsReload engine = engine();
        settings("logging.level.org.postgresql: debug", "stillwater.cycle.intervall: 30s");
        engine.reload();
        assertThat(done)
                .singleElement()
                .asString()
                .startsWith("SETTINGS_REFUSED")
                .contains("stillwater.cycle.intervall", "stillwater.cycle.interval");
        done.clear();
        Files.writeString(file, "stillwater: [");
        engine.reload();
        assertThat(done).singleElement().asString().startsWith("SETTINGS_REFUSED");
    }
}
