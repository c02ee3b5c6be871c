package org.stillwater.relay.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.vdsm.client.VdsmClientSettings;

class RelaySettingsTest {

    private static final String ID = "0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e01";
    private static final String LEAST =
            """
            relay.name = rack-7
            relay.engine = engine.example
            engine.tls.key = k.pem
            engine.tls.certificate = c.pem
            engine.tls.authorities = ca.pem
            hosts.tls.off = true
            host.%s = 192.0.2.7
            """
                    .formatted(ID);

    @TempDir private Path folder;

    private RelaySettings read(String text) throws IOException {
        Path file = folder.resolve("relay.properties");
        Files.writeString(file, text);
        return RelaySettings.read(file);
    }

    @Test
    @DisplayName("a few lines are enough, the rest has defaults")
    void defaults() throws IOException {
        RelaySettings settings = read(LEAST);

        assertThat(settings.engine())
                .isEqualTo(new RelaySettings.Address("engine.example", 54_331));
        assertThat(settings.engineTls())
                .isEqualTo(
                        new RelaySettings.TlsFiles(
                                folder.resolve("k.pem"),
                                folder.resolve("c.pem"),
                                folder.resolve("ca.pem")));
        assertThat(settings.hostTls()).isNull();
        assertThat(settings.interval()).isEqualTo(Duration.ofSeconds(15));
        assertThat(settings.deadbands()).isEqualTo(RelaySettings.Deadbands.DEFAULT);
        assertThat(settings.bounds()).isEqualTo(RelaySettings.Bounds.DEFAULT);
        assertThat(settings.healthPort()).isZero();
        assertThat(settings.hosts().getFirst().definition().port()).isEqualTo(54_321);
        assertThat(settings.hosts().getFirst().certificate()).isNull();
    }

    @Test
    @DisplayName("every setting is read")
    void everything() throws IOException {
        RelaySettings settings =
                read(
                        LEAST.replace("engine.example", "[2001:db8::1]:4711")
                                + """
                                relay.interval = 5s
                                deadband.cpu-percent = 0
                                deadband.memory-kib = 1
                                deadband.bytes-per-second = 2.5
                                deadband.latency-nanos = 3
                                bounds.events = 4
                                bounds.marks = 5
                                bounds.calls = 6
                                bounds.call-kib = 7
                                health.port = 8081
                                host.%1$s.name = web
                                host.%1$s.certificate = %2$s
                                """
                                        .formatted(ID, "ab".repeat(32)));

        assertThat(settings.engine()).isEqualTo(new RelaySettings.Address("2001:db8::1", 4_711));
        assertThat(settings.interval()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.deadbands()).isEqualTo(new RelaySettings.Deadbands(0, 1, 2.5, 3));
        assertThat(settings.bounds()).isEqualTo(new RelaySettings.Bounds(4, 5, 6, 7));
        assertThat(settings.healthPort()).isEqualTo(8_081);
        assertThat(settings.hosts().getFirst().definition().name()).isEqualTo("web");
        assertThat(settings.hosts().getFirst().certificate()).isNotNull();
    }

    @ParameterizedTest
    @DisplayName("what cannot be used is refused by name")
    @CsvSource(
            delimiter = '|',
            value = {
                "relay.colour = blue | unknown settings: relay.colour",
                "relay.interval = soon | relay.interval is no duration",
                "relay.interval = 200s | relay.interval is 1s to 120s",
                "bounds.events = many | bounds.events is no whole number",
                "bounds.marks = 0 | a bound is 1 or more",
                "bounds.calls = -1 | bounds.calls is 0 to 1000",
                "bounds.call-kib = 0 | bounds.call-kib is 1 to 32768",
                "deadband.cpu-percent = -1 | a deadband is 0 or more",
                "health.port = 70000 | health.port is 0 to 65535",
                "hosts.tls.key = k.pem | hosts.tls.off",
                "host.nonsense = 192.0.2.8 | host.nonsense: ",
                "host.0E6F3A52-8D1B-4C6E-9A57-2F4B1C7D9E01 = 192.0.2.8 | 2f4b1c7d9e01 is set twice",
                "host.0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e02 = |"
                        + " host.0e6f3a52-8d1b-4c6e-9a57-2f4b1c7d9e02: not an address",
                "relay.name = rack-8 | relay.name is set twice"
            })
    void refusals(String line, String why) {
        assertThatThrownBy(() -> read(LEAST + line + "\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @DisplayName("so is a value that cannot be used in place of one that can")
    @CsvSource(
            delimiter = '|',
            value = {
                "rack-7 | '' | relay.name has 1 to 64 characters",
                "engine.example | :0 | not an address",
                "engine.example | engine.example:5433l | not an address with a port:"
                        + " engine.example:5433l"
            })
    void values(String good, String bad, String why) {
        assertThatThrownBy(() -> read(LEAST.replace("= " + good, "= " + bad)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    private record Ended(int code, String out, String err) {}

    private static Ended run(String... arguments) throws InterruptedException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code =
                RelayProgram.run(
                        arguments,
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        new CountDownLatch(0));
        return new Ended(
                code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    @Test
    @DisplayName("idle receive buffers take a small part of the heap of 64 MiB")
    void idleBuffers() throws IOException {
        VdsmClientSettings hosts = RelayProgram.hosts(read(LEAST));

        assertThat(hosts.bounds().idleBufferBytes()).isEqualTo(1 << 20);
        assertThat(hosts.timeouts()).isEqualTo(VdsmClientSettings.Timeouts.DEFAULT);
    }

    @Test
    @DisplayName("the program helps, and refuses what it does not know")
    void program() throws Exception {
        assertThat(run("--help")).isEqualTo(new Ended(0, RelayProgram.HELP, ""));
        assertThat(Path.of("../launcher/help/relay.txt")).hasContent(RelayProgram.HELP);
        assertThat(run().code()).isEqualTo(2);
        assertThat(run("--config").code()).isEqualTo(2);
        assertThat(run("--colour").err()).startsWith("Unknown option or missing value: --colour");
        Ended missing = run("--config=" + folder.resolve("none"));
        assertThat(missing.code()).isEqualTo(1);
        assertThat(missing.err()).contains("there is no file");
        Path file = folder.resolve("relay.properties");
        Files.writeString(file, "# für rack-7\n" + LEAST, StandardCharsets.ISO_8859_1);
        assertThat(run("--config", file.toString(), "--check").err())
                .isEqualTo("The relay cannot run: " + file + " is no text in UTF-8\n");
        Files.writeString(file, LEAST.replaceAll("(?m)^engine.tls.*$", "") + "engine.tls.off=true");
        assertThat(run("--config", file.toString(), "--check"))
                .isEqualTo(
                        new Ended(0, "relay rack-7: 1 hosts, engine engine.example:54331\n", ""));
        Files.writeString(file, LEAST);
        assertThat(run("--config", file.toString(), "--check").err()).contains("k.pem");
    }
}
