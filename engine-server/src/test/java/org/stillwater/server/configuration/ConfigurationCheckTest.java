package org.stillwater.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationCheckTest {

    @TempDir Path folder;
    private Path file;

    @BeforeEach
    void place() {
        file = folder.resolve("stillwater.yaml");
    }

    private List<String> check(String yaml, Map<String, Object> variables, String... options)
            throws IOException {
        Files.writeString(file, yaml);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        return findings(variables, options);
    }

    private List<String> findings(Map<String, Object> variables, String... options) {
        GivenSettings given =
                GivenSettings.read(
                        List.of(options), file.toString(), GivenEnvironment.of(variables));
        return ConfigurationCheck.of(given, false).stream().map(Finding::toString).toList();
    }

    private String line(int number) {
        return "line " + number + " of " + file;
    }

    @Test
    void usableSettingsHaveNoFindings() throws Exception {
        assertThat(
                        check(
                                """
                                stillwater:
                                  data-folder: %s
                                  cycle.interval: 30s
                                  hosts:
                                    - name: a
                                      address: 192.0.2.1
                                  otlp.headers.X-Scope: tenant
                                server.port: 0
                                logging.level.org.stillwater.dal: debug
                                """
                                        .formatted(folder.resolve("data")),
                                Map.of("STILLWATER_CONFIG", "/x", "PATH", "/bin"),
                                "--stillwater.cycle.mailbox-events=100"))
                .isEmpty();
    }

    @Test
    void unknownNamesAreFoundWithTheirLinesAndTheNearestName() throws Exception {
        assertThat(
                        check(
                                """
                                stillwater:
                                  cycle:
                                    intervall: 30s
                                  wholly-unknown-words: 1
                                server:
                                  adress: 0.0.0.0
                                """,
                                Map.of("STILLWATER_CYCLE_INTERVALL", "5s"),
                                "--stillwater.hosts-fil=x"))
                .containsExactlyInAnyOrder(
                        "error: option --stillwater.hosts-fil:"
                                + " there is no setting stillwater.hosts-fil; did you mean"
                                + " stillwater.hosts-file?",
                        "error: "
                                + line(3)
                                + ": there is no setting stillwater.cycle.intervall; did you mean"
                                + " stillwater.cycle.interval?",
                        "error: "
                                + line(4)
                                + ": there is no setting stillwater.wholly-unknown-words",
                        "warning: "
                                + line(6)
                                + ": Spring Boot has no setting server.adress; did you mean"
                                + " server.address?",
                        "warning: environment: no setting is written STILLWATER_CYCLE_INTERVALL;"
                                + " did you mean STILLWATER_CYCLE_INTERVAL?");
    }

    @Test
    void variablesOfTheLauncherAndTheCommandLineAreKnown() throws Exception {
        assertThat(
                        check(
                                "stillwater.cycle.interval: 30s",
                                Map.of(
                                        "STILLWATER_FAST_START", "no",
                                        "STILLWATER_TOKEN_FILE", "token",
                                        "STILLWATER_PASSWORD_FILE", "password")))
                .isEmpty();
    }

    @Test
    void aMisspeltSubjectIsFoundAsWell() throws Exception {
        assertThat(
                        check(
                                """
                                stillwatr.cycle.interval: 30s
                                stilwater:
                                  tls.enabled: true
                                monitor.interval: 15s
                                logging.level.root: loud
                                logging.level.org.stillwater: "off"
                                """,
                                Map.of()))
                .containsExactlyInAnyOrder(
                        "error: "
                                + line(1)
                                + ": there is no setting stillwatr.cycle.interval; did you mean"
                                + " stillwater.cycle.interval?",
                        "error: "
                                + line(3)
                                + ": there is no setting stilwater.tls.enabled; did you mean"
                                + " stillwater.tls.enabled?",
                        "warning: "
                                + line(4)
                                + ": nothing reads monitor.interval, unless another setting refers"
                                + " to it",
                        "error: "
                                + line(5)
                                + ": logging.level.root cannot be \"loud\": it needs off, error,"
                                + " warn, info, debug or trace");
    }

    @Test
    void aFileThatHoldsNoSettingsIsNoFileOfSettings() throws Exception {
        assertThat(check("just text\n", Map.of()))
                .singleElement()
                .asString()
                .startsWith("error: ")
                .endsWith("this is no setting: each needs its name, a colon and its value");
        assertThat(check("- stillwater.cycle.interval\n- 15s\n", Map.of())).hasSize(2);
        assertThat(check("", Map.of())).isEmpty();
        assertThat(check("stillwater:\n  # cycle.interval: 15s\n", Map.of())).isEmpty();
    }

    @Test
    void everyRefusedValueIsFoundWithItsLine() throws Exception {
        assertThat(
                        check(
                                """
                                stillwater.cycle.interval: soon
                                stillwater.cycle.mailbox-events: -1
                                stillwater.cycle.mailbox-size: 16 apples
                                stillwater.tls.enabled: perhaps
                                stillwater.writer.batch: many
                                """,
                                Map.of("STILLWATER_WORKERS_STUCKLIMIT", "0s")))
                .satisfiesExactlyInAnyOrder(
                        each ->
                                assertThat(each)
                                        .startsWith("error: " + line(1))
                                        .contains("\"soon\": it needs a duration, such as"),
                        each ->
                                assertThat(each)
                                        .startsWith("error: " + line(2))
                                        .contains("stillwater.cycle.mailbox-events must be"),
                        each ->
                                assertThat(each)
                                        .startsWith("error: " + line(3))
                                        .contains("\"16 apples\": it needs a size"),
                        each ->
                                assertThat(each)
                                        .startsWith("error: " + line(4))
                                        .contains("\"perhaps\": it needs true or false"),
                        each ->
                                assertThat(each)
                                        .startsWith("error: " + line(5))
                                        .contains("\"many\": it needs a whole number"),
                        each ->
                                assertThat(each)
                                        .startsWith("error: variable STILLWATER_WORKERS_STUCKLIMIT")
                                        .contains("stillwater.workers.stuck-limit must be"));
    }

    @Test
    void otherSpellingsOfNumbersAndFlagsAreFound() throws Exception {
        assertThat(
                        check(
                                """
                                stillwater.tls.enabled: "yes"
                                stillwater.writer.batch: "0x10"
                                stillwater.cycle.mailbox-events: "1 00"
                                stillwater.commands.scheduling.cpu-overcommit: "10d"
                                stillwater.xapi.pools[0].port: "#10"
                                stillwater.feed.kept: "${stillwater.writer.batch}"
                                """,
                                Map.of("STILLWATER_COMMANDS_ENABLED", "off"),
                                "--stillwater.relay.enabled=on"))
                .contains(
                        "error: "
                                + line(1)
                                + ": stillwater.tls.enabled must be true or false, not \"yes\"",
                        "error: "
                                + line(2)
                                + ": stillwater.writer.batch must be a whole number in decimal"
                                + " digits, not \"0x10\"",
                        "error: "
                                + line(3)
                                + ": stillwater.cycle.mailbox-events must be a whole number in"
                                + " decimal digits, not \"1 00\"",
                        "error: "
                                + line(4)
                                + ": stillwater.commands.scheduling.cpu-overcommit must be a"
                                + " decimal number, not \"10d\"",
                        "error: "
                                + line(5)
                                + ": stillwater.xapi.pools[0].port must be a whole number in"
                                + " decimal digits, not \"#10\"",
                        "error: "
                                + line(6)
                                + ": stillwater.feed.kept must be a whole number in decimal digits,"
                                + " not \"0x10\"",
                        "error: variable STILLWATER_COMMANDS_ENABLED:"
                                + " stillwater.commands.enabled must be true or false, not \"off\"",
                        "error: option --stillwater.relay.enabled: stillwater.relay.enabled must be"
                                + " true or false, not \"on\"");
    }

    /** They are numbers and flags of YAML. */
    @Test
    void decimalNumbersFlagsAndValuesOfYamlAreTaken() throws Exception {
        assertThat(
                        check(
                                """
                                stillwater.checks.ballooning: yes
                                stillwater.writer.batch: 0x10
                                stillwater.beliefs.enabled: "TRUE"
                                stillwater.cycle.mailbox-events: " +100 "
                                stillwater.commands.scheduling.cpu-overcommit: "1e1"
                                """,
                                Map.of("STILLWATER_COMMANDS_ENABLED", "False")))
                .isEmpty();
    }

    @Test
    void valuesThatAStartRefusesTogetherAreFound() throws Exception {
        String host = "3f1c1b52-9a55-4e0c-9a3e-2f0b8b1c7a10";
        assertThat(
                        check(
                                """
                                stillwater.host-policy.reboot: 5m
                                stillwater.commands.hosts.fencing-limit: 6m
                                stillwater.fencing.kdump.address: 127.0.0.1
                                stillwater.fencing.kdump.longest: 7m
                                stillwater.relay:
                                  enabled: true
                                  hosts: [rack-1=%s, rack-2=%<s]
                                """
                                        .formatted(host),
                                Map.of()))
                .satisfiesExactlyInAnyOrder(
                        each ->
                                assertThat(each)
                                        .startsWith("error: " + line(2))
                                        .contains("fencing-limit must be less than"),
                        each ->
                                assertThat(each)
                                        .startsWith("error: " + line(4))
                                        .contains("kdump.longest must be less than"),
                        each ->
                                assertThat(each)
                                        .startsWith("error: " + line(7))
                                        .contains("names each host once, not " + host + " twice"));
        assertThat(
                        check(
                                """
                                stillwater.commands.enabled: false
                                stillwater.host-policy.reboot: 5m
                                stillwater.commands.hosts.fencing-limit: 6m
                                """,
                                Map.of()))
                .as("without commands")
                .isEmpty();
    }

    @Test
    void missingFilesAreFoundAndSoIsAFolderThatCannotBeWritten() throws Exception {
        Path notAFolder = Files.writeString(folder.resolve("file"), "x");
        assertThat(
                        check(
                                """
                                stillwater.hosts-file: %s/no-hosts
                                stillwater.data-folder: %s/data
                                """
                                        .formatted(folder, notAFolder),
                                Map.of()))
                .satisfiesExactlyInAnyOrder(
                        each ->
                                assertThat(each)
                                        .startsWith("error: " + line(1))
                                        .contains("no-hosts, which does not exist"),
                        each ->
                                assertThat(each)
                                        .startsWith("error: " + line(2))
                                        .contains("where this user cannot write"));
    }

    @Test
    void aSecretInAFileThatOthersReadIsAWarningWithoutTheSecret() throws Exception {
        Files.writeString(file, "stillwater.security.initial-password: correct-horse\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(findings(Map.of()))
                .singleElement()
                .asString()
                .startsWith("warning: " + line(1))
                .contains("chmod 640")
                .doesNotContain("correct-horse");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(findings(Map.of())).isEmpty();
    }

    @Test
    void credentialsOfSystemdAreSettingsAndAreChecked() throws Exception {
        Path credentials = Files.createDirectory(folder.resolve("credentials"));
        Files.writeString(credentials.resolve("spring.datasource.password"), "s3cret\n");
        Files.writeString(credentials.resolve("stillwater-secrets-key"), "not a setting");
        Files.writeString(credentials.resolve("stillwater.cycle.intervall"), "1s");
        Files.writeString(
                file, "spring.datasource.username: engine\nspring.datasource.password: file\n");
        GivenSettings given =
                GivenSettings.read(
                        List.of("--spring.datasource.username=option"),
                        file.toString(),
                        GivenEnvironment.of(
                                Map.of("CREDENTIALS_DIRECTORY", credentials.toString())));
        assertThat(given.value("spring.datasource.password")).isEqualTo("s3cret");
        assertThat(given.value("spring.datasource.username")).isEqualTo("option");
        assertThat(given.value("stillwater-secrets-key")).isNull();
        assertThat(ConfigurationCheck.of(given, false))
                .anySatisfy(each ->
                        assertThat(each.toString())
                                .startsWith("error: ")
                                .contains("there is no setting stillwater.cycle.intervall"));
    }

    @Test
    void secretsAreReadFromFilesOfAFolder() throws Exception {
        Path secrets = Files.createDirectory(folder.resolve("secrets"));
        Files.writeString(secrets.resolve("spring.datasource.password"), "s3cret\n");
        Files.writeString(file, "spring.config.import: \"configtree:" + secrets + "/\"\n");
        GivenSettings given =
                GivenSettings.read(List.of(), file.toString(), GivenEnvironment.of(Map.of()));
        assertThat(given.value("spring.datasource.password").strip()).isEqualTo("s3cret");
    }

    @Test
    void aSecretsFileThatCannotBeReadIsAFindingWithItsName() throws Exception {
        Path secrets = Files.createDirectory(folder.resolve("secrets"));
        Path secret = Files.writeString(secrets.resolve("spring.datasource.password"), "s3cret\n");
        Files.writeString(file, "spring.config.import: \"configtree:" + secrets + "/\"\n");
        GivenSettings given =
                GivenSettings.read(List.of(), file.toString(), GivenEnvironment.of(Map.of()));
        Files.delete(secret); // root may read a file of every mode
        assertThat(ConfigurationCheck.of(given, false))
                .singleElement()
                .asString()
                .startsWith("error: ")
                .contains("spring.datasource.password is in a file that this user cannot read: ")
                .contains(secret.toString());
    }
}
