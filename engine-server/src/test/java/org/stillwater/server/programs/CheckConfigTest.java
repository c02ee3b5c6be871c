package org.stillwater.server.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void theExitCodeSaysWhetherTheEngineWouldStart() throws Exception {
        Path file = folder.resolve("stillwater.yaml");
        String data = "--data=" + folder.resolve("data");
        Files.writeString(file, "stillwater.cycle.interval: 20s\n");
        assertThat(run("--config", file.toString(), data, "--server.port=0")).isZero();
        assertThat(out()).contains("The configuration is usable: no errors");

        Files.writeString(file, "stillwater.cycle.interval: 20y\n");
        assertThat(run("--config", file.toString(), data, "--server.port=0")).isEqualTo(1);
        assertThat(out())
                .contains("error: line 1 of " + file, "The engine would not start: 1 errors");

        assertThat(run("--config", folder.resolve("none.yaml").toString())).isEqualTo(1);
        assertThat(out()).contains("none.yaml cannot be read");
        Files.writeString(file, "stillwater: [unclosed\n");
        assertThat(run("--config", file.toString())).isEqualTo(1);
        assertThat(out()).contains("error: the settings cannot be read: ", "line 2");
    }

    @Test
    void aWrongLineOfTheHostsFileIsFound() throws Exception {
        Path hosts = Files.writeString(folder.resolve("hosts"), "a,192.0.2.1\nb\n");
        assertThat(run("--stillwater.hosts-file=" + hosts, "--running")).isEqualTo(1);
        assertThat(out()).contains("Line 2 of the file of hosts " + hosts);
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
