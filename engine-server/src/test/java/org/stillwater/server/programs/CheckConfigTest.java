package org.stillwater.server.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.fake.pki.PkiDirectory;

class CheckConfigTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir Path folder;

    private int run(String... arguments) {
        out.reset();
        return CheckConfig.run(
                List.of(arguments),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theExitCodePredictsTheStart() throws Exception {
        Path file = folder.resolve("stillwater.yaml");
        String data = "--data=" + folder.resolve("data");
        Files.writeString(file, "stillwater.cycle.interval: 20s\n");
        assertThat(run("--config", file.toString(), data, "--server.port=0")).isZero();
        assertThat(out()).contains("The configuration is usable: no errors");

        Files.writeString(file, "stillwater.cycle.interval: 20y\n");
        assertThat(run("--config", file.toString(), data, "--server.port=0")).isEqualTo(1);
        assertThat(out())
                .contains("error: line 1 of " + file, "The engine would not start: 1 error,");

        assertThat(run("--config", folder.resolve("none.yaml").toString())).isEqualTo(1);
        assertThat(out()).contains("none.yaml cannot be read");
        Files.writeString(file, "stillwater: [unclosed\n");
        assertThat(run("--config", file.toString())).isEqualTo(1);
        assertThat(out()).contains("error: the settings cannot be read: ", "line 2");
    }

    @Test
    void aFileOfAnyNameIsYaml() throws Exception {
        Path file = folder.resolve("stillwater.conf");
        Files.writeString(file, "stillwater.cycle.interval: 20y\n");
        assertThat(run("--config", file.toString(), "--server.port=0")).isEqualTo(1);
        assertThat(out()).contains("error: line 1 of " + file);
    }

    @Test
    void aWrongLineOfTheHostsFileIsFound() throws Exception {
        Path hosts = Files.writeString(folder.resolve("hosts"), "a,192.0.2.1\nb\n");
        assertThat(run("--stillwater.hosts-file=" + hosts, "--running")).isEqualTo(1);
        assertThat(out()).contains("Line 2 of the file of hosts " + hosts);
    }

    @Test
    void dataOfAnotherMajorVersionOfPostgresqlAreFound() throws Exception {
        Path data = folder.resolve("data");
        Path version =
                Files.createDirectories(data.resolve("postgresql/cluster")).resolve("PG_VERSION");
        Files.writeString(version, "17\n");
        String[] given = {"--data=" + data, "--server.port=0"};
        assertThat(run(given)).isEqualTo(1);
        assertThat(out())
                .contains("error: The data in ", "are of PostgreSQL 17, and this Stillwater runs ")
                .contains("run 'stillwater upgrade' as the engine's user");
        assertThat(run(given[0], given[1], "--spring.datasource.url=jdbc:postgresql://db/x"))
                .isZero();
        Files.writeString(version, "999\n");
        assertThat(run(given)).isEqualTo(1);
        assertThat(out()).contains("a newer Stillwater made them");
        Files.writeString(version, "eighteen\n");
        assertThat(run(given)).isEqualTo(1);
        assertThat(out()).contains("PG_VERSION names no version");
    }

    @Test
    void certificatesAndKeysAreReadAsAStartReadsThem() throws Exception {
        Path good = folder.resolve("good");
        PkiDirectory.open(good, Instant.now(), "unused".toCharArray());
        Path data = folder.resolve("data");
        String port = "--server.port=0";
        String own = "--stillwater.tls.certificate=" + good.resolve("engine.pem");
        assertThat(run("--data=" + data, port, own, key("tls", good, "engine.key.pem")))
                .as(this::out)
                .isZero();
        assertThat(run("--data=" + data, port, own, key("tls", good, "ca.key.pem"))).isEqualTo(1);
        assertThat(out())
                .contains("is not that of the certificate in", "Name the two files that belong");
        Path text = Files.writeString(folder.resolve("text.pem"), "no certificate\n");
        assertThat(run("--data=" + data, port, own, "--stillwater.tls.key=" + text)).isEqualTo(1);
        assertThat(out()).contains("text.pem cannot be used: ");

        String[] wire = {
            "--data=" + data,
            port,
            "--stillwater.wire.tls.certificate=" + good.resolve("engine.pem"),
            "--stillwater.wire.tls.trust=" + good.resolve("ca.pem"),
            key("wire.tls", good, "engine.key.pem")
        };
        assertThat(run(wire)).as(this::out).isZero();
        wire[4] = key("wire.tls", good, "ca.key.pem");
        assertThat(run(wire)).isEqualTo(1);
        assertThat(out()).contains("error: the key and certificates for hosts cannot be used: ");

        Files.createDirectories(data.resolve("pki"));
        for (String each : List.of("engine.pem", "engine.key.pem", "ca.pem")) {
            Files.copy(text, data.resolve("pki").resolve(each));
        }
        assertThat(run("--data=" + data, port)).as(this::out).isZero();
        assertThat(out()).contains("warning: the key and certificates for hosts cannot be used: ");
        assertThat(run("--data=" + data, port, "--stillwater.relay.enabled=true")).isEqualTo(1);
        assertThat(out()).contains("error: the key and certificates for relays cannot be used: ");

        String keys = "--stillwater.secrets.key-file=" + text;
        Files.setPosixFilePermissions(text, PosixFilePermissions.fromString("rw-------"));
        assertThat(run("--data=" + data, port, keys)).isEqualTo(1);
        assertThat(out()).contains("text.pem cannot be used: ");
        Files.setPosixFilePermissions(text, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(run("--data=" + data, port, keys)).isEqualTo(1);
        assertThat(out()).contains("is open to others");
    }

    private static String key(String of, Path pki, String name) {
        return "--stillwater." + of + ".key=" + pki.resolve(name);
    }

    @Test
    void wrongUsageIsRefusedByName() {
        assertThat(run("--configuration=x")).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("there is no option --configuration=x");
        assertThat(run("word")).isEqualTo(2);
        assertThat(run("--config")).isEqualTo(2);
        assertThat(run("--stillwater.cycle.interval")).isEqualTo(2);
        assertThat(run("--help")).isZero();
        assertThat(out()).contains("--config FILE", "--running", "--template");
        assertThat(run("--template")).isZero();
        assertThat(out()).contains("\n#stillwater.cycle.interval: 15s\n");
    }
}
